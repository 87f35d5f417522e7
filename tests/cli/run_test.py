#!/usr/bin/python3
"""`coluber run`, `export`, `bench` and `version` as a user meets them: exit codes, stdout and stderr apart,
the run folder, Ctrl-C, a full disk, the same bits twice.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import csv
import json
import math
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import h5py
import numpy

from harness import COLUBER, SOURCE, check, finish

SCENARIO = str(SOURCE / "scenarios" / "aiko_course.toml")


def coluber(*words, cwd=None, **more):
    return subprocess.run(
        [COLUBER, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=300, **more
    )


def files(folder):
    return sorted(p.name for p in Path(folder).iterdir())


def load(folder):
    return json.loads((Path(folder) / "run.json").read_text())


def datasets(folder):
    with h5py.File(Path(folder) / "trajectory.h5", "r") as file:
        return {name: file[name][()] for name in file}


def test_a_run_leaves_a_complete_folder(tmp):
    done = coluber("run", SCENARIO, "--duration", 1, "--set", "record.csv=true", "--out", tmp / "run")
    check("a run exits 0", done.returncode == 0, done.stderr)
    check("the human summary is on stdout", "displacement" in done.stdout and "final_state" in done.stdout, done.stdout)
    check("talk is on stderr", "wrote" in done.stderr and "wrote" not in done.stdout, done.stderr)
    check("no progress line without a terminal", "\r" not in done.stderr and "\x1b" not in done.stderr, repr(done.stderr))
    expected = ["replay.bin", "replay.json", "run.json", "trajectory.csv", "trajectory.h5"]
    if "replay.html" in files(tmp / "run"):  # written where the viewer's page was built
        expected.insert(1, "replay.html")
    check("the folder holds all files and no partial one", files(tmp / "run") == expected, files(tmp / "run"))
    run = load(tmp / "run")
    check("run.json says completed", run["status"] == "completed", run["status"])
    check("the summary says what its residuals are measured in", re.search(r"rigid_residual_max +\S+ m g dt\n", done.stdout) and run["units"]["rigid_residual_max"] == run["units"]["residual_max"] == "m g dt", done.stdout)
    check("contacts that are as good as rigid are not warned of", "rigid_residual" not in done.stderr, done.stderr)
    wanted = (
        "displacement path_length net_speed mean_speed heading_change max_torque max_torque_time work_positive work_net"
        " cost_of_transport max_penetration residual_max"
        " residual_law_max residual_momentum_max rigid_residual_max failed_steps fallback_steps fallback_sweeps steps"
        " real_time_factor real_time_factor_total final_state"
    ).split()
    missing = [name for name in wanted if name not in run["summary"]]
    check("the summary has every figure of the contract", not missing, missing)
    check("the total real-time factor counts the result files too", 0 < run["summary"]["real_time_factor_total"] < run["summary"]["real_time_factor"], run["summary"])
    check("run.json counts 1000 steps, none failed", run["summary"]["steps"] == 1000 and run["summary"]["failed_steps"] == 0, run["summary"])
    counts = {name: run["summary"][name] for name in ("steps", "failed_steps", "fallback_steps", "fallback_sweeps")}
    check("counts are integers", all(type(value) is int for value in counts.values()), counts)
    parts = [run["summary"]["residual_law_max"], run["summary"]["residual_momentum_max"]]
    check("the residual is the larger of law and momentum", run["summary"]["residual_max"] == max(parts) and min(parts) > 0, run["summary"])
    check("run.json holds the scenario's text", run["scenario"]["text"] == Path(SCENARIO).read_text())
    check("run.json holds version, compiler, flags and code path",
          run["version"] and run["build"]["compiler"] and "ffp-contract=off" in run["build"]["flags"]
          and run["build"]["code_path"] in ("portable", "x86-64-v3", "x86-64-v4"), run["build"])


def test_contacts_that_miss_the_rigid_law_are_warned_of(tmp):
    scenario = SOURCE / "scenarios/aiko_spatial_floor.toml"
    done = coluber("run", scenario, "--duration", 5, "--set", "world.friction=[3,3]", "--out", tmp / "grip")
    warned = re.search(r"warning: rigid_residual is 0\.0\d+ on average and 0\.\d+ at most, where 1 is the weight of the lightest link over one step", done.stderr)
    check("a run whose motion may depend on the anchored law says so, with the scale", done.returncode == 0 and warned and 'solver.law = "rigid"' in done.stderr, done.stderr)
    check("run.json has the warning too", any("rigid_residual" in text for text in load(tmp / "grip")["warnings"]))
    done = coluber("run", scenario, "--duration", 5, "--set", "world.friction=[3,3]", "--set", 'solver.law="rigid"', "--out", tmp / "rigid")
    check("by the rigid law there is nothing to warn of", done.returncode == 0 and "rigid_residual" not in done.stderr, done.stderr)


def test_the_motion_is_told_apart_from_its_end(tmp):
    """Sidewinding: the motors put in some 50 J, most of which braking joints take back."""
    done = coluber("run", SOURCE / "scenarios/aiko_sidewinding.toml", "--set", "record.rate_hz=1000", "--out", tmp / "winding")
    run = load(tmp / "winding")["summary"]
    data = datasets(tmp / "winding")
    moved = numpy.diff(data["joint_angle"], axis=0) * data["joint_torque"][1:]
    check("work_positive is that of every joint and step that drove", abs(run["work_positive"] / numpy.maximum(moved, 0).sum() - 1) < 1e-9, run)
    check("work_net counts braking back", abs(run["work_net"] / moved.sum() - 1) < 1e-9 and run["work_positive"] > 6 * run["work_net"], run)
    path = data["link_position"].mean(axis=1)[:, :2]
    steps = numpy.linalg.norm(numpy.diff(path, axis=0), axis=1)
    check("displacement is that of the mean of the links", abs(run["displacement"] - numpy.linalg.norm(path[-1] - path[0])) < 1e-12, run)
    check("path_length is the length of its path", abs(run["path_length"] / steps.sum() - 1) < 1e-3 and run["path_length"] > 1.02 * run["displacement"], run)
    time = data["time"][-1]
    check("speeds are along the path and net", abs(run["mean_speed"] - run["path_length"] / time) < 1e-12 and abs(run["net_speed"] - run["displacement"] / time) < 1e-12, run)
    check("heading_change is that of the mean link angle", abs(run["heading_change"] - numpy.ptp(data["link_angle"].mean(axis=1)[[0, -1]])) < 1e-12, run)
    for model in ("wheeled", "n_trailer"):
        coluber("run", SOURCE / "scenarios/piko_turn.toml", "--set", f"robot.model={model}", "--duration", "4", "--out", tmp / model)
        turned = numpy.ptp(datasets(tmp / model)["link_angle"][[0, -1], 0])
        check(f"heading_change of {model} is that of link 1", turned > 0.5 and abs(abs(load(tmp / model)["summary"]["heading_change"]) - turned) < 1e-12, load(tmp / model)["summary"])
    weight = 9.81 * 7.5
    check("the cost of transport is by positive work over the path", abs(run["cost_of_transport"] / (run["work_positive"] / (weight * run["path_length"])) - 1) < 1e-9, run)
    check("old names with another meaning are gone", done.returncode == 0 and not {"distance", "energy_in"} & run.keys(), run)


def test_trajectory_is_as_the_contract_says(tmp):
    folder = tmp / "run"
    with h5py.File(folder / "trajectory.h5", "r") as file:
        frames = file["time"].shape[0]
        check("1 s at 100 Hz is 101 frames", frames == 101, frames)
        check("link_position is frames × links × 2 in m",
              file["link_position"].shape == (101, 11, 2) and file["link_position"].attrs["unit"] == "m"
              and list(file["link_position"].attrs["components"]) == ["x", "y"], file["link_position"])
        for name, shape in {
            "link_angle": (101, 11), "link_velocity": (101, 11, 2), "link_angular_velocity": (101, 11), "link_acceleration": (101, 11, 2),
            "work_servo": (101,), "work_positive": (101,), "joint_angle": (101, 10), "joint_rate": (101, 10), "joint_torque": (101, 10), "joint_reference": (101, 10),
            "contact_force": (101, 11, 2), "ground_force": (101, 11, 2), "energy": (101,), "residual": (101,),
            "rigid_residual": (101,), "iterations": (101,),
        }.items():
            check(f"{name} is there with its shape, as float64",
                  name in file and file[name].shape == shape and file[name].dtype == numpy.float64, file.get(name))
            check(f"{name} has a unit and a doc", "unit" in file[name].attrs and file[name].attrs["doc"] != "")
        check("time holds the true times", numpy.allclose(file["time"][()], numpy.arange(101) * 0.01, atol=1e-12))
        with open(folder / "trajectory.csv", newline="") as table:
            rows = list(csv.reader(table))
        column = rows[0].index("link_position.6.x")
        check("time is the first column", rows[0][0] == "time", rows[0][:3])
        got = numpy.array([float(row[column]) for row in rows[1:]])
        columns = {"link_velocity.6.y": file["link_velocity"][:, 5, 1], "link_angular_velocity.11": file["link_angular_velocity"][:, 10], "link_acceleration.1.x": file["link_acceleration"][:, 0, 0]}
        same = [name for name, values in columns.items() if name in rows[0] and ([float(row[rows[0].index(name)]) for row in rows[1:]] == values).all()]
        check("the CSV has velocities and accelerations to the bit", same == list(columns), same)
        check("the CSV column link_position.6.x is link 6 to the bit", (got == file["link_position"][:, 5, 0]).all())


def test_frames_keep_their_times_whenever_a_run_ends(tmp):
    """docs/results.md, "Frames": those of a longer run, also where the last step falls between two of them."""
    coluber("run", SCENARIO, "--duration", "0.5", "--out", tmp / "whole", "-q")
    coluber("run", SCENARIO, "--duration", "0.496", "--out", tmp / "between", "-q")
    whole, between = datasets(tmp / "whole"), datasets(tmp / "between")
    check("a run that ends between two frames has those of a longer one", len(whole["time"]) == 51
          and all(whole[name][:50].tobytes() == values.tobytes() for name, values in between.items()),
          f"{len(whole['time'])} {len(between['time'])}")
    check("… and its summary is of its end", load(tmp / "between")["summary"]["steps"] == 496, load(tmp / "between")["summary"])
    check("work_net is work_servo at the end, where a frame falls on it", load(tmp / "whole")["summary"]["work_net"] == whole["work_servo"][-1]
          and load(tmp / "between")["summary"]["work_net"] != between["work_servo"][-1],
          f"{load(tmp / 'whole')['summary']['work_net']} {whole['work_servo'][-1]}")


def test_replay_can_be_read_by_its_header(tmp):
    folder = tmp / "run"
    header = json.loads((folder / "replay.json").read_text())
    data = (folder / "replay.bin").read_bytes()
    width = header["floats_per_frame"]
    check("replay.bin has frames × floats_per_frame float32", len(data) == 4 * width * header["frames"], len(data))
    names = [body["name"] for body in header["bodies"]]
    check("bodies are links, obstacles and the ground",
          names[:11] == [f"link_{i}" for i in range(1, 12)] and "obstacle_9" in names and "ground" in names, names)
    poses = {f["body"]: f for f in header["fields"] if f["kind"] == "pose"}
    check("every link has a pose of seven numbers", len(poses) == 11 and all(f["count"] == 7 for f in poses.values()))
    positions = datasets(folder)["link_position"]
    worst = 0.0
    for frame in (0, 50, 100):
        for link in range(11):
            pose = struct.unpack_from("<7f", data, 4 * (frame * width + poses[f"link_{link + 1}"]["offset"]))
            worst = max(worst, abs(pose[0] - positions[frame, link, 0]), abs(pose[1] - positions[frame, link, 1]), abs(pose[2]))
            worst = max(worst, abs(sum(q * q for q in pose[3:]) - 1))
    check("poses are the link positions, quaternions have length 1", worst < 1e-6, worst)
    kinds = {f["kind"] for f in header["fields"]}
    check("there are contacts and scalars", {"pose", "contact", "scalar"} <= kinds, kinds)


def test_same_bits_in_two_processes(tmp):
    for name in ("a", "b"):
        coluber("run", SCENARIO, "--duration", 2, "--out", tmp / name, "-q")
    a, b = datasets(tmp / "a"), datasets(tmp / "b")
    differing = [name for name in a if not numpy.array_equal(a[name], b[name], equal_nan=True)]
    check("two processes give the same datasets", a.keys() == b.keys() and not differing, differing)
    check("… and the same replay, byte for byte",
          (tmp / "a" / "replay.bin").read_bytes() == (tmp / "b" / "replay.bin").read_bytes())
    check("… and the same final state", load(tmp / "a")["summary"]["final_state"] == load(tmp / "b")["summary"]["final_state"])


def test_another_code_path_can_be_asked_for(tmp):
    spatial = str(SOURCE / "scenarios/aiko_spatial_course.toml")
    last = {}
    for path in ("portable", "x86-64-v3", "x86-64-v4"):
        done = coluber("run", spatial, "--duration", 0.2, "--out", tmp / path, "-q", env={**os.environ, "COLUBER_CODE_PATH": path})
        run = json.loads((tmp / path / "run.json").read_text())
        check(f"COLUBER_CODE_PATH={path} is obeyed where the processor has it", done.returncode == 0
              and run["build"]["code_path"] in ("portable", "x86-64-v3", path), run["build"])
        last[path] = run["summary"]["final_state"]
    check("every path gives a bit-identical final state", len(set(last.values())) == 1, last)
    done = coluber("run", spatial, "--out", tmp / "none", env={**os.environ, "COLUBER_CODE_PATH": "avx2"})
    check("one that there is not exits 3 and names those there are", done.returncode == 3 and "COLUBER_CODE_PATH" in done.stderr
          and "x86-64-v3" in done.stderr and not (tmp / "none").exists(), done.stderr)


def test_json_on_stdout(tmp):
    done = coluber("run", SCENARIO, "--duration", 0.2, "--json", "--out", tmp / 'quo"ted')
    try:
        out = json.loads(done.stdout)
    except ValueError as error:
        check("run --json prints one JSON value", False, f"{error}: {done.stdout[:200]}")
        return
    check("run --json prints the summary and the folder", out["summary"]["steps"] == 200 and out["out"] == str(tmp / 'quo"ted'), out)
    quiet = coluber("run", SCENARIO, "--duration", 0.2, "-q", "--out", tmp / "quiet")
    check("-q prints nothing when all is well", quiet.stdout == "" and quiet.stderr == "", quiet.stdout + quiet.stderr)


def test_folders_are_not_overwritten(tmp):
    before = (tmp / "run" / "run.json").read_bytes()
    again = coluber("run", SCENARIO, "--duration", 0.1, "--out", tmp / "run")
    check("an existing folder is refused with exit 2", again.returncode == 2 and "--force" in again.stderr, again.stderr)
    check("… and stays as it was", (tmp / "run" / "run.json").read_bytes() == before)
    forced = coluber("run", SCENARIO, "--duration", 0.1, "--out", tmp / "run", "--force")
    check("--force replaces it", forced.returncode == 0 and load(tmp / "run")["summary"]["steps"] == 100, forced.stderr)
    for _ in range(2):
        coluber("run", SCENARIO, "--duration", 0.1, cwd=tmp)
    check("the default folder is runs/<scenario>-<k>", files(tmp / "runs") == ["aiko_course-1", "aiko_course-2"], files(tmp / "runs"))


def frames_in(file):
    """How many whole frames a frames.bin holds (docs/runs.md), also while it grows."""
    data = file.read_bytes()
    length = int.from_bytes(data[8:12], "little")
    about = json.loads(data[16:16 + length])
    values = 1 + sum(math.prod(one["shape"]) for one in about["observables"])
    record = -(-(8 * values + 4 * about["replay"]["floats_per_frame"] + 4) // 8) * 8
    return (len(data) - -(-(16 + length) // 8) * 8) // record


def test_ctrl_c_leaves_valid_partial_results(tmp):
    process = subprocess.Popen([COLUBER, "run", SCENARIO, "--duration", "9000", "--out", str(tmp / "cut")],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    part = tmp / "cut" / "frames.bin"
    while time.time() < deadline and not (part.exists() and part.stat().st_size > 200_000):
        time.sleep(0.02)
    check("while it runs, run.json says running", load(tmp / "cut")["status"] == "running")
    seen = frames_in(part)
    process.send_signal(signal.SIGINT)
    _, talk = process.communicate(timeout=60)
    check("Ctrl-C exits 130", process.returncode == 130, f"{process.returncode}: {talk}")
    run = load(tmp / "cut")
    check("run.json says interrupted", run["status"] == "interrupted", run["status"])
    check("no partial file is left", not [n for n in files(tmp / "cut") if n.endswith(".part")], files(tmp / "cut"))
    times = datasets(tmp / "cut")["time"]
    check("the trajectory so far is whole", len(times) == frames_in(part) >= seen > 50
          and numpy.isfinite(times).all(), f"{len(times)} in the trajectory, {frames_in(part)} taken, {seen} seen before")
    check("… and as long as the steps done", abs(times[-1] - run["summary"]["steps"] * 1e-3) <= 0.0100001,
          f"{times[-1]} s, {run['summary']['steps']} steps")
    header = json.loads((tmp / "cut" / "replay.json").read_text())
    check("the replay is as long as the trajectory", header["frames"] == len(times), header["frames"])


def test_a_killed_run_is_marked_partial(tmp):
    process = subprocess.Popen([COLUBER, "run", SCENARIO, "--duration", "9000", "--out", str(tmp / "killed")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = tmp / "killed" / "frames.bin"
    deadline = time.time() + 60
    while time.time() < deadline and not (part.exists() and part.stat().st_size > 200_000):
        time.sleep(0.02)
    process.kill()
    process.wait()
    check("after kill -9 run.json still says running", load(tmp / "killed")["status"] == "running")
    check("… and there are no results but the frames", "trajectory.h5" not in files(tmp / "killed"), files(tmp / "killed"))
    done = coluber("export", tmp / "killed", "--to", "csv")
    check("such a run can be read, and is said to be partial", done.returncode == 0 and "frames so far" in done.stderr
          and len((tmp / "killed" / "trajectory.csv").read_text().splitlines()) > 50, done.stderr)


def test_a_full_disk_ends_the_run(tmp):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    done = coluber("run", SCENARIO, "--duration", 1000, "--out", tmp / "full", preexec_fn=limit)
    check("a file that cannot grow exits 1", done.returncode == 1, f"{done.returncode}: {done.stderr[-300:]}")
    check("… says which file and why", re.search(r"error: .*frames\.bin: cannot write", done.stderr), done.stderr[-300:])
    run = load(tmp / "full")
    check("… and run.json says failed", run["status"] == "failed" and run["message"], run["status"])
    left = set(files(tmp / "full"))  # a slow program has come to a checkpoint
    check("… with the frames so far and no half-made file", {"frames.bin", "run.json"} <= left
          <= {"frames.bin", "run.json", "checkpoint.bin", "checkpoint.old"}, left)
    if Path("/dev/full").exists():
        with open("/dev/full", "w") as full:
            done = subprocess.run([COLUBER, "version"], stdout=full, stderr=subprocess.PIPE, text=True)
        check("a full stdout exits 1", done.returncode == 1 and "standard output" in done.stderr, done.stderr)


def test_bad_input(tmp):
    gone = coluber("run", tmp / "none.toml", "--out", tmp / "never")
    check("a missing scenario exits 3", gone.returncode == 3 and "none.toml" in gone.stderr, gone.stderr)
    bad = coluber("run", SCENARIO, "--set", "solver.dt=0", "--out", tmp / "never")
    check("a bad --set exits 3", bad.returncode == 3 and "solver.dt" in bad.stderr, bad.stderr)
    late = coluber("run", SCENARIO, "--duration", "soon", "--out", tmp / "never")
    check("a bad --duration exits 3", late.returncode == 3 and "duration" in late.stderr, late.stderr)
    table = tmp / "angles.csv"
    table.write_text("t," + ",".join(f"phi_{i}" for i in range(1, 11)) + "\n0" + ",0" * 9 + ",nan\n")
    scenario = tmp / "table.toml"
    scenario.write_text('schema = 1\nduration = 1.0\n[robot]\nname = "aiko"\n[gait]\nname = "table"\ntable = "angles.csv"\n')
    nan = coluber("run", scenario, "--out", tmp / "never")
    check("a NaN in a joint table exits 3 with line and column",
          nan.returncode == 3 and "angles.csv:2:21" in nan.stderr and "hint:" in nan.stderr, nan.stderr)
    check("bad input leaves nothing behind", not (tmp / "never").exists())
    check("bad input prints nothing on stdout", gone.stdout + bad.stdout + late.stdout + nan.stdout == "")


def test_a_table_is_followed(tmp):
    with open(tmp / "wave.csv", "w") as out:
        out.write("t," + ",".join(f"phi_{i}" for i in range(1, 11)) + "\n")
        for k in range(21):
            t = 0.1 * k
            angles = [40 * math.sin(math.radians(80 * t - 50 * i)) for i in range(10)]
            out.write(",".join(repr(v) for v in [t, *angles]) + "\n")
    (tmp / "wave.toml").write_text(
        'schema = 1\nduration = 2.0\n[robot]\nname = "aiko"\n[gait]\nname = "table"\ntable = "wave.csv"\n'
        '[controller]\nkp = 800.0\nkd = 2.0\n')
    done = coluber("run", tmp / "wave.toml", "--out", tmp / "wave", "-q")
    check("a run with a joint table exits 0", done.returncode == 0, done.stderr)
    data = datasets(tmp / "wave")
    reference = numpy.radians(40 * numpy.sin(numpy.radians(80 * data["time"][:, None] - 50 * numpy.arange(10))))
    error = numpy.abs(data["joint_angle"] - reference)[20:].max()
    # kp 800 against friction torques of a few N m: some 5e-3 rad
    check("… and the joints follow it", error < 0.02, error)


def test_a_run_without_a_replay(tmp):
    floor = str(SOURCE / "scenarios" / "aiko_floor.toml")
    folder = tmp / "bare"
    done = coluber("run", floor, "--duration", 0.5, "--set", "record.replay=false", "--out", folder)
    check("record.replay = false exits 0 and names no page", done.returncode == 0 and "replay" not in done.stderr, done.stderr)
    check("… and writes run.json and trajectory.h5 alone", files(folder) == ["run.json", "trajectory.h5"], files(folder))
    size = sum(file.stat().st_size for file in folder.iterdir())
    check("… of less than 100 kB for half a second of Aiko", size < 100_000, size)
    coluber("run", floor, "--duration", 0.5, "--out", tmp / "with replay", "-q")
    one, two = datasets(folder), datasets(tmp / "with replay")
    check("… with every dataset of a run that has one", one.keys() == two.keys()
          and all(one[name].tobytes() == two[name].tobytes() for name in one), one.keys() ^ two.keys())
    check("… and the same final state", load(folder)["summary"]["final_state"] == load(tmp / "with replay")["summary"]["final_state"])
    for run in (folder, tmp / "with replay"):
        coluber("plot", run, "--what", "course", "-o", tmp / f"{run.name}.svg")
        coluber("export", run, "--to", "csv")
    check("plot draws the same picture", (tmp / "bare.svg").read_bytes() == (tmp / "with replay.svg").read_bytes())
    check("export writes the same table", (folder / "trajectory.csv").read_bytes() == (tmp / "with replay" / "trajectory.csv").read_bytes())
    for words in (["export", folder, "--to", "html"], ["view", folder, "--no-open"]):
        done = coluber(*words)
        check(f"{words[0]} says that there is no replay, and how to get one", done.returncode == 3 and "record.replay = false" in done.stderr
              and "hint:" in done.stderr, done.stderr)


def test_pages_that_share_their_code(tmp):
    if not any((SOURCE / "viewer" / name).exists() for name in ("viewer.html", "dist/viewer.html")):
        return
    runs = tmp / "shared pages"
    for name in ("one", "two"):
        done = coluber("run", SCENARIO, "--duration", 0.2, "--set", "record.page='shared'", "--out", runs / name)
        check("record.page = \"shared\" exits 0", done.returncode == 0 and "replay.html" in done.stderr, done.stderr)
    code = [p.name for p in runs.iterdir() if p.is_file()]
    check("the code lies once beside the runs", len(code) == 1 and re.fullmatch(r"coluber-viewer-[0-9a-f]{16}\.js", code[0]), code)
    pages = [(runs / name / "replay.html").read_text() for name in ("one", "two")]
    check("… and each page names it", all(f'<script src="../{code[0]}"' in page for page in pages))
    whole = coluber("export", runs / "one", "--to", "html", "-o", tmp / "whole.html")
    page = (tmp / "whole.html").read_text()
    check("export writes one whole page all the same", whole.returncode == 0 and "../coluber-viewer" not in page
          and len(page) > len(pages[0]) + (runs / code[0]).stat().st_size // 2, whole.stderr)
    check("… of the same code", (runs / code[0]).read_text() in page)
    check("the page may load the code and fetch nothing else", pages[0].count("script-src 'unsafe-inline' 'self' file:;") == 2
          and pages[0].count("default-src 'none'") == 2)


def test_steps_have_bounds(tmp):
    for words, code in ((["--duration", "1e-30", "--set", "solver.dt=1e-30"], 3), (["--duration", "1e6", "--set", "solver.dt=1e-9"], 3),
                        (["--duration", "1e-8", "--set", "solver.dt=1e-9"], 0), (["--duration", "0.01", "--set", "record.rate_hz=1e-300"], 0),
                        (["--duration", "1e-9", "--set", "solver.dt=1e-9"], 0)):
        done = coluber("run", SCENARIO, *words, "--out", tmp / "bounds", "--force", "-q")  # ends, whatever it says
        check(f"{words} ends with {code}", done.returncode == code and (code == 0 or "solver.dt" in done.stderr), f"{done.returncode} {done.stderr}")


def test_one_file_for_both_outputs(tmp):
    def together(*words):
        with open(tmp / "both.txt", "w+") as out:
            code = subprocess.run([COLUBER, *map(str, words)], stdout=out, stderr=out, timeout=600).returncode
            out.seek(0)
            return code, out.read().splitlines()

    code, lines = together("run", SCENARIO, "--duration", 0.2, "--out", tmp / "both", "--profile")
    names = [k for k, line in enumerate(lines) if re.match(r"  [a-z_]+ ", line)]
    check("in one file the summary has no line of another kind in it", code == 0 and names == list(range(names[0], names[0] + len(names))), lines)
    closing = [k for k, line in enumerate(lines) if line.startswith(("wrote ", "open "))]
    check("… and the closing lines come after it and the profile", closing and closing[0] > max(names)
          and closing[-1] == len(lines) - 1 and lines.index(next(l for l in lines if l.startswith("total"))) < closing[0], lines)
    code, lines = together("reproduce", "transeth.A1", "--out", tmp / "report")
    check("the closing line of reproduce comes after its table", code == 0 and re.match(r"\d+ claims", lines[-1])
          and [k for k, line in enumerate(lines) if "transeth.A1" in line][-1] < len(lines) - 1, lines)


def test_export(tmp):
    coluber("run", SCENARIO, "--duration", 0.5, "--set", "record.csv=true", "--out", tmp / "exported", "-q")
    done = coluber("export", tmp / "exported", "--to", "csv", "-o", tmp / "again.csv")
    check("export --to csv exits 0 and names the file", done.returncode == 0 and done.stdout.strip() == str(tmp / "again.csv"), done.stderr)
    check("the exported CSV is the recorded one", (tmp / "again.csv").read_bytes() == (tmp / "exported" / "trajectory.csv").read_bytes())
    data = bytearray((tmp / "exported" / "trajectory.h5").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp / "exported" / "trajectory.h5").write_bytes(data)
    broken = coluber("export", tmp / "exported", "--to", "csv")
    check("a damaged trajectory exits 1 and says so", broken.returncode == 1 and "damaged" in broken.stderr, broken.stderr)
    nowhere = coluber("export", tmp / "nowhere", "--to", "csv")
    check("a run that is not there exits 3", nowhere.returncode == 3 and "nowhere" in nowhere.stderr, nowhere.stderr)
    film = coluber("export", tmp / "exported", "--to", "webm")
    check("a format to come exits 2 and says so", film.returncode == 2 and "not built yet" in film.stderr, film.stderr)


def test_usage(tmp):
    for word in ("live",):
        done = coluber(word)
        check(f"{word} exits 2: not built yet", done.returncode == 2 and "not built yet" in done.stderr, done.stderr)
    done = coluber("rum")
    check("an unknown command exits 2 with a guess", done.returncode == 2 and 'did you mean "run"' in done.stderr, done.stderr)
    check("no command exits 2", coluber().returncode == 2)
    check("an unknown option exits 2", coluber("run", SCENARIO, "--fast").returncode == 2)
    check("a missing scenario name exits 2", coluber("run").returncode == 2)
    help_text = coluber("--help")
    check("--help exits 0 and lists what works", help_text.returncode == 0
          and all(f"  {word}" in help_text.stdout for word in "run check list plot view export reproduce bench force-map quality sweep version".split()),
          help_text.stdout)
    check("--help does not list what does not", not re.search(r"^  (live)", help_text.stdout, re.M))
    run_help = coluber("run", "--help").stdout
    check("run --help lists --resume", "--resume" in run_help and "--force" in run_help, run_help)


def test_version():
    out = coluber("version", "--json")
    build = json.loads(out.stdout)
    check("version --json says what was built", re.match(r"\d+\.\d+\.\d+$", build["version"]) and build["compiler"] and build["flags"], build)
    check("version names it for a person", build["version"] in coluber("version").stdout)


def test_steps_that_the_thesis_leaves_unsolved_are_warned_of(tmp):
    def run(scenario, *settings):
        words = [word for setting in ("solver.name='thesis'", *settings) for word in ("--set", setting)]
        done = coluber("run", SOURCE / f"scenarios/{scenario}.toml", "--duration", 2, *words, "--force", "--out", tmp / "run")
        return done.returncode, done.stderr

    said = r"warning: steps were left unsolved: friction is off by (\d+) % of what it can be on average, the residual is [\d.]+ on average and [\d.]+ at most.*solver\.thesis\.r_T, .*solver\.thesis\.epsilon, or solver\.name = \"newton\""
    for factor, low, high in (("1e-3", 10, 25), ("1e-4", 25, 60), ("1e-6", 90, 100)):
        code, text = run("aiko_floor", f"solver.thesis.r_T={factor}")
        found = re.search(said, text)
        check(f"with r_T = {factor} the run says that friction is not solved", code == 0 and found and low <= int(found.group(1)) <= high, text)
    for setting in ("solver.thesis.r_H=1e-4", "solver.thesis.epsilon=1e-2"):
        code, text = run("aiko_course", setting)
        check(f"with {setting} the run says that contacts are not solved", code == 0 and re.search(said, text), text)
    for scenario in ("aiko_floor", "aiko_course", "aiko_spatial_floor"):
        code, text = run(scenario)
        check(f"with its own factors there is nothing to say: {scenario}", code == 0 and "unsolved" not in text, text)
    code, text = run("aiko_spatial_floor", "solver.thesis.r_N=1e-5")
    check("links that sink for want of a factor: the message names it", re.search(r"deep in the floor, .*solver\.dt is too large, or solver\.thesis\.r_N too small", text), text)


def test_motors_that_start_far_from_their_references_are_warned_of(tmp):
    def run(*settings):
        words = [word for setting in settings for word in ("--set", setting)]
        return coluber("run", SOURCE / "scenarios/aiko_floor.toml", "--duration", 0.5, *words, "--force", "--out", tmp / "run").stderr

    text = run("controller.start_time=0.4")
    check("motors that start late say where joints and references are", re.search(
        r"warning: the motors start at t = 0\.4 s with joint \d+ at -?[\d.]+ deg and its reference at -?[\d.]+ deg: it snaps there; the gait's clock runs from t = 0", text), text)
    text = run("start.shape='straight'")
    check("a straight start under a wave does", re.search(r"the motors start at t = 0 s with joint \d+ at 0 deg and its reference at -?[\d.]+ deg", text), text)
    text = run("gait.soft_start=true")
    check("a soft start from the gait's shape is warned of once, at load", text.count("snaps") == 1 and "warning: gait.soft_start: joint" in text, text)
    text = run("gait.soft_start=true", "start.shape='straight'")
    check("a soft start of a straight robot is none", "snaps" not in text, text)
    check("nor is a start in the gait's shape", "snaps" not in run(), text)


def test_a_largest_torque_of_one_step_is_warned_of(tmp):
    def run(scenario, duration):
        return coluber("run", SOURCE / f"scenarios/{scenario}.toml", "--duration", duration, "--force", "--out", tmp / "run").stderr

    text = run("aiko_sidewinding", 1)
    check("a landing's torque says that it depends on dt", re.search(
        r"warning: max_torque = 24\.66 N m, of joint 7 at t = 0\.157 s, is a spike of one step \(2\.12 N m in the step before\): it depends on solver\.dt", text), text)
    for scenario in ("aiko_floor", "aiko_course", "aiko_pegs"):
        text = run(scenario, 4)
        check(f"a torque that rises over steps does not: {scenario}", "spike" not in text, text)
    robot = """
