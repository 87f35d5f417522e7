#!/usr/bin/python3
"""Where the time goes (`coluber run --profile`, `coluber bench --json`) and our side of benchmarks/peers. No time is
asserted, only what must hold on any machine.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import csv
import json
import math
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy

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
    check("… after the summary, on stdout", done.stdout.find("final_state") < done.stdout.find("us per step"), done.stdout)
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


def test_a_scene_of_a_command():
    done = call(COLUBER, "bench", "force_map.chain", "--n", "10,30", "--repeat", 1, "--json")
    out = json.loads(done.stdout) if done.returncode == 0 else {"scenes": [], "growth": {}}
    check("force_map.chain is timed at any size", [s["n"] for s in out["scenes"]] == [10, 30] and "force_map.chain" in out["growth"], done.stderr)
    for scene in out["scenes"]:
        parts = [scene[name] for name in ("assembly_us", "qp_us", "qp_warm_us")]
        check("its parts have times of their own", all(us > 0 for us in parts), scene)
        check("a step is assembly and the QP from cold", scene["us_per_step"] == parts[0] + parts[1], scene)
        # the wish can be met: conditions of optimality to rounding, as for every answer of the force map
        check("its answers are optimal", 0 <= scene["residual_max"] <= 1e-9, scene)
        check("every fourth link has a contact, from the third on", scene["contacts_mean"] == (scene["n"] + 1) // 4, scene)
        without = {name for name, value in scene.items() if value is None or value == [None, None]}
        check("what a map does not have is null", without == {"dt", "law", "real_time_factor", "iterations_mean", "iterations_max", "displacement", "failed_steps", "phases"}, scene)
    scene = json.loads(call(COLUBER, "bench", "planar.floor", "--n", 10, "--repeat", 1, "--json").stdout)["scenes"][0]
    check("a simulation has no map to time", [scene[name] for name in ("assembly_us", "qp_us", "qp_warm_us")] == [None] * 3, scene)
    done = call(COLUBER, "bench", "force_map.chain", "--n", 10, "--repeat", 1)
    check("the table names the parts", "assembly" in done.stdout and "from cold" in done.stdout, done.stdout)


def test_trees():
    done = call(COLUBER, "bench", "multibody.chain", "multibody.acm", "--repeat", 1, "--json")
    out = json.loads(done.stdout) if done.returncode == 0 else {"scenes": [], "growth": {}}
    own = [(name, n) for name in ("multibody.chain", "multibody.acm") for n in (20, 100, 1000)]
    check("scenes of trees have sizes of their own", [(s["name"], s["n"]) for s in out["scenes"]] == own, done.stderr)
    check("… over which their time grows", sorted(out["growth"]) == ["multibody.acm", "multibody.chain"], out["growth"])
    for scene in out["scenes"]:
        which = f"{scene['name']}, {scene['n']} bodies"
        check(f"{which}: solver is the integrator, there is no law", (scene["solver"], scene["law"]) == ("rk4", None), scene)
        check(f"{which}: no step fails", scene["failed_steps"] == 0, scene)
        moved = math.hypot(*scene["displacement"])
        check(f"{which}: it moves", moved > 1e-3, scene)
        if scene["name"] == "multibody.acm":
            check(f"{which}: every module has an axle with its force", scene["contacts_mean"] == scene["n"] / 2, scene)
            # the start is a singular instant, where both sides are averaged: 1e-4 s squared
            check(f"{which}: its wheels do not slide", scene["residual_max"] < 1e-8, scene)
        else:
            check(f"{which}: it has no contacts", scene["contacts_mean"] is None, scene)
            # N m; the chain is n/10 m long
            check(f"{which}: nothing is left at the root", scene["residual_max"] < 1e-15 * scene["n"] ** 3, scene)
    done = call(COLUBER, "bench", "multibody.acm", "--n", "8,30", "--repeat", 1, "--json")
    scenes = json.loads(done.stdout)["scenes"] if done.returncode == 0 else []
    check("--n says other sizes of trees", [s["contacts_mean"] for s in scenes] == [4.0, 15.0], done.stderr)


def test_a_thousand_bodies_take_little_memory(tmp):
    told = tmp / "peak"
    words = ["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys\n"
             "code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode\n"
             "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
             "sys.exit(code)", told]
    for scene in ("multibody.chain", "multibody.acm"):
        done = call(*words, COLUBER, "bench", scene, "--n", 1000, "--repeat", 1, "--json")
        check(f"{scene} of a thousand bodies runs", done.returncode == 0, done.stderr)
        megabytes = int(told.read_text()) / 1024
        check(f"{scene}: … in less than 100 MB", megabytes < 100, f"{megabytes:.0f} MB")


def rows_of(file):
    with open(file, encoding="utf-8", newline="") as text:
        return list(csv.reader(text))


def test_scenes_are_scenario_files():
    for file in sorted((SOURCE / "benchmarks/scenes").glob("*.toml")):
        done = call(COLUBER, "check", file)
        check(f"{file.name} is a scenario by itself", done.returncode == 0, done.stderr)
    for n in (10, 20, 40, 80, 160):
        smooth = rows_of(SOURCE / f"benchmarks/data/peers-scene-cylinders-{n}.csv")
        rough = rows_of(SOURCE / f"benchmarks/data/rough-cylinders-{n}.csv")
        check(f"the rough cylinders for {n} links are the peers', with friction 0.3",
              [row + ["0.3"] for row in smooth[1:]] == rough[1:] and rough[0] == smooth[0] + ["friction"], rough[:2])


SCENES = """[[scene]]
name = "mine.floor"
scenario = "{floor}"
unit = "links"
n = [3]
set = ["robot.links={{n}}", "duration=0.1"]
ground_points = 1
law = "mine"

