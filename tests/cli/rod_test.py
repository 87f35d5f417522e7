#!/usr/bin/python3
"""Rods that are driven by their strains: reference values, balances, resume, refusals.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import math
import re
import signal
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy
from scipy.special import j0

from harness import COLUBER, SOURCE, check, finish, start_until

SCENARIOS = SOURCE / "scenarios"
NAMES = ("earthworm", "earthworm_accelerating", "earthworm_no_slip", "inchworm", "rod_snake2d", "rod_snake2d_turn",
         "rod_snake3d_turn", "rod_spiral", "eel", "rod_arm", "free_rod")
FAST = ("robot.elements=40",)


def coluber(*words):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=300)


def run(folder, scenario, *sets, code=0):
    """Runs a scenario by its name in scenarios/ or by its path. What was printed, and run.json."""
    path = SCENARIOS / f"{scenario}.toml" if isinstance(scenario, str) else scenario
    words = [word for text in ("record.replay=false", *sets) for word in ("--set", text)]
    done = coluber("run", path, "--out", folder, *words)
    check(f"{Path(folder).name}: exits {code}", done.returncode == code, done.stderr)
    report = Path(folder) / "run.json"
    return done, json.loads(report.read_text()) if report.exists() else None


def data(folder, name):
    with h5py.File(Path(folder) / "trajectory.h5", "r") as file:
        return file[name][()]


def near(sentence, value, expected, tolerance):
    off = float(numpy.abs(numpy.asarray(value) - numpy.asarray(expected)).max())
    check(sentence, off <= tolerance, f"{value} instead of {expected}: off by {off:.3g}")


def frame(folder, t):
    return int(numpy.argmin(numpy.abs(data(folder, "time") - t)))


def head(folder, t):
    return data(folder, "section_position")[frame(folder, t), 0]


def test_every_scenario_balances(tmp):
    for name in NAMES:
        folder = tmp / name
        done, report = run(folder, name, *FAST, "duration=3")
        if report is None:
            continue
        check(f"{name}: no warning", report["warnings"] == [] and "warning" not in done.stderr, report["warnings"])
        check(f"{name}: has a title", len(report["title"]) > 10, report["title"])
        rest = data(folder, "end_residual").max()
        check(f"{name}: the internal wrench ends as the tail's load", rest <= 1e-11, rest)
        near(f"{name}: attitudes are rotations", numpy.linalg.norm(data(folder, "section_quaternion"), axis=2), 1.0, 1e-13)
        if name in ("eel", "free_rod"):
            continue
        run(tmp / f"{name}-fine", name, "duration=2.5", "solver.dt=2.5e-3", "solver.space=collocation6")
        work = numpy.abs(data(tmp / f"{name}-fine", "work_scheme")).max()
        check(f"{name}: the balance of the work leaves at most 1e-8 J", work <= 1e-8, work)
        power = numpy.abs(data(tmp / f"{name}-fine", "power_balance")).max()
        check(f"{name}: powers balance at every frame", power <= 1e-6, power)


def test_the_earthworm(tmp):
    run(tmp / "worm", "earthworm", *FAST, "solver.space=collocation6")
    near("earthworm: anchorage at 0.5 s", data(tmp / "worm", "contact_abscissa")[frame(tmp / "worm", 0.5), 0], 0.275, 1e-12)
    near("earthworm: head at 100 s", head(tmp / "worm", 100)[0], -5.0, 5e-4)
    near("earthworm: no reaction at constant speed", data(tmp / "worm", "resultant_wrench"), 0.0, 1e-12)
    speed = data(tmp / "worm", "head_twist")[:, 0]
    near("earthworm: slowest and fastest", (speed.min(), speed.max()), (-0.075, -0.025), 1e-5)
    run(tmp / "still", "earthworm_no_slip", *FAST)
    near("earthworm without slip: head at 100 s", head(tmp / "still", 100)[0], -2.5, 3e-4)
    run(tmp / "faster", "earthworm_accelerating", *FAST)
    near("earthworm, accelerating: the contact pulls with -a m", data(tmp / "faster", "resultant_wrench")[:, 0], -0.005, 1e-6)


def test_the_inchworm(tmp):
    _, report = run(tmp / "inch", "inchworm")
    stride = 1.0 - j0(2.0)
    near("inchworm: stride", report["summary"]["stride"], stride, 1e-6)
    near("inchworm: seven strides in 15 s", head(tmp / "inch", 15)[1], 7 * stride, 7e-6)
    near("inchworm: it climbs straight", data(tmp / "inch", "section_position")[frame(tmp / "inch", 14), :, 0], 0.0, 1e-6)
    run(tmp / "inch-fine", "inchworm", "duration=2", "robot.elements=80", "solver.space=collocation6", "solver.dt=1e-3", "record.rate_hz=1000")
    k = frame(tmp / "inch-fine", 0.5)
    near("inchworm: torque of the head's clamp at 0.5 s", data(tmp / "inch-fine", "contact_wrench")[k, 0, 5], 1.27326, 1e-5)
    late = frame(tmp / "inch-fine", 1.5)
    near("inchworm: the head is free in phase 2", data(tmp / "inch-fine", "internal_wrench")[late, 0], 0.0, 1e-12)
    speed = numpy.gradient(data(tmp / "inch-fine", "section_position")[:, 0, 1], data(tmp / "inch-fine", "time"))
    near("inchworm: fastest at 1.3898 s", (speed.max(), data(tmp / "inch-fine", "time")[speed.argmax()]), (1.56720, 1.3898), 1.5e-3)
    _, report = run(tmp / "inch18", "inchworm", "strain.amplitude=1.8", "duration=4")
    near("inchworm: stride of the French run", report["summary"]["stride"], 0.660014, 1e-6)


def test_the_snakes(tmp):
    run(tmp / "snake", "rod_snake2d")
    near("snake: head at 10 s", head(tmp / "snake", 10)[:2], (-2.301073, 0.0), 2e-6)
    run(tmp / "turn", "rod_snake2d_turn")
    for t, place in ((3, (-0.690322, 0.377746)), (5, (-0.858413, 0.447335)), (7, (-0.779201, 0.611111)), (10, (-0.515060, 1.352371))):
        near(f"snake, turning: head at {t} s", head(tmp / "turn", t)[:2], place, 3e-6)
    _, report = run(tmp / "again", "rod_snake2d_turn", *FAST)
    near("snake: heading change of the turn", report["summary"]["heading_change"], -2.413801, 1e-5)
    _, report = run(tmp / "plain", "rod_snake2d", *FAST)
    near("snake: no heading change without the turn", report["summary"]["heading_change"], 0.0, 1e-6)
    near("snake: what the shape cannot meet", data(tmp / "plain", "compatibility"), 0.0, 1e-9)
    run(tmp / "dive", "rod_snake3d_turn")
    for t, place in ((5, (-0.856707, 0.445949, -0.025271)), (10, (-0.503202, 1.329069, -0.194360))):
        near(f"snake in space: head at {t} s", head(tmp / "dive", t), place, 3e-6)
    run(tmp / "case1", "rod_snake2d", "world.contact.load_time=2.3", "duration=2.3")
    near("rodcase1: reactions", data(tmp / "case1", "contact_wrench")[-1, :, 1], (0.251090, 0.415848, -0.403257, -0.254756, 0.013823), 5e-6)
    run(tmp / "case2", "rod_snake2d", "world.contact.load_time=2.0", "duration=2.0", "robot.length=1.25", "robot.elements=200")
    near("rodcase2: reactions", data(tmp / "case2", "contact_wrench")[-1, :, 1], (0.047374, 0.204595, -0.004263, 0.152957, 0.179501), 5e-6)
    # a contact leaves at the tail and comes in at the head
    X = data(tmp / "snake", "contact_abscissa")
    check("snake: contacts run back along the body", X.min() >= 0.0 and X.max() < 1.0 and (numpy.diff(X[:, 4]) < -0.5).sum() == 5, X[:, 4])
    _, report = run(tmp / "three", "rod_snake2d", "world.contact.count=3", "world.contact.load_time=2.0", "duration=2.0")
    check("three contacts of dependent lines: rank 2", report["summary"]["rank_min"] == 2 and report["summary"]["condition_max"] > 1e8, report["summary"])
    _, report = run(tmp / "one side", "rod_snake2d", *FAST, "world.contact.unilateral=true", "world.contact.torque_limit=0.01", "duration=2")
    check("pulling contacts and large torques are counted",
          report["summary"]["unilateral_violations"] > 0 and report["summary"]["torque_violations"] > 0, report["summary"])


def test_limits_of_drag(tmp):
    # Swimmers in heavy drag: resistive force theory, head first; with less drag across than along the other way.
    for waves, share in ((1, 0.694), (2, 0.921)):
        for across, sign in ((2000, 1.0), (500, -1.0)):
            if sign < 0 and waves > 1:
                continue
            scenario = tmp / f"drag{waves}{across}.toml"
            scenario.write_text(f"""duration = 2.0