title = "Nine links that begin to sidewind on a slope"
duration = 0.05
[robot]
model = "spatial"
links = 9
link = { mass = 0.3, inertia = 4e-4, inertia_axial = 1.2e-4, length = 0.1, half_core = 0.03, radius = 0.03 }
[start]
link = 5
[world]
friction = [0.5, 0.5]
tilt_deg = 8
tilt_direction_deg = 30
[gait]
name = "sidewinding"
amplitude_deg = 35
omega_deg = 100
phase_deg = -60
[controller]
name = "prescribed"
"""
    (tmp / "side.toml").write_text(robot)
    for dt in (1e-3, 5e-4, 2.5e-4, 1e-4):
        done = coluber("run", tmp / "side.toml", "--set", f"solver.dt={dt}", "--set", "record.rate_hz=100", "--force", "--out", tmp / "run")
        check(f"an impact is a spike at any step size: {dt}", done.returncode == 0 and "max_torque = " in done.stderr and "is a spike of" in done.stderr, done.stderr)


def test_the_runaway_guard(tmp):
    explicit = ["--set", "controller.servo='explicit'", "--set", "solver.activation='gap'"]
    floor = str(SOURCE / "scenarios" / "aiko_floor.toml")
    good = coluber("run", floor, *explicit, "--set", "solver.dt=3e-4", "--duration", 3, "--out", tmp / "slow")
    check("the explicit servo runs at 3e-4 s, within its limit and without a warning", good.returncode == 0 and "warning:" not in good.stderr, good.stderr)
    bad = coluber("run", floor, *explicit, "--set", "solver.dt=4e-4", "--duration", 10, "--out", tmp / "fast")
    check("… and is stopped at 4e-4 s with exit 1", bad.returncode == 1, f"{bad.returncode} {bad.stderr}")
    check("… with an explanation that names dt", "0.0004" in bad.stderr and "explicit" in bad.stderr, bad.stderr)
    check("… and a warning before", re.search(r"^warning: .*explicit.*expect it to run away", bad.stderr, re.M), bad.stderr)
    check("… and the run is marked failed", load(tmp / "fast")["status"] == "failed")


def test_a_step_that_fails_says_what_to_change(tmp):
    (tmp / "rough.toml").write_text((SOURCE / "scenarios" / "aiko_pegs.toml").read_text().replace("radius =", "friction = 0.5\nradius ="))
    done = coluber("run", tmp / "rough.toml", "--set", "solver.name='thesis'", "--set", "solver.activation='gap'", "--set", "solver.thesis.r_T=5",
                   "--out", tmp / "rough")
    fault = re.search(r"^error: .*", done.stderr, re.M)
    check("the thesis' iteration with too large an r_T fails", done.returncode == 1 and fault, done.stderr)
    check("… and the error itself says what to change", fault and "take a smaller solver.thesis.r_T" in fault.group(0), done.stderr)
    many = coluber("check", SCENARIO, "--set", "robot.links=5001", "--set", "start.link=1", "--set", "start.position=[-9000,0]")
    check("more links than rounding allows are warned of", "warning: robot.links = 5001" in many.stderr, many.stderr)


def on_a_terminal(*words, **environment):
    """Exit code, stdout and what a terminal as stderr was sent."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([COLUBER, *map(str, words)], stdout=subprocess.PIPE, stderr=theirs, text=True,
                               env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **environment})
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    return process.returncode, out, seen.decode()


