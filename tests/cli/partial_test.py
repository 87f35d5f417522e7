#!/usr/bin/python3
"""Runs that did not complete: Ctrl-C is obeyed also while results are written, and what is shown of a part says so.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import h5py

from harness import COLUBER, SOURCE, check, finish, start_until

FLOOR = str(SOURCE / "scenarios/aiko_floor.toml")
COURSE = str(SOURCE / "scenarios/aiko_course.toml")
# 2001 frames of 300 links: 90 MB, whose results take seconds to write
LARGE = [FLOOR, "--set", "robot.links=300", "--set", "start.link=1", "--duration", "2", "--set", "record.rate_hz=1000", "--set", "record.csv=true"]
HAS_VIEWER = any((SOURCE / "viewer" / name).exists() for name in ("viewer.html", "dist/viewer.html"))


def coluber(*words, **options):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=600, **options)


def files(folder):
    return sorted(entry.name for entry in Path(folder).iterdir())


def load(folder):
    return json.loads((Path(folder) / "run.json").read_text())


def interrupt_when(words, folder, seen, how):
    """Starts a run and sends it a signal as soon as `seen()`: exit code and what it said; None if that never was."""
    process = start_until([COLUBER, "run", *words, "--out", str(folder)], seen, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process is None:
        return None, "it ended before"
    process.send_signal(how)
    process.send_signal(signal.SIGCONT)
    _, talk = process.communicate(timeout=600)
    return process.returncode, talk


def slowly(process):
    """Lets a process run for a hundredth of the time until it has ended, as on a machine that is very busy."""
    while process.poll() is None:
        process.send_signal(signal.SIGCONT)
        time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
    process.wait()


def has(file, size=0):
    def look():
        try:
            return file.stat().st_size >= size
        except OSError:
            return False

    return look


def says_completed(folder):
    def look():
        try:
            return load(folder)["status"] == "completed"
        except (OSError, ValueError):
            return False

    return look


def values_of(folder):
    with h5py.File(Path(folder) / "trajectory.h5", "r") as file:
        return {name: file[name][()].tobytes() for name in file}


def test_ctrl_c_is_obeyed_while_results_are_written(tmp):
    whole = coluber("run", *LARGE, "--out", tmp / "whole", "-q")
    check("the large run completes", whole.returncode == 0, whole.stderr)
    for name, how in (("SIGINT", signal.SIGINT), ("SIGTERM", signal.SIGTERM)):
        folder = tmp / name
        code, talk = interrupt_when(LARGE, folder, has(folder / "trajectory.h5.part"), how)
        check(f"{name} while results are written exits 130", code == 130, f"{code}: {talk}")
        check("… says that the run is partial and how to go on", "partial" in talk and "--resume" in talk, talk)
        check("… run.json says interrupted", load(folder)["status"] == "interrupted" and "result files" in load(folder)["message"], load(folder)["message"])
        left = set(files(folder))
        check("… the frames are kept, and no half-made or unfinished result", {"run.json", "frames.bin"} <= left
              and left <= {"run.json", "frames.bin", "checkpoint.bin", "checkpoint.old"}, left)
        out = coluber("export", folder, "--to", "csv", "-o", tmp / "frames.csv")
        check("… all frames can be read", out.returncode == 0 and "partial" in out.stderr
              and (tmp / "frames.csv").read_bytes() == (tmp / "whole" / "trajectory.csv").read_bytes(), out.stderr)
        done = coluber("run", *LARGE, "--out", folder, "--resume")
        check("… and --resume writes the results, with the same bits", done.returncode == 0 and values_of(folder) == values_of(tmp / "whole")
              and (folder / "replay.bin").read_bytes() == (tmp / "whole" / "replay.bin").read_bytes()
              and load(folder)["summary"]["final_state"] == load(tmp / "whole")["summary"]["final_state"], done.stderr)


def test_ctrl_c_in_the_middle_of_a_huge_run_does_not_wait_for_its_results(tmp):
    words = [word if word != "2" else "50" for word in LARGE]
    folder = tmp / "run"
    code, talk = interrupt_when(words, folder, has(folder / "frames.bin", 150_000_000), signal.SIGINT)
    check("Ctrl-C in the middle of a huge run exits 130", code == 130, f"{code}: {talk}")
    check("… it is marked interrupted", load(folder)["status"] == "interrupted", load(folder))
    check("… with its frames alone", "trajectory.h5" not in files(folder) and "frames.bin" in files(folder)
          and not [name for name in files(folder) if name.endswith(".part")], files(folder))


def test_the_answer_to_ctrl_c_does_not_depend_on_speed(tmp):
    words = [COURSE, "--duration", "20", "--set", "record.csv=true"]  # 7 MB of frames
    for name, file in (("results", "trajectory.h5.part"), ("the table", "trajectory.csv.part"), ("frames", "frames.bin")):
        folder = tmp / name
        process = start_until([COLUBER, "run", *words, "--out", str(folder), "-q"], has(folder / file), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        process.send_signal(signal.SIGINT)
        slowly(process)
        talk = process.communicate()[1]
        status = load(folder)["status"]
        check(f"a slow run told to end while it writes {name}: its exit code says what run.json says",
              (process.returncode, status) in ((130, "interrupted"), (0, "completed")), f"{process.returncode} {status} {talk}")
        check("… and it has its results", {"trajectory.h5", "trajectory.csv", "replay.bin"} <= set(files(folder)), files(folder))
        check("… and can be resumed if it is not complete", (status == "interrupted") == ("frames.bin" in files(folder)), files(folder))
        check("… after its last step it completes, before it is interrupted", (status == "completed") == (name != "frames"), status)


def test_ctrl_c_before_there_is_a_run(tmp):
    pipe = tmp / "pipe.toml"
    os.mkfifo(pipe)
    process = subprocess.Popen([COLUBER, "run", str(pipe), "--out", str(tmp / "run")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        process.wait(timeout=1)  # it waits for its scenario, or refuses it
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    check("a run that waits for its scenario ends at the first Ctrl-C", process.returncode in (-signal.SIGINT, 3), process.communicate()[1])
    check("… and leaves nothing", not (tmp / "run").exists())


def test_ctrl_c_while_the_page_is_packed(tmp):
    if not HAS_VIEWER:
        return
    # 270 MB of frames: what is under way is given up at once
    instead = {"2": "6", "record.csv=true": "record.csv=false"}
    words = [instead.get(word, word) for word in LARGE]
    folder = tmp / "run"
    code, talk = interrupt_when(words, folder, says_completed(folder), signal.SIGINT)
    check("Ctrl-C while the page is packed exits 130", code == 130, f"{code}: {talk}")
    check("… the run is complete, without the page", load(folder)["status"] == "completed"
          and files(folder) == ["replay.bin", "replay.json", "run.json", "trajectory.h5"], files(folder))
    check("… and says how to get it", "--to html" in talk, talk)


# Robots of so many links that their description outweighs the frames.
MANY_LINKS = [COURSE, "--set", "world.obstacle=[]", "--set", "start.link=1", "--set", "solver.on_failure=warn"]


def test_ctrl_c_while_the_page_of_very_many_links_is_packed(tmp):
    if not HAS_VIEWER:
        return
    folder = tmp / "run"
    words = [*MANY_LINKS, "--set", "robot.links=20000", "--duration", "0.004", "--set", "record.rate_hz=1000"]
    code, talk = interrupt_when(words, folder, says_completed(folder), signal.SIGINT)
    check("Ctrl-C while the page of very many links is packed exits 130, without the page", code == 130 and "replay.html" not in files(folder), f"{code}: {talk}")


def test_ctrl_c_in_a_run_of_very_many_links(tmp):
    folder = tmp / "run"
    words = [*MANY_LINKS, "--set", "robot.links=40000", "--duration", "1000", "--set", "record.rate_hz=1e-3"]  # one frame, of 12 MB
    code, talk = interrupt_when(words, folder, has(folder / "frames.bin", 34_000_000), signal.SIGINT)
    check("Ctrl-C in a run with more than 32 MiB in frames.bin exits 130", code == 130, f"{code}: {talk}")
    check("… with its frames alone, whatever they consist of", load(folder)["status"] == "interrupted" and "trajectory.h5" not in files(folder) and "frames.bin" in files(folder), files(folder))


def interrupted_run(folder):
    """A course that was ended by Ctrl-C, with its results."""
    # 8001 frames are 28 MB, whose results are written in any case
    return interrupt_when([COURSE, "--duration", "80"], folder, has(folder / "frames.bin", 300_000), signal.SIGINT)


def test_what_is_shown_of_a_part_says_so(tmp):
    folder = tmp / "cut"
    code, talk = interrupted_run(folder)
    check("Ctrl-C says that the run is partial", code == 130 and "partial" in talk, f"{code}: {talk}")
    check("… and leaves results", "trajectory.h5" in files(folder), files(folder))
    for words in (["plot", folder, "--what", "course"], ["export", folder, "--to", "csv"], ["export", folder, "--to", "html"]):
        done = coluber(*words)
        if "html" in words and not HAS_VIEWER:
            continue
        check(f"{words[0]} of it warns that it is partial, and from when on", done.returncode == 0
              and re.search(r"warning: .* is partial: interrupted at t = [\d.]+ s", done.stderr), done.stderr)
    picture = (folder / "plots" / "course.svg").read_text()
    check("the picture's title says so", re.search(r"<title>partial run \(interrupted\): Aiko through", picture)
          and picture.count("partial run (interrupted)") == 2, re.findall(r"<title>.*?</title>", picture)[:1])

    whole = tmp / "whole"
    coluber("run", COURSE, "--duration", "1", "--out", whole, "-q")
    done = coluber("plot", whole, "--what", "course")
    check("nothing is said of a run that completed", done.stderr == "" and "partial" not in (whole / "plots" / "course.svg").read_text(), done.stderr)

    failed = tmp / "failed"
    coluber("run", FLOOR, "--set", "controller.servo='explicit'", "--set", "solver.dt=4e-4", "--duration", "10", "--out", failed)
    done = coluber("plot", failed, "--what", "path")
    check("a run that failed is partial too, with the reason", "is partial: runaway" in done.stderr
          and "partial run (failed)" in (failed / "plots" / "path.svg").read_text(), done.stderr)


def test_resume_says_what_it_removes(tmp):
    folder = tmp / "run"
    words = [COURSE, "--duration", "60"]
    code, talk = interrupt_when(words, folder, has(folder / "frames.bin", 600_000), signal.SIGINT)
    check("a run to resume", code == 130, f"{code}: {talk}")
    coluber("export", folder, "--to", "csv")
    coluber("plot", folder, "--what", "path")
    coluber("plot", folder, "--what", "tracking", "--what", "course", "--time", 1)
    coluber("plot", folder, "--what", "path", "-o", folder / "plots" / "mine.svg")
    (folder / "plots" / "angles.svg").write_text("<svg/>")  # whose name is a plot's, but who made it?
    listed = json.loads((folder / "plots" / "plots.json").read_text())["plots"]
    check("plot writes down what it made", [p["file"] for p in listed] == ["path.svg", "tracking.svg", "course.svg"]
          and [p["options"] for p in listed] == [{}, {"time": 1.0}, {"time": 1.0}] and all(p["frames"] > 100 for p in listed), listed)
    before = (folder / "trajectory.csv").read_bytes()
    done = coluber("run", *words, "--out", folder, "--resume")
    check("--resume goes on to the end", done.returncode == 0, done.stderr)
    said = re.search(r"removed outdated results: (.*)", done.stderr)
    named = said.group(1) if said else ""
    check("… and names what it removed", all(name in named for name in ("trajectory.h5", "trajectory.csv", "plots/path.svg", "plots/tracking.svg", "plots/course.svg")), done.stderr)
    check("… and how to draw the pictures again", "coluber plot" in named, done.stderr)
    check("stale pictures are gone with their list, the user's own are not", files(folder / "plots") == ["angles.svg", "mine.svg"], files(folder / "plots"))
    after = (folder / "trajectory.csv").read_bytes()
    check("an exported table is written again, longer", after.startswith(before) and len(after) > len(before), f"{len(before)} {len(after)}")
    coluber("export", folder, "--to", "csv", "-o", tmp / "again.csv")
    check("… and is that of the whole run", after == (tmp / "again.csv").read_bytes())


def main():
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
