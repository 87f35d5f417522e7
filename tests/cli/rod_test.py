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


def j0(x):
    """Bessel's function of order 0, by its series."""
    return sum((-1.0) ** k * (0.5 * x) ** (2 * k) / math.factorial(k) ** 2 for k in range(25))


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
        run(tmp / f"{name}-whole", name)
        rest = data(tmp / f"{name}-whole", "end_residual").max()
        check(f"{name}: … at every frame of the whole run, 160 elements", rest <= 1e-11, rest)
        run(tmp / f"{name}-adaptive", name, "solver.space=adaptive", "solver.space_rtol=1e-11", "duration=0.3")
        rest = data(tmp / f"{name}-adaptive", "end_residual").max()
        check(f"{name}: … and with adapted steps, to 1e-9", rest <= 1e-9, rest)
        if name == "eel":  # the work of a force law is integrated as the motion is, to the order of the step
            continue
        run(tmp / f"{name}-fine", name, "solver.dt=2.5e-3", "solver.space=collocation6", "record.rate_hz=10")
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


def track(A, V, t_end, turn=None, n=20000):
    """Head of a planar snake, (x, y, theta) at n + 1 instants: K along its path is given, the rest are sums (order 4)."""
    h = t_end / n
    t = numpy.linspace(0.0, t_end, 2 * n + 1)
    K = A * numpy.cos(2 * math.pi * V * t)
    if turn:
        u, w = t - turn["start"] - turn["duration"] / 2, turn["duration"] / 2
        inside = numpy.abs(u) < w
        v = numpy.where(inside, u, 0.0)
        K = K + numpy.where(inside, turn["amplitude"] * numpy.exp(-v * v / (w * w - v * v)), 0.0)

    def integral(f):  # at every half interval: of the parabola through three
        out = numpy.zeros(2 * n + 1)
        a, b, c = f[:-1:2], f[1::2], f[2::2]
        out[2::2] = numpy.cumsum(h / 6 * (a + 4 * b + c))
        out[1::2] = out[:-1:2] + h / 24 * (5 * a + 8 * b - c)
        return out

    theta = V * integral(K)
    return numpy.array([V * integral(numpy.cos(theta)), V * integral(numpy.sin(theta)), theta]).T[::2]


def rows(sentence, pairs, share):
    """Rows (value, target) of a table to a share of their target, or to `share` times a third number."""
    for name, value, target, *size in pairs:
        near(f"{sentence}: {name}", value, target, share * abs(size[0] if size else target))


