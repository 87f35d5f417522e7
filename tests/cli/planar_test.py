#!/usr/bin/python3
"""What the planar model offers a user of the command line: stop conditions, two friction points, rough
obstacles, torque limits, thousands of obstacles from a table, starts on a path, rotational friction.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import os
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


def test_a_robot_starts_on_its_path(tmp):
    scenario = tmp / "on_path.toml"
    scenario.write_text('duration = 0.2\n[robot]\nname = "aiko"\n[path]\nshape = "circle"\nradius = 0.5\nstraight = 0.0\n'
                        "[start]\non_path = true\nspeed = 0.2\n")
    for leads in ("first", "last"):
        folder = tmp / f"on_path_{leads}"
        run(folder, scenario, f"path.leads={leads}")
        # equal links with their centres in the middle: chords of the circle about (0, 0.5), link by link half an angle on
        half = numpy.arcsin(0.061 / 0.5)
        place = half * (2 * numpy.arange(11) + 1)
        place = place[::-1] if leads == "first" else place
        r = 0.5 * numpy.cos(half)
        expected = numpy.column_stack((r * numpy.sin(place), 0.5 - r * numpy.cos(place)))
        position = data(folder, "link_position")[0]
        check(f"{leads} link in front: every link is a chord of its path", abs(position - expected).max() < 1e-12, position - expected)
        ahead = place + (numpy.pi if leads == "first" else 0.0)
        check(f"{leads} link in front: its angles", abs(data(folder, "link_angle")[0] - ahead).max() < 1e-12)
        velocity = 0.2 * numpy.cos(half) * numpy.column_stack((numpy.cos(place), numpy.sin(place)))
        check(f"{leads} link in front: it moves along the path", abs(data(folder, "link_velocity")[0] - velocity).max() < 1e-12)
        check(f"{leads} link in front: all links turn alike", abs(data(folder, "link_angular_velocity")[0] - 0.4).max() < 1e-12)
        angles = data(folder, "joint_reference")
        check(f"{leads} link in front: the start angles are held", abs(angles - 2 * half * (1 if leads == "last" else -1)).max() < 1e-12)
        replay = json.loads((folder / "replay.json").read_text())
        paths = [body for body in replay["bodies"] if body["name"] == "path"]
        check(f"{leads} link in front: the replay has the path", len(paths) == 1 and len(paths[0]["points"]) > 100)
        done = coluber("plot", folder, "--what", "course")
        check(f"{leads} link in front: the course shows it", done.returncode == 0 and "path to follow" in (folder / "plots/course.svg").read_text(), done.stderr)


def test_rotational_friction_takes_energy_on_every_code_path(tmp):
    spin = ["world.friction=[0.0,0.0]", "robot.links=1", "start.link_rate=[5.0]", "duration=0.02", "record.rate_hz=1000"]
    floor = tmp / "spin.toml"
    floor.write_text('[robot]\nname = "aiko"\n')
    run(tmp / "spin", floor, *spin, "world.rotational_friction=0.1")
    rate = data(tmp / "spin", "link_angular_velocity")[:, 0]
    per_step = 1 + 1e-3 * 0.1 * 9.81 * (7.5 / 11) / 1.32e-3
    check("a spinning link is slowed as the step says", abs(rate - 5.0 * per_step ** -numpy.arange(21)).max() < 1e-12, rate)
    energy, work = data(tmp / "spin", "energy"), data(tmp / "spin", "work_friction")
    left = energy - energy[0] - work - data(tmp / "spin", "work_scheme")
    check("the energy balance closes", work[-1] < -0.01 and abs(left).max() < 1e-14, left)
    last = {}
    for path in ("portable", "x86-64-v3"):
        done = subprocess.run([COLUBER, "run", FLOOR, "--duration", "1", "--out", tmp / f"turn_{path}", "-q", "--set", "world.rotational_friction=0.01"],
                              capture_output=True, text=True, timeout=300, env={**os.environ, "COLUBER_CODE_PATH": path})
        check(f"rotational friction: {path} runs", done.returncode == 0, done.stderr)
        last[path] = json.loads((tmp / f"turn_{path}" / "run.json").read_text())["summary"]["final_state"]
    _, without = run(tmp / "turn_without", FLOOR, "duration=1")
    _, zero = run(tmp / "turn_zero", FLOOR, "duration=1", "world.rotational_friction=0.0")
    check("every code path gives a bit-identical final state", len(set(last.values())) == 1, last)
    check("it changes the run", without["summary"]["final_state"] not in last.values())
    check("none changes nothing", without["summary"]["final_state"] == zero["summary"]["final_state"])


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
