"""The same bits by every way through a scenario."""

import json
import pickle
import subprocess
from pathlib import Path

import pytest

import coluber
from conftest import MOVING, run_python

SECONDS = 0.25  # simulated: some hundred steps of each model


def short(name: str) -> coluber.Scenario:
    s = coluber.load(name)
    return coluber.load(name, {"duration": min(s.duration, SECONDS), "record.replay": False})


@pytest.mark.parametrize("name", MOVING)
def test_every_way_ends_in_the_same_state(name: str, tmp_path: Path, program: str) -> None:
    s = short(name)
    whole = coluber.Simulation(s)
    t = whole.run()
    assert t.status == "completed", t.message
    last = whole.step_count

    one = coluber.Simulation(s)
    while one.step_count < last:
        one.step()
    seven = coluber.Simulation(s)
    while seven.step_count < last:
        seven.step(min(7, last - seven.step_count))

    half = coluber.Simulation(s)
    half.step(last // 2)
    state = pickle.loads(pickle.dumps(half.state))
    half.step(3)
    half.state = state
    assert half.state == state
    half.step(last - last // 2)

    run = coluber.Simulation(s).record(tmp_path / "python")
    command = [program, "run", name, "--out", str(tmp_path / "program"), "-q", "--set", f"duration={s.duration!r}"]
    subprocess.run([*command, "--set", "record.replay=false"], check=True, capture_output=True)
    theirs = json.loads((tmp_path / "program/run.json").read_text())

    states = [t.final_state, one.state_hash, seven.state_hash, half.state_hash, run.final_state, whole.state_hash]
    assert set(states) == {theirs["summary"]["final_state"]}
    assert run.run["scenario"]["hash"] == theirs["scenario"]["hash"]
    assert (t["energy"] == run["energy"]).all() if "energy" in t else len(t) == len(run)


def test_a_state_goes_on_in_a_new_process(floor: coluber.Scenario, tmp_path: Path) -> None:
    sim = coluber.Simulation(floor)
    sim.step(250)
    (tmp_path / "state").write_bytes(pickle.dumps(sim.state))
    (tmp_path / "simulation").write_bytes(pickle.dumps(sim))
    sim.step(250)
    code = f"""
import coluber, pickle, pathlib
folder = pathlib.Path({str(tmp_path)!r})
sim = coluber.Simulation(coluber.load("aiko_floor", {{"duration": 0.5}}))
sim.state = pickle.loads((folder / "state").read_bytes())
sim.step(250)
other = pickle.loads((folder / "simulation").read_bytes())
other.step(250)
print(sim.state_hash, other.state_hash)
"""
    done = run_python(code)
    assert done.stdout.split() == [sim.state_hash] * 2, done.stderr