def test_rows_with_closed_forms(tmp):
    eps, c = 0.5, 0.05
    wave = 2 * math.pi
    turn = {"start": 3.0, "duration": 4.0, "amplitude": 2.0}
    straight, turning = track(10.0, -0.5, 10.0), track(10.0, -0.5, 10.0, turn)
    for elements, share in ((640, 1e-6), (40, 1e-4)):
        what = f"{elements} elements"
        at = lambda name: tmp / f"{name}{elements}"
        coarse = (f"robot.elements={elements}", "solver.dt=0.01")

        run(at("worm"), "earthworm", f"robot.elements={elements}", "record.rate_hz=2")
        X = data(at("worm"), "abscissa")[0]
        k = frame(at("worm"), 0.5)
        force = c * c * 0.5 * (numpy.sin(wave * (c * 0.5 - X)) - math.sin(wave * c * 0.5))
        N = data(at("worm"), "internal_wrench")[k, :, 0]
        speed = data(at("worm"), "head_twist")[:, 0]
        place = data(at("worm"), "section_position")[:, 0, 0]
        time = data(at("worm"), "time")
        rows(what, (("W1, anchorage", data(at("worm"), "contact_abscissa")[k, 0], 0.275), ("W2, mean speed", place[-1] / 100, -c),
                    ("W3, fastest", speed.min(), -c * (1 + eps)), ("W3, slowest", speed.max(), -c * (1 - eps)), ("W4, place", place[-1], -5.0),
                    ("W4, ripple", numpy.ptp(place + c * time), eps / math.pi),
                    ("W6, internal force", N, force, c * c)), share)
        near(f"{what}: W5, reaction", data(at("worm"), "resultant_wrench"), 0.0, 1e-12)
        run(at("two"), "earthworm", f"robot.elements={elements}", "strain.wavelength=0.5", "duration=10", "record.rate_hz=2")
        near(f"{what}: W9, two anchorages", data(at("two"), "compatibility"), 0.0, 1e-12)
        run(at("faster"), "earthworm_accelerating", f"robot.elements={elements}", "duration=2", "record.rate_hz=2")
        N = data(at("faster"), "internal_wrench")[0, :, 0]
        first = elements // 4  # the anchorage is at l/4, on a section
        cdot = 0.005
        Gamma_sum = X - 0.5 / wave * (1.0 - numpy.cos(wave * X))  # of Gamma from 0 to X at t = 0
        law = -cdot * Gamma_sum - c * c * 0.5 * numpy.sin(wave * X)
        law[first + 1:] += cdot
        rows(what, (("W7, reaction", data(at("faster"), "resultant_wrench")[:, 0], -cdot), ("W8, the jump in the internal force", N, law, 0.005)), share)

        _, report = run(at("inch"), "inchworm", *coarse, "record.rate_hz=20")
        stride = 1.0 - j0(2.0)
        y = data(at("inch"), "section_position")[:, 0, 1]
        phase = data(at("inch"), "time") % 2.0
        alone = numpy.array([1.0 - j0(2.0 * math.sin(0.5 * math.pi * t) ** 2) if t > 1.0 else 0.0 for t in phase])
        rows(what, (("I1, stride", report["summary"]["stride"], stride), ("I2, I3, seven strides", y[-1], 7 * stride)), share)
        stairs = numpy.floor(data(at("inch"), "time") / 2.0 + 1e-9) * stride + numpy.where(phase > 1.0, stride - alone, 0.0)
        rows(what, (("I3, staircase", y, stairs, 5.4), ("I3, speed", data(at("inch"), "head_twist")[frame(at("inch"), 1.4), 0],
                     -2.0 * math.pi / 2 * math.sin(math.pi * 1.4) * j1(2.0 * math.sin(0.5 * math.pi * 1.4) ** 2) * -1.0)), share)
        _, report = run(at("inch18"), "inchworm", *coarse, "strain.amplitude=1.8", "duration=4", "record.rate_hz=20")
        rows(what, (("I4, stride", report["summary"]["stride"], 1.0 - j0(1.8)),), share)

        _, report = run(at("snake"), "rod_snake2d", *coarse, "record.rate_hz=20")
        g = data(at("snake"), "section_position")
        twist = data(at("snake"), "head_twist")
        rows(what, (("S1, heading", numpy.abs(twist[:, 5]).max() / 0.5 / wave, 10.0 / wave), ("S2, x", g[-1, 0, 0], -5.0 * j0(10.0 / wave)),
                    ("S3, width", numpy.ptp(g[:, 0, 1]), numpy.ptp(straight[:, 1]))), share)
        _, report = run(at("turn"), "rod_snake2d_turn", *coarse, "record.rate_hz=20")
        g = data(at("turn"), "section_position")
        rows(what, (("S5, heading change", report["summary"]["heading_change"], turning[-1, 2]), ("S5, as the integral of the pulse", turning[-1, 2], -0.5 * 2.0 * 2.0 * 1.206900322)), share)
        for t in (3, 5, 7, 10):
            rows(what, ((f"S6, {t} s", g[frame(at("turn"), t), 0, :2], turning[2000 * t, :2], 1.0),), share)
        run(at("long"), "rod_snake2d", *coarse, "strain.wavelength=1.5", "duration=30", "record.rate_hz=20")
        rows(what, (("S11, progress", data(at("long"), "section_position")[-1, 0, 0], -15.0 * j0(15.0 / wave)),), share)

        A, tau = 10.0, wave
        pitch = math.degrees(math.atan2(A, tau))
        run(at("spiral"), "rod_spiral", *coarse, "record.rate_hz=20", "start.pitch_deg=" + repr(-pitch))
        g = data(at("spiral"), "section_position")
        whole = math.hypot(A, tau)
        r, middle = circle(g[-1, :, 1:])
        turns = numpy.unwrap(numpy.arctan2(g[-1, :, 2] - middle[1], g[-1, :, 1] - middle[0]))
        turned = abs(turns[-1] - turns[0])
        rows(what, (("Z2, radius", r, A / whole**2), ("Z2, pitch", abs(g[-1, -1, 0] - g[-1, 0, 0]) / turned * wave, wave * tau / whole**2),
                    ("Z2, turns", turned / wave, whole / wave), ("Z2, arc per turn", wave / turned, wave / whole),
                    ("Z2, axial speed", abs(g[-1, 0, 0] - g[0, 0, 0]) / 10.0, 0.5 * tau / whole)), share)


    # what is left beside zero is the step's: a fine one
    run(tmp / "fine", "rod_snake2d", "solver.dt=2.5e-3", "record.rate_hz=20", "solver.space=collocation6")
    g = data(tmp / "fine", "section_position")
    near("S2, y", g[-1, 0, 1], 0.0, 1e-9)
    for i in (40, 80, 160):  # section X is where the head was 2 X s before
        late = round(20 * 2 * i / 160)
        near(f"S4, section {i} from the head's path", g[late:, i], g[: len(g) - late, 0], 1e-9)


