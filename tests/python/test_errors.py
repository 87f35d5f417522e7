"""Bad input: a clear exception that says what was expected, never a crash."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coluber
from conftest import run_python

S = coluber.load("aiko_floor", {"duration": 0.5})


def stepped(**parts: Any) -> Callable[[], Any]:
    def work() -> Any:
        sim = coluber.Simulation(S)
        for name, value in parts.items():
            setattr(sim, name, value)
        return sim.step(3)

    return work


def faulty(phi: Any, rate: Any = None) -> Callable[[float], Any]:
    return lambda t: (phi, np.zeros(10) if rate is None else rate)


NAN = np.full(10, np.nan)

BAD: list[tuple[str, Callable[[], Any], str]] = [
    ("an unknown key", lambda: coluber.load("aiko_floor", {"solver.dtt": 1e-3}), "did you mean dt"),
    ("a key that is no text", lambda: coluber.load("aiko_floor", {3: 1}), "keys that are texts, got 3"),  # type: ignore[dict-item]
    ("a word for a number", lambda: coluber.load("aiko_floor", {"solver.dt": "fast"}), 'got "fast"'),
    ("a NaN", lambda: S.replace({"solver.dt": float("nan")}), "solver.dt: expected a number"),
    ("None for a value", lambda: S.replace({"solver.dt": None}), "got None"),
    ("an object for a value", lambda: S.replace({"solver.dt": object()}), "got a object"),
    ("a list of the wrong length", lambda: S.replace({"world.friction": [0.1, 0.2, 0.3]}), "world.friction"),
    ("a missing file", lambda: coluber.load("nowhere/at_all.toml"), "nowhere/at_all.toml"),
    ("a name nearly right", lambda: coluber.load("aiko_flor"), "did you mean aiko_floor"),
    ("TOML that is none", lambda: coluber.parse("a = = 1"), "<text>:1:5"),
    ("a dict with a wrong key", lambda: coluber.Scenario.from_dict({"robot": {"mass": 1}}), "robot.mass"),
    (
        "too few references",
        lambda: setattr(coluber.Simulation(S), "reference", [1.0] * 9),
        "expected 10 numbers, got 9",
    ),
    ("references that are no numbers", lambda: setattr(coluber.Simulation(S), "reference", "straight"), "got str"),
    ("an unknown observable", lambda: coluber.Simulation(S)["link_positon"], 'did you mean "link_position"'),
    ("steps backwards", lambda: coluber.Simulation(S).step(-1), "got -1"),
    ("a gait that returns None", stepped(gait=lambda t: None), "it returned None"),
    ("a gait that returns one array", stepped(gait=lambda t: np.zeros(10)), "two arrays"),
    ("a gait of NaN", stepped(gait=faulty(NAN)), r"phi_d \(rad\): number 1 of 10 is nan"),
    ("a gait of the wrong length", stepped(gait=faulty(np.zeros(9))), "expected 10 numbers, got 9"),
    ("rates of the wrong length", stepped(gait=faulty(np.zeros(10), np.zeros(11))), "expected 10 numbers, got 11"),
    ("a gait that is none", stepped(gait=3), "a gait is a function"),
    ("a controller that returns None", stepped(controller=lambda i: None), "does the function end without a return"),
    ("a controller of NaN", stepped(controller=lambda i: NAN), "torques .*: number 1 of 10 is nan"),
    ("a controller of the wrong length", stepped(controller=lambda i: [0.0]), "expected 10 numbers, got 1"),
    ("a command for another robot", stepped(controller=lambda i: coluber.Command(3)), "for 3 joint angles"),
    ("a state of another robot", stepped(state=coluber.Simulation("eel").state), "state"),
    ("a folder without a run", lambda: coluber.open_run("/"), "run.json"),
    ("a study that is none", lambda: coluber.run(S, study="gait"), "there is no study"),
]


@pytest.mark.parametrize("call, words", [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_input_is_refused_with_what_was_expected(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(coluber.InputError, match=words) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    fault = caught.value.faults[0]
    assert fault.message and str(fault) in str(caught.value)


def test_all_faults_come_at_once_with_their_places(tmp_path: Path) -> None:
    file = tmp_path / "worm.toml"
    file.write_text('[robot]\nmodel = "planar"\nname = "aiko"\nlink.mass = "heavy"\n[solver]\ndtt = 1\n')
    with pytest.raises(coluber.InputError) as caught:
        coluber.load(file)
    faults = caught.value.faults
    assert [(f.line, f.key) for f in faults] == [(4, "robot.link.mass"), (6, "solver.dtt")]
    assert faults[0].file.endswith("worm.toml") and faults[0].column > 0 and faults[1].hint == "did you mean dt?"
    import pickle

    assert pickle.loads(pickle.dumps(caught.value)).faults == faults


def test_a_step_that_fails_says_when_and_what() -> None:
    hard = {"solver.name": "thesis", "solver.thesis.max_iterations": 1, "duration": 0.2}
    s = coluber.load("aiko_course", hard)
    sim = coluber.Simulation(s)
    with pytest.raises(coluber.StepError, match="did not converge: residual") as caught:
        sim.step(200)
    assert isinstance(caught.value, ArithmeticError)
    assert caught.value.time == sim.time and caught.value.quantity and caught.value.index > 0
    again = coluber.Simulation(s)
    with pytest.raises(coluber.StepError) as in_run:
        again.run()
    assert in_run.value.trajectory.status == "failed" and len(in_run.value.trajectory) >= 1
    calm = coluber.Simulation(s.replace({"solver.on_failure": "warn"}))
    info = calm.step(100)
    assert info.steps == 100 and info.failed_steps > 0 and not info.ok and info.end == "done"
    assert calm.run().status == "completed"


@pytest.mark.parametrize(
    "call", ["sim.step(10**9)", "sim.run()", "sim.record(folder)", "batch.step(10**9)", "slow.run()"]
)
def test_ctrl_c_ends_a_call_and_loses_nothing(call: str, tmp_path: Path) -> None:
    code = f"""
