"""The examples print what their pages show."""

import subprocess
import sys

import pytest

from conftest import root


def table_in(page: str) -> str:
    """The last block of a page that is indented or fenced and has numbers."""
    blocks = (root / page).read_text().split("```")[1::2]
    return [block for block in blocks if "_deg" in block or "cm_s" in block][-1].strip("\n")


@pytest.mark.parametrize("name", ["own_gait", "own_controller"])
def test_the_example_prints_the_table_of_the_program_in_cpp(name: str) -> None:
    command = [sys.executable, str(root / f"examples/{name}/{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip("\n") == table_in(f"examples/{name}/README.md")