[[scene]]
name = "mine.fixed"
scenario = "{floor}"
unit = "links"
n = [4]
other_n = "ignored"
set = ["robot.links={{n}}", "duration=0.1"]

[[scene]]
name = "mine.refused"
scenario = "{floor}"
unit = "links"
n = [3]
other_n = "refused"
set = ["robot.links={{n}}", "duration=0.1"]
obstacles = 1

[[scene]]
name = "mine.map"
scenario = "{map}"
command = "force-map"
unit = "links"
n = [6]
list.angles = {{ begin = ["0.8", "-0.8"], from = 3, items = ["0.8", "-0.8"] }}
list.contacts = {{ from = 2, step = 2, items = ["{{ link = {{i}}, side = 'left' }}", "{{ link = {{i}}, side = 'right' }}"] }}
set = ["robot.links={{n}}", "start.link_angle={{angles}}", "force_map.contact={{contacts}}", "force_map.wish.links=[1]"]
"""


def test_scenes_of_your_own(tmp):
    text = SCENES.format(floor=SOURCE / "benchmarks/scenes/planar_floor.toml", map=SOURCE / "benchmarks/scenes/force_map_chain.toml")
    file = tmp / "scenes.toml"
    file.write_text(text)

    def bench(*words):
        return call(COLUBER, "bench", *words, "--scenes", file, "--repeat", 1, "--json")

    done = bench("mine.floor", "mine.fixed")
    scenes = json.loads(done.stdout)["scenes"] if done.returncode == 0 else []
    check("scenes have their own sizes", [(s["name"], s["n"]) for s in scenes] == [("mine.floor", 3), ("mine.fixed", 4)], done.stderr)
    check("contacts with the ground are counted as the scene says", [s["contacts_mean"] for s in scenes] == [3.0, 0.0], scenes)
    check("law and solver are the scene's, else the scenario's", [(s["law"], s["solver"]) for s in scenes] == [("mine", "newton"), ("anchored", "newton")], scenes)
    done = bench("mine.floor", "mine.fixed", "--n", "2,5")
    scenes = json.loads(done.stdout)["scenes"] if done.returncode == 0 else []
    check("--n says other sizes, where a scene has any", [(s["name"], s["n"]) for s in scenes] == [("mine.floor", 2), ("mine.floor", 5), ("mine.fixed", 4)], done.stderr)
    done = bench("mine.refused", "--n", 5)
    check("a scene that is laid out for its sizes refuses others, exit 2",
          done.returncode == 2 and done.stderr == "error: mine.refused is not laid out for 5 links\n  hint: --n takes 3\n", done.stderr)
    done = bench("mine.refused")
    check("a scene without its obstacles is an error", done.returncode == 1 and "mine.refused, n = 3: expected 1 obstacles, got 0" in done.stderr, done.stderr)
    done = bench("nothing")
    check("an unknown scene names those there are", done.returncode == 2 and done.stderr.endswith("hint: mine.floor, mine.fixed, mine.refused, mine.map\n"), done.stderr)
    done = bench("mine.map", "--n", "6,9")
    scenes = json.loads(done.stdout)["scenes"] if done.returncode == 0 else []
    check("lists follow the size, after what they begin with", [s["contacts_mean"] for s in scenes] == [3.0, 4.0], done.stderr)
    for what, old, new, message in (
        ("an unknown key", 'law = "mine"', 'laws = "mine"', "scenes.toml:8:1: scene.laws: unknown key"),
        ("a size that is none", "n = [3]", "n = [0]", "scenes.toml:5:5: scene.n: expected whole numbers from 1"),
        ("no sizes", "n = [3]\n", "", "scenes.toml:1:1: scene.n: expected whole numbers from 1"),
        ("a word that other_n does not take", '"ignored"', '"kept"', 'scenes.toml:15:11: scene.other_n: expected "run"'),
        ("two scenes of one name", '"mine.fixed"', '"mine.floor"', 'scene.name: there are two scenes "mine.floor"'),
        ("a scenario that is not there", "planar_floor.toml", "planar_flour.toml", "planar_flour.toml"),
        ("no TOML", "[[scene]]", "[[scene", "scenes.toml:1:"),
        ("an unknown command", '"force-map"', '"force-nap"', 'scenes.toml:30:11: scene.command: expected one of force-map, quality, got "force-nap"'),
        ("a list that is none", '{ begin = ["0.8", "-0.8"], from = 3, items = ["0.8", "-0.8"] }', "3", "scene.list.angles: expected a table: { begin, from, step, items, first, last }"),
        ("a list without items", ', from = 3, items = ["0.8", "-0.8"]', "", "scene.list.angles.items: expected a list of texts"),
        ("a list that never ends", "step = 2", "step = 0", "scene.list.contacts.step: expected a whole number from 1"),
        ("a list that begins with no text", "from = 2,", "begin = [1], from = 2,", "scene.list.contacts.begin"),
        ("a list of another key", "step = 2", "steps = 2", "scene.list.contacts.steps: unknown key"),
        ("nothing", text, "", "there are no scenes in this file"),
    ):
        check(f"{what} can be written", old in text)
        file.write_text(text.replace(old, new, 1))
        done = bench()
        check(f"{what} is bad input, exit 3", done.returncode == 3 and message in done.stderr and done.stdout == "", f"{done.returncode} {done.stderr}")
    check("a scenes file that is not there is bad input", call(COLUBER, "bench", "--scenes", tmp / "none.toml").returncode == 3)


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
    check("its tables are on stdout, its talk is not", "| µs per step, floor |" in done.stdout and "looking at" not in done.stdout, done.stdout)
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


def test_the_ruler(tmp):
    """The peers' ruler on poses whose faults are known: two links along +x, still, for 2 s."""
    sys.path.insert(0, str(SOURCE / "benchmarks/peers"))
    sys.dont_write_bytecode = True
    import ruler

    c = ruler.C
    check("the ruler knows the scene's numbers", (c.length, c.radius, c.friction, c.dt) == (0.122, 0.0525, 0.3, 1e-3), c)
    poses = numpy.zeros((2001, 2, 6))
    poses[:, :, 3] = 1.0
    poses[:, 1, 0] = c.length + 1e-3  # 1 mm apart
    poses[:, 0, 1] = 3e-3             # and 3 mm aside
    poses[:, :, 2] = c.radius
    poses[700, 0, 2] -= 2e-3          # 2 mm deep in the floor, once
    poses[:, 0, 0] += numpy.linspace(0.0, 0.5, 2001)  # both move by half a metre
    poses[:, 1, 0] += numpy.linspace(0.0, 0.5, 2001)
    pose_file, pegs = tmp / "poses.bin", tmp / "pegs.csv"
    poses.tofile(pose_file)
    # beside the rear sphere of link 2 at the start, 4 mm deep
    x, y = c.length + 1e-3 - c.half_core, -(c.radius + 0.05 - 4e-3)
    pegs.write_text(f"x,y,radius\n{x!r},{y!r},0.05\n")
    seen = ruler.measure_gait(pose_file, 2, pegs)
    close = lambda a, b: abs(a - b) <= 1e-12  # rounding
    # the floor's 2 mm tear the joint too
    check("it sees how far joints are apart", close(seen["drift"], math.sqrt(1e-6 + 4e-6 + 9e-6)), seen)
    check("… how deep spheres are in the floor", close(seen["floor_depth"], 2e-3), seen)
    check("… and in a cylinder", close(seen["cylinder_depth"], 4e-3), seen)
    check("… where the robot went", close(seen["x"], 0.5) and close(seen["y"], 0.0), seen)
    t = numpy.arange(1000, 2001) * c.dt
    check("… and what the joints make of their references", close(seen["tracking"], math.sqrt(numpy.mean((c.amplitude * numpy.sin(c.omega * t)) ** 2))), seen)
    seen = ruler.measure_gait(pose_file, 2, turned=math.pi / 2)
    check("a scene that was turned is turned back", close(seen["x"], 0.0) and close(seen["y"], -0.5), seen)
    creep = ruler.measure_creep(pose_file, 2)
    check("it sees creep", close(creep["creep"], 0.25), creep)
    check("… since step 100", close(creep["crept"], 0.475), creep)
    exact = 0.5 * 9.81 * (math.sin(math.radians(25)) - 0.3 * math.cos(math.radians(25))) * 2.0**2
    check("… and slides, against the closed form", close(ruler.measure_slide(pose_file, 2, 0.0), 0.5 / exact - 1), exact)
    poses[1500, 1, 4] = numpy.nan
    poses.tofile(pose_file)
    check("a pose that is not finite ends the run", ruler.measure_gait(pose_file, 2)["steps"] == 1499, seen)


