"""Types and docstrings of the package."""

import inspect
import subprocess
import sys

import coluber
import coluber.gym
from conftest import root


def test_the_kept_stub_is_a_fresh_one(tmp_path) -> None:  # type: ignore[no-untyped-def]
    subprocess.run([sys.executable, str(root / "python/stub.py"), str(tmp_path / "stub.pyi")], check=True)
    assert (tmp_path / "stub.pyi").read_text() == (root / "python/coluber/_core.pyi").read_text()


def test_every_public_name_has_a_docstring() -> None:
    bare = []
    for module in (coluber, coluber.gym):
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing):
                continue
            if not inspect.getdoc(thing):
                bare.append(name)
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    public = not member.startswith("_") and (callable(value) or isinstance(value, property))
                    if public and not inspect.getdoc(getattr(thing, member)):
                        bare.append(f"{name}.{member}")
    assert not bare


def test_the_python_layer_is_what_its_annotations_say() -> None:
    command = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "coluber",
        "--ignore-missing-stub",
        "--concise",
        "--ignore-unused-allowlist",
    ]
    allowed = root / "tests/python/stubtest.txt"
    done = subprocess.run([*command, "--allowlist", str(allowed)], capture_output=True, text=True, cwd=root / "tests")
    assert done.returncode == 0, done.stdout + done.stderr
