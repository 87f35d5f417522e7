"""Every snippet of docs/python.md and of the README runs, and so do the examples in docstrings."""

import doctest
import importlib
from pathlib import Path

import pytest

from conftest import root

MODULES = ["coluber", "coluber.scenario", "coluber.simulation", "coluber.batch", "coluber.data", "coluber.gym"]


def snippets(page: str) -> list[str]:
    return [part.split("```")[0] for part in (root / page).read_text().split("```python\n")[1:]]


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_the_snippets_of_a_page_run_one_after_another(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = snippets(page)
    assert found
    names: dict[str, object] = {}
    for snippet in found:
        exec(compile(snippet, page, "exec"), names)  # noqa: S102


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0
