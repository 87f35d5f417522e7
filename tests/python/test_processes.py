"""Other processes, and memory."""

import multiprocessing
import os
import resource
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv

import coluber
import coluber.gym
from conftest import run_python


def end_of(scenario: coluber.Scenario) -> str:
    return coluber.Simulation(scenario).run().final_state


def test_a_pool_of_processes_gives_the_same_bits(floor: coluber.Scenario) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        ends = pool.map(end_of, [floor] * 2)
    assert ends == [end_of(floor)] * 2


def test_environments_in_processes() -> None:
    envs = AsyncVectorEnv([lambda: gymnasium.make("coluber.gym:coluber/Crawl-v0")] * 2, context="spawn")
    single = coluber.gym.SnakeEnv()
    try:
        observations, _ = envs.reset(seed=[1, 2])
        np.testing.assert_array_equal(observations[0], single.reset(seed=1)[0])
        action = np.full((2, 10), 0.1)
        np.testing.assert_array_equal(envs.step(action)[0][0], single.step(action[0])[0])
    finally:
        envs.close()


def test_memory_stays_flat_and_nothing_is_reported_at_exit() -> None:
    """COLUBER_SIMULATIONS many; a sample in the tests. One that leaked would keep at least 50 kB."""
    count = int(os.environ.get("COLUBER_SIMULATIONS", "3000"))
    code = f"""
import coluber, gc, numpy as np, resource
s = coluber.load("aiko_floor")
def make():
    sim = coluber.Simulation(s)
    sim.gait = lambda t: (np.zeros(sim.joint_count), np.zeros(10))
    sim.controller = lambda input: 0 * sim["joint_angle"]
    sim.step(2)
for _ in range(500): make()
gc.collect(); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range({count}): make()
gc.collect()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / {count})
"""
    done = run_python(code)
    assert done.returncode == 0 and "leak" not in done.stderr and not done.stderr, done.stderr
    assert float(done.stdout) < 2.0, "kB per simulation"


def test_h5py_of_pypi_goes_beside(tmp_path: Path) -> None:
    for order in ("import h5py, coluber", "import coluber, h5py"):
        folder = tmp_path / order.replace(" ", "_").replace(",", "")
        code = f"""
{order}
sim = coluber.Simulation(coluber.load("aiko_floor", {{"duration": 0.1, "record.replay": False}}))
run = sim.record({str(folder)!r})
with h5py.File({str(folder / "trajectory.h5")!r}) as file:
    assert (file["link_position"][...] == run["link_position"]).all()
"""
        done = run_python(code)
        assert done.returncode == 0, done.stderr
    assert resource.RUSAGE_SELF == 0
