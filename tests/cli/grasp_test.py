#!/usr/bin/python3
"""Lasso grasping: the runs of the thesis, wraps and drags, resume, refusals.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import math
import os
import signal
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy

from harness import COLUBER, check, finish, start_until

ROBOT = '[robot]\nname = "lasso15"\n'
YAWS = "[2, 2, 2, 2, 2, 2, 8, -10, -20, -25, 25, 30, -20, -25]"
# R9 to R11: yaws and pitches of joints 1 to 14, rad; the thesis prints neither
TAILS = {
    "S": ("0.0401 0.5642 -0.5179 1.0057 1.2499 1.5734 1.8119 -0.1986 -0.4999 -0.3984 0.2998 0.6002 0.5005 -0.2002",
          "0.1002 -0.0973 0.1118 -0.1791 0.0294 -0.2332 0.1325 -0.1308 0.0214 0.0659 -0.3979 0.4494 -0.3620 0.4012"),
    "S2": ("0.0401 0.5643 -0.5180 1.0058 1.2499 1.5734 1.8098 -0.6000 -0.4994 0.5005 0.6007 0.4994 -0.4995 -0.6009",
           "0.1002 -0.0973 0.1118 -0.1791 0.0293 -0.1948 -0.0243 -0.0969 0.1108 0.1033 -0.4164 0.3918 -0.4460 0.3606"),
}


def coluber(*words):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=300)


def run(folder, text, *sets, code=0, rate=200):
    """Runs a scenario's text. What was printed, the summary and all datasets."""
    folder = Path(folder)
    file = folder.with_suffix(".toml")
    file.write_text(f"schema = 1\n{text}\n[record]\nrate_hz = {rate}\nreplay = false\n")
    words = [word for each in sets for word in ("--set", each)]
    done = coluber("run", file, "--out", folder, *words)
    check(f"{folder.name}: exits {code}", done.returncode == code, done.stderr)
    summary, data = {}, {}
    if (folder / "run.json").exists():
        summary = json.loads((folder / "run.json").read_text())["summary"]
    if (folder / "trajectory.h5").exists():
        with h5py.File(folder / "trajectory.h5", "r") as h5:
            data = {name: h5[name][()] for name in h5}
    return done, summary, data


def near(sentence, value, expected, tolerance):
    off = float(numpy.abs(numpy.asarray(value) - numpy.asarray(expected)).max())
    check(sentence, off <= tolerance, f"{value} instead of {expected}: off by {off:.3g}")


def below(sentence, value, limit):
    check(sentence, numpy.max(value) <= limit, f"{numpy.max(value):.4g}, limit {limit}")


def pose(duration, dt, heading_deg, yaws, task, controller="gain = 2.0", more=""):
    return (f'duration = {duration}\n{ROBOT}[start]\nheading_deg = {heading_deg}\nyaws_deg = {yaws}\n{more}'
            f'[controller]\n{controller}\n[solver]\nintegrator = "euler"\ndt = {dt}\n'
            f'[[task]]\nkind = "pose"\nduration = {duration}\n{task}\n')


def lasso(contacts=3, radius=0.75, more="", duration=None, height=1.0):
    """Front level at 0.3 m, the object beside link 8."""
    return (f'duration = {duration or max(1, contacts - 1) * 6}\n{ROBOT}[start]\nheading_deg = 20.0\nyaws_deg = {YAWS}\nrises = "level"\n'
            f'[world.object]\ntangent_to = 8\nradius = {radius}\nheight = {height}\n'
            f'[controller]\ngain = 3.0\ninverse = "weighted"\n[solver]\nintegrator = "euler"\ndt = 5e-3\n'
            f'[[task]]\nkind = "lasso"\nfirst_link = 8\ncontacts = {contacts}\n{more}\n')


def carried(tail, task, controller, duration=6.0):
    yaws, pitches = (list(map(math.degrees, map(float, text.split()))) for text in TAILS[tail])
    more = f"position = [2.0139, 5.5077]\npitches_deg = {pitches}\n"
    return pose(duration, 1e-2, math.degrees(-5.7572), yaws, f"contacts = [6, 7, 8]\n{task}", controller, more)


