"""Scenarios: load, take apart, change, put together again."""

import copy
import pickle

import numpy as np
import pytest

import coluber
from coluber import _toml
from conftest import root


@pytest.mark.parametrize("name", coluber.scenarios())
def test_every_scenario_keeps_its_hash_as_dict_and_as_text(name: str) -> None:
    s = coluber.load(name)
    assert coluber.Scenario.from_dict(s.to_dict()).hash == s.hash
    assert coluber.parse(s.to_toml()).hash == s.hash
    assert pickle.loads(pickle.dumps(s)) == s


def test_a_file_and_its_name_are_the_same() -> None:
    assert coluber.load(root / "scenarios/aiko_floor.toml") == coluber.load("aiko_floor")
    assert coluber.load("aiko_floor.toml").hash == coluber.load("aiko_floor").hash


def test_overrides_are_those_of_the_command_line() -> None:
    s = coluber.load(
        "aiko_floor", {"gait.amplitude_deg": 35, "world.friction": np.array([0.3, 0.3]), "seed": np.int64(3)}
    )
    assert s["gait.amplitude_deg"] == 35.0
    assert s["world.friction"] == [0.3, 0.3]
    assert s.seed == 3 and s.duration == 18.0 and s.model == "planar"


def test_replace_leaves_the_original_as_it_was() -> None:
    s = coluber.load("aiko_course")
    other = s.replace({"world.obstacle.2.x": 0.5, "title": "moved"})
    assert (s["world.obstacle.2.x"], other["world.obstacle.2.x"]) == (0.474, 0.5)
    assert other.title == "moved" and other != s and s == coluber.load("aiko_course")


def test_what_is_taken_out_can_be_changed_without_harm() -> None:
    s = coluber.load("aiko_floor")
    s["world.friction"][0] = 9.0
    s.to_dict()["world"]["friction"][0] = 9.0
    assert s["world.friction"] == [0.2, 0.2]


def test_dicts_may_hold_arrays_and_nothing() -> None:
    d = coluber.load("aiko_floor").to_dict()
    d["world"]["friction"] = np.array([0.2, 0.2])
    d["stop"] = {"past_x": None}
    assert coluber.Scenario.from_dict(d) == coluber.load("aiko_floor")


def test_keys_are_found_or_refused() -> None:
    s = coluber.load("aiko_floor")
    assert "solver.dt" in s and "solver.dtt" not in s and 3 not in s
    with pytest.raises(coluber.InputError, match="did you mean solver.dt"):
        s["solver.dtt"]


def test_copies_are_the_scenario_itself() -> None:
    s = coluber.load("aiko_floor")
    assert copy.copy(s) is s and copy.deepcopy(s) is s
    assert len({s, coluber.load("aiko_floor")}) == 1
    assert s.hash in repr(s)


def test_registered_components_are_listed() -> None:
    for listed in (coluber.models(), coluber.gaits(), coluber.controllers(), coluber.studies()):
        assert listed and all(name and doc for name, doc in listed)
    assert coluber.load("aiko_floor").model in dict(coluber.models())


def test_texts_beyond_ascii_come_through() -> None:
    title = 'a snake \U0001f40d, \u00e9, "quoted" \\'
    assert coluber.load("aiko_floor", {"title": title})["title"] == title
    assert _toml.inline({"\U0001f40d": "\x7f\t"}) == '{"\U0001f40d" = "\\u007f\\t"}'
