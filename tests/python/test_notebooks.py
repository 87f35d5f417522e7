"""The notebooks run, and are kept without output."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import root

NOTEBOOKS = sorted((root / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=[file.stem for file in NOTEBOOKS])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_notebook_runs_and_is_kept_without_output(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(file, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
    place = {"metadata": {"path": str(file.parent)}}
    NotebookClient(notebook, timeout=600, startup_timeout=600, resources=place).execute()
    shown = [output for cell in cells for output in cell.outputs if "data" in output]
    assert any("image/png" in output["data"] for output in shown)
    if file.stem == "first_run":
        assert any("coluber-run" in output["data"].get("text/html", "") for output in shown)
    assert os.environ["MPLBACKEND"]


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3