def test_a_terminal_sees_progress_and_colour(tmp):
    code, out, seen = on_a_terminal("run", SCENARIO, "--duration", 100, "--out", tmp / "terminal")
    check("a terminal sees percent, time and speed", code == 0 and re.search(r"\r +\d+ % .* of 100 s .* x real time .* s left", seen), repr(seen[:300]))
    check("… but not on stdout", "real time" not in out and "displacement" in out, out)
    _, _, quiet = on_a_terminal("run", SCENARIO, "--duration", 100, "-q", "--out", tmp / "terminal", "--force")
    check("-q shows no progress", quiet == "", repr(quiet[:300]))
    _, _, painted = on_a_terminal("run", tmp / "none.toml")
    check("errors are in colour on a terminal", "\x1b[" in painted, repr(painted))
    _, _, plain = on_a_terminal("run", tmp / "none.toml", NO_COLOR="1")
    check("… unless NO_COLOR is set", "\x1b" not in plain and "error:" in plain, repr(plain))


def test_the_audit_of_a_long_robot(tmp):
    done = coluber("run", SOURCE / "scenarios/aiko_sidewinding.toml", "--out", tmp / "long", "--set", "robot.links=200", "--set", "start.link=200",
                   "--duration", 1.5)  # fmt: skip
    summary = load(tmp / "long")["summary"]
    check("roundings of 200 links do not make a solved step a failed one", done.returncode == 0 and summary["failed_steps"] == 0, done.stderr)
    check("… and are reported", 1e-10 < summary["residual_audit_max"] <= summary["residual_max"] < 1e-8, summary)


