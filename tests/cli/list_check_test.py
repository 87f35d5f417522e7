#!/usr/bin/python3
"""`coluber list` and `coluber check`: exit code, stdout and stderr apart.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import re
import os
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish



def coluber(*arguments, cwd=SOURCE, **env):
    return subprocess.run(
        [COLUBER, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, env={**os.environ, **env}
    )


SOME = {
    "models": "planar",
    "robots": "aiko",
    "gaits": "lateral_undulation",
    "controllers": "pd",
    "scenarios": "scenarios/aiko_course.toml",
    "experiments": "transeth.A1",
    "plots": "course",
    "keys": "solver.dt",
}
for kind, word in SOME.items():
    plain = coluber("list", kind)
    check(f"list {kind} has {word}", plain.returncode == 0 and f"\n{word} " in "\n" + plain.stdout, plain.stdout + plain.stderr)
    check(f"list {kind} says nothing on stderr", plain.stderr == "", plain.stderr)
    as_json = coluber("list", kind, "--json")
    names = [entry["name"] for entry in json.loads(as_json.stdout)[kind]]
    check(f"list {kind} --json has {word}", word in names, as_json.stdout[:500])
    check(f"list {kind} shows the same in both forms", len(names) == len(plain.stdout.splitlines()), plain.stdout)

listed = {entry["name"]: entry for entry in json.loads(coluber("list", "keys", "--json").stdout)["keys"]}
check("a key has its unit, default and meaning", listed["solver.dt"]["unit"] == "s" and listed["solver.dt"]["default"] == 1e-3 and listed["solver.dt"]["doc"], listed["solver.dt"])
check("an infinite default is text", listed["controller.torque_limit"]["default"] == "inf")
for key in ("start.position", "start.link", "start.z", "stop.past_x"):
    check(f"{key} says which centre of a link it means", "centre of gravity" in listed[key]["doc"], listed[key]["doc"])
check("controller.start_time says whose clock it leaves alone", "gait's clock" in listed["controller.start_time"]["doc"], listed["controller.start_time"])
check("a key of one model says so", listed["world.rolling_friction"]["model"] == "spatial" and "model" not in listed["solver.dt"])

for arguments in (["list"], ["list", "nonsense"], ["list", "models", "--markdown"], ["check"], ["check", "--nonsense"]):
    run = coluber(*arguments)
    check(f"{' '.join(arguments)} is wrong usage", run.returncode == 2 and run.stdout == "" and run.stderr, run)

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    lost = coluber("list", "scenarios", cwd=folder, COLUBER_DATA=str(folder / "nowhere"))
    check("a data folder that is not there is said so", lost.returncode == 1 and "scenarios" in lost.stderr, lost)
    elsewhere = coluber("list", "scenarios", cwd=folder)
    for line in elsewhere.stdout.splitlines():
        path = line.split("  ")[0]
        check("a listed scenario can be checked from any folder", coluber("check", path, cwd=folder).returncode == 0, path)

for file in sorted((SOURCE / "scenarios").glob("*.toml")):
    run = coluber("check", f"scenarios/{file.name}")
    check(f"{file.name} is ok", run.returncode == 0 and re.match(rf"scenarios/{file.name}: ok: ((planar|spatial|minimal), 11|(wheeled|n_trailer), 6|planar, 20) links|scenarios/{file.name}: ok: (multibody|rod|grasp), ", run.stdout), run)
    check(f"{file.name} gives no warning", run.stderr == "", run.stderr)

run = coluber("check", "scenarios/aiko_floor.toml", "--set", "controller.servo=explicit")
check("an explicit servo at 1 ms is warned of", run.returncode == 0 and run.stderr.startswith("warning: ") and "dt" in run.stderr, run)

finish()
