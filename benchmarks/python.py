"""What Python costs: one process, one run, ratios side by side.

benchmarks/python.py [--program build/release/bin/coluber]

Times are CPU time of this process, the best of some repeats. Compare them within one run only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable

import numpy as np

import coluber
from coluber.gym import SnakeVectorEnv

N = 4000


def best(work: Callable[[], object], count: int, repeats: int = 9) -> float:
    """Microseconds of CPU per item, the best of some repeats."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append((time.process_time() - begin) / count * 1e6)
    return min(times)


def warm(scenario: coluber.Scenario) -> coluber.Simulation:
    sim = coluber.Simulation(scenario)
    sim.step(1000)
    return sim


def one_by_one(sim: coluber.Simulation) -> None:
    step = sim.step
    for _ in range(N):
        step()


def read_time(sim: coluber.Simulation) -> None:
    for _ in range(N):
        sim.time


def loop() -> None:
    for _ in range(N):
        pass


def costs(s: coluber.Scenario) -> dict[str, float]:
    rows: dict[str, float] = {}
    plain = warm(s)
    rows["step(n), a step"] = best(lambda: plain.step(N), N)
    viewed = warm(s)
    kept = viewed["link_position"]
    rows["step() with views current"] = best(lambda: one_by_one(viewed), N)
    rows["  over step(n), ratio"] = rows["step() with views current"] / rows["step(n), a step"]
    rows["a property"] = best(lambda: read_time(plain), N) - best(loop, N)
    phi, rate = np.zeros(10), np.zeros(10)
    held = warm(s)
    held.reference = phi
    base = best(lambda: held.step(N), N)
    gait = warm(s)
    gait.gait = lambda t: (phi, rate)
    rows["a gait of ready arrays, more a step"] = best(lambda: gait.step(N), N) - base
    command = coluber.Command(10)
    command.k_P, command.k_D = 800.0, 2.0
    driven = warm(s)
    driven.reference = phi
    driven.controller = lambda input: command
    rows["a controller of a ready command, more a step"] = best(lambda: driven.step(N), N) - base
    rows["a view that is kept, more a step"] = best(lambda: viewed.step(N), N) - rows["step(n), a step"]
    assert kept.shape == (11, 2)
    return rows


def environments() -> dict[str, float]:
    rows: dict[str, float] = {}
    rng = np.random.default_rng(1)
    for count in (1, 16, 64):
        envs = SnakeVectorEnv(count)
        envs.reset(seed=1)
        rounds = max(20, 800 // count)
        actions = rng.uniform(-1, 1, (rounds, count, 10))

        def through_layer() -> None:
            for action in actions:
                envs.step(action)

        def batch_alone() -> None:
            for action in actions:
                envs.batch.references = 0.7 * action
                envs.batch.step(20)

        layer = alone = float("inf")
        for _ in range(9):  # in turns: the machine is as busy for both, the robots as far from rest
            layer = min(layer, best(through_layer, rounds * count, 1))
            alone = min(alone, best(batch_alone, rounds * count, 1))
        rows[f"{count} environments: steps per second and core"] = 1e6 / layer
        rows[f"{count} environments: layer over Batch, ratio"] = layer / alone
    envs = SnakeVectorEnv(16)
    rows["a reset"] = best(lambda: [envs.reset() for _ in range(50)], 16 * 50, 5)
    return rows


def program(path: str) -> dict[str, float]:
    done = subprocess.run([path, "bench", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return {}
    found = json.loads(done.stdout)
    rows = found["rows"] if isinstance(found, dict) and "rows" in found else found
    return {f"coluber bench {row['scene']}, steps/s": float(row["steps_per_s"]) for row in rows if "steps_per_s" in row}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="")
    arguments = parser.parse_args()
    s = coluber.load("aiko_floor", {"duration": 1e3, "record.rate_hz": 1.0})
    for rows in (costs(s), environments(), program(arguments.program) if arguments.program else {}):
        for name, value in rows.items():
            unit = "" if "ratio" in name or "second" in name or "steps/s" in name else " us"
            print(f"{name:48} {value:10.3f}{unit}")


if __name__ == "__main__":
    main()