def test_bench(tmp):
    done = coluber("bench", "planar.floor", "planar.pegs", "--n", "10,20", "--repeat", 1, "--json")
    check("bench --json exits 0", done.returncode == 0, done.stderr)
    scenes = json.loads(done.stdout)["scenes"]
    check("bench has a row for each scene and n", [(s["name"], s["n"]) for s in scenes]
          == [("planar.floor", 10), ("planar.floor", 20), ("planar.pegs", 10), ("planar.pegs", 20)], scenes)
    keys = {"name", "n", "dt", "law", "solver", "flags", "us_per_step", "real_time_factor", "residual_max",
            "iterations_mean", "iterations_max", "contacts_mean", "failed_steps"}
    check("… with every key of the contract", all(keys <= s.keys() for s in scenes), scenes[0].keys())
    check("no step fails and the residual holds", all(s["failed_steps"] == 0 and s["residual_max"] <= 1e-9 for s in scenes), scenes)
    check("pegs are touched", scenes[2]["contacts_mean"] > 10, scenes[2])
    check("an unknown scene exits 2", coluber("bench", "planar.moon").returncode == 2)
    odd = coluber("bench", "--n", "10,30", "--repeat", 1)
    check("a number of links without pegs exits 2 and names the known ones", odd.returncode == 2
          and "30" in odd.stderr and "10, 20, 40, 80, 160" in odd.stderr and odd.stdout == "", odd.stderr)
    check("… and the bare floor takes it", coluber("bench", "planar.floor", "--n", 30, "--repeat", 1).returncode == 0)
    name = "benchmarks/data/peers-scene-cylinders-10.csv"
    whole = (SOURCE / name).read_text()
    (tmp / "data" / "benchmarks" / "data").mkdir(parents=True)
    (tmp / "data" / "scenarios").mkdir()
    shutil.copytree(SOURCE / "benchmarks/scenes", tmp / "data/benchmarks/scenes")
    shutil.copy(SOURCE / "benchmarks/scenes.toml", tmp / "data/benchmarks")
    for what, text in [("an empty file", ""), ("a row too few", whole.rstrip("\n").rsplit("\n", 1)[0] + "\n"),
                       ("a row that is no circle", whole.replace(",0.05", ",-0.05", 1)), ("no file", None)]:
        (tmp / "data" / name).unlink(missing_ok=True)
        if text is not None:
            (tmp / "data" / name).write_text(text)
        done = coluber("bench", "planar.pegs", "--n", 10, "--repeat", 1, env={**os.environ, "COLUBER_DATA": str(tmp / "data")})
        check(f"{what} of pegs is an error, not a bare floor", done.returncode in (1, 3) and name.rsplit("/", 1)[1] in done.stderr
              and "planar.pegs" not in done.stdout, f"{done.returncode} {done.stdout} {done.stderr}")
    for scene, least in (("spatial.floor", 20), ("spatial.cylinders", 20)):
        done = coluber("bench", scene, "--n", "10", "--repeat", 1, "--json")
        row = json.loads(done.stdout)["scenes"][0]
        check(f"bench {scene} has the fields of the contract", done.returncode == 0 and row["name"] == scene and row["n"] == 10 and row["law"] == "anchored", done.stderr)
        check(f"{scene}: no step fails and the law holds", row["failed_steps"] == 0 and row["residual_max"] <= 1e-9, row)
        # two spheres a link on the floor; the peers' gait lifts none
        check(f"{scene}: the floor's contacts are counted, and those at cylinders", row["contacts_mean"] >= least - 0.5 and (row["contacts_mean"] > least) == (scene == "spatial.cylinders"), row["contacts_mean"])


