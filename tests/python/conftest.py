"""What the tests of the Python package share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import coluber

root = Path(__file__).resolve().parents[2]

# A simulation of each is a fraction of a second; studies alone have no motion.
MOVING = [name for name in coluber.scenarios() if not name.startswith("holden") or name == "holden_robot"]


@pytest.fixture(scope="session")
def program() -> str:
    """The command line program of the same build."""
    path = os.environ.get("COLUBER", str(root / "build/release/bin/coluber"))
    assert Path(path).exists(), f"no program {path}; set COLUBER"
    return path


@pytest.fixture
def floor() -> coluber.Scenario:
    """Aiko on the floor for half a second."""
    return coluber.load("aiko_floor", {"duration": 0.5})


def run_python(code: str, **kwargs: object) -> subprocess.CompletedProcess[str]:
    """Runs code in a new interpreter."""
    import sys

    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, **kwargs)  # type: ignore[call-overload, no-any-return]
