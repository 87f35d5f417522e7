#!/usr/bin/python3
"""Runs that are cut off and resumed: Ctrl-C, kill -9 at random times, a full disk, a second process.

"The same bits" is every dataset of trajectory.h5 by value, replay.bin and trajectory.csv byte for byte, and
summary.final_state. $COLUBER_RESUME_KILLS interruptions by each of the two signals (6; 50 takes some
minutes), at times drawn from $COLUBER_RESUME_SEED. Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy

from harness import COLUBER, SOURCE, check, finish, start_until

KILLS = int(os.environ.get("COLUBER_RESUME_KILLS", "6"))
SEED = int(os.environ.get("COLUBER_RESUME_SEED", "1"))
COURSE = str(SOURCE / "scenarios" / "aiko_course.toml")
DISK = 32 << 20  # bytes of the disk that fills

# Steps are made short to have runs of a second or two; checkpoints fall between frames.
PEGS = str(SOURCE / "scenarios" / "aiko_pegs.toml")
SCENES = {
    "course": [COURSE, "--duration", "6", "--set", "solver.dt=2.5e-5", "--set", "record.checkpoint_s=0.0137",
               "--set", "record.csv=true"],
    "pegs, thesis": [PEGS, "--duration", "2.5", "--set", "solver.name='thesis'", "--set", "solver.activation='gap'",
                     "--set", "solver.on_failure='warn'", "--set", "record.rate_hz=333",
                     "--set", "record.checkpoint_s=0.0137"],
    "pegs, explicit": [PEGS, "--duration", "5", "--set", "controller.servo='explicit'", "--set", "solver.dt=2e-5",
                       "--set", "record.checkpoint_s=0.0137"],
}


def coluber(*words, **more):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=600, **more)


def load(folder):
    return json.loads((Path(folder) / "run.json").read_text())


def files(folder):
    return sorted(p.name for p in Path(folder).iterdir() if p.name != "replay.html")


def datasets(folder):
    with h5py.File(Path(folder) / "trajectory.h5", "r") as file:
        return {name: file[name][()] for name in file}


def differences(a, b):
    """What of two completed runs is not the same to the bit."""
    wrong = []
    one, two = datasets(a), datasets(b)
    if one.keys() != two.keys():
        wrong.append("names of datasets")
    for name in one.keys() & two.keys():
        if one[name].shape != two[name].shape or one[name].tobytes() != two[name].tobytes():
            wrong.append(name)
    for name in ("replay.bin", "replay.json", "trajectory.csv"):
        there = [(folder / name).read_bytes() if (folder / name).exists() else None for folder in (a, b)]
        if there[0] != there[1]:
            wrong.append(name)
    sums = [load(folder)["summary"] for folder in (a, b)]
    wrong += [f"summary.{name}" for name in sums[0] if not name.startswith("real_time_factor") and sums[0][name] != sums[1].get(name)]
    if files(a) != files(b):
        wrong.append(f"files {files(a)} {files(b)}")
    return wrong


def frames_of(folder):
    """The time column of what can be read of a run that was cut off; none before its first frame."""
    done = coluber("export", folder, "--to", "csv", "-o", folder.parent / "part.csv")
    if done.returncode != 0:
        return None, done
    lines = (folder.parent / "part.csv").read_text().splitlines()
    return lines[1:], done


def cut(words, folder, how, after, resume=False):
    """Starts or resumes a run and sends it the signal after so many seconds. The exit code."""
    process = subprocess.Popen([COLUBER, "run", *words, "--out", str(folder), "-q", *(["--resume"] if resume else [])],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        process.wait(timeout=after)
    except subprocess.TimeoutExpired:
        process.send_signal(how)
    _, talk = process.communicate(timeout=600)
    return process.returncode, talk


def test_interrupted_at_random_times(tmp):
    times = random.Random(SEED)
    whole = {}
    for name, words in SCENES.items():
        folder = tmp / f"whole {name}"
        begin = time.monotonic()
        done = coluber("run", *words, "--out", folder, "-q")
        check(f"{name}: the run through exits 0", done.returncode == 0, done.stderr)
        coluber("export", folder, "--to", "csv", "-o", tmp / "whole.csv")
        whole[name] = (folder, time.monotonic() - begin, (tmp / "whole.csv").read_text().splitlines()[1:])
    counts = {"resumed": 0, "from the start": 0, "in time": 0, "twice": 0}
    for number in range(2 * KILLS):
        how = signal.SIGINT if number % 2 == 0 else signal.SIGKILL
        name = list(SCENES)[number // 2 % len(SCENES)]
        words = SCENES[name]
        reference, duration, lines = whole[name]
        folder = tmp / f"cut {number}"
        what = f"{name}, {how.name} no. {number // 2}"
        after = times.uniform(0.0, 1.05 * duration)
        code, talk = cut(words, folder, how, after)
        for _ in range(8):  # a run that ended in time was not interrupted: sooner, then
            if code != 0:
                break
            shutil.rmtree(folder)
            after *= 0.7
            code, talk = cut(words, folder, how, after)
        if code == 0:
            counts["in time"] += 1
        elif folder.exists() and (folder / "run.json").exists():
            if how == signal.SIGINT:
                check(f"{what}: exits 130", code == 130, f"{code} {talk}")
                check(f"{what}: is marked interrupted and has its results", load(folder)["status"] == "interrupted"
                      and {"trajectory.h5", "replay.bin", "frames.bin"} <= set(files(folder)), files(folder))
            rows, done = frames_of(folder)
            if rows is not None:
                check(f"{what}: the frames so far are those of the run through", rows == lines[:len(rows)] and rows, len(rows))
            else:
                check(f"{what}: a run without a frame says so", "before its first frame" in done.stderr
                      or "no such file" in done.stderr, done.stderr)
            if times.random() < 0.4:  # once more, by the other signal
                again = signal.SIGKILL if how == signal.SIGINT else signal.SIGINT
                cut(words, folder, again, times.uniform(0.0, 0.7 * duration), resume=True)
                counts["twice"] += 1
                more, _ = frames_of(folder)
                check(f"{what}: the second interruption loses nothing", rows is None or again == signal.SIGINT
                      or len(more) >= len(rows), f"{len(rows or [])} {len(more or [])}")
        done = coluber("run", *words, "--out", folder, "--resume")
        counts["resumed" if "resuming" in done.stderr else "from the start" if code != 0 else "in time"] += 0 if code == 0 else 1
        check(f"{what}: the resumed run exits 0", done.returncode == 0, done.stderr[-300:])
        wrong = differences(reference, folder)
        check(f"{what}: the same bits as the run through", not wrong, wrong)
    print(f"{KILLS} SIGINT and {KILLS} SIGKILL: {counts}")


def test_what_resume_says(tmp):
    words = [COURSE, "--duration", "2", "--out", tmp / "said"]
    done = coluber("run", *words, "--resume")
    check("--resume without a run starts one and says so", done.returncode == 0 and "no run to resume" in done.stderr, done.stderr)
    before = {p.name: p.read_bytes() for p in (tmp / "said").iterdir()}
    done = coluber("run", *words, "--resume")
    check("a complete run exits 0 and says so", done.returncode == 0 and "complete" in done.stderr and done.stdout == "", done.stderr)
    check("… and is not changed", before == {p.name: p.read_bytes() for p in (tmp / "said").iterdir()})
    shown = coluber("run", *words, "--resume", "--json")
    check("… --json prints its run.json", json.loads(shown.stdout)["status"] == "completed", shown.stdout[:200])
    for change, key in [(["--set", "solver.dt=5e-4"], "solver.dt: was 0.001 when the run was begun, is 0.0005 now"),
                        (["--seed", "4"], "seed: was 0"), (["--set", "world.friction=[0.3, 0.2]"], "world.friction.1: was 0.2")]:
        done = coluber("run", *words, *change, "--resume")
        check(f"{change} is exit 3 and names what differs", done.returncode == 3 and key in done.stderr and "hint:" in done.stderr, done.stderr)
    done = coluber("run", SOURCE / "scenarios" / "aiko_floor.toml", "--duration", "2", "--out", tmp / "said", "--resume")
    check("another scenario is exit 3, and its lists are counted", done.returncode == 3 and "world.obstacle: had 9 entries when the run was begun, has no entries now" in done.stderr
          and "null" not in done.stderr, done.stderr)
    coluber("run", SOURCE / "scenarios" / "aiko_floor.toml", "--duration", "0.1", "--out", tmp / "floor", "-q")
    done = coluber("run", COURSE, "--duration", "0.1", "--out", tmp / "floor", "--resume")
    check("… the other way round too", done.returncode == 3 and "world.obstacle: had no entries when the run was begun, has 9 entries now" in done.stderr
          and "null" not in done.stderr and "world.obstacle.1" not in done.stderr, done.stderr)
    done = coluber("run", COURSE, "--duration", "3", "--out", tmp / "said", "--resume")
    check("another --duration is exit 3", done.returncode == 3 and "duration: was 2.0" in done.stderr, done.stderr)
    check("--resume and --force together are exit 2", coluber("run", *words, "--resume", "--force").returncode == 2)
    empty = coluber("run", COURSE, "--duration", "1", "--out", "", cwd=tmp)
    check('--out "" is exit 2 and makes no folder', empty.returncode == 2 and "empty" in empty.stderr and not (tmp / "runs").exists(), empty.stderr)
    for _ in range(2):
        coluber("run", COURSE, "--duration", "0.2", "-q", cwd=tmp)
    last = coluber("run", COURSE, "--duration", "0.2", "--resume", cwd=tmp)
    check("--resume without --out takes the last run of the scenario", "runs/aiko_course-2 is complete" in last.stderr, last.stderr)
    explicit = [SOURCE / "scenarios" / "aiko_floor.toml", "--set", "controller.servo='explicit'", "--set", "solver.dt=4e-4",
                "--out", tmp / "runaway"]
    coluber("run", *explicit)
    again = coluber("run", *explicit, "--resume")
    check("a run that failed would fail again: exit 1", again.returncode == 1 and "runaway" in again.stderr, again.stderr)


def test_a_page_that_is_missing_is_written(tmp):
    """As after a kill -9 between the results and the page."""
    words = ["run", COURSE, "--duration", "0.2", "--out", tmp / "pageless"]
    coluber(*words)
    page = tmp / "pageless/replay.html"
    if not page.exists():
        print("no viewer: pages are not tested")
        return
    whole = page.read_bytes()
    page.unlink()
    done = coluber(*words, "--resume")
    check("--resume of a complete run writes its page where that is missing", done.returncode == 0 and page.exists() and page.read_bytes() == whole and done.stderr.endswith(f"wrote {page}, which was missing\n"), done.stderr)
    page.write_text("mine")
    done = coluber(*words, "--resume")
    check("… and leaves one that is there", done.returncode == 0 and page.read_text() == "mine" and "wrote" not in done.stderr, done.stderr)
    coluber("run", COURSE, "--duration", "0.2", "--out", tmp / "unwanted", "--set", "record.replay=false")
    done = coluber("run", COURSE, "--duration", "0.2", "--out", tmp / "unwanted", "--set", "record.replay=false", "--resume")
    check("… and writes none that was not wanted", done.returncode == 0 and not (tmp / "unwanted/replay.html").exists(), done.stderr)


def test_frames_that_are_removed(tmp):
    folder = tmp / "frameless"
    words = ["run", COURSE, "--duration", "2", "--out", folder]
    process = start_until([COLUBER, *map(str, words)], (folder / "frames.bin").exists, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    (folder / "frames.bin").unlink()
    process.send_signal(signal.SIGCONT)
    said = process.communicate()[1].decode()
    check("a run whose frames are removed fails and says that it cannot be resumed", process.returncode == 1 and f"the run in {folder} cannot be resumed: its frames are gone; --force runs it anew\n" in said, said)
    done = coluber(*words, "--resume")
    check("… and --resume says the same", done.returncode == 1 and f"the run in {folder} cannot be resumed: its frames are gone; --force" in done.stderr, done.stderr)
    check("… and --force runs it", coluber(*words, "--force").returncode == 0)


def started(words, folder, size):
    """A run in the background whose frames have grown to so many bytes."""
    process = subprocess.Popen([COLUBER, "run", *map(str, words), "--out", str(folder)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not ((folder / "frames.bin").exists() and (folder / "frames.bin").stat().st_size > size):
        time.sleep(0.02)
    return process


def test_a_second_process_is_refused(tmp):
    words = [COURSE, "--duration", "9000"]
    process = started(words, tmp / "busy", 100_000)
    for more in ([], ["--force"], ["--resume"]):
        done = coluber("run", *words, "--out", tmp / "busy", *more)
        check(f"a second process is refused, {more}", done.returncode == 1 and "another process is writing" in done.stderr, done.stderr)
    for what in (["export", "--to", "csv", "-o", tmp / "live.csv"], ["plot", "--what", "course", "-o", tmp / "live.svg"]):
        done = coluber(what[0], tmp / "busy", *what[1:])
        check(f"{what[0]} reads a run that goes on, and says so", done.returncode == 0 and "frames so far" in done.stderr, done.stderr)
    check("… nothing of which disturbs the first", process.poll() is None)
    process.kill()
    process.wait()
    check("a killed run says running", load(tmp / "busy")["status"] == "running")


def test_drafts_of_processes_that_were_killed_go_away(tmp):
    gone = subprocess.Popen([COLUBER, "version"], stdout=subprocess.DEVNULL)
    gone.wait()

    def leave_drafts(folder):
        (folder / "plots").mkdir(exist_ok=True)
        ours = {folder / f"{name}.{gone.pid}.part" for name in ("replay.html", "replay.png", "plots/path.svg", "plots/mine.png")}
        # a process that lives, and names that no program of ours gives
        others = {folder / name for name in (f"replay.html.{os.getpid()}.part", "replay.html.old.part", f"notes.{gone.pid}.part",
                                             f"replay.html.{gone.pid}.part.txt", f"plots/notes.{gone.pid}.part")}
        for file in ours | others:
            file.write_text("half")
        return ours, others

    def left(of):
        return {file for file in of if file.exists()}

    whole = [COURSE, "--duration", "0.2", "--out", tmp / "run"]
    coluber("run", *whole, "-q")
    ours, others = leave_drafts(tmp / "run")
    done = coluber("run", *whole, "--resume")
    check("a complete run that is resumed loses its drafts", done.returncode == 0 and not left(ours), done.stderr + str(left(ours)))
    check("… and nothing else", left(others) == others, others - left(others))
    ours, others = leave_drafts(tmp / "run")
    done = coluber("run", COURSE, "--duration", "0.3", "--out", tmp / "run", "--resume")
    check("a run that may not be resumed is not touched", done.returncode == 3 and left(ours | others) == ours | others, done.stderr)
    done = coluber("run", *whole, "--force", "-q")
    check("a forced run takes the drafts away", done.returncode == 0 and not left(ours), done.stderr + str(left(ours)))
    check("… and leaves what is not of the run", left(others) == others, others - left(others))

    words = [COURSE, "--duration", "20"]
    process = started([*words, "--set", "solver.dt=1e-4"], tmp / "cut", 100_000)
    process.kill()
    process.wait()
    ours, others = leave_drafts(tmp / "cut")
    done = coluber("run", *words, "--set", "solver.dt=1e-4", "--out", tmp / "cut", "--resume")
    check("a run that goes on loses its drafts", done.returncode == 0 and not left(ours), done.stderr + str(left(ours)))
    check("… and nothing else", left(others) == others, others - left(others))


def test_another_program_is_refused(tmp):
    words = [COURSE, "--duration", "9000"]
    process = started(words, tmp / "old", 100_000)
    process.kill()
    process.wait()
    run = load(tmp / "old")
    run["version"] = "0.0.9"
    (tmp / "old" / "run.json").write_text(json.dumps(run))
    done = coluber("run", *words, "--out", tmp / "old", "--resume")
    check("a run of another version is refused with exit 3", done.returncode == 3 and "0.0.9" in done.stderr
          and "--force" in done.stderr, done.stderr)


def test_a_full_disk(tmp):
    def limit(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    words = [COURSE, "--duration", "20", "--set", "record.csv=true"]
    coluber("run", *words, "--out", tmp / "whole", "-q")
    size = 300_000
    done = coluber("run", *words, "--out", tmp / "full", preexec_fn=limit(size))
    check("frames that do not fit end the run with exit 1", done.returncode == 1 and "frames.bin: cannot write" in done.stderr
          and "partial" in done.stderr, f"{done.returncode} {done.stderr}")
    check("… run.json says failed and why", load(tmp / "full")["status"] == "failed" and "cannot write" in load(tmp / "full")["message"],
          load(tmp / "full")["message"])
    rows, _ = frames_of(tmp / "full")
    check("… the frames so far can be read", rows and len(rows) > 50, rows and len(rows))
    check("… no partial file is left", not [n for n in files(tmp / "full") if n.endswith(".part")], files(tmp / "full"))
    done = coluber("run", *words, "--out", tmp / "full", "--resume")
    check("… and with room again it is resumed to the same bits", done.returncode == 0 and not differences(tmp / "whole", tmp / "full"),
          done.stderr + str(differences(tmp / "whole", tmp / "full")))

    # The same at the end: the frames fit, the table made of them does not. One link that slides along a wall has
    # the longer table; of longer robots the frames are longer.
    (tmp / "wall.toml").write_text("""
