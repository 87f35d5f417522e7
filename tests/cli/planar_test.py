#!/usr/bin/python3
"""What the planar model offers a user of the command line: stop conditions, two friction points, rough
obstacles, torque limits, thousands of obstacles from a table.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy

from harness import COLUBER, SOURCE, check, finish

COURSE = SOURCE / "scenarios" / "aiko_course.toml"
FLOOR = SOURCE / "scenarios" / "aiko_floor.toml"


def coluber(*words):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=300)


def run(folder, scenario, *sets, code=0):
    words = [word for text in sets for word in ("--set", text)]
    done = coluber("run", scenario, "--out", folder, *words)
    check(f"{Path(folder).name}: exits {code}", done.returncode == code, done.stderr)
    return done, json.loads((Path(folder) / "run.json").read_text())


def data(folder, name):
    with h5py.File(Path(folder) / "trajectory.h5", "r") as file:
        return file[name][()]


def test_a_run_ends_when_link_1_is_past_the_line(tmp):
    done, report = run(tmp / "past", COURSE, "stop.past_x=1.5", "record.rate_hz=1000")
    check("past_x: the run is completed", report["status"] == "completed", report["status"])
    check("past_x: run.json names the key", report["stopped_by"] == "stop.past_x", report["stopped_by"])
    check("past_x: run.json and the terminal say why", "link 1 is past x = 1.5 m" in report["message"]
          and report["message"] in done.stderr, (report["message"], done.stderr))
    x = data(tmp / "past", "link_position")[:, 0, 0]
    check("past_x: the last frame is the first beyond", x[-1] > 1.5 and (x[:-1] <= 1.5).all(), x[-3:])
    check("past_x: it ends early", data(tmp / "past", "time")[-1] < 10)
    quiet = coluber("run", COURSE, "--out", tmp / "quiet", "--set", "stop.past_x=1.1", "-q")
    check("past_x: -q is quiet about it", quiet.returncode == 0 and quiet.stderr == "" and quiet.stdout == "", quiet)
    _, whole = run(tmp / "whole", COURSE, "stop.past_x=100", "duration=1")
    check("a line out of reach changes nothing", whole["stopped_by"] == "" and whole["message"] == "")
    _, plain = run(tmp / "plain", COURSE, "duration=1")
    check("… not a bit", whole["summary"]["final_state"] == plain["summary"]["final_state"])


def test_a_run_ends_when_the_robot_is_stuck(tmp):
    done, report = run(tmp / "stuck", SOURCE / "scenarios" / "aiko_slope.toml", "stop.stuck_s=1.25", "record.rate_hz=10")
    check("stuck_s: the run is completed", report["status"] == "completed" and report["stopped_by"] == "stop.stuck_s", report["message"])
    check("stuck_s: it says so", "stuck" in done.stderr and "1.25 s" in done.stderr, done.stderr)
    check("stuck_s: after exactly that time", report["summary"]["steps"] == 1250, report["summary"]["steps"])
    time = data(tmp / "stuck", "time")
    check("frames stay on their schedule", numpy.allclose(time, numpy.arange(13) * 0.1, atol=1e-12), time)
    check("the summary belongs to the end, not to the last frame", report["frames"] == 13, report["frames"])


def test_friction_points_and_obstacle_friction_change_the_run(tmp):
    _, one = run(tmp / "one", COURSE, "duration=3")
    _, two = run(tmp / "two", COURSE, "duration=3", "robot.friction_points=2")
    _, rough = run(tmp / "rough", COURSE, "duration=3", "world.obstacle.1.friction=0.3", "world.obstacle.2.friction=0.3")
    states = {r["summary"]["final_state"] for r in (one, two, rough)}
    check("each of them is another run", len(states) == 3, states)
    check("each of them solves every step", all(r["summary"]["failed_steps"] == 0 for r in (one, two, rough)))
    check("run.json holds the values", two["scenario"]["resolved"]["robot"]["friction_points"] == 2
          and rough["scenario"]["resolved"]["world"]["obstacle"][1]["friction"] == 0.3)
    work = data(tmp / "rough", "work_contact")[-1]
    check("rough pegs take energy out", work < data(tmp / "one", "work_contact")[-1] < 1e-6, work)


def test_no_torque_exceeds_its_limit(tmp):
    for servo, dt in (("implicit", 1e-3), ("explicit", 2.5e-4)):
        folder = tmp / f"limit-{servo}"
        _, report = run(folder, COURSE, "duration=2", "controller.torque_limit=3.0", f"controller.servo={servo}",
                        f"solver.dt={dt}", f"record.rate_hz={1 / dt}")
        torque = numpy.abs(data(folder, "joint_torque"))
        check(f"{servo}: no recorded torque exceeds the limit", torque.max() <= 3.0, torque.max())
        check(f"{servo}: the motors need it", (torque == 3.0).sum() > 10, (torque == 3.0).sum())
        check(f"{servo}: max_torque is the limit", report["summary"]["max_torque"] == 3.0, report["summary"]["max_torque"])
        check(f"{servo}: every step is solved, the saturated ones too", report["summary"]["residual_max"] <= 1e-9, report["summary"])


def test_large_torques_are_measured_by_the_gravity_of_the_world(tmp):
    fast = ("duration=0.1", "gait.omega_deg=1500", "controller.name=prescribed", "record.replay=false")
    on_the_moon, moon = run(tmp / "moon", FLOOR, *fast, "world.gravity=1.62")
    on_earth, _ = run(tmp / "earth", FLOOR, *fast)
    hold = 7.5 * 1.62 * 11 * 0.122  # N m: weight times length
    check("torques beyond what holds the robot out there are warned of", moon["summary"]["max_torque"] > hold
          and f"({hold:.3g} N m); no motor of its size has that" in on_the_moon.stderr, on_the_moon.stderr)
    check("… and not where that takes more", "no motor" not in on_earth.stderr, on_earth.stderr)


def test_ten_thousand_obstacles_come_from_a_table(tmp):
    rows = [(0.4 * i - 20, 0.4 * j + 1.2) for i in range(100) for j in range(100)][:9991]
    (tmp / "pegs.csv").write_text("x,y,radius,friction\n" + "".join(f"{x:.3f},{y:.3f},0.03,0.1\n" for x, y in rows))
    table = f'world.obstacle_table="{tmp / "pegs.csv"}"'
    _, report = run(tmp / "forest", COURSE, table, "duration=1")
    _, plain = run(tmp / "bare", COURSE, "duration=1")
    resolved = report["scenario"]["resolved"]["world"]["obstacle"]
    check("all are there, after those of the file", len(resolved) == 10000 and resolved[9]["friction"] == 0.1, len(resolved))
    picture = coluber("plot", tmp / "forest", "--what", "path", "-o", tmp / "forest.svg")
    check("the run does not need the table any more: its pictures can be drawn", picture.returncode == 0 and picture.stderr == "", picture.stderr)
    check("obstacles out of reach change no bit", report["summary"]["final_state"] == plain["summary"]["final_state"])
    with (tmp / "pegs.csv").open("a") as file:
        file.write("0.3,0.1,0.05,0\n")
    too_many = coluber("run", COURSE, "--set", table, "--out", tmp / "many")
    check("one more exits 3 and says where", too_many.returncode == 3 and "pegs.csv:9993:1: world.obstacle_table: more than 10000 obstacles, with the 9 of the" in too_many.stderr, too_many.stderr)
    (tmp / "pegs.csv").write_text("x,y,radius\n9,9,0.1\n0.5,0.16,0.05\n")
    inside = coluber("run", COURSE, "--set", table, "--out", tmp / "inside")
    check("a start inside one of them points at its line", inside.returncode == 3
          and "pegs.csv:3:1: world.obstacle.11: link" in inside.stderr, inside.stderr)


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