[robot]
name = "eel"
length = {waves}.0
elements = {40 * waves}
[strain]
law = "swim"
amplitude = 0.05
omega = 6.283185307179586
[[world.force]]
law = "viscous"
c_along = 1000.0
c_across = {across}.0
[solver]
integrator = "cvode"
""")
            folder = tmp / f"drag{waves}{across}"
            run(folder, scenario)
            moved = head(folder, 2) - head(folder, 1)
            if sign > 0:
                wanted = -0.5 * 0.05**2 * share
                near(f"eel of {waves} waves in heavy drag", moved[0], wanted, 0.02 * abs(wanted))
            else:
                check("eel with less drag across swims backwards", moved[0] > 1e-4, moved)


def test_a_cut_run_resumes_to_the_same_state(tmp):
    for name, integrator, dt in (("inchworm", "rk4", 5e-3), ("rod_snake2d_turn", "dopri5", 5e-3), ("eel", "cvode", 1e-2)):
        what = f"{name}, {integrator}"
        words = [str(SCENARIOS / f"{name}.toml"), "-q"]
        for text in ("record.replay=false", f"solver.dt={dt}", "record.checkpoint_s=0.01", f"solver.integrator={integrator}", "robot.elements=40", "duration=6"):
            words += ["--set", text]
        whole = coluber("run", *words, "--out", tmp / f"whole_{name}")
        check(f"{what}: the run through exits 0", whole.returncode == 0, whole.stderr)
        folder = tmp / f"cut_{name}"
        process = start_until([COLUBER, "run", *words, "--out", str(folder)],
                              lambda: any(path.stat().st_size > 400_000 for path in folder.glob("frames.bin*")),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        check(f"{what}: the run can be interrupted", process is not None)
        if process is None:
            continue
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        _, talk = process.communicate(timeout=300)
        check(f"{what}: Ctrl-C exits 130", process.returncode == 130, (process.returncode, talk))
        through = json.loads((tmp / f"whole_{name}" / "run.json").read_text())["summary"]
        done = coluber("run", *words, "--out", folder, "--resume")
        check(f"{what}: it resumes", done.returncode == 0, done.stderr)
        after = json.loads((folder / "run.json").read_text())["summary"]
        other = {key: (value, after[key]) for key, value in through.items() if not key.startswith("real_time_factor") and value != after[key]}
        check(f"{what}: … to the summary and the final state of the run through", not other, other)
        for dataset in ("section_position", "internal_wrench", "work_servo", "work_scheme"):
            check(f"{what}: … with the same {dataset}", numpy.array_equal(data(folder, dataset), data(tmp / f"whole_{name}", dataset)))


def refused(tmp, name, text, *words):
    path = tmp / "refused.toml"
    path.write_text(text)
    done = coluber("check", path)
    check(f"{name}: exits 3", done.returncode == 3, (done.returncode, done.stdout, done.stderr))
    check(f"{name}: names the line", re.search(r"refused\.toml:\d+|strains\.csv", done.stderr) is not None, done.stderr)
    for word in words:
        check(f"{name}: says {word}", word in done.stderr, done.stderr)


def test_refusals(tmp):
    snake = 'duration = 1.0\n[robot]\nname = "snake2d"\n'
    for key in ("length", "mass_per_length", "radius"):
        refused(tmp, key, snake + f"{key} = 0.0\n", key)
        refused(tmp, key, snake + f"{key} = -1.0\n", key)
    refused(tmp, "inside out", 'duration = 1.0\n[robot]\nname = "earthworm"\n[strain]\nlaw = "peristalsis"\namplitude = 1.0\n', "Gamma_X")
    refused(tmp, "inside out later", 'duration = 9.0\n[robot]\nname = "free_rod"\n[strain]\nlaw = "waves"\n[[strain.wave]]\ncomponent = "Gamma_X"\namplitude = 1.2\nomega = 1.0\n', "Gamma_X")
    refused(tmp, "contact beyond the tail", snake + '[world.contact]\nkind = "annular"\nabscissae = [0.1, 0.5, 1.0]\n', "not on the body")
    refused(tmp, "too few contacts", snake + '[world.contact]\nkind = "annular"\ncount = 2\n', "directions")
    refused(tmp, "beam and strain", snake + 'beam = "B6"\n[strain]\nlaw = "spiral"\n', "K_Y")
    refused(tmp, "anchorages without waves", snake + '[world.contact]\nkind = "sweeping"\n', "peristalsis")
    refused(tmp, "no clamp", snake + '[world.contact]\nkind = "locked"\n', "clamp")
    refused(tmp, "cvode with contacts", snake + '[world.contact]\nkind = "annular"\n[solver]\nintegrator = "cvode"\n', "cvode")
    table = 'duration = 1.0\n[robot]\nname = "free_rod"\n[strain]\nlaw = "table"\nfile = "strains.csv"\n'
    top = "t,X,Gamma_X,Gamma_Y,Gamma_Z,K_X,K_Y,K_Z\n"
    (tmp / "strains.csv").write_text(top + "0,0,1,0,0,0,0,0\n0,0,1,0,0,0,0,0\n")
    refused(tmp, "table with an X twice", table, "twice")
    (tmp / "strains.csv").write_text(top + "0,0,1,0,0,0,0,0\n0,1,1,0,0,0,0,0\n1,0,1,0,0,0,0,0\n")
    refused(tmp, "table with a hole", table, "no row")
    refused(tmp, "keys of other models", snake + "links = 4\n", "robot.model")


def test_a_table_moves_the_rod_as_its_law_does(tmp):
    t = numpy.arange(0.0, 1.2001, 0.02)
    X = numpy.linspace(0.0, 1.0, 61)
    rows = [[a, b, 1, 0, 0, 0, 0, 10 * math.cos(2 * math.pi * (b - 0.5 * a))] for a in t for b in X]
    numpy.savetxt(tmp / "snake.csv", rows, delimiter=",", header="t,X,Gamma_X,Gamma_Y,Gamma_Z,K_X,K_Y,K_Z", comments="", fmt="%.17g")
    scenario = tmp / "table.toml"
    scenario.write_text('duration = 1.0\n[robot]\nname = "snake2d"\n[strain]\nlaw = "table"\nfile = "snake.csv"\n[world.contact]\nkind = "annular"\n')
    done, report = run(tmp / "table", scenario, *FAST)
    run(tmp / "law", "rod_snake2d", *FAST, "duration=1")
    near("a table of strains moves the rod as its law does", head(tmp / "table", 1), head(tmp / "law", 1), 1e-4)


def test_pictures_and_replay(tmp):
    done = coluber("run", SCENARIOS / "rod_spiral.toml", "--out", tmp / "shown", "--set", "duration=1", *[w for s in FAST for w in ("--set", s)])
    check("a run with its replay", done.returncode == 0, done.stderr)
    done = coluber("plot", tmp / "shown")
    made = {path.stem for path in (tmp / "shown" / "plots").glob("*.svg")}
    check("all plots that fit are drawn", done.returncode == 0 and {"postures", "path", "internal", "reactions", "energy"} <= made, (done.stderr, made))
    done = coluber("plot", tmp / "shown", "--what", "internal", "--time", "0.5")
    check("the internal wrench at a time", done.returncode == 0, done.stderr)
    robots = coluber("list", "robots").stdout
    check("all robots are listed", all(name in robots for name in ("earthworm", "inchworm", "snake2d", "snake3d", "eel", "arm", "free_rod")), robots)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tmp = Path(folder)
        for name, test in list(globals().items()):
            if not name.startswith("test_"):
                continue
            try:
                test(tmp)
            except Exception as error:  # a test that cannot go on has failed
                check(name.replace("_", " "), False, f"{type(error).__name__}: {error}")
    finish()


if __name__ == "__main__":
    main()
