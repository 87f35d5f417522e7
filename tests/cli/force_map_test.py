#!/usr/bin/python3
"""`coluber force-map` and `coluber quality`: tables, JSON, run folders, exit codes.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import math
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import h5py

from harness import COLUBER, SOURCE, check, finish


def coluber(*arguments, cwd=SOURCE):
    return subprocess.run([COLUBER, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120)


def close(a, b, tolerance):
    return len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b))


U = [0.9490, 3.1907, 3.9820, 1.0916, -2.5839, -4.5, -1.7385, 1.2247, 3.1906, 3.8092, 2.3881, 0.2065, -2.8424, -4.1360,
     -1.9560, 0.2827, 1.9010, 2.2314, 1.3251]  # fmt: skip
F = [-27.251, 49.762, -19.085, 28.072, -9.916]

run = coluber("force-map", "holden_table5", "--json")
found = json.loads(run.stdout)
check("Table V as printed is solved", run.returncode == 0 and found["status"] == "optimal" and not run.stderr, run)
check("its torques are those of the independent program", close(found["u"], U, 1e-4), found["u"])
check("its forces are those of the independent program", close(found["f_C"], F, 1e-3), found["f_C"])
check("joint 6 is at its limit", found["active"] == [6], found["active"])
check("the slack is rounding", found["z_norm"] < 1e-11 and len(found["z"]) == 13, found["z"])
check("the margin is there", abs(found["margin"] - 20.86) < 0.01, found["margin"])
check("the weights used are there", found["weight_slack"] == [1e12, 1e12], found["weight_slack"])
check("rank and conditions are there", found["rank"] == 13 and abs(found["condition"]["M_theta"] - 199) < 1 and abs(found["condition"]["A_f"] - 1.57) < 0.01 and abs(found["condition"]["A_e"] - 128) < 1, found["condition"])
check("the wish is met", close(found["predicted"]["centre"], [0.8375, -0.0244], 1e-9) and len(found["predicted"]["angular"]) == 20, found["predicted"])
check("the KKT residual is small", found["kkt"] < 1e-9, found["kkt"])
check("Table II keeps its contacts to rounding", found["constraint_rate"] < 1e-4, found["constraint_rate"])
check("the centre's velocity is the start's", close(found["centre_velocity"], [0.1625, 0.0244], 1e-15), found["centre_velocity"])
first = found["contacts"][0]
check("contacts are listed", [c["link"] for c in found["contacts"]] == [3, 6, 10, 14, 18] and first["side"] == "left" and first["at"] == 0, first)
check("friction takes power", all(c["power"] < 0 for c in found["contacts"]), found["contacts"])

plain = coluber("force-map", "holden_table5")
check("the table has status, forces and torques", plain.returncode == 0 and "status      optimal" in plain.stdout and "-27.2514" in plain.stdout and "at limit    joint 6" in plain.stdout, plain.stdout)
quiet = coluber("force-map", "holden_table5", "-q")
check("-q prints nothing", quiet.returncode == 0 and quiet.stdout == "", quiet)

corrected = json.loads(coluber("force-map", "holden_corrected", "--json").stdout)
check("the corrected example has its forces", close(corrected["f_C"], [-29.667, 48.604, -17.263, 30.528, -10.448], 2e-3), corrected["f_C"])
check("and its effort", abs(sum(u * u for u in corrected["u"]) - 128.55) < 2e-3, corrected["u"])

free = json.loads(coluber("force-map", "holden_table5", "--json", "--set", "controller.torque_limit=inf").stdout)
check("without a limit there is no margin", free["status"] == "optimal" and free["margin"] is None and free["active"] == [], free["margin"])

soft = coluber("force-map", "holden_table5", "--json", "--set", "force_map.weight_slack=1e-3")
check("a soft wish that is missed is slack, and said", json.loads(soft.stdout)["status"] == "slack" and "the wish is not met" in soft.stderr, soft)
bare = json.loads(coluber("quality", "holden_pegs", "--json", "--set", "world.obstacle=[]", "--set", "force_map.weight_slack=1").stdout)
check("no weight makes a place feasible", bare["share"] == 0 and bare["rank_share"] == 0, bare["share"])
right = json.loads(coluber("quality", "reproduce/holden/scenarios/pegs_right.toml", "--json", "--set", "force_map.weight_slack=1e6").stdout)
check("nor pegs on the wrong side", right["share"] == 0 and right["rank_share"] == 1, right["share"])
through = coluber("quality", "holden_pegs", *(word for k in range(1, 9) for word in ("--set", f"world.obstacle.{k}.radius=0.05"))).stdout
check("pegs inside the robot are said", "an obstacle lies 0.03 m inside the robot on the path" in through, through[-500:])
check("and make the path useless", through.endswith("the path cannot be used as it is\n") and "feasible at 0 of 24" in through, through[-500:])
EIGHT = range(1, 9)


def radii(radius):
    return [word for k in EIGHT for word in ("--set", f"world.obstacle.{k}.radius={radius}")]


one = coluber("quality", "holden_pegs", "--json", "--set", "world.obstacle.2.radius=0.06")
found = json.loads(one.stdout)
check("one peg inside is enough", not found["traversable"] and any(r["feasible"] for r in found["rows"]), found["share"])
check("places where it is inside have an overlap and are not feasible", any(abs(r["overlap"] - 0.04) < 1e-6 for r in found["rows"]) and all(r["feasible"] == (r["overlap"] < 7.5e-4) for r in found["rows"]), found["rows"])
check("it is warned of", "warning: an obstacle lies 0.04 m inside the robot on the path" in one.stderr, one.stderr)
for inside, fits in ((5e-4, True), (1e-3, False)):
    found = json.loads(coluber("quality", "holden_pegs", "--json", *radii(0.02 + inside)).stdout)
    check(f"{inside} m of overlap is {'touching' if fits else 'too much'}", found["traversable"] == fits and abs(max(r["overlap"] for r in found["rows"]) - inside) < 1e-6, found["rows"][0])
found = json.loads(coluber("quality", "holden_pegs", "--json").stdout)
check("pegs at the skin have neither overlap nor gap", all(r["overlap"] < 1e-8 and r["gap"] < 1e-8 for r in found["rows"]), found["rows"][0])
post = ["--set", "world.obstacle.3.x=0.85734", "--set", "world.obstacle.3.y=0.03736"]
found = json.loads(coluber("quality", "holden_pegs", "--json", *post).stdout)
check("a post on the path stops the robot", not found["traversable"] and max(r["overlap"] for r in found["rows"]) > 0.02, found["rows"])
away = coluber("quality", "holden_pegs", "--json", *radii(0.012))
found = json.loads(away.stdout)
check("pegs 8 mm away have a gap", all(abs(r["gap"] - 0.008) < 1e-6 and r["overlap"] == 0 for r in found["rows"]), found["rows"][0])
check("and are warned of", "warning: obstacles up to 0.008 m away from the robot count as touching, at 24 of 24 places, as quality.reach = 0.01" in away.stderr, away.stderr)
alone = json.loads(coluber("quality", "holden_pegs", "--json", "--set", "world.obstacle=[]").stdout)
check("without a contact there is no gap", all(r["gap"] is None and r["overlap"] == 0 for r in alone["rows"]), alone["rows"][0])

idle = coluber("force-map", "holden_pegs")
check("obstacles that are no contacts are warned of", idle.returncode == 0 and "warning: force_map.contact: 8 obstacles, no [[force_map.contact]]: none is used" in idle.stderr, idle.stderr)
check("but not where there are contacts", "none is used" not in coluber("force-map", "holden_table5").stderr, "")
asked = coluber("quality", "holden_pegs", "--set", "force_map.wish.links=all").stdout
check("a wish of more parts than joints is said", "at 24 places without rank the wish has more parts than the robot has joints (19)" in asked, asked[-400:])

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    scenario = folder / "s.toml"

    def study(command, text, *arguments):
        scenario.write_text(text)
        return coluber(command, scenario, *arguments, cwd=folder)

    SHORT = '[robot]\nname = "aiko"\nlinks = 5\n'
    MOVING = SHORT + "[start]\nvelocity = [0.1, 0.0]\n"
    CONTACT = '[[force_map.contact]]\nlink = 2\nside = "left"\nfriction = 0.3\n'

    run = study("force-map", MOVING + "[force_map.wish]\nacceleration = [1.0, 0.0]\n", "--json")
    found = json.loads(run.stdout)
    check("without a contact the wish for the centre is slack", run.returncode == 0 and found["status"] == "slack" and abs(found["z"][0]) > 1, run)
    check("and said", "the wish is not met: the centre's x misses by" in run.stderr and "no obstacle can push" in run.stderr, run.stderr)
    run = study("force-map", SHORT + CONTACT, "--json")
    check("contacts and points that rest are warned of", run.returncode == 0 and "1 of 1 contacts do not slide" in run.stderr and "5 points of the robot rest" in run.stderr, run.stderr)
    run = study("force-map", SHORT + '[start]\nvelocity = [0.0, 0.1]\n' + CONTACT, "--json")
    check("a start that breaks its contacts is warned of", "a link moves across its obstacle at 0.1 m/s" in run.stderr, run.stderr)
    run = coluber("force-map", "holden_table5", "--json", "--set", "controller.torque_limit=1e-3")
    found = json.loads(run.stdout)
    check("motors that press nothing are infeasible, exit 1", run.returncode == 1 and found["status"] == "infeasible" and "infeasible: no torques within 0.001 N m press all 5 contacts" in run.stderr, run)
    check("and have no numbers", all(u is None for u in found["u"]) and found["z_norm"] is None, found)
    at_joint = '[[force_map.contact]]\nlink = 2\nat = 0.061\nside = "left"\n[[force_map.contact]]\nlink = 3\nat = -0.061\nside = "right"\n'
    run = study("force-map", MOVING + at_joint)
    check("contacts that depend on each other are exit 1 and named", run.returncode == 1 and "the contacts of links 2, 3 depend on each other" in run.stderr, run)

    SLIDING = SHORT + '[start]\nvelocity = [0.1, 0.02]\n[controller]\ntorque_limit = 5\n[force_map]\nproject = true\n' + CONTACT
    for key, value, more, wish in (
        ("kp", 1e9, "position = [1e6, 1e6]\n", r"1e\+15 m/s²"),
        ("kd", 1e9, "velocity = [1e4, 0.0]\n", r"1e\+13 m/s²"),
        ("kp_angle", 1e9, "links = [1]\nangle = [1.0]\n", r"[\d.]+e\+0[89] rad/s²"),
        ("kd_angle", 1e9, "links = [1]\nrate = [1e6]\n", r"1e\+15 rad/s²"),
    ):
        run = study("force-map", SLIDING + f"[force_map.wish]\n{key} = {value}\n{more}")
        check(f"a wish beyond what can be computed is refused, by {key}", run.returncode == 3 and re.search(rf"force_map\.wish\.{key}: the wish is an acceleration of -?{wish}, the limit is 1e\+06", run.stderr), run)
    for wished in (1e3, 1e6):
        run = study("force-map", SLIDING + f"[force_map.wish]\nlinks = [1]\nacceleration = [{wished}, -{wished}]\n", "--json")
        found = json.loads(run.stdout)
        check(f"contacts never pull, wish {wished}", run.returncode == 0 and all(f is None or f <= 1e-6 * wished for f in found["f_C"]), found)
    run = study("force-map", SHORT + CONTACT)
    check("no power is minus zero", not re.search(r"-0(\s|$)", run.stdout), run.stdout)

    # a folder of one frame
    out = folder / "map"
    run = coluber("force-map", "holden_table5", "--out", out)
    check("--out writes a folder", run.returncode == 0 and (out / "run.json").is_file() and f"wrote {out}" in run.stderr, run)
    about = json.loads((out / "run.json").read_text())
    check("its summary has effort, margin, slack", abs(about["summary"]["effort"] - 129.454) < 1e-3 and abs(about["summary"]["margin"] - 20.86) < 0.01 and about["summary"]["slack"] < 1e-11, about["summary"])
    with h5py.File(out / "trajectory.h5") as file:
        check("it has one frame", file["time"].shape == (1,), file["time"].shape)
        torque = file["mapped_torque"][0]
        check("mapped_torque has the record's sign", close(list(-torque), U, 1e-4), torque)
        force, constraint = file["mapped_force"][0], file["mapped_constraint"][0]
        check("forces are those of the contacts' links", all((abs(force[i]).max() > 0) == (i + 1 in (3, 6, 10, 14, 18)) for i in range(20)), force)
        across = [math.hypot(*constraint[i - 1]) for i in (3, 6, 10, 14, 18)]
        check("the constraint part is |f_C|", close(across, [abs(f) for f in F], 1e-3), across)
        check("status and residual are recorded", file["qp_status"][0] == 0 and file["qp_residual"][0] < 1e-9 and file["wish_slack"][0] < 1e-11, None)
    again = coluber("force-map", "holden_table5", "--out", out)
    check("a folder is not overwritten", again.returncode == 2 and "--force" in again.stderr, again)
    forced = coluber("force-map", "holden_table5", "--out", out, "--force")
    check("but with --force", forced.returncode == 0, forced)
    csv = coluber("export", out, "--to", "csv", "-o", folder / "map.csv")
    check("it can be exported", csv.returncode == 0 and "mapped_torque.6" in (folder / "map.csv").read_text().splitlines()[0], csv)

    # a path
    out = folder / "quality"
    run = coluber("quality", "holden_pegs", "--json", "--out", out)
    found = json.loads(run.stdout)
    check("the pegs can be used", run.returncode == 0 and found["traversable"] and found["share"] == 1 and found["rank_share"] == 1, run.stderr)
    check("at 24 places, least margin 17.5 N", len(found["rows"]) == 24 and abs(found["margin_min"] - 17.5) < 0.3, found["margin_min"])
    row = found["rows"][1]
    check("a row has its figures", abs(row["s"] - 0.531875) < 1e-12 and row["contacts"] == 4 and row["rank"] and row["feasible"] and row["margin"] > 30 and 0 < row["torque_max"] < 4.5, row)
    with h5py.File(out / "trajectory.h5") as file:
        check("a frame per place, time by speed", file["time"].shape == (24,) and abs(file["time"][1] - 0.31875) < 1e-12, list(file["time"]))
        check("figures are recorded", close(list(file["margin"]), [r["margin"] for r in found["rows"]], 1e-9) and file["feasible"][:].all(), None)
    weak = json.loads(coluber("quality", "holden_pegs", "--json", "--set", "controller.torque_limit=1").stdout)
    bad = [r for r in weak["rows"] if not r["feasible"]]
    check("1 N m is too weak at two places", len(bad) == 2 and all(r["torque_max"] is None for r in bad) and not weak["traversable"], bad)
    check("an answer that is no has exit 0", coluber("quality", "holden_pegs", "-q", "--set", "controller.torque_limit=1").returncode == 0, "")
    # the same robot with its links counted from the head: link 1 leads
    head, *links = (SOURCE / "scenarios/holden_robot.toml").read_text().split("[[robot.link]]\n")
    last, controller = links[-1].split("\n[controller]")
    links = [link.replace("cg_offset = ", "cg_offset = -") for link in (*links[:-1], last)]
    robot = "[[robot.link]]\n".join((head, *reversed(links))) + "\n[controller]" + controller
    (folder / "holden_robot.toml").write_text(robot)
    turned = study("quality", (SOURCE / "scenarios/holden_pegs.toml").read_text().replace('leads = "last"', 'leads = "first"'), "--json")
    rows = json.loads(turned.stdout)["rows"]
    check("counted from the head it is the same robot", len(rows) == 24 and all(
        (a["s"], a["contacts"], a["rank"], a["feasible"]) == (b["s"], b["contacts"], b["rank"], b["feasible"])
        and abs(a["margin"] - b["margin"]) < 1e-9 and abs(a["torque_max"] - b["torque_max"]) < 1e-9
        for a, b in zip(rows, found["rows"])), rows[:2])  # fmt: skip
    other = json.loads(coluber("quality", "holden_pegs", "--json", "--set", "path.leads=first").stdout)
    check("with its tail ahead it is another one", abs(other["rows"][0]["margin"] - found["rows"][0]["margin"]) > 0.1, other["rows"][0])

    # nothing pushes a straight robot along a line: all of the wish is missing, and what friction brakes besides
    line = """[robot]