def j1(x):
    """Bessel's function of order 1, by its series."""
    return sum((-1.0) ** k * (0.5 * x) ** (2 * k + 1) / (math.factorial(k) * math.factorial(k + 1)) for k in range(25))


def circle(points):
    """Radius and middle of the circle through points of the plane."""
    rows = numpy.column_stack([2.0 * points, numpy.ones(len(points))])
    x, y, c = numpy.linalg.lstsq(rows, (points**2).sum(axis=1), rcond=None)[0]
    return math.sqrt(c + x * x + y * y), (x, y)


def test_rows_checked_by_another_computation(tmp):
    # 160 elements a wave, 1e-4 of each row's largest value
    run(tmp / "inch", "inchworm", "duration=2", "solver.dt=5e-3", "record.rate_hz=200")
    F, L = data(tmp / "inch", "contact_wrench"), data(tmp / "inch", "internal_wrench")
    for t, force, torque in ((0.0, 9.8100, 0.78540), (0.25, 11.5098, 0.98531), (0.5, 11.4145, 1.27326), (0.75, 7.9286, 1.37336)):
        k = frame(tmp / "inch", t)
        near(f"I5, force at {t} s", -F[k, 0, 0], force, 1e-4 * 11.5098)
        near(f"I5, torque at {t} s", F[k, 0, 5], torque, 1e-4 * 1.3796)
    k, late = frame(tmp / "inch", 0.5), frame(tmp / "inch", 1.5)
    near("I6, 0.5 s", (L[k, 0, 5], L[k, 80, 5], L[k, :, 5].max(), L[k, 160, 5]), (-1.27326, 0.95015, 0.95286, 0.0), 1.3e-4)
    near("I6, 1.5 s", (L[late, 0, 5], L[late, 80, 5], L[late, 160, 5]), (0.0, -0.44448, 1.51600), 1.5e-4)
    run(tmp / "two", "rod_snake2d", "world.contact.load_time=2.0", "duration=2.0", "record.rate_hz=10")
    C = data(tmp / "two", "internal_wrench")[-1, :, 5]
    near("S8, torque", C[[16, 32, 48, 64, 80]], (-0.011506, -0.035801, -0.061760, -0.086055, -0.097561), 9.7e-6)
    near("S8, symmetric", C, C[::-1], 9.7e-6)
    near("S8, both ends", C[[0, -1]], 0.0, 1e-12)
    run(tmp / "case1", "rod_snake2d", "world.contact.load_time=2.3", "duration=2.3", "record.rate_hz=10")
    C = data(tmp / "case1", "internal_wrench")[-1, :, 5]
    near("S9, resultant", data(tmp / "case1", "resultant_wrench")[-1, [0, 1, 5]], (0.0, 0.0, -0.11047042), 1.1e-5)
    near("S9, reactions", data(tmp / "case1", "contact_wrench")[-1, :, 1], (0.251090, 0.415848, -0.403257, -0.254756, 0.013823), 4.1e-5)
    near("S9, torque", (C.max(), C[80], C.min(), C[48]), (0.015376, 0.015376, -0.026230, -0.026230), 2.6e-6)
    run(tmp / "case2", "rod_snake2d", "world.contact.load_time=2.0", "duration=2.0", "robot.length=1.25", "robot.elements=200", "record.rate_hz=10")
    C = data(tmp / "case2", "internal_wrench")[-1, :, 5]
    near("S10, resultant", data(tmp / "case2", "resultant_wrench")[-1, [0, 1, 5]], (-0.25518790, 0.24994618, 0.14320343), 2.5e-5)
    near("S10, reactions", data(tmp / "case2", "contact_wrench")[-1, :, 1], (0.047374, 0.204595, -0.004263, 0.152957, 0.179501), 2e-5)
    near("S10, torque", (C.min(), C[60]), (-0.069361, -0.069361), 6.9e-6)
    run(tmp / "dive", "rod_snake3d_turn", "record.rate_hz=10")
    for t, place in ((3, (-0.690322, 0.377746, 0.0)), (5, (-0.856707, 0.445949, -0.025271)), (7, (-0.778021, 0.609378, -0.033873)), (10, (-0.503202, 1.329069, -0.194360))):
        near(f"Z1, {t} s", head(tmp / "dive", t), place, 1.3e-4 * 0.5)
    run(tmp / "spiral", "rod_spiral", "world.contact.load_time=2.0", "duration=2.0", "record.rate_hz=10")
    F = data(tmp / "spiral", "contact_wrench")[-1]
    near("Z3, resultant", data(tmp / "spiral", "resultant_wrench")[-1], (-0.048861, -0.145260, 0.030700, 0.070031, 0.089033, -0.039115), 1.4e-5)
    near("Z3, N_Y", F[:, 1], (-0.007428, 0.009024, 0.058055, 0.009024, -0.007428), 5.8e-6)
    near("Z3, N_Z", F[:, 2], (0.028782, 0.042065, 0.0, -0.042065, -0.028782), 4.2e-6)
    near("Z3, C_X", F[:, 3], (0.046094, -0.032405, 0.0, 0.032405, -0.046094), 4.6e-6)
    C = data(tmp / "spiral", "internal_wrench")[-1]
    near("Z3, C_Y, C_Z", (C[:, 4].min(), C[:, 4].max(), C[:, 5].min(), C[:, 5].max()), (-0.039061, 0.039061, -0.011699, 0.013111), 4e-6)