def test_peers_interrupted(tmp):
    build = Path(COLUBER).parent.parent
    if not (build / "bin/peers_coluber").exists():
        return
    out = tmp / "interrupted"
    command = [SOURCE / "benchmarks/peers/run", "--without-peers", "--rounds", 1000, "--sizes", 10, "--no-build", "--build", build, "--out", out]
    run = subprocess.Popen([str(w) for w in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in run.stderr:
        if line.startswith("round 3"):
            run.send_signal(signal.SIGINT)
            break
    stdout, stderr = run.communicate(timeout=100)
    check("an interrupted benchmark exits 130", run.returncode == 130, stderr)
    check("… says so, with what it has", "Interrupted" in stdout and "| Coluber, anchored |" in stdout, stdout)
    with open(out / "peers.csv", encoding="utf-8") as file:
        check("… and keeps the rows there are", [r["row"] for r in csv.DictReader(file)].count("Coluber, rigid") == 2, stderr)
    again = call(SOURCE / "benchmarks/peers/run", "--again", "--out", out)
    check("… and --again prints the same tables", again.returncode == 0 and again.stdout == stdout, again.stdout + again.stderr)
    check("… and nothing half done", sorted(p.name for p in out.iterdir()) == ["peers.csv", "peers.json", "peers.md", "peers.svg"], list(out.iterdir()))


with tempfile.TemporaryDirectory() as folder:
    test_profile(Path(folder))
    test_bench()
    test_a_scene_of_a_command()
    test_trees()
    test_a_thousand_bodies_take_little_memory(Path(folder))
    test_scenes_are_scenario_files()
    test_scenes_of_your_own(Path(folder))
    test_the_peers_scene_in_space(Path(folder))
    test_the_ruler(Path(folder))
    test_peers(Path(folder))
    test_peers_interrupted(Path(folder))
finish()
