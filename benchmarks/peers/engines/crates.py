"""Engines whose sources come in a crate: fetched from crates.io, pinned by checksum, unpacked."""

import hashlib
import io
import pathlib
import platform
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from . import Missing, say

ADDRESS = "https://static.crates.io/crates/{crate}/{crate}-{version}.crate"


def fetch(folder, crate, version, sha256):
    """The folder of an unpacked crate; Missing if it cannot be had."""
    target = folder / f"{crate}-{version}"
    if target.exists():
        return target
    address = ADDRESS.format(crate=crate, version=urllib.parse.quote(version))
    say(f"  {address}")
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            data = answer.read()
    except (urllib.error.URLError, OSError) as error:
        raise Missing(f"{address}: {error}") from error
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise Missing(f"{address}: checksum {found}, expected {sha256}")
    # unpacked beside its place and then moved there: an interrupted run leaves no half of a crate
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(aside)
        (pathlib.Path(aside) / target.name).rename(target)
    return target


def machine_flags():
    """The instructions Coluber's own fastest code may use too."""
    return ["-march=x86-64-v3"] if platform.machine() == "x86_64" else ["-mcpu=native"]