def test_force_removes_only_what_coluber_wrote(tmp):
    quick = ("run", SCENARIO, "--set", "duration=0.05", "-q")
    folder = tmp / "forced"
    coluber(*quick, "--out", folder)
    coluber("plot", folder, "--what", "energy")
    (folder / "plots/mine.svg").write_text("mine")
    (folder / "notes.txt").write_text("mine")
    done = coluber(*quick, "--out", folder, "--force")
    check("--force removes the pictures that plot drew", done.returncode == 0 and not (folder / "plots/energy.svg").exists() and not (folder / "plots/plots.json").exists(), done.stderr)
    check("… and leaves those of others", (folder / "plots/mine.svg").read_text() == "mine" and (folder / "notes.txt").read_text() == "mine", files(folder))
    (folder / "plots/mine.svg").unlink()
    coluber("plot", folder, "--what", "energy")
    done = coluber(*quick, "--out", folder, "--force")
    check("a plots/ that is empty then is removed", done.returncode == 0 and not (folder / "plots").exists(), files(folder))
    for name, text in (("trajectory.csv", "t,x\n0,1\n"), ("run.json", '{"mine": 1}'), ("run.json", "no JSON"), ("frames.bin", "mine"), ("trajectory.csv.part", "a download")):
        other = tmp / "other"
        other.mkdir()
        (other / name).write_text(text)
        done = coluber(*quick, "--out", other, "--force")
        check(f"a {name} that Coluber did not write is not removed, exit 2", done.returncode == 2 and f"holds {name}, which Coluber did not write\n  hint: name another folder" in done.stderr and files(other) == [name] and (other / name).read_text() == text, f"{done.returncode} {done.stderr} {files(other)}")
        shutil.rmtree(other)
    other = tmp / "beside"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    done = coluber(*quick, "--out", other, "--force")
    check("--force may write beside other files", done.returncode == 0 and (other / "notes.txt").exists(), done.stderr)
    coluber("export", folder, other, "--to", "html")
    pair = folder / "replay-and-beside.html"
    there = pair.exists()
    done = coluber(*quick, "--out", folder, "--force")
    check("--force removes a page of two runs", there and not pair.exists(), files(folder))
    other = tmp / "listed"
    (other / "plots").mkdir(parents=True)
    (other / "plots/plots.json").write_text('{"plots": [{"file": "fig.svg"}], "mine": 1}')
    (other / "plots/fig.svg").write_text("mine")
    done = coluber(*quick, "--out", other, "--force")
    check("--force leaves the plots/ of a folder without a run", done.returncode == 0 and files(other / "plots") == ["fig.svg", "plots.json"], f"{done.stderr} {files(other)}")
    for damage in ("", '{"format": "coluber-ru'):
        (folder / "run.json").write_text(damage)
        done = coluber(*quick, "--out", folder, "--force")
        check("--force runs anew where run.json was damaged", done.returncode == 0 and json.loads((folder / "run.json").read_text())["status"] == "completed", f"{done.returncode} {done.stderr}")
    shutil.rmtree(folder / "plots", ignore_errors=True)
    (tmp / "pictures").mkdir()
    (folder / "plots").symlink_to(tmp / "pictures")
    coluber("plot", folder, "--what", "energy")
    done = coluber(*quick, "--out", folder, "--force")
    check("a plots/ that is a link stays one", done.returncode == 0 and (folder / "plots").is_symlink() and not (tmp / "pictures/energy.svg").exists(), f"{done.stderr} {files(folder)}")


