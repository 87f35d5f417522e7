"""Rapier: the crate rapier3d-f64, driven by a program in Rust."""

import os
import pathlib
import platform
import shutil

from . import SIZES, Missing, must

name = "Rapier"
group = "game"

settings = {
    "default": [[]],
    "fastest": [["iterations=1", "ccd=0"], ["iterations=1", "ccd=0", "recycle=0"]],
    "stiff": [["iterations=1", "ccd=0", "recycle=0", "contact_hertz=250"]],
}
notes = {
    "default": "four substeps, contacts recycled while a link has moved by less than 5 cm",
    "fastest": "one substep, contacts recycled as by default or found anew, whichever is faster, no "
               "sweeps of fast bodies",
    "stiff": "one substep, contacts found anew in every step and four times as stiff",
}


def sizes(_world):
    return SIZES


def build(folder, here):
    cargo = shutil.which("cargo") or shutil.which("cargo", path=pathlib.Path.home() / ".cargo/bin")
    if cargo is None:
        raise Missing("cargo, of Rust 1.86 or newer, is not installed")
    processor = "x86-64-v3" if platform.machine() == "x86_64" else "native"
    must([cargo, "build", "--release", "--locked", "--quiet", "--manifest-path",
          here / "rapier/Cargo.toml", "--target-dir", folder / "rapier"],
         env={**os.environ, "RUSTFLAGS": f"-C target-cpu={processor}"})
    return [folder / "rapier/release/peers_rapier"]