duration = 20.0
record.csv = true
robot = { name = "aiko", links = 1 }
start = { link = 1, shape = "straight", position = [0.0, 0.0], heading_deg = 0.0 }
[world]
gravity = 0.1
tilt_deg = 30.0
tilt_direction_deg = -40.0
obstacle = [{ x = 0.0, y = -1000.053, radius = 1000.0 }]
""")
    words = [tmp / "wall.toml"]
    coluber("run", *words, "--out", tmp / "wall", "-q")
    table = (tmp / "wall" / "trajectory.csv").stat().st_size
    done = coluber("run", *words, "--out", tmp / "end", preexec_fn=limit(table - 30_000))
    check("a table that does not fit ends the run with exit 1", done.returncode == 1 and "trajectory.csv: cannot write" in done.stderr
          and "partial" in done.stderr, f"{done.returncode} {done.stderr}")
    check("… run.json says failed and why", load(tmp / "end")["status"] == "failed"
          and "trajectory.csv: cannot write" in load(tmp / "end")["message"], load(tmp / "end")["message"])
    left = set(files(tmp / "end"))  # a slow program has come to a checkpoint
    check("… with no half-made file", {"frames.bin", "run.json"} <= left <= {"frames.bin", "run.json", "checkpoint.bin", "checkpoint.old"}, left)
    rows, _ = frames_of(tmp / "end")
    check("… every frame can be read", rows and len(rows) == 2001, rows and len(rows))
    done = coluber("run", *words, "--out", tmp / "end", "--resume")
    check("… and with room again it is resumed to the same bits", done.returncode == 0 and not differences(tmp / "wall", tmp / "end"),
          done.stderr + str(differences(tmp / "wall", tmp / "end")))


def test_a_disk_that_fills(tmp):
    small = tmp / "small"
    small.mkdir()
    if not mounted(small):
        print("SKIPPED  a disk that fills: this needs root, or a user namespace to mount a small disk in "
              "(unshare --user --map-root-user --mount). Limits on the size of files stand in for it above.")
        return
    words = [COURSE, "--duration", "20", "--set", "record.csv=true"]
    coluber("run", *words, "--out", tmp / "whole", "-q")
    # all frames fit on the second disk, what is made of them does not
    frames = sum(d.nbytes for d in datasets(tmp / "whole").values()) + (tmp / "whole" / "replay.bin").stat().st_size
    try:
        for what, room, readable in (("a disk that fills", 400_000, 50), ("a disk that fills at the end", frames + 500_000, 2001)):
            (small / "ballast").write_bytes(bytes(DISK - room))
            done = coluber("run", *words, "--out", small / "run")
            check(f"{what} ends the run with exit 1", done.returncode == 1 and "cannot write" in done.stderr, done.stderr)
            check("… marked failed", load(small / "run")["status"] == "failed", load(small / "run")["status"])
            check("… with the reason", "cannot write" in load(small / "run")["message"], load(small / "run")["message"])
            check("… with no half-made file", not [n for n in files(small / "run") if n.endswith(".part")], files(small / "run"))
            out = coluber("export", small / "run", "--to", "csv", "-o", tmp / "small.csv")
            check("… and the frames so far readable", out.returncode == 0
                  and len((tmp / "small.csv").read_text().splitlines()) > readable, out.stderr)
            (small / "ballast").unlink()
            done = coluber("run", *words, "--out", small / "run", "--resume")
            check("… and with room again it is resumed to the same bits", done.returncode == 0
                  and not differences(tmp / "whole", small / "run"), done.stderr)
            shutil.rmtree(small / "run")
    finally:
        subprocess.run(["umount", small], check=False)


def mounted(folder):
    """A disk of DISK bytes at the folder; False where that is not allowed."""
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder], capture_output=True).returncode == 0


def in_a_namespace():
    """Goes on in a namespace of its own, where a user who is not root may mount a disk; if there are none, as it is."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    mark = "COLUBER_RESUME_IN_NAMESPACE"
    if os.geteuid() == 0 or mark in os.environ or shutil.which("unshare") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode != 0:
            return
    os.environ[mark] = "1"
    os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


def main():
    in_a_namespace()
    with tempfile.TemporaryDirectory() as folder:
        for name, test in list(globals().items()):
            if not name.startswith("test_"):
                continue
            tmp = Path(folder) / name
            tmp.mkdir()
            try:
                test(tmp)
            except Exception as error:  # a test that cannot go on has failed
                check(name.replace("_", " "), False, f"{type(error).__name__}: {error}")
    finish()


if __name__ == "__main__":
    main()