links = 5
link = { mass = 1.0, inertia = 1e-3, length = 0.1, half_core = 0.04, radius = 0.01 }
[path]
shape = "line"
leads = "last"
[start]
on_path = true
[world]
gravity = 10.0
friction = [0.3, 0.3]
[controller]
torque_limit = 4.5
[quality]
from = 0.5
to = 0.6
step = 0.05
acceleration = 2.0
"""
    run = study("quality", line, "--json", "--out", folder / "line")
    rows = json.loads(run.stdout)["rows"]
    check("without contacts a place has no margin, and is neither solvable nor feasible", len(rows) == 2 and all(r["contacts"] == 0 and not r["rank"] and not r["feasible"] and r["margin"] is None and r["torque_max"] is None for r in rows), rows)
    with h5py.File(folder / "line/trajectory.h5") as file:
        check("quality.acceleration is asked of the robot: 5 kg (2 + 0.3 10) m/s² are missing", close(list(file["wish_slack"]), [25.0, 25.0], 1e-9), list(file["wish_slack"]))

    out = folder / "blocked"
    coluber("quality", "holden_pegs", "-q", "--out", out, *radii(0.05))
    about = json.loads((out / "run.json").read_text())
    check("run.json has the warnings of all places", len(about["warnings"]) == 1 and "does not fit there" in about["warnings"][0], about["warnings"])
    with h5py.File(out / "trajectory.h5") as file:
        check("overlap and gap are recorded", abs(file["overlap"][:].max() - 0.03) < 1e-6 and (file["gap"][:] == 0).all() and not file["feasible"][:].any(), None)

    out = folder / "cut"
    process = subprocess.Popen([COLUBER, "quality", "holden_pegs", "--set", "quality.step=1e-5", "--out", out], cwd=SOURCE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    frames = out / "frames.bin"
    while process.poll() is None and not (frames.exists() and frames.stat().st_size > 100_000):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    talk = process.communicate()[1]
    check("a study can be interrupted", process.returncode == 130, talk)
    run = coluber("plot", out, "-o", folder / "cut.svg", "--what", "quality")
    check("a plot says how to compute it anew", "`coluber quality … --force` computes it anew" in run.stderr and "--resume" not in run.stderr, run.stderr)
    run = coluber("run", "holden_pegs", "--set", "quality.step=1e-5", "--resume", "--out", out)
    check("it is not resumed as a run", run.returncode == 3 and "is of `coluber quality`, which is not resumed" in run.stderr and "--force" in run.stderr, run.stderr)

    lines = coluber("quality", "holden_pegs").stdout.splitlines()
    check("the table ends with the verdict", lines[-1] == "the path can be used" and "feasible at 24 of 24 places; by rank alone at 24" in lines, lines[-4:])

finish()
