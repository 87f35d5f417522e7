"""Files that come with the package: scenarios, and the page that replays runs."""

from __future__ import annotations

import os
from pathlib import Path

from . import _core
from .errors import Fault, InputError

__all__ = ["scenario_path", "scenarios", "viewer"]


def _folders() -> list[Path]:
    package = Path(__file__).resolve().parent / "share"
    tree = Path(__file__).resolve().parents[2]  # an editable installation
    given = os.environ.get("COLUBER_DATA")
    return [Path(given), package, tree] if given else [package, tree]


def scenarios() -> dict[str, Path]:
    """The scenarios that come with Coluber: name and file.

    >>> "aiko_floor" in scenarios()
    True
    """
    for folder in _folders():
        files = sorted((folder / "scenarios").glob("*.toml"))
        if files:
            return {file.stem: file for file in files}
    return {}


def scenario_path(name: str | os.PathLike[str]) -> Path:
    """The file of this name, or else the packaged scenario."""
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"expected the name of a scenario or its file, got a {type(name).__name__}")
    path = Path(name)
    if path.exists() and not path.is_dir():
        return path
    bare = len(path.parts) == 1
    shipped = scenarios()
    if bare and path.name.removesuffix(".toml") in shipped:
        return shipped[path.name.removesuffix(".toml")]
    if bare and not path.suffix:
        near = _core.nearest(path.name, list(shipped))
        hint = f"did you mean {near}?" if near else "coluber.scenarios() names those that come with Coluber"
        raise InputError(Fault(str(path), message="no such file, nor a scenario of Coluber's", hint=hint))
    return path


def viewer() -> str | None:
    """The page that shows replays, or None where it was not built."""
    for folder in _folders():
        for place in ("viewer/viewer.html", "viewer/dist/viewer.html"):
            if (folder / place).is_file():
                return (folder / place).read_text(encoding="utf-8")
    return None