import coluber, os, signal, threading, time
import numpy as np
folder = {str(tmp_path / "run")!r}
s = coluber.load("aiko_floor", {{"duration": 2e4, "record.rate_hz": 1.0}})
sim = coluber.Simulation(s)
slow = coluber.Simulation(s)
slow.gait = lambda t: (np.zeros(10), np.zeros(10))
batch = coluber.Batch(s, 2, threads=2)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
at = max(sim.time, slow.time, batch.time[0])
sim.step(5); slow.step(5); batch.step(5)
print(at > 0.0, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    done = run_python(code)
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stdout + done.stderr
    if "record" in call:
        run = coluber.open_run(tmp_path / "run")
        assert run.status == "interrupted" and len(run) >= 1


def test_a_recording_that_was_interrupted_is_resumed(tmp_path: Path) -> None:
    s = coluber.load("aiko_floor", {"duration": 20.0, "record.checkpoint_s": 0.1})

    def interrupt() -> None:
        while not (tmp_path / "run/run.json").exists():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    whole = coluber.Simulation(s).run().final_state
    sim = coluber.Simulation(s)
    thread = threading.Thread(target=interrupt, daemon=True)
    try:
        thread.start()
        sim.record(tmp_path / "run")
        thread.join()
        time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    if coluber.open_run(tmp_path / "run").status != "completed":
        assert coluber.Simulation(s).record(tmp_path / "run", resume=True).final_state == whole


CHAOS = """
import random, sys, numpy as np, coluber
from coluber import _core
rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else SEED)
s = coluber.load("aiko_floor", {"duration": 0.05})
pieces = [None, 0, -1, 3, 10**30, 1.5, float("nan"), float("inf"), "", "solver.dt", "aiko_floor", b"x", [], [1.0] * 10,
          {}, {"solver.dt": 1e-3}, np.zeros(10), np.zeros((2, 10)), np.full(10, np.nan), object(), len, lambda *a: None,
          lambda *a: (np.zeros(10), np.zeros(10)), s, int, True, "\\ud800", ("a",), np.float32(2)]
sim, batch = coluber.Simulation(s), coluber.Batch(s, 2)
things = [sim, batch, s, coluber, coluber.Command(10), sim.run(), sim.state, _core]
names = {id(t): [n for n in dir(t) if not (n.startswith("__") and n not in
         ("__getitem__", "__contains__", "__copy__", "__eq__", "__len__", "__repr__"))] for t in things}
skip = {"load_run", "pack_run", "_record", "record", "open_run", "run_study", "plot", "run", "_run"}
counted = 0
for _ in range(COUNT):
    thing = rng.choice(things)
    name = rng.choice(names[id(thing)])
    if name in skip:
        continue
    try:
        if rng.random() < 0.3 and not isinstance(thing, type(coluber)) and not name.startswith("_"):
            setattr(thing, name, rng.choice(pieces))
        else:
            value = getattr(thing, name)
            if callable(value):
                value(*[rng.choice(pieces) for _ in range(rng.randrange(4))])
    except Exception as error:
        counted += 1
        text = str(error)
        for word in ("std::", "coluber::", "nanobind", "Eigen", "bad_cast", "__cxx"):
            assert word not in text, (name, text)
    if rng.random() < 0.01:
        sim, batch = coluber.Simulation(s), coluber.Batch(s, 2)
        things[:2] = [sim, batch]
        names[id(sim)], names[id(batch)] = [n for n in dir(sim) if n[:2] != "__"], [n for n in dir(batch) if n[:2] != "__"]
print("refused", counted)
"""


def test_random_calls_never_crash() -> None:
    """A sample of what COLUBER_RANDOM_CALLS asks for."""
    count = int(os.environ.get("COLUBER_RANDOM_CALLS", "4000"))
    code = CHAOS.replace("COUNT", str(count)).replace("SEED", "1")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0 and "refused" in done.stdout, done.stdout[-2000:] + done.stderr[-4000:]