def test_head_and_rises_follow_the_law(tmp):
    rises = [-0.1, -0.15, -0.2] + 11 * [-0.3]
    task = f"x = 0.5\ny = 0.5\nyaw_deg = 60.0\nrises = {rises}"
    start = (90.0, 13 * [0] + [12])
    _, _, plain = run(tmp / "R1", pose(3.0, 5e-3, *start, task))
    steps = numpy.arange(len(plain["time"]))
    for name, error in (("x", (0.5 - plain["head_state"][:, 0]) / 0.5), ("y", (0.5 - plain["head_state"][:, 1]) / 0.5),
                        ("yaw", (numpy.radians(60) - plain["head_state"][:, 3]) / numpy.radians(-30))):
        near(f"R1: error of {name} decays with Euler's law", error, 0.99 ** steps, 1e-3)
    below("R1: wheels do not slip", plain["wheel_slip"], 2e-9)
    _, _, exact = run(tmp / "R1 rk4", pose(3.0, 5e-3, *start, task, 'gain = 2.0\nhead_solve = "wished"'), "solver.integrator=rk4")
    near("R1: … and exponentially with Runge-Kutta", (0.5 - exact["head_state"][:, 0]) / 0.5, numpy.exp(-2 * exact["time"]), 1e-6)
    below("R1: … without slip", exact["wheel_slip"], 1e-9)
    _, _, four = run(tmp / "R2 printed V", pose(3.0, 5e-3, *start, task, "gain = 2.0\nnull_space = { alpha = 15.0, a = 10.0, b = 1e-6, columns = 4 }"))
    near("R2: four columns, as printed, change nothing", four["joint_angle"], plain["joint_angle"], 1e-6)
    _, _, three = run(tmp / "R2 small", pose(3.0, 5e-3, *start, task, "gain = 2.0\nnull_space = { alpha = 1.0, a = 0.15 }"))
    near("R2: three columns raise det XᵀX", three["posture"][[0, -1]], (2.16, 39.2), 0.5)
    near("R2: … and leave the head's way", three["head_state"][:, [0, 1, 3]], plain["head_state"][:, [0, 1, 3]], 1e-4)
    _, _, large = run(tmp / "R2 large", pose(3.0, 5e-3, *start, task, "gain = 2.0\nnull_space = { alpha = 15.0, a = 10.0, b = 1e-6 }"))
    check("R2: with the printed gains it chatters", numpy.abs(large["joint_rate"]).max() > 100, numpy.abs(large["joint_rate"]).max())