def test_a_dump_replaces_nothing_but_a_dump(tmp):
    quick = ("run", SCENARIO, "--set", "duration=0.05", "-q")
    dump = tmp / "problem.json"
    done = coluber(*quick, "--out", tmp / "dumped", "--set", f"solver.dump={dump}")
    first = dump.read_text()
    check("solver.dump writes a problem", done.returncode == 0 and "coluber-contact-problem" in first, done.stderr)
    done = coluber(*quick, "--out", tmp / "dumped-2", "--set", "solver.dt=2e-3", "--set", f"solver.dump={dump}")
    check("… and replaces one", done.returncode == 0 and "coluber-contact-problem" in dump.read_text(), done.stderr)
    (tmp / "link.json").symlink_to(dump)
    done = coluber(*quick, "--out", tmp / "dumped-3", "--set", f"solver.dump={tmp / 'link.json'}")
    check("a link to one is followed", done.returncode == 0 and (tmp / "link.json").is_symlink() and dump.read_text() == first, done.stderr)
    before = {file.name: file.read_bytes() for file in (tmp / "dumped").iterdir()}
    for name in ("run.json", "trajectory.h5", "replay.json"):
        done = coluber(*quick, "--out", tmp / "dumped-4", "--set", f"solver.dump={tmp / 'dumped' / name}")
        check(f"{name} of a run is refused before the run", done.returncode == 3 and not (tmp / "dumped-4").exists(), f"{done.returncode} {done.stderr}")
    check("that run is as it was", before == {file.name: file.read_bytes() for file in (tmp / "dumped").iterdir()})


