"""Builds the package against the installed library and runs its tests; the last line is `N passed, M failed`.

tests/python/run.py BUILD [OPTION…]    BUILD: a build of the library, such as build/release; options go to pytest.
tests/python/run.py BUILD --wheel      instead: black, the wheel and its repair.

`script/bootstrap --test` makes the virtual environment build/venv.
"""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as tree
from pathlib import Path

root = Path(__file__).resolve().parents[2]
venv = root / "build/venv"
prefix = root / "build/prefix"

passed = 0
failed = 0


def judge(name: str, command: list[str | Path]) -> bool:
    """Runs a command: one test."""
    global passed, failed
    print(f"-- {name}", flush=True)
    done = subprocess.run([str(word) for word in command], cwd=root, capture_output=True, text=True, errors="replace")
    passed, failed = passed + (done.returncode == 0), failed + (done.returncode != 0)
    if done.returncode != 0:
        print(done.stdout, done.stderr, f"{name}: exit code {done.returncode}", sep="\n", flush=True)
    return done.returncode == 0


def pytest(*options: str) -> None:
    """Counts the tests of pytest one by one; one that was skipped has failed: none of ours may be."""
    global passed, failed
    report = root / "build/pytest.xml"
    report.unlink(missing_ok=True)
    command = [str(venv / "bin/python"), "-m", "pytest", "--junit-xml", str(report), "-p", "no:cacheprovider", *options]
    # away from the source tree: the installed package is tested
    code = subprocess.run(
        command, cwd=root / "tests/python", env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    ).returncode
    try:
        suites = list(tree.parse(report).getroot().iter("testsuite"))
    except (OSError, tree.ParseError):
        suites = []
    total = sum(int(suite.get("tests", 0)) for suite in suites)
    bad = sum(int(suite.get(kind, 0)) for suite in suites for kind in ("failures", "errors", "skipped"))
    if bad == 0 and (total == 0 or code != 0):
        print(f"pytest: exit code {code}, {total} tests", flush=True)
        bad, total = 1, total + 1
    passed, failed = passed + total - bad, failed + bad


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    python = venv / "bin/python"
    if not python.exists():
        print("no build/venv: script/bootstrap --test makes it")
        print("0 passed, 1 failed")
        return 1
    os.environ.setdefault("COLUBER", str(build / "bin/coluber"))
    install = ["cmake", "--install", build, "--prefix", prefix]
    # without isolation and in a folder that is kept: what has not changed is not compiled again
    package = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--force-reinstall"]
    settings = [f"cmake.define.coluber_ROOT={prefix}", f"build-dir={root / 'build/python'}"]
    settings.append("cmake.define.COLUBER_WARNINGS_AS_ERRORS=ON")
    options = [f"--config-settings={setting}" for setting in settings]
    if "--wheel" in sys.argv[2:]:
        black = ["black", "-q", "--check", "python", "tests/python", "examples", "benchmarks/python.py"]
        judge("black", [python, "-m", *black])
        if judge("install the library", install):
            judge("wheel", [python, root / "tests/python/wheel.py", str(prefix)])
    elif judge("install the library", install) and judge("build the package", [*package, *options, root]):
        pytest(*sys.argv[2:])
        judge("mypy --strict", [python, "-m", "mypy", "--no-error-summary"])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
