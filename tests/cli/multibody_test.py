#!/usr/bin/python3
"""Trees of rigid bodies that are driven by their shape: reference values, cases, balances, resume, refusals.

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
TURN = 2 * math.pi
DT = TURN / 640  # s; frames fall on multiples of 2 pi
EVERY_STEP = (f"solver.dt={DT}", f"record.rate_hz={1 / DT}")
FINE = ("solver.integrator=dopri5", "solver.smooth.rtol=1e-10", "solver.smooth.atol=1e-12")
CASES = {  # Ali, Table 3.1
    "satellite": "unconstrained", "fish": "unconstrained", "snakeboard_drive": "under_constrained",
    "snakeboard_rotate": "under_constrained", "snakeboard_park": "under_constrained", "sleigh": "under_constrained",
    "two_axles": "under_constrained", "three_axles": "fully_constrained", "acm20": "fully_constrained",
    "mobile_manipulator": "fully_actuated", "car_trailers": "fully_actuated", "unicycle": "partially_actuated",
    "four_bar": "imposed",
}


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


def names(folder):
    with h5py.File(Path(folder) / "trajectory.h5", "r") as file:
        return set(file)


def near(sentence, value, expected, tolerance):
    off = float(numpy.abs(numpy.asarray(value) - numpy.asarray(expected)).max())
    check(sentence, off <= tolerance, f"{value} instead of {expected}: off by {off:.3g}")


def planar_pose(folder, frame):
    return [*data(folder, "link_position")[frame, 0, :2], data(folder, "link_angle")[frame, 0]]


def test_every_scenario_has_its_case_and_closes_its_balances(tmp):
    for name, case in CASES.items():
        folder = tmp / name
        done, report = run(folder, name)
        summary = report["summary"]
        check(f"{name}: is {case}", summary["case"] == case, summary["case"])
        check(f"{name}: no warning", report["warnings"] == [] and "warning" not in done.stderr, report["warnings"])
        check(f"{name}: has a title", len(report["title"]) > 10, report["title"])
        work = numpy.abs(data(folder, "work_scheme")).max()
        check(f"{name}: the balance of the work leaves at most 1e-8 J", work <= 1e-8, work)
        # Per instant, against its own largest term: tests/unit/multibody/balance_test.cpp.
        # Frames whose motion is the mean of both sides of a singular instant.
        apart = data(folder, "singular_value") > 1e-3 if name == "acm20" else numpy.full(len(data(folder, "time")), True)
        left = numpy.abs(data(folder, "power_balance"))[apart].max()
        power = numpy.abs(data(folder, "joint_torque") * data(folder, "joint_rate")).max() if "max_torque" in summary else 0.0
        power = max(power, 0.5 * (data(folder, "energy").max() - data(folder, "energy").min()), 1e-4)
        check(f"{name}: powers balance at every frame", left <= 1e-12 * power, (left, power))
        force = max(1.0, numpy.abs(data(folder, "wheel_force")).max()) if "wheel_force" in names(folder) else 1.0  # N
        check(f"{name}: no wrench is missing at link 1", data(folder, "root_residual")[apart].max() <= 1e-12 * force,
              data(folder, "root_residual").max())
        slip = data(folder, "constraint_residual")[apart].max()
        check(f"{name}: no wheel slides", slip <= 1e-12, slip)
        quaternion = data(folder, "link_quaternion")
        near(f"{name}: attitudes are rotations", numpy.linalg.norm(quaternion, axis=2), 1.0, 1e-13)


def test_the_wheeled_snake_takes_the_path_of_the_reference(tmp):
    _, report = run(tmp / "snake", "acm20", *FINE)
    check("acm20: seven singular instants", report["summary"]["singular_instants"] == 7, report["summary"])
    near("acm20: largest determinant of the first axles' rows", data(tmp / "snake", "row_determinant").max(), 0.18973, 1e-5)
    near("acm20: head at 20 s", planar_pose(tmp / "snake", -1), (-1.84941926, -1.15444218, 0.10242532), 1e-6)
    for t, pose in ((5, (-0.429375, -0.348829, 0.678378)), (10, (-0.896684, -0.615339, 1.233931)), (15, (-1.395141, -0.857892, 0.855663))):
        near(f"acm20: head at {t} s", planar_pose(tmp / "snake", 100 * t), pose, 1e-6)
    near("acm20: r_6 and r_18 at 20 s", data(tmp / "snake", "joint_angle")[-1, [5, 17]], (0.67335699, -0.70297391), 1e-6)
    near("acm20: twist at the start, a singular instant", data(tmp / "snake", "base_twist")[0, [0, 1, 5]], (-0.121963, -0.004761, -0.284065), 1e-5)
    frames = [100, 200, 500, 1000, 1500, 2000]
    torque = data(tmp / "snake", "joint_torque")
    near("acm20: torques of joint 10, consistent", torque[frames, 9],
         (0.00435077, -0.00955909, -0.00284216, 0.00343167, 0.00051549, -0.00347455), 1e-7)
    near("acm20: all torques at 10 s", torque[1000, 1:18:2],
         (0.00167, 0.00218, 0.00021, -0.00005, 0.00343, 0.00609, 0.00565, 0.00287, -0.00006), 6e-6)
    near("acm20: axles without mass take no torque", torque[:, ::2], 0.0, 1e-15)
    near("acm20: wheel forces at 10 s", data(tmp / "snake", "wheel_force")[1000],
         (-0.00082216, -0.00099809, -0.00797817, -0.00707355, 0.00383041, 0.01030262, 0.00678844, -0.00046017, 0.00630679, 0.01707481), 1e-7)
    run(tmp / "projective", "acm20", *FINE, "solver.torques=projective")
    near("acm20: torques of joint 10, projective", data(tmp / "projective", "joint_torque")[frames, 9],
         (-0.00147425, 0.00161907, 0.00134673, 0.02054514, 0.01043771, -0.01378897), 1e-7)
    off = numpy.abs(data(tmp / "projective", "power_balance")).max()
    powers = (data(tmp / "projective", "joint_torque") * data(tmp / "projective", "joint_rate")).sum(axis=1)
    rate = numpy.gradient(data(tmp / "projective", "energy"), data(tmp / "projective", "time"))
    missing = numpy.abs(rate - powers)[5:-5].max()  # by differences over 0.02 s
    check("acm20: projective torques miss the power by up to 0.0256 W, and the run shows it",
          abs(off - 0.025584) <= 1e-5 and abs(missing - off) <= 1e-4, (off, missing))
    run(tmp / "period", "acm20", *FINE, *EVERY_STEP, f"duration={TURN}")
    near("acm20: displacement per period", planar_pose(tmp / "period", -1), (-0.56863625, -0.37947582, 0.0), 1e-6)


def test_integrators_agree(tmp):
    run(tmp / "rk4", "acm20", "solver.dt=5e-3")
    for name in ("dopri5", "cvode"):
        run(tmp / name, "acm20", f"solver.integrator={name}", "solver.smooth.rtol=1e-10", "solver.smooth.atol=1e-12")
        near(f"rk4 and {name} agree at 20 s", data(tmp / name, "link_position")[-1], data(tmp / "rk4", "link_position")[-1], 1e-6)
    run(tmp / "swim_rk4", "fish", "solver.dt=2e-3")
    for name in ("dopri5", "cvode"):
        run(tmp / f"swim_{name}", "fish", f"solver.integrator={name}", "solver.smooth.rtol=1e-10", "solver.smooth.atol=1e-12")
        near(f"rk4 and {name} agree on the fish", data(tmp / f"swim_{name}", "link_position")[-1], data(tmp / "swim_rk4", "link_position")[-1], 1e-6)


def test_the_satellite_turns_as_its_closed_form(tmp):
    run(tmp / "turned", "satellite", *FINE)
    near("satellite: rates at 10 s", data(tmp / "turned", "base_twist")[-1, 3:], (-0.21795764, 0.26527071, 0.04512246), 1e-8)
    quaternion = data(tmp / "turned", "link_quaternion")[-1, 0]
    near("satellite: attitude at 10 s", quaternion * numpy.sign(quaternion[0]), (0.96557066, -0.11359139, -0.22446597, 0.06622185), 1e-8)
    near("satellite: torques at 10 s", data(tmp / "turned", "joint_torque")[-1], (0.360658, 0.003952, 0.364519), 1e-6)
    near("satellite: its centre stays", data(tmp / "turned", "link_position")[:, 0], 0.0, 1e-12)


def test_the_snakeboard_ends_where_the_reference_does(tmp):
    run(tmp / "drive", "snakeboard_drive", *EVERY_STEP, f"duration={3 * TURN}")
    # xi: the twist is xi (-2 l cos² phi, 0, sin 2 phi), phi = 0 at these times, l = 0.2 m
    for turns, pose, xi in ((1, (-0.180103, 0.002488, -0.087188), 0.146777), (2, (-0.718340, 0.004951, -0.174377), 0.293553),
                            (3, (-1.608520, 0.007363, -0.261565), 0.440330)):
        near(f"drive: pose after {turns} cycles", planar_pose(tmp / "drive", 640 * turns), pose, 1e-6)
        near(f"drive: speed after {turns} cycles", data(tmp / "drive", "base_twist")[640 * turns, 0], -0.4 * xi, 1e-6)
    for gait, pose in (("rotate", (-0.115417, 0.031619, 2.606804)), ("park", (0.0, -0.471794, 0.0))):
        run(tmp / gait, f"snakeboard_{gait}", *EVERY_STEP, f"duration={3 * TURN}")
        near(f"{gait}: pose after three cycles", planar_pose(tmp / gait, -1), pose, 1e-6)
        near(f"{gait}: stands after three cycles", data(tmp / gait, "base_twist")[-1], 0.0, 1e-7)


def test_side_friction_converges_to_ideal_wheels(tmp):
    run(tmp / "ideal", "snakeboard_drive", *EVERY_STEP, f"duration={TURN}")
    ideal = data(tmp / "ideal", "link_position")[-1, 0]
    for friction, expected in ((100, 1.73e-3), (200, 0.85e-3), (400, 0.42e-3)):
        folder = tmp / f"friction_{friction}"
        _, report = run(folder, "snakeboard_drive", *EVERY_STEP, f"duration={TURN}", "solver.integrator=dopri5",
                        f"robot.wheel.1.side_friction={friction}", f"robot.wheel.2.side_friction={friction}")
        off = numpy.linalg.norm(data(folder, "link_position")[-1, 0] - ideal)
        check(f"side friction {friction} N s/m: {1e3 * expected} mm away", abs(off / expected - 1) <= 0.05, off)
        check(f"side friction {friction} N s/m: takes energy", data(folder, "work_friction")[-1] < 0, data(folder, "work_friction")[-1])
        check(f"side friction {friction} N s/m: is no constraint", report["summary"]["case"] == "unconstrained" and report["summary"]["rank"] == 0,
              report["summary"]["case"])


def test_the_fish_swims_by_unequal_drag(tmp):
    def force(along, across, turn):
        return (f"world.force.1.c_along={along}", f"world.force.1.c_across={across}", f"world.force.1.c_turn={turn}", *FINE)

    for name, drag, place in (("slender", (2, 20, 20), (-0.480586, 0.303505)), ("broad", (20, 2, 20), (0.083201, -0.059579)),
                              ("equal", (7, 7, 7), (-0.002898, 0.000914)), ("none", (0, 0, 0), (-0.002898, 0.000914))):
        run(tmp / f"fish_{name}", "fish", *force(*drag))
        near(f"fish, {name} drag: head at 10 s", data(tmp / f"fish_{name}", "link_position")[-1, 0, :2], place, 1e-6)
    near("fish: it stays in its plane", data(tmp / "fish_slender", "link_position")[:, :, 2], 0.0, 1e-12)


def test_the_mobile_manipulator_needs_the_torques_of_the_reference(tmp):
    for speed, low, high in ((1.0, -5.2587, 2.6955), (0.0, -1.6890, 1.8604)):
        folder = tmp / f"arm_{speed}"
        run(folder, "mobile_manipulator", f"gait.drive.offset={speed}", "record.rate_hz=100", "duration=6.28")
        torque = data(folder, "joint_torque")[:, 0]
        near(f"arm at {speed} m/s: range of the torque of joint 1", (torque.min(), torque.max()), (low, high), 1e-3)


def test_closed_forms(tmp):
    run(tmp / "blade", "sleigh", *FINE)
    twist, rate = data(tmp / "blade", "base_twist"), data(tmp / "blade", "base_acceleration")
    V, Omega = twist[:, 0], twist[:, 5]
    near("sleigh: acceleration along the blade is a Omega²", rate[:, 0], 0.3 * Omega ** 2, 1e-9)
    near("sleigh: turning is -a V Omega/(a² + I/m)", rate[:, 5], -0.3 * V * Omega / (0.09 + 0.05), 1e-9)
    # V² + k² Omega² stays c²: V = c tanh(a c (t - t_0)/k²), Omega = c/k sech(the same)
    t, k = data(tmp / "blade", "time"), math.sqrt(0.09 + 0.05)
    c = math.hypot(V[0], k * Omega[0])
    along = 0.3 * c / k ** 2 * t + math.atanh(V[0] / c)
    near("sleigh: its speed over the whole run", V, c * numpy.tanh(along), 1e-9)
    near("sleigh: its turning over the whole run", Omega, c / k / numpy.cosh(along), 1e-9)
    check("sleigh: it ends forwards", V[0] < 0 < V[-1] and abs(Omega[-1]) < 1e-2, (V[-1], Omega[-1]))
    run(tmp / "wheel", "unicycle")
    t = data(tmp / "wheel", "time")
    near("unicycle: it turns as its closed form", data(tmp / "wheel", "base_twist")[:, 5],
         -0.15 * 3.0 * 0.05 * 2.0 * numpy.sin(t) / (0.2 + 3.0 * 0.15 ** 2), 1e-12)
    near("unicycle: the driven wheel has its law", data(tmp / "wheel", "wheel_angle")[:, 0], 2.0 * (1.0 - numpy.cos(t)), 1e-9)
    run(tmp / "circle", "car_trailers", "gait.wheel.1.amplitude=0", "gait.wheel.2.amplitude=0", "gait.wheel.1.offset=0.3",
        "gait.wheel.2.offset=0.3", "duration=80", "record.rate_hz=1")
    # An axle on a circle of radius R pulls, by a hitch d behind it and a trailer of length L, an axle on R² + d² - L².
    angle, R = data(tmp / "circle", "link_angle")[-1], 0.8 / math.tan(0.3)
    twist = data(tmp / "circle", "base_twist")[-1]
    near("car: it runs round its circle", twist[0] / twist[5], R, 1e-9)
    near("car: all trailers turn alike", data(tmp / "circle", "joint_rate")[-1], 0.0, 1e-9)
    centre = data(tmp / "circle", "link_position")[-1, 0, :2] + R * numpy.array((-math.sin(angle[0]), math.cos(angle[0])))
    squared = R * R
    for k in (1, 2, 3):
        squared += 0.2 ** 2 - 0.6 ** 2
        axle = data(tmp / "circle", "link_position")[-1, k, :2] - 0.6 * numpy.array((math.cos(angle[k]), math.sin(angle[k])))
        near(f"car: circle of trailer {k}", math.dist(axle, centre), math.sqrt(squared), 1e-9)
    run(tmp / "bars", "four_bar")
    energy, servo, weight = (data(tmp / "bars", name) for name in ("energy", "work_servo", "work_gravity"))
    near("four-bar: the crank's work and the weight's are the energy", energy - energy[0], servo + weight, 1e-8)
    near("four-bar: passive joints have no torque", data(tmp / "bars", "joint_torque")[:, 1:], 0.0, 0.0)
    r = data(tmp / "bars", "joint_angle")
    tip = 0.3 * numpy.exp(1j * r[:, 0]) + 0.7 * numpy.exp(1j * (r[:, 0] + r[:, 1]))
    near("four-bar: the loop stays closed", abs(tip - 0.8 - 0.6 * numpy.exp(1j * r[:, 2])), 0.0, 1e-12)


def test_cases_follow_from_ranks(tmp):
    _, imposed = run(tmp / "over", "acm20", "gait.joint.6.law=sin", "gait.joint.6.amplitude=0.6",
                     f"gait.joint.6.phase={5 * math.pi / 16}")
    check("all joints imposed: over-constrained", imposed["summary"]["case"] == "over_constrained", imposed["summary"]["case"])
    slip = numpy.abs(data(tmp / "over", "wheel_slip")).max(axis=0)
    check("… axle 4 slides, at singular instants too no other", max(slip[:3].max(), slip[4:].max()) < 1e-8, slip)
    apart = data(tmp / "over", "singular_value") > 1e-3
    near("… outside their windows to rounding", numpy.abs(data(tmp / "over", "wheel_slip"))[apart][:, :3], 0.0, 1e-12)
    near("… as much as the reference says", slip[3], 0.159, 5e-4)
    check("… and the run warns", any("slide sideways" in text for text in imposed["warnings"]), imposed["warnings"])
    driven = tmp / "driven.toml"
    driven.write_text('duration = 1\n[robot]\nmodel = "multibody"\n[[robot.body]]\nname = "platform"\nmass = 4.0\n'
                      "inertia = [0.04, 0.16, 0.2, 0.0, 0.0, 0.0]\n"
                      + "".join(f'[[robot.body]]\nname = "arm_{k}"\nparent = "platform"\nposition = [{x}, {y}, 0]\n'
                                for k, x, y in ((1, 0.3, 0.0), (2, -0.3, 0.15)))
                      + '[[robot.wheel]]\nbody = "platform"\nkind = "omni"\ndriven = true\n'
                      + "".join(f'[[robot.wheel]]\nbody = "arm_{k}"\nposition = [0.1, 0.0]\n' for k in (1, 2))
                      + '[[gait.wheel]]\nwheel = 1\nmotion = "roll"\nlaw = "ramp"\nrate = 1.0\n'
                        '[[gait.joint]]\njoint = 1\noffset = 0.3\n[[gait.joint]]\njoint = 2\noffset = -0.2\n')
    _, report = run(tmp / "driven", driven)
    check("two axles and a driven wheel: fully actuated", report["summary"]["case"] == "fully_actuated", report["summary"]["case"])
    near("… the wheel rolls as its law says", data(tmp / "driven", "wheel_angle")[-1, 0], 1.0, 1e-12)


def test_a_cut_run_resumes_to_the_same_state(tmp):
    for name, integrator, dt in (("acm20", "rk4", 2e-3), ("snakeboard_rotate", "dopri5", 1e-3), ("fish", "cvode", 1e-3), ("four_bar", "rk4", 5e-4)):
        what = f"{name}, {integrator}"
        words = [str(SCENARIOS / f"{name}.toml"), "-q"]
        for text in ("record.replay=false", f"solver.dt={dt}", "record.checkpoint_s=0.01", f"solver.integrator={integrator}"):
            words += ["--set", text]
        whole = coluber("run", *words, "--out", tmp / f"whole_{name}")
        check(f"{what}: the run through exits 0", whole.returncode == 0, whole.stderr)
        folder = tmp / f"cut_{name}"
        process = start_until([COLUBER, "run", *words, "--out", str(folder)],
                              lambda: any(path.stat().st_size > 100_000 for path in folder.glob("frames.bin*")),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        check(f"{what}: the run can be interrupted", process is not None)
        if process is None:
            continue
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        _, talk = process.communicate(timeout=300)
        check(f"{what}: Ctrl-C exits 130", process.returncode == 130, (process.returncode, talk))
        before = json.loads((folder / "run.json").read_text())
        through = json.loads((tmp / f"whole_{name}" / "run.json").read_text())["summary"]
        check(f"{what}: run.json says so", before["status"] == "interrupted" and 0 < before["summary"]["steps"] < through["steps"],
              (before["status"], before["summary"]["steps"]))
        done = coluber("run", *words, "--out", folder, "--resume")
        check(f"{what}: it resumes", done.returncode == 0, done.stderr)
        after = json.loads((folder / "run.json").read_text())["summary"]
        other = {key: (value, after[key]) for key, value in through.items() if not key.startswith("real_time_factor") and value != after[key]}
        check(f"{what}: … to the summary and the final state of the run through", not other, other)
        for dataset in ("link_position", "joint_torque", "work_servo", "work_scheme"):
            check(f"{what}: … with the same {dataset}", numpy.array_equal(data(folder, dataset), data(tmp / f"whole_{name}", dataset)))
    short = coluber("run", SCENARIOS / "snakeboard_rotate.toml", "--out", tmp / "short", "--duration", "3", "-q")
    longer = coluber("run", SCENARIOS / "snakeboard_rotate.toml", "--out", tmp / "short", "--resume", "-q")
    check("another duration does not resume", short.returncode == 0 and longer.returncode == 3 and "was 3" in longer.stderr, longer.stderr)


def test_a_real_singularity_ends_the_run(tmp):
    done, report = run(tmp / "across", "snakeboard_drive", "gait.joint.2.amplitude=-1.7", "gait.joint.3.amplitude=1.7", code=1)
    t = math.asin(math.pi / 2 / 1.7)  # axles across the board
    said = re.search(r"step to t = ([\d.]+) s could not be taken: ([\d.e+-]+) \(singular value", done.stderr)
    check("singular: time and singular value are said", said and abs(float(said[1]) - t) <= 0.01 and float(said[2]) < 1e-6, done.stderr)
    check("singular: nothing is promised that does not hold", "on_failure" not in done.stderr, done.stderr)
    check("singular: the direction is said", "V_x" in done.stderr and "Omega_z" in done.stderr, done.stderr)
    check("singular: no digits of rounding", "e-17" not in done.stderr.split("do not hold")[-1], done.stderr)
    check("singular: run.json has the frames so far", report["status"] == "failed" and report["message"] in done.stderr, report["status"])
    near("singular: … up to that step", data(tmp / "across", "time")[-1], t, 0.011)


def test_what_cannot_move_at_the_start_ends_there(tmp):
    text = (SCENARIOS / "car_trailers.toml").read_text()
    locked = tmp / "locked.toml"
    locked.write_text(text.replace('law = "ackermann"\namplitude = 0.45\nomega = 0.4', 'law = "held"\noffset = 0.4', 1))
    done = coluber("run", locked, "--out", tmp / "locked")
    said = re.search(r"cannot start at t = 0 s: .* would slip with ([\d.]+) m/s", done.stderr)
    check("over-constrained from the start: exits 1 with the slip it would need", done.returncode == 1 and said and abs(float(said[1]) - 0.5) < 1e-9,
          (done.returncode, done.stderr))
    check("… and leaves no run", not (tmp / "locked").exists())
    straight = [word for k in range(1, 6) for word in ("--set", f"gait.joint.{k}.phase=0.0")]
    done = coluber("run", SCENARIOS / "acm20.toml", "--out", tmp / "straight_snake", *straight)
    check("a snake that starts straight: exits 1 with time, singular value and direction",
          done.returncode == 1 and re.search(r"t = 0 s: .*singular value; they do not hold link 1 against V_x -?1, V_y -?0", done.stderr),
          (done.returncode, done.stderr))


def test_jammed_wheels_end_the_run(tmp):
    alone = ("gait.wheel.2.amplitude=0.0",)  # the front left wheel stays straight
    done, _ = run(tmp / "jammed", "car_trailers", *alone, code=1)
    said = re.search(r"could not be taken: ([\d.e+-]+) \(slip \(m/s\) of the driven wheels\)", done.stderr)
    check("jammed: the slip is said", said and abs(float(said[1]) - 0.5) < 0.02, done.stderr)
    apart = tmp / "apart.toml"
    apart.write_text('duration = 2\n[robot]\nname = "car_trailers"\n'
                     + "".join(f'[[gait.joint]]\njoint = {k}\nlaw = "follower"\n' for k in (1, 2, 3))
                     + "".join(f'[[gait.wheel]]\nwheel = {k}\nmotion = "roll"\nlaw = "ramp"\nrate = 1.0\nacceleration = {a}\n' for k, a in ((1, 0.0), (2, 0.5))))
    done, _ = run(tmp / "apart", apart, code=1)
    check("two driven wheels that disagree: the slip of the second is said",
          re.search(r"could not be taken: 0\.00[\d.]+ \(slip \(m/s\) of driven wheel 2\)", done.stderr), done.stderr)


BODY = """duration = 1.0
[robot]
model = "multibody"
[[robot.body]]
name = "a"
mass = 1.0
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
"""
CHILD = """[[robot.body]]
name = "b"
parent = "a"
mass = 1.0
"""
BOARD = """duration = 1.0
[robot]
name = "snakeboard"
[[gait.joint]]
joint = 1
law = "sin"
amplitude = 0.7
"""
BARS = """duration = 1.0
[robot]
name = "four_bar"
[[gait.base]]
axis = "x"
[[gait.joint]]
joint = 1
law = "ramp"
rate = 1.0
"""
LOOP = """[[gait.joint]]
joint = {}
law = "loop"
start = {}
"""
CAR = """duration = 1.0
[robot]
name = "car_trailers"
[gait.drive]
offset = 0.5
"""
# what, the file, the line that is named, the key, a part of the message or hint
REFUSED = [
    ("unknown parent", BODY + CHILD.replace('"a"', '"c"'), 10, "robot.body.2.parent", 'there is no body "c"'),
    ("child before parent", BODY + CHILD.replace('"a"', '"c"') + CHILD.replace('"b"', '"c"'), 10, "robot.body.2.parent", "parents come before"),
    ("its own parent", BODY + CHILD.replace('"a"', '"b"'), 10, "robot.body.2.parent", "parents come before"),
    ("two roots", BODY + CHILD.replace('parent = "a"', ""), 8, "robot.body.2.parent", "one body without a parent"),
    ("a parent of the first body", BODY.replace("mass", 'parent = "b"\nmass') + CHILD, 6, "robot.body.1.parent", "no parent"),
    ("two bodies of one name", BODY + CHILD.replace('"b"', '"a"'), 9, "robot.body.2.name", "already"),
    ("an empty name", BODY.replace('"a"', '""'), 5, "robot.body.1.name", "is empty"),
    ("non-physical inertia", BODY + CHILD + "inertia = [0.1, 0.1, 0.5, 0, 0, 0]\n", 12, "robot.body.2.inertia", "principal moment"),
    ("negative inertia", BODY + CHILD + "inertia = [-0.1, 0.1, 0.1, 0, 0, 0]\n", 12, "robot.body.2.inertia", "principal moment"),
    ("negative mass", BODY.replace("1.0\ni", "-1.0\ni"), 6, "robot.body.1.mass", "from 0"),
    ("two numbers for a point", BODY + "centre = [0.0, 0.0]\n", 8, "robot.body.1.centre", "list of 3"),
    ("three numbers for an inertia", BODY + CHILD + "inertia = [1, 1, 1]\n", 12, "robot.body.2.inertia", "list of 6"),
    ("one number for a box", BODY + "size = [1]\n", 8, "robot.body.1.size", "needs 3"),
    ("two frames of one joint", BODY + CHILD + "position = [1, 0, 0]\ndh = { d = 0.1 }\n", 13, "robot.body.2.dh", "leave one out"),
    ("no body", BODY.split("[[")[0], 2, "robot.body", "at least one body"),
    ("no inertia", BODY.replace("1.0\ni", "0.0\ni").replace("[0.1, 0.1, 0.1", "[0, 0, 0"), 4, "robot.body", "no inertia"),
    ("a point mass that may turn", BODY.replace("[0.1, 0.1, 0.1", "[0, 0, 0"), 4, "robot.body", "no inertia"),
    ("a wheel on no body", BODY + '[[robot.wheel]]\nbody = "q"\n', 9, "robot.wheel.1.body", 'there is no body "q"'),
    ("a driven wheel off the first body", BODY + CHILD + '[[robot.wheel]]\nbody = "b"\ndriven = true\n', 14, "robot.wheel.1.driven", "not the first body"),
    ("a wheel that its joint tilts", BODY + CHILD + 'rotation_deg = [90, 0, 0]\n[[robot.wheel]]\nbody = "b"\n', 13, "robot.wheel", "level ground"),
    ("a start that is not level", BOARD + "[start]\nroll_deg = 30\n", 9, "start.roll_deg", "level ground"),
    ("two laws of a joint", BOARD + '[[gait.joint]]\njoint = 1\nlaw = "held"\n', 8, "gait.joint.2", "entry 1"),
    ("an unknown law", BOARD + '[[gait.joint]]\njoint = 2\nlaw = "sine"\n', 10, "gait.joint.2.law", 'did you mean "sin"'),
    ("joint 4 of 3", BOARD + '[[gait.joint]]\njoint = 4\nlaw = "sin"\n', 9, "gait.joint.2.joint", "3 joint coordinates"),
    ("joint 0", BOARD + '[[gait.joint]]\njoint = 0\nlaw = "sin"\n', 9, "gait.joint.2.joint", ">= 1"),
    ("not a number", BOARD + "omega = nan\n", 8, "gait.joint.1.omega", "got nan"),
    ("an infinite offset", BOARD + "offset = inf\n", 8, "gait.joint.1.offset", "got inf"),
    ("a twist that breaks the wheels", BOARD + "[start]\ntwist = [0.1, 0.2, 0, 0, 0, 0]\n", 9, "start.twist", "[0.1, 0, 0, 0, 0, 0]"),
    ("a twist of two numbers", BOARD + "[start]\ntwist = [0.1, 0.2]\n", 9, "start.twist", "six"),
    ("a twist that the wheels determine", CAR + "[start]\ntwist = [0.1, 0, 0, 0, 0, 0]\n", 7, "start.twist", "[0.5, 0, 0, 0, 0, 0]"),
    ("an unknown word for a twist", BOARD + '[start]\ntwist = "zero"\n', 9, "start.twist", "zero_momentum"),
    ("a fixed wheel that shall steer", BOARD + '[[gait.wheel]]\nwheel = 1\nmotion = "steer"\n', 10, "gait.wheel.1.motion", "not steered"),
    ("a wheel that shall roll and is not driven", BOARD + '[[gait.wheel]]\nwheel = 1\nmotion = "roll"\n', 10, "gait.wheel.1.motion", "not driven"),
    ("wheel 7 of 2", BOARD + "[[gait.wheel]]\nwheel = 7\n", 9, "gait.wheel.1.wheel", "2 wheels"),
    ("a drive without driven wheels", BOARD + '[gait.drive]\nlaw = "held"\n', 8, "gait.drive", "driven"),
    ("a drive and a rolling law", CAR + '[[gait.wheel]]\nwheel = 1\nmotion = "roll"\n', 8, "gait.wheel.1.motion", "leave one out"),
    ("ackermann without a fixed wheel", BODY + '[[robot.wheel]]\nbody = "a"\nkind = "steered"\n[[gait.wheel]]\nwheel = 1\nlaw = "ackermann"\n', 13, "gait.wheel.1.law", "fixed wheel"),
    ("a follower without a wheel", BODY + CHILD + '[[gait.joint]]\njoint = 1\nlaw = "follower"\n', 12, "gait.joint", "no wheel for it to follow"),
    ("a passive joint without a loop", BODY + CHILD + LOOP.format(1, 0.0), 12, "gait.joint", "in no loop"),
    ("a loop without passive joints", BARS, 2, "robot.loop", "no joint closes the loop"),
    ("a loop that cannot be closed", BARS + LOOP.format(2, -0.5), 2, "robot.loop", "start near the closed shape"),
    ("a loop with too many passive joints (W_p singular)", BARS.replace('"ramp"', '"loop"').replace("rate = 1.0", "start = 1.0") + LOOP.format(2, -0.5) + LOOP.format(3, 1.8), 2, "robot.loop", "as many of them"),
    ("a loop of one body", BODY + '[[robot.loop]]\nbodies = ["a"]\n', 9, "robot.loop.1.bodies", "list of 2"),
    ("a loop to no body", BODY + CHILD + '[[robot.loop]]\nbodies = ["a", "q"]\n', 13, "robot.loop.1.bodies", 'no body "q"'),
    ("a twist beyond all measure", BOARD + "[start]\ntwist = [1e300, 0, 0, 0, 0, 0]\n", 9, "start.twist", "got 1e+300 as number 1"),
    ("a force on one link twice", BOARD + '[[world.force]]\nlaw = "viscous"\nlinks = [2, 1, 2]\n', 10, "world.force.1.links", "link 2 is there twice"),
    ("a force on link 0", BOARD + '[[world.force]]\nlaw = "viscous"\nlinks = [1, 0]\n', 10, "world.force.1.links", "got 0 as number 2"),
    ("a force on link 9", BOARD + '[[world.force]]\nlaw = "viscous"\nlinks = [9]\n', 10, "world.force.1.links", "no link 9"),
    ("another model", BOARD.replace("name", 'model = "planar"\nname'), 4, "robot.name", 'robot.model = "multibody"'),
    ("links of a tree", BOARD.replace('"snakeboard"', '"snakeboard"\nlinks = 5'), 4, "robot.links", "goes with"),
    ("a servo", BOARD + "[controller]\nkp = 3\n", 9, "controller.kp", "goes with"),
]


def test_mistakes_exit_3_and_name_their_line(tmp):
    for number, (what, text, line, key, part) in enumerate(REFUSED):
        file = tmp / f"refused_{number}.toml"
        file.write_text(text)
        done = coluber("check", file)
        ran = coluber("run", file, "--out", tmp / f"refused_{number}") if done.returncode == 0 else done
        check(f"{what}: exits 3", ran.returncode == 3, (ran.returncode, ran.stderr))
        check(f"{what}: names line {line} and {key}", re.search(rf"{file.name}:{line}:\d+: {re.escape(key)}: ", ran.stderr), ran.stderr)
        check(f"{what}: says what is wrong", part in ran.stderr, (part, ran.stderr))
        check(f"{what}: leaves no run", not (tmp / f"refused_{number}").exists())


def test_a_slender_chain_starts_straight(tmp):
    straight = tmp / "straight.toml"
    straight.write_text('duration = 2.0\n[robot]\nname = "fish"\n[start]\ntwist = "zero_momentum"\n[[gait.joint]]\njoint = 1\nlaw = "sin"\namplitude = 0.3\n')
    run(tmp / "straight", straight)
    near("a fish that starts straight stays in its plane", data(tmp / "straight", "link_position")[:, :, 2], 0.0, 1e-12)


def test_a_table_gives_the_joints(tmp):
    t = numpy.arange(0.0, 2.0001, 0.01)
    rows = numpy.column_stack((t, 0.7 * numpy.sin(t), -0.3 * numpy.sin(t), 0.3 * numpy.sin(t)))
    rows[:, 1:] = numpy.degrees(rows[:, 1:])
    numpy.savetxt(tmp / "joints.csv", rows, delimiter=",", header="t,phi_1,phi_2,phi_3", comments="", fmt="%.17g")
    scenario = tmp / "table.toml"
    scenario.write_text('duration = 2.0\n[robot]\nname = "snakeboard"\n[start]\ntwist = "zero_momentum"\n[gait]\nname = "table"\ntable = "joints.csv"\n')
    done, report = run(tmp / "table", scenario)
    if report is None:
        return
    run(tmp / "laws", "snakeboard_drive", "duration=2", 'start.twist="zero_momentum"')
    near("a table of angles moves the robot as its law does", planar_pose(tmp / "table", -1), planar_pose(tmp / "laws", -1), 1e-5)
    numpy.savetxt(tmp / "slide.csv", numpy.column_stack((t, 0.05 * numpy.sin(t))), delimiter=",", header="t,phi_1", comments="", fmt="%.17g")
    slide = tmp / "slide.toml"
    slide.write_text(BODY + CHILD + 'joint = "prismatic"\n[gait]\nname = "table"\ntable = "slide.csv"\n[start]\ntwist = "zero_momentum"\n')
    run(tmp / "slide", slide)
    near("the column of a prismatic joint is in metres", data(tmp / "slide", "joint_angle")[-1, 0], 0.05 * math.sin(1.0), 1e-9)


def test_a_table_may_start_and_end_in_motion(tmp):
    t = numpy.linspace(0.305, 1.305, 101)  # in the middle of steps; cubics, which the table has exactly
    s = t - t[0]
    angle = numpy.degrees([numpy.cos(0.9 * j) * (s - 0.7 * s ** 3) + numpy.sin(0.9 * j) * s ** 2 for j in range(1, 6)])
    numpy.savetxt(tmp / "wave.csv", numpy.column_stack((t, *angle)), delimiter=",", header="t," + ",".join(f"phi_{j}" for j in range(1, 6)),
                  comments="", fmt="%.17g")
    scenario = tmp / "stops.toml"
    scenario.write_text('duration = 3.0\n[robot]\nname = "fish"\n[start]\ntwist = "zero_momentum"\n[gait]\nname = "table"\ntable = "wave.csv"\n')
    ends = {}
    for name, sets in (("rk4", ()), ("rk4 in longer steps", ("solver.dt=0.02", "record.rate_hz=50")), ("dopri5", FINE), ("cvode", ("solver.integrator=cvode", *FINE[1:]))):
        folder = tmp / f"stops_{name.replace(' ', '_')}"
        run(folder, scenario, *sets)
        time, place, twist = (data(folder, what) for what in ("time", "link_position", "base_twist"))
        near(f"{name}: a fish without momentum stands before its joints move", twist[time < 0.3], 0.0, 1e-12)
        near(f"{name}: … and when they have stopped", twist[time > 1.31], 0.0, 1e-6)
        near(f"{name}: … where it is", place[time > 1.31], place[-1], 1e-6)
        near(f"{name}: the works are the energy", data(folder, "work_scheme"), 0.0, 1e-8)
        near(f"{name}: what stands has none", data(folder, "energy")[-1], 0.0, 1e-12)
        near(f"{name}: … and took none", data(folder, "work_servo")[-1], 0.0, 1e-8)
        ends[name] = place[-1]
        check(f"{name}: it came somewhere", numpy.linalg.norm(place[-1, 0] - place[0, 0]) > 1e-3, place[-1, 0])
    for name in ends:
        near(f"{name} and dopri5 agree", ends[name], ends["dopri5"], 1e-6)


def test_pictures_tables_and_lists(tmp):
    run(tmp / "shown", "snakeboard_drive", "duration=2", "record.csv=true", "record.connection=true")
    check("the connection is recorded", data(tmp / "shown", "connection").shape[1:] == (6, 3), data(tmp / "shown", "connection").shape)
    done = coluber("plot", tmp / "shown")
    made = {path.stem for path in (tmp / "shown" / "plots").glob("*.svg")}
    check("all plots that fit are drawn", done.returncode == 0 and {"course", "postures", "torques", "wheels", "angles"} <= made, (done.stderr, made))
    paths = (tmp / "shown" / "plots" / "path.svg").read_text()
    check("a tree is followed by link 1, not by the middle of its list", "link 1" in paths and "link 4" in paths and "link 2" not in paths)
    done = coluber("export", tmp / "shown", "--to", "csv", "-o", tmp / "shown.csv")
    check("a table can be exported", done.returncode == 0 and "joint_torque" in (tmp / "shown.csv").read_text().splitlines()[0], done.stderr)
    robots = coluber("list", "robots").stdout
    listed = {line.split()[0] for line in robots.splitlines() if line.strip()}
    expected = {name.split("_")[0] if name.startswith("snakeboard") else name for name in CASES}
    check("all robots are listed", expected <= listed, expected - listed)
    done, report = run(tmp / "set", "acm20", "robot.body.1.mass=0.6", "gait.joint.2.amplitude=0.5", "duration=1")
    resolved = report["scenario"]["resolved"]
    check("--set reaches entries of lists", resolved["robot"]["body"][0]["mass"] == 0.6 and resolved["gait"]["joint"][1]["amplitude"] == 0.5)
    done = coluber("check", SCENARIOS / "acm20.toml", "--set", "gait.joint.99.amplitude=1")
    check("--set on an entry that is not there exits 3", done.returncode == 3 and "gait.joint" in done.stderr, (done.returncode, done.stderr))


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
