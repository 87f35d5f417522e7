#!/usr/bin/python3
"""Where the time goes (`coluber run --profile`, `coluber bench --json`) and our side of benchmarks/peers. No time is
asserted, only what must hold on any machine.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import csv
import json
import subprocess
import tempfile
from pathlib import Path

import h5py

from harness import COLUBER, SOURCE, check, finish

SCENARIO = str(SOURCE / "scenarios" / "aiko_course.toml")
PHASES = ["references", "controller", "problem", "solve", "residual", "bookkeeping", "recording"]


def call(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300)


def test_profile(tmp):
    done = call(COLUBER, "run", SCENARIO, "--duration", 1, "--profile", "--out", tmp / "profiled")
    check("run --profile exits 0", done.returncode == 0, done.stderr)
    rows = [line.split() for line in done.stdout.splitlines()]
    named = [row[0] for row in rows if row and row[0] in PHASES + ["total"]]
    check("its table has every phase and the total", named == PHASES + ["total"], done.stdout)
    check("… after the summary, on stdout", done.stdout.find("final_state") < done.stdout.find("us a step"), done.stdout)
    shares = [float(row[2]) for row in rows if row and row[0] in PHASES]
    check("its shares add up to 100 %", abs(sum(shares) - 100.0) < 0.5, shares)

    done = call(COLUBER, "run", SCENARIO, "--duration", 1, "--profile", "--json", "--out", tmp / "json")
    out = json.loads(done.stdout)
    check("with --json the phases are in the object", [p["name"] for p in out["phases"]] == PHASES, out.get("phases"))
    check("… each with its time", all(p["ms"] > 0 and p["us_per_step"] > 0 for p in out["phases"]), out["phases"])

    done = call(COLUBER, "run", SCENARIO, "--duration", 1, "--json", "--out", tmp / "plain")
    plain = json.loads(done.stdout)
    check("a run without it has no phases", "phases" not in plain, plain.keys())
    check("… and ends in the same state", plain["summary"]["final_state"] == out["summary"]["final_state"], out["summary"])


def test_bench():
    done = call(COLUBER, "bench", "planar.floor", "--n", 10, "--repeat", 1, "--json")
    scene = json.loads(done.stdout)["scenes"][0]
    check("bench --json has the time by phase", [p["name"] for p in scene["phases"]] == PHASES, scene)
    check("… with shares that add up to 1", abs(sum(p["share"] for p in scene["phases"]) - 1.0) < 1e-9, scene["phases"])


PEERS = """schema = 1
duration = {}
[robot]
model = "spatial"
joint = "yaw"
links = 10
link = {{ mass = 0.682, inertia = 1.32e-3, inertia_axial = 9.40e-4, length = 0.122, half_core = 0.0393, radius = 0.0525, shape = "spheres" }}
[start]
shape = "gait"
link = 1
position = [0.061, 0.0]
heading_deg = -42.8901
[world]
friction = [0.3, 0.3]
[gait]
name = "lateral_undulation"
amplitude_deg = 40.0
omega_deg = 80.0
phase_deg = -50.0
[controller]
kp = 60.0
kd = 0.4
"""


def test_the_peers_scene_in_space(tmp):
    def displacement(seconds):
        (tmp / "peers.toml").write_text(PEERS.format(seconds))
        done = call(COLUBER, "run", tmp / "peers.toml", "--out", tmp / "run", "--force", "-q")
        check(f"the peers' scene runs for {seconds} s", done.returncode == 0, done.stderr)
        with h5py.File(tmp / "run/trajectory.h5") as file:
            centre = file["link_position"][()].mean(axis=1)
        return (centre[-1] - centre[0])[:2]

    bench = json.loads(call(COLUBER, "bench", "spatial.floor", "--n", 10, "--repeat", 1, "--json").stdout)["scenes"][0]
    # rounding alone: the bench's scene and this one are the same
    ours = displacement(3.0)
    check("spatial.floor is the peers' scene", all(abs(a - b) <= 1e-12 for a, b in zip(ours, bench["displacement"])), (ours, bench["displacement"]))
    x, y = displacement(5.0)
    # the reference solution's, printed to the micrometre
    check("the mean of its links comes (50.352, -29.520) mm in 5 s", abs(x - 0.050352) <= 1e-6 and abs(y + 0.029520) <= 1e-6, (x, y))


def test_peers(tmp):
    build = Path(COLUBER).parent.parent
    if not (build / "bin/peers_coluber").exists():  # builds without benchmarks
        return
    out = tmp / "peers"
    done = call(SOURCE / "benchmarks/peers/run", "--quick", "--without-peers", "--rounds", 1, "--no-build", "--build", build,
                "--out", out)
    check("the peers' benchmark runs without peers", done.returncode == 0, done.stderr)
    check("its tables are on stdout, its talk is not", "| µs a step, floor |" in done.stdout and "looking at" not in done.stdout, done.stdout)
    with open(out / "peers.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expected = [(f"Coluber, {law}", world, n) for law in ("anchored", "rigid") for world in ("floor", "cylinders") for n in ("10", "20")]
    expected += [("Coluber, planar", "floor", n) for n in ("10", "20")]
    check("it writes a row for each setting, world and size", [(r["row"], r["world"], r["n"]) for r in rows] == expected, rows)
    check("no step fails", all(float(r["failed"]) == 0 for r in rows), rows)
    check("the law holds", all(float(r["residual"]) <= 1e-8 for r in rows), rows)
    # joint coordinates: what is left is the rounding of centres and axes
    check("no joint opens", all(float(r["drift"]) <= 1e-12 for r in rows), rows)
    # a link's weight over the stiffness of the floor, 0.5 um at 1 ms; less than 1 um in a jam too
    check("nothing is 1 um deep in the floor", all(float(r["floor_depth"]) < 1e-6 for r in rows), rows)
    check("nothing is 100 um deep in a cylinder", all(float(r["cylinder_depth"] or 0) < 1e-4 for r in rows), rows)
    first = {r["row"]: r for r in rows if r["n"] == "10" and r["world"] == "floor"}
    for name, row in first.items():
        # the anchor settles once, in the first steps; after 100 of them nothing moves
        check(f"{name}: nothing creeps where the slope must hold", float(row["crept"]) <= 1e-12, row["crept"])
        # the midpoint rule is exact under a constant force but for the first step, which sticks to the anchor
        check(f"{name}: a slide is as long as the closed form says", abs(float(row["slide_0"])) <= 1e-7, row["slide_0"])
        check(f"{name}: … in any direction", abs(float(row["slide_45"])) <= 1e-7, row["slide_45"])
        # rounding, grown over 5000 steps
        check(f"{name}: the gait does not know its heading", float(row["heading"]) <= 1e-9, row["heading"])
    # the reference solution's, printed to the micrometre
    row = first["Coluber, anchored"]
    check("the ruler finds the displacement (50.352, -29.520) mm", abs(float(row["x"]) - 0.050352) <= 1e-6
          and abs(float(row["y"]) + 0.029520) <= 1e-6, row)
    # An independent equal-load reference in the plane gives (0.050, -0.030), stated to 1 mm.
    row = first["Coluber, planar"]
    check("the planar displacement is the independent reference's", abs(float(row["x"]) - 0.050) <= 1e-3
          and abs(float(row["y"]) + 0.030) <= 1e-3, row)


with tempfile.TemporaryDirectory() as folder:
    test_profile(Path(folder))
    test_bench()
    test_the_peers_scene_in_space(Path(folder))
    test_peers(Path(folder))
finish()