def torques_by_balance(t, p, inertia_local):
    """Largest |C_Z| of the planar snake on p contacts: momentum of the part before X, in the world's axes.

    A second way: the body lies on its own path, so the head's path and the momentum that it carries along it are known
    in closed form but for plain sums; no element, no group.
    """
    A, V, l, m, J, n = 10.0, -0.5, 1.0, 1.0, 6.25e-4, 200000
    h = l / n
    X = numpy.linspace(0.0, l, n + 1)
    S = V * t
    theta = A / (2 * math.pi) * (numpy.sin(2 * math.pi * (X + S)) - math.sin(2 * math.pi * S))
    c, s = numpy.cos(theta), numpy.sin(theta)
    x, y = (numpy.concatenate([[0.0], numpy.cumsum(0.5 * h * (f[1:] + f[:-1]))]) for f in (c, s))
    K = A * numpy.cos(2 * math.pi * (X + S))
    force = numpy.array([m * V * V * (c - 1.0), m * V * V * s])
    moment = m * V * V * (x * s - y * c) + J * V * V * (K - K[0])
    i = numpy.rint((numpy.arange(p) + 0.5) * n / p).astype(int)
    across = numpy.array([-s[i], c[i]])
    rows = numpy.vstack([across, x[i] * across[1] - y[i] * across[0]])
    own = m * V * V * K[i] * l / p if inertia_local else numpy.zeros(p)
    push = own + numpy.linalg.pinv(rows, rcond=1e-8) @ (numpy.array([force[0][-1], force[1][-1], moment[-1]]) - rows @ own)
    for each, at in enumerate(i):
        force[:, at:] -= push[each] * across[:, each, None]
        moment[at:] -= push[each] * rows[2, each]
    return float(numpy.abs(moment - (x * force[1] - y * force[0])).max())