def test_published_thresholds_are_those_of_a_step_size(tmp):
    heights = [round(-0.05 * (i + 1), 2) for i in range(8)] + 6 * [-0.6]
    yaws = "[10, 10, 5, 0, 0, -5, -10, -10, 15, 20, -25, -20, 20, 25]"
    for gain, left in ((2, -1.724), (8, -0.043)):
        _, _, data = run(tmp / f"R3 {gain}", pose(0.6, 5e-3, math.degrees(-3.66), yaws, f"yaw_deg = {math.degrees(-9.42)}", f"gain = {gain}",
                                                  f"position = [6.85, 8.08]\nrises = {heights}\n"))
        near(f"R3: yaw error at 0.6 s, gain {gain}", -9.42 - data["head_state"][-1, 3], left, 5e-4)
    task = "x = 2.5\ny = 7.0\nyaw_deg = -120"
    for name, alpha, a, b, dt, chatters in (("R4", 1, 100, 100, 1e-3, False), ("R5", 15, 100, 100, 1e-3, True), ("R6", 15, 1, 1, 1e-3, False),
                                            ("R7", 15, 50, 100, 1e-3, True), ("R4 at 5 ms", 1, 100, 100, 5e-3, True)):
        _, _, data = run(tmp / name, pose(0.6, dt, 60, "[0, 0, 0, 0, 0, 0, 0, 0, 5, 10, -10, -10, 10, 12]", task,
                                          f"gain = 2.0\nnull_space = {{ alpha = {alpha}, a = {a}, b = {b} }}"), rate=1 / dt)
        rates = numpy.abs(data["joint_rate"][:, [10, 11], 0])
        median = numpy.median(rates[len(rates) // 2:], axis=0)
        check(f"{name}: yaw rates of joints 11 and 12 {'chatter' if chatters else 'die out'}",
              (median > 10).all() if chatters else (median < 0.02).all(), median)


def test_contacts_move_with_the_head(tmp):
    small = "x = 0.0139\ny = 4.5077"
    large = f"x = -3.0139\ny = -2.5077\nyaw_deg = {math.degrees(-6.2832)}"
    for tail in TAILS:
        for name, policy, limit in (("R9", "constant", 2e-5), ("R10 A", "adaptive_a", 5e-5), ("R10 B", "adaptive_b", 5e-5)):
            _, _, data = run(tmp / f"{name} {tail}", carried(tail, small, f'gain = 1.0\ngain_policy = "{policy}"'), rate=100)
            below(f"{name}, tail {tail}: contact error", numpy.nanmax(data["contact_drift"]), limit)
            head = data["head_state"][:, None, :2]
            contacts = data["link_position"][:, 5:8, :2]
            near(f"{name}, tail {tail}: contacts move as the head", contacts - contacts[0], head - head[0] + 0 * contacts, 1e-4)
            below(f"{name}, tail {tail}: head", numpy.abs(head[-1, 0] - (0.0139, 4.5077)) / (2, 1), 0.01)
            below(f"{name}, tail {tail}: no yaw of the last four joints jumps", numpy.abs(numpy.diff(data["joint_angle"][:, -4:, 0], axis=0)), 0.06)
        done, summary, data = run(tmp / f"R11 B {tail}", carried(tail, large, 'gain = 1.0\ngain_policy = "adaptive_b"'), code=1, rate=100)
        check(f"R11 B, tail {tail}: it breaks", numpy.abs(data["joint_rate"]).max() > 1000 and data["time"][-1] < 1.5, data["time"][-1])
        check(f"R11 B, tail {tail}: … at the joint that stands at 90 degrees", "joint 6 stands at 90" in done.stderr and summary["grasp_status"] == "lost", done.stderr)
        done, summary, data = run(tmp / f"R11 A {tail}", carried(tail, large, 'gain = 1.0\ngain_policy = "adaptive_a"'), code=1, rate=100)
        left = abs(data["head_state"][-1, 0] + 3.0139) / 5.0278
        check(f"R11 A, tail {tail}: it stalls", summary["grasp_status"] == "stalled" and data["gain"].min() < 1e-4 and 0.75 < left < 0.85, (summary, left))
        below(f"R11 A, tail {tail}: … without harm", numpy.nanmax(data["contact_drift"]), 2e-3)
        _, _, data = run(tmp / f"R11 way {tail}", carried(tail, "x = -3.0139\ny = -2.5077", "gain = 0.3", 30.0), rate=100)
        below(f"R11, the way alone, tail {tail}: contact error", numpy.nanmax(data["contact_drift"]), 1e-4)
        below(f"R11, the way alone, tail {tail}: rates", numpy.abs(data["joint_rate"]), 5.5)
        for gain in (1.0, 0.1):
            run(tmp / f"R11 turn {tail} {gain}", carried(tail, f"yaw_deg = {math.degrees(-6.2832)}", f"gain = {gain}", 30.0), code=1, rate=100)
    done, summary, _ = run(tmp / "limit", carried("S", large, "gain = 1.0\ninput_limit = 5.0"), code=1, rate=100)
    check("a rate beyond the limit ends a run", "the limit is 5 rad/s" in done.stderr and summary["grasp_status"] == "refused", done.stderr)


def test_lasso(tmp):
    ends = {}
    for rho, wrap in ((0.8, 310), (1.0, 258)):
        _, summary, data = run(tmp / f"lasso {rho}", lasso(6, rho - 0.05))
        below(f"rho {rho}: links 8 to 3 touch", numpy.abs(data["clearance"][-1, 2:8]), 0.01)
        below(f"rho {rho}: contacts stay", numpy.nanmax(data["contact_drift"]), 3e-3)
        check(f"rho {rho}: wrapped by {wrap} degrees", math.degrees(summary["wrap_angle"]) >= wrap, summary)
        below(f"rho {rho}: rates", numpy.abs(data["joint_rate"]), 0.6)
        below(f"rho {rho}: slip", data["wheel_slip"], 1e-7)
        check(f"rho {rho}: nothing touches itself", data["self_clearance"].min() > 0, data["self_clearance"].min())
        check(f"rho {rho}: held", summary["grasp_status"] == "held" and summary["contacts"] == 6, summary)
    for route in ("direct", "swing"):
        _, _, data = run(tmp / route, lasso(3, more=f'route = "{route}"'))
        ends[route] = data["link_position"][-1, 5:8]
    near("another route ends at the same place", ends["swing"], ends["direct"], 5e-3)
    done, summary, _ = run(tmp / "unweighted", lasso(3), "controller.inverse=truncated", code=1)
    check("the unweighted inverse does not wrap, and is warned of", "from touching" in done.stderr and 'only with "weighted"' in done.stderr, done.stderr)


def test_a_prism_is_wrapped_by_its_corners(tmp):
    corners = "[[1.15, 0.0], [0.0, 1.15], [-1.15, 0.0], [0.0, -1.15]]"
    text = lasso(7).replace("radius = 0.75", f'shape = "prism"\nvertices = {corners}')
    _, summary, data = run(tmp / "prism", text)
    check("four links touch", summary["contacts"] == 4 and summary["grasp_status"] == "held", summary)
    x, y, turn = data["object_pose"][-1]
    for k, link in enumerate((8, 6, 4, 2)):
        angles = turn + numpy.arange(4) * math.pi / 2
        away = numpy.stack((x + 1.15 * numpy.cos(angles), y + 1.15 * numpy.sin(angles)), axis=1) - data["link_position"][-1, link - 1, :2]
        angle = data["link_angle"][-1, link - 1]
        along = numpy.clip(away @ (math.cos(angle), math.sin(angle)), -0.5, 0.5)
        gap = numpy.hypot(*(away - along[:, None] * (math.cos(angle), math.sin(angle))).T).min() - 0.05
        check(f"link {link} is at a corner", abs(gap) <= 0.01, gap)
    check("no link is inside", data["clearance"].min() >= -0.005, data["clearance"].min())


def test_drag_approach_and_all(tmp):
    _, _, data = run(tmp / "wrap", lasso(3))
    goal = data["object_pose"][0, :2] + (-1.0, -0.5)
    for turn in (0, 20, -20, 45):
        drag = f'[[task]]\nkind = "drag"\ngoal = [{goal[0]}, {goal[1]}]\nturn_deg = {turn}\nduration = 8.0\n'
        _, summary, data = run(tmp / f"drag {turn}", lasso(3, more=drag, duration=20.0))
        near(f"drag, {turn} degrees: the object gets there", data["object_pose"][-1, :2], goal, 0.01)
        near(f"drag, {turn} degrees: … turned", math.degrees(data["object_pose"][-1, 2]), turn, 0.5)
        moving = data["link_position"][data["time"] >= 12.0][:, 5:8, :2]
        gaps = numpy.linalg.norm(moving - numpy.roll(moving, 1, axis=1), axis=2)
        near(f"drag, {turn} degrees: contacts are one body", gaps, gaps[0] + 0 * gaps, 2e-3)
        below(f"drag, {turn} degrees: slip", data["wheel_slip"], 1e-7)
    for towards in (200, 160, 110, 20, -70):
        way = (3 * math.cos(math.radians(towards)), 3 * math.sin(math.radians(towards)))
        text = lasso(3).split("[world.object]")[0] + "[controller]" + lasso(3).split("[controller]")[1].split("[[task]]")[0]
        text += f'[[task]]\nkind = "approach"\ngoal = [{way[0]}, {way[1]}]\nduration = 12.0\n'
        _, _, data = run(tmp / f"approach {towards}", text, "controller.head_solve=wished", "controller.inverse=truncated")
        below(f"approach, {towards} degrees: rates", numpy.abs(data["joint_rate"]), 2.0)
        front = data["link_position"][:, :8, :2] - data["head_state"][:, None, :2]
        near(f"approach, {towards} degrees: the front keeps its shape", front, front[0] + 0 * front, 1e-5)
        near(f"approach, {towards} degrees: it gets there", data["head_state"][-1, :2], way, 1e-4)
    # all three: the object stands 3 m away
    way = numpy.array((3 * math.cos(math.radians(160)), 3 * math.sin(math.radians(160))))
    place = goal + (1.0, 0.5) + way
    text = lasso(3, duration=32.0).replace("tangent_to = 8", f"x = {place[0]}\ny = {place[1]}")
    text = text.replace("[[task]]", f'[[task]]\nkind = "approach"\ngoal = [{way[0]}, {way[1]}]\nduration = 12.0\n[[task]]')
    text += f'[[task]]\nkind = "drag"\ngoal = [{place[0] - 1}, {place[1] - 0.5}]\nturn_deg = 20\nduration = 8.0\n'
    _, summary, data = run(tmp / "all", text, "controller.head_solve=wished")
    near("approach, lasso, drag: the object gets there", data["object_pose"][-1], (place[0] - 1, place[1] - 0.5, math.radians(20)), 0.009)
    check("approach, lasso, drag: held", summary["grasp_status"] == "held" and summary["contacts"] == 3, summary)
    below("approach, lasso, drag: rates", numpy.abs(data["joint_rate"]), 2.0)
    below("approach, lasso, drag: slip", data["wheel_slip"], 1e-7)


def test_stiffness_and_regrasp(tmp):
    stiff = ("[stiffness]\nk_t = [50, 50, 50]\nk_n = [50, 50, 50]\nF_t = [[2, -1], [2, -1], [2, -1]]\n"
             '[[task]]\nkind = "regrasp"\npush = [1.5, 2.0, 0.0]\nduration = 4.0\n')
    _, summary, data = run(tmp / "regrasp", lasso(3, more=stiff, duration=16.0, height=0.6))
    moved = data["object_pose"][-1] - data["object_pose"][0]
    # contacts are 6 mm and a degree off the ideal ones, whose displacement has this size
    near("the grasp gives way to a push as its stiffness says", math.hypot(*moved[:2]), math.hypot(0.0122899, 0.0122170), 2e-3)
    _, _, rolling = run(tmp / "rolling", lasso(3, more=stiff.replace("F_t", 'contact = "rolling"\nF_n = [10, 10, 10]\nF_t'), duration=16.0, height=0.6))
    check("rolling contacts are another stiffness", abs(rolling["stiffness_min"][-1] - data["stiffness_min"][-1]) > 1e-3, rolling["stiffness_min"][-1])
    _, _, eigen = run(tmp / "eigenvalues", lasso(3, more=stiff, duration=16.0, height=0.6), 'stiffness.criterion="eigenvalues"')
    k = numpy.argmin(abs(eigen["time"] - 12.0))
    check("real eigenvalues are above the symmetric part's least", eigen["stiffness_min"][k] > data["stiffness_min"][k], (eigen["stiffness_min"][k], data["stiffness_min"][k]))
    check("the stiffness is evaluated again", numpy.isfinite(data["stiffness_min"]).all() and data["stiffness_min"][-1] > 0, data["stiffness_min"][-1])


def test_resume(tmp):
    file = tmp / "long.toml"
    file.write_text("schema = 1\n" + lasso(6) + "[record]\ncheckpoint_s = 0.1\nreplay = false\nrate_hz = 200\n")
    words = (str(file), "--set", "controller.null_space.alpha=1e-3", "--set", "controller.null_space.a=1e-3")
    whole = coluber("run", *words, "--out", tmp / "whole")
    check("a whole run", whole.returncode == 0, whole.stderr)
    folder = tmp / "cut"
    process = start_until([COLUBER, "run", *words, "--out", str(folder)], lambda: any(path.stat().st_size > 2_000_000 for path in folder.glob("frames.bin*")),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    check("a run can be interrupted", process is not None)
    if process is None:
        return
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    _, talk = process.communicate(timeout=300)
    check("Ctrl-C exits 130", process.returncode == 130, (process.returncode, talk))
    resumed = coluber("run", *words, "--out", folder, "--resume")
    check("it resumes", resumed.returncode == 0, resumed.stderr)
    summaries = [json.loads((tmp / name / "run.json").read_text())["summary"] for name in ("whole", "cut")]
    other = {key: (value, summaries[1][key]) for key, value in summaries[0].items() if not key.startswith("real_time_factor") and value != summaries[1][key]}
    check("… to the same summary and final state", not other, other)
    with h5py.File(tmp / "whole" / "trajectory.h5", "r") as one, h5py.File(folder / "trajectory.h5", "r") as two:
        for name in one:
            check(f"… with the same {name}", numpy.array_equal(one[name][()], two[name][()], equal_nan=True))


def test_bench(_):
    done = coluber("bench", "grasp.drag", "--n", 40, "--repeat", 1, "--json")
    scene = json.loads(done.stdout)["scenes"][0] if done.returncode == 0 else {}
    check("the scene grasp.drag has 15 links whatever --n says", scene.get("n") == 15 and scene.get("failed_steps") == 0, done.stderr)
    check("… and its wheels do not slip", scene.get("residual_max", 1.0) < 1e-12, scene)


def test_refusals(tmp):
    def refused(sentence, words, *sets, text=None):
        file = tmp / "bad.toml"
        file.write_text("schema = 1\n" + (text or lasso(3)))
        done = coluber("check", file, *(word for each in sets for word in ("--set", each)))
        if done.returncode == 0:
            done = coluber("run", file, "--out", tmp / "bad", "--force", *(word for each in sets for word in ("--set", each)))
        check(sentence, done.returncode == 3 and words in done.stderr, done.stderr)

    refused("an object too small to wrap", "rho = 0.55 m; below 0.6 m", "world.object.radius=0.5")
    refused("more contacts than links ahead", "9 contacts, from link 8 on there are 7 links ahead and itself", "task.1.contacts=9")
    refused("a first link on wheels", "link 10 is on wheels", "task.1.first_link=10")
    refused("more than three held at once", "4 links, at most 3", text=pose(1.0, 5e-3, 0, YAWS, "contacts = [5, 6, 7, 8]"))
    beside = lasso(3).replace("tangent_to = 8", "x = {}\ny = {}")
    refused("a start inside the object", "inside the object", text=beside.format(3.2, 1.3))
    refused("an object out of reach", "from touching the object", text=beside.format(0.0, 40.0))
    # it touches the rear end of link 8, farther than a link from the joint ahead
    _, _, data = run(tmp / "where", lasso(1))
    angle = data["link_angle"][0, 7]
    x, y = data["link_position"][0, 7, :2] + 0.55 * numpy.array((math.cos(angle), math.sin(angle))) + 0.8 * numpy.array((-math.sin(angle), math.cos(angle)))
    refused("an object no tangent reaches", "is longer than the link", text=beside.format(x, y))
    refused("a drag without a grasp", "nothing has been grasped", text=lasso(3).replace('kind = "lasso"', 'kind = "drag"\nduration = 5.0').replace("first_link = 8\ncontacts = 3\n", ""))
    prism = lasso(3).replace("radius = 0.75", 'shape = "prism"\nvertices = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]')
    refused("rolling on a flat face", "as flat there as the link", text=prism + '[stiffness]\nk_t = [50]\nk_n = [50]\ncontact = "rolling"\n')
    refused("a gait", "gait", text=lasso(3) + "[gait]\namplitude_deg = 10.0\n")
    refused("another controller", "redundancy", "controller.name=pd")
    refused("another integrator", '"rk4" or "euler"', "solver.integrator=dopri5")
    refused("wheels that do not hold the head", "do not determine the head's motion", "robot.wheeled_links=[13, 14, 15]")
    refused("as many angles as joints", "the robot has 14 joints", "start.yaws_deg=[1, 2]")
    done = coluber("check", tmp / "bad.toml", "--set", "task.1.contacts=9", "--set", "world.object.radius=0.5", "--set", "start.yaws_deg=[1]")
    check("all faults at once", done.stderr.count("error: ") == 3, done.stderr)
    done, summary, data = run(tmp / "knot", lasso(8), code=1)
    check("a lasso that meets itself ends, with links and time", "inside each other" in done.stderr and " t = " in done.stderr and summary["grasp_status"] == "refused", done.stderr)
    check("… before it does", data["self_clearance"].min() >= 0, data["self_clearance"].min())
    bent = lasso(3, 0.55).replace(YAWS, "[2, 2, 2, 2, 2, 84.9, 8, -10, -20, -25, 25, 30, -20, -25]")
    done, summary, data = run(tmp / "bent", bent, "controller.inverse=truncated", code=1)
    check("a lasso that bends a joint past 85 degrees ends", "bends none past 85 deg" in done.stderr, done.stderr)


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    for test in [value for name, value in list(globals().items()) if name.startswith("test_")]:
        with tempfile.TemporaryDirectory() as folder:
            test(Path(folder))
    finish()