def test_words_that_cannot_be_written_are_lost_and_nothing_else(tmp):
    quick = f"run {SCENARIO} --duration 0.05 --out"
    coluber(*quick.split(), tmp / "written")
    whole = files(tmp / "written")
    for name, closed in (("full", "2>/dev/full"), ("closed", "2>&-")):
        def code(words, streams=closed):
            return subprocess.run(["/bin/sh", "-c", f"{COLUBER} {words} {streams}"], cwd=tmp, stdout=subprocess.DEVNULL, timeout=300).returncode

        check(f"with stderr {name} a run is done, exit 0", code(f"{quick} said-{name}") == 0 and files(tmp / f"said-{name}") == whole)
        states = [json.loads((tmp / folder / "run.json").read_text())["summary"]["final_state"] for folder in ("written", f"said-{name}")]
        check("… and its files are whole", states[0] == states[1] and coluber("export", tmp / f"said-{name}", "--to", "csv").returncode == 0, states)
        check("… wrong input is exit 3", code("run nofile.toml") == 3)
        check("… warnings end nothing", code(f"{quick} warned-{name} --set solver.thesis.max_iterations=5 --set solver.name=newton") == 0)
        check("… a wrong command is exit 2", code("no_such_command") == 2)
        for words in (f"check {SCENARIO}", "plot written --what course", "export written --to csv", "list keys"):
            check(f"{words}: with stdout closed too it is exit 1", code(words, f">&- {closed}") == 1, code(words, f">&- {closed}"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        tmp = Path(folder)
        for name, test in list(globals().items()):
            if not name.startswith("test_"):
                continue
            try:
                test(tmp) if test.__code__.co_argcount else test()
            except Exception as error:  # a test that cannot go on has failed
                check(name.replace("_", " "), False, f"{type(error).__name__}: {error}")
    finish()


if __name__ == "__main__":
    main()
