"""Writes python/coluber/_core.pyi, the types of the compiled module: python/stub.py [FILE]."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEADER = '''\
"""The C++ library of Coluber. Use the package coluber, which is built on this module."""

# written by python/stub.py
import os
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
'''


def make() -> str:
    """The stub of the module that is installed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "_core.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-P", "-m", "coluber._core", "-o", str(file)]
        subprocess.run(command, check=True)
        text = file.read_text(encoding="utf-8")
    text = text[text.index("\n\n\n") :]  # its own docstring and imports
    text = re.sub(r"^__(version|doc|file|name|package|loader|spec)__.*\n", "", text, flags=re.M)
    text = re.sub(r"^page_mark: str = .*$", "page_mark: str", text, flags=re.M)
    return HEADER + "\n__version__: str\n" + text.rstrip() + "\n"


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "coluber/_core.pyi"
    place.write_text(make(), encoding="utf-8")