def test_torques_by_the_number_of_contacts(tmp):
    printed = {(2.0, False): (0.09756, 0.09756, 0.09756, 0.09756), (2.0, True): (0.02795, 0.00311, 0.00265, 0.00301),
               (2.3, False): (0.0262, 0.0266, 0.0251, 0.0255), (2.3, True): (0.0201, 0.0058, 0.0033, 0.0027)}
    for (t, local), values in printed.items():
        for p, value in zip((5, 10, 20, 40), values):
            what = f"{p} contacts at {t} s, {'inertia_local' if local else 'min_norm'}"
            other = torques_by_balance(t, p, local)
            near(f"{what}: the second way meets the value checked", other, value, 6e-6 if t == 2.0 else 6e-5)
            folder = tmp / f"torque{t}{p}{local}"
            run(folder, "rod_snake2d", f"world.contact.count={p}", f"world.contact.load_time={t}", f"duration={t}",
                "robot.elements=400", "solver.dt=0.1", f"world.contact.distribution={'inertia_local' if local else 'min_norm'}")
            near(f"{what}: largest torque", numpy.abs(data(folder, "internal_wrench")[-1, :, 5]).max(), other, 1e-3 * other)


def test_limits_of_drag(tmp):
    # Swimmers in heavy drag: resistive force theory, head first; with less drag across than along the other way.
    for waves, share in ((1, 0.694), (2, 0.921), (4, 0.978), (8, 0.992)):
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
    refused(tmp, "table with an X twice", table, "twice", "strains.csv:3")
    (tmp / "strains.csv").write_text(top + "0,0,1,0,0,0,0,0\n0,1,1,0,0,0,0,0\n1,0,1,0,0,0,0,0\n")
    refused(tmp, "two faults of a wave", snake + '[strain]\nlaw = "waves"\n[[strain.wave]]\ncomponent = "K_z"\namplitude = nan\n', "component", "amplitude")
    refused(tmp, "the beam, where no law is named", snake + 'beam = "B7"\n', "robot.beam", "K_Z")
    (tmp / "strains.csv").write_text(top + "".join(f"{t},{X},1,0,0,0,0,0\n" for t in (0, 1) for X in (0, 0.1, 0.2)))
    refused(tmp, "table of a part of the rod", table, "0 to 0.2 m")
    (tmp / "strains.csv").write_text(top + "0,0,1,0,0,0,0,0\n0,1,1,0,0,0,0,0\n1,0,1,0,0,0,0,0\n")
    refused(tmp, "table with a hole", table, "X = 1", "no row", "strains.csv:4")
    refused(tmp, "keys of other models", snake + "links = 4\n", "robot.model")


def test_warnings(tmp):
    for key, sets in (("strain.omega", ("strain.omega=50",)), ("robot.elements", ("robot.elements=6",)),
                      ("robot.elements", ("strain.wavelength=0.05",)), ("robot.elements", ("strain.amplitude=40",))):
        name = sets[0].replace("=", "")
        _, report = run(tmp / name, "eel", "duration=0.02", "robot.radius=0.04", *sets)
        check(f"{sets[0]}: {key} is warned of", any(each.startswith(key) for each in report["warnings"]), report["warnings"])


def test_faults_at_run_time(tmp):
    # seen neither at the start nor at the instants that are looked at before a run: they are whole periods apart
    wave = """duration = 4.0
[robot]
name = "free_rod"
elements = 20
[strain]
law = "waves"
[[strain.wave]]
component = "Gamma_X"
amplitude = 1.2
omega = 628.3185307179586
[solver]
dt = 1e-3
"""
    # two waves that meet cancel at 0.25 s: nothing says how fast the body goes along itself
    standing = """duration = 1.0
[robot]
name = "snake2d"
elements = 20
[strain]
law = "waves"
[[strain.wave]]
component = "K_Z"
amplitude = 1.0
wavelength = 1.0
omega = 6.283185307179586
[[strain.wave]]
component = "K_Z"
amplitude = 1.0
wavelength = 1.0
omega = -6.283185307179586
[world.contact]
kind = "annular"
[solver]
dt = 0.05
"""
    for name, text, t in (("a section turns inside out", wave, r"0\.00\d"), ("a body of constant curvature", standing, r"0\.2\d*")):
        path = tmp / "fails.toml"
        path.write_text(text)
        done = coluber("run", path, "--out", tmp / name.replace(" ", "_"))
        check(f"{name}: exits 1", done.returncode == 1, (done.returncode, done.stderr))
        check(f"{name}: names X and t", re.search(rf"t = {t}", done.stderr) and "X = " in done.stderr, done.stderr)


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
                (tmp / name).mkdir()
                test(tmp / name)
            except Exception as error:  # a test that cannot go on has failed
                check(name.replace("_", " "), False, f"{type(error).__name__}: {error}")
    finish()


if __name__ == "__main__":
    main()
