#!/usr/bin/python3
"""Files of the user's that have the names of Coluber's: `run --force`, `run --resume` and `export` leave them alone.

Coluber's own are told by their columns (trajectory.csv) and marks (pages, pictures). What is in the way is refused with one
way out, which works. Prints `N passed, M failed` last; the program is $COLUBER.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import h5py

from harness import COLUBER, SOURCE, check, finish, start_until

FLOOR = str(SOURCE / "scenarios/aiko_floor.toml")
QUICK = ("run", FLOOR, "--duration", "0.1", "-q")
HAS_VIEWER = any((SOURCE / "viewer" / name).exists() for name in ("viewer.html", "dist/viewer.html"))
MOVE_AWAY = "which Coluber did not write\n  hint: name another folder, or move that file away\n"
# what a user may well keep in a run folder
MINE = {
    "trajectory.csv": b"time,link_position.6.x\n0,0.1\n",
    "replay.html": b"<!doctype html><title>mine</title>",
    "replay.png": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "replay-and-mine.html": b"<!doctype html><title>two of mine</title>",
    "trajectory.csv.part": b"a download",
    "replay.html.part": b"another",
}
IN_THE_WAY = ("trajectory.csv", "replay.html")  # which a run writes


def coluber(*words, **options):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=600, **options)


def contents(folder):
    return {file.name: file.read_bytes() for file in Path(folder).iterdir() if file.is_file()}


def interrupted_run(folder, *more):
    """A run with frames and results, cut off at its first frame."""
    words = [COLUBER, "run", FLOOR, "--duration", "3", "-q", "--out", str(folder), *more]
    process = start_until(words, (folder / "frames.bin").exists, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    return process.wait() == 130 and (folder / "trajectory.h5").exists()


def test_a_forced_run_leaves_the_files_of_others(tmp):
    run = tmp / "run"
    coluber(*QUICK, "--out", run)
    for name in IN_THE_WAY:
        (run / name).write_bytes(MINE[name])
        before = contents(run)
        done = coluber(*QUICK, "--out", run, "--force")
        check(f"--force refuses a {name} of the user's, exit 2", done.returncode == 2 and done.stderr == f"error: {run} holds {name}, {MOVE_AWAY}", f"{done.returncode} {done.stderr}")
        check("… and removes nothing", contents(run) == before)
        same = coluber(*QUICK, "--out", run)
        check("… and without --force it says the same", (same.returncode, same.stderr) == (2, done.stderr), same.stderr)
        (run / name).unlink()
    others = {name: text for name, text in MINE.items() if name not in IN_THE_WAY}
    for name, text in others.items():
        (run / name).write_bytes(text)
    done = coluber(*QUICK, "--out", run, "--force")
    left = contents(run)
    check("--force leaves what it does not write", done.returncode == 0 and all(left.get(name) == text for name, text in others.items()), f"{done.stderr} {sorted(left)}")


def test_a_forced_run_replaces_what_coluber_made(tmp):
    run, second = tmp / "run", tmp / "second"
    for folder in (run, second):
        coluber(*QUICK, "--out", folder)
    coluber("export", run, "--to", "csv")
    coluber("export", run, second, "--to", "html")
    picture = MINE["replay.png"][:33] + b"\0\0\0\x10tEXtSoftware\0Coluber...." + bytes(50)
    (run / "replay.png").write_bytes(picture)
    (run / "replay-and-empty.html").touch()
    head = (run / "trajectory.csv").read_bytes()[:40]
    (run / "trajectory.csv.part").write_bytes(head)
    done = coluber(*QUICK, "--out", run, "--force")
    gone = [name for name in ("trajectory.csv", "trajectory.csv.part", "replay.png", "replay-and-second.html", "replay-and-empty.html") if (run / name).exists()]
    check("--force removes tables, pages and pictures of Coluber's", done.returncode == 0 and not gone, f"{done.stderr} {gone}")
    coluber("export", run, "--to", "csv")
    (run / "trajectory.h5").write_bytes(b"damaged")
    done = coluber(*QUICK, "--out", run, "--force")
    check("a table of which nothing tells whose it is stays", done.returncode == 2 and "holds trajectory.csv" in done.stderr and (run / "trajectory.csv").exists(), done.stderr)


def test_a_resumed_run_leaves_the_files_of_others(tmp):
    whole = tmp / "whole"
    check("a run is interrupted", interrupted_run(whole))
    resume = ("run", FLOOR, "--duration", "3", "-q", "--resume")
    for name in IN_THE_WAY:
        run = tmp / name
        shutil.copytree(whole, run)
        (run / name).write_bytes(MINE[name])
        before = contents(run)
        done = coluber(*resume, "--out", run)
        check(f"--resume refuses a {name} of the user's, exit 2", done.returncode == 2 and done.stderr == f"error: {run} holds {name}, {MOVE_AWAY}", f"{done.returncode} {done.stderr}")
        check("… and removes nothing", contents(run) == before)
        (run / name).unlink()
        done = coluber(*resume, "--out", run)
        check("… and goes on once it is gone", done.returncode == 0, done.stderr)
    run = tmp / "others"
    shutil.copytree(whole, run)
    others = {name: text for name, text in MINE.items() if name not in IN_THE_WAY}
    for name, text in others.items():
        (run / name).write_bytes(text)
    done = coluber(*resume, "--out", run)
    left = contents(run)
    check("--resume leaves what it does not write", done.returncode == 0 and all(left.get(name) == text for name, text in others.items()), f"{done.stderr} {sorted(left)}")


def test_datasets_of_the_user_are_not_dropped(tmp):
    """plot and export pass over them; what writes trajectory.h5 anew refuses to."""
    for name, add in (("mine", lambda file: file.create_dataset("mine", data=[1.0, 2.0])), ("notes", lambda file: file.create_group("notes"))):
        run = tmp / f"{name}-complete"
        coluber(*QUICK, "--out", run)
        cut = tmp / f"{name}-cut"
        check("a run is interrupted", interrupted_run(cut))
        for folder, words in ((run, (*QUICK, "--force")), (run, QUICK), (cut, ("run", FLOOR, "--duration", "3", "-q", "--resume"))):
            if name not in (file := h5py.File(folder / "trajectory.h5", "a")):
                add(file)
            file.close()
            before = contents(folder)
            done = coluber(*words, "--out", folder)
            says = f'error: {folder} holds "{name}" in trajectory.h5, {MOVE_AWAY}'
            check(f'{words[-1]} refuses "{name}" in trajectory.h5, exit 2', (done.returncode, done.stderr) == (2, says), f"{done.returncode} {done.stderr}")
            check("… and removes nothing", contents(folder) == before)
        done = coluber("export", run, "--to", "csv", "-o", tmp / f"{name}.csv")
        check("export passes over it", done.returncode == 0, done.stderr)
        (run / "trajectory.h5").rename(tmp / f"{name}.h5")
        done = coluber(*QUICK, "--out", run, "--force")
        check("once it is moved away the run is replaced", done.returncode == 0 and (run / "trajectory.h5").exists(), done.stderr)
        (cut / "trajectory.h5").rename(tmp / f"{name}-cut.h5")
        done = coluber("run", FLOOR, "--duration", "3", "-q", "--resume", "--out", cut)
        check("… or resumed", done.returncode == 0 and (cut / "trajectory.h5").exists(), done.stderr)


def test_export_leaves_the_files_of_others(tmp):
    run = tmp / "run"
    coluber(*QUICK, "--out", run)
    coluber(*QUICK, "--out", tmp / "mine")
    for name, words in (("trajectory.csv", ("--to", "csv")), ("replay.html", ("--to", "html")), ("replay.png", ("--to", "png")), ("replay-and-mine.html", (tmp / "mine", "--to", "html"))):
        (run / name).write_bytes(MINE[name])
        done = coluber("export", run, *words)
        check(f"export refuses a {name} of the user's, exit 2", done.returncode == 2 and done.stdout == "" and done.stderr.startswith(f"error: export {run / name}: exists and is not a ")
              and done.stderr.endswith("\n  hint: --force replaces it\n"), f"{done.returncode} {done.stderr}")
        check("… and leaves it", (run / name).read_bytes() == MINE[name])
        if name == "trajectory.csv" or (HAS_VIEWER and name.endswith("html")):
            done = coluber("export", run, *words, "--force")
            check("… and --force replaces it", done.returncode == 0 and (run / name).read_bytes() != MINE[name], done.stderr)
            check("… whereupon it is Coluber's", coluber("export", run, *words).returncode == 0)


def test_an_export_grows_under_a_name_of_its_own(tmp):
    run = tmp / "run"
    coluber(*QUICK, "--out", run)
    part = tmp / "z.csv.part"
    part.write_text("mine")
    done = coluber("export", run, "--to", "csv", "-o", tmp / "z.csv")
    check("a z.csv.part of the user's outlives an export to z.csv", done.returncode == 0 and part.read_text() == "mine" and sorted(p.name for p in tmp.glob("z*")) == ["z.csv", "z.csv.part"], done.stderr)
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start_until([COLUBER, "export", str(run), "--to", "csv", "-o", str(tmp / "e.csv")], lambda: list(tmp.glob("e.csv*")), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        growing = [file.name for file in tmp.glob("e.csv*")]
        check("it grows under a name that tells of the process", growing == [f"e.csv.{process.pid}.part"], growing)
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        out, talk = process.communicate(timeout=60)
        check(f"signal {number} ends it with exit 130 and leaves nothing", process.returncode == 130 and out == "" and "interrupted" in talk and not list(tmp.glob("e.csv*")), f"{process.returncode} {talk} {list(tmp.glob('e.csv*'))}")
    wall = subprocess.run(["bash", "-c", 'ulimit -f 1; exec "$0" "$@"', COLUBER, "export", str(run), "--to", "csv", "-o", str(tmp / "f.csv")], capture_output=True, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    check("an export that does not fit leaves nothing", wall.returncode == 1 and "f.csv: cannot write" in wall.stderr and not list(tmp.glob("f.csv*")), f"{wall.returncode} {wall.stderr}")


def test_a_list_of_pictures_of_the_user_is_not_replaced(tmp):
    run = tmp / "run"
    coluber(*QUICK, "--out", run)
    (run / "plots").mkdir()
    mine = run / "plots/plots.json"
    plot = ("plot", run, "--what", "energy")
    for text in ('{"my": "notes"}\n', "[1, 2]\n", "no JSON", '{"plots": "mine"}'):
        mine.write_text(text)
        done = coluber(*plot)
        check(f"plot refuses a plots.json with {text!r}, exit 2", done.returncode == 2 and f"{mine}: exists and is not a list of pictures that Coluber made\n  hint: move it away" in done.stderr, f"{done.returncode} {done.stderr}")
        check("… and writes nothing", mine.read_text() == text and [f.name for f in (run / "plots").iterdir()] == ["plots.json"])
        check("… but draws elsewhere", coluber(*plot, "-o", tmp / "e.svg").returncode == 0 and mine.read_text() == text)
        done = coluber(*QUICK, "--out", run, "--force")
        check("… and run --force leaves it", done.returncode == 0 and mine.read_text() == text, done.stderr)
    done = coluber(*plot, "--force")
    check("plot --force replaces it", done.returncode == 0 and '"coluber-plots"' in mine.read_text(), done.stderr)
    check("then plot has its own", coluber(*plot).returncode == 0)
    mine.write_text("")
    check("an empty one is no one's", coluber(*plot).returncode == 0)


def test_without_a_replay_a_page_of_the_user_is_not_in_the_way(tmp):
    run = tmp / "run"
    coluber(*QUICK, "--out", run)
    page = run / "replay.html"
    page.write_bytes(MINE["replay.html"])
    done = coluber(*QUICK, "--out", run, "--force", "--set", "record.replay=false")
    check("--force without a replay leaves a page of the user's and runs", done.returncode == 0 and page.read_bytes() == MINE["replay.html"], done.stderr)
    other = tmp / "other"
    other.mkdir()
    (other / "replay.html").write_bytes(MINE["replay.html"])
    done = coluber(*QUICK, "--out", other, "--force", "--set", "record.replay=false")
    check("… beside other files too", done.returncode == 0 and (other / "replay.html").read_bytes() == MINE["replay.html"], done.stderr)
    done = coluber(*QUICK, "--out", other, "--force")
    check("with one it is refused, exit 2", done.returncode == 2 and "holds replay.html" in done.stderr, done.stderr)


def test_a_page_put_there_during_the_run_stays(tmp):
    run = tmp / "run"
    words = [COLUBER, "run", FLOOR, "--duration", "0.1", "-q", "--out", str(run)]
    process = start_until(words, (run / "frames.bin").exists, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    (run / "replay.html").write_bytes(MINE["replay.html"])
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate(timeout=600)
    check("the run is complete", process.returncode == 0, said)
    check("… and leaves the page", (run / "replay.html").read_bytes() == MINE["replay.html"])
    if HAS_VIEWER:
        check("… and says so", f"warning: {run}/replay.html is left as it is: it was put there during the run" in said, said)


def test_the_way_out_is_the_same_for_every_command(tmp):
    run = tmp / "run"
    coluber(*QUICK, "--out", run)
    kept = (run / "run.json").read_bytes()
    (run / "run.json").write_text("[1,2]\n")
    before = contents(run)
    for more in ([], ["--force"], ["--resume"]):
        done = coluber(*QUICK, "--out", run, *more)
        check(f"run {more} refuses a run.json that is a list, exit 2", done.returncode == 2 and done.stderr == f"error: {run} holds run.json, {MOVE_AWAY}", f"{done.returncode} {done.stderr}")
    for words in (("plot", run, "--what", "energy"), ("export", run, "--to", "csv"), ("export", run, "--to", "html"), ("view", run, "--no-open")):
        done = coluber(*words)
        check(f"{words[0]} says to move it away", done.returncode in (1, 3) and f"{run}/run.json: is" in done.stderr and "\n  hint: move it away: `coluber plot` and" in done.stderr, f"{done.returncode} {done.stderr}")
    check("all is as it was", contents(run) == before)
    (run / "run.json").unlink()
    for words in (("plot", run, "--what", "energy"), ("export", run, "--to", "csv")):
        check(f"without a run.json {words[0]} works", coluber(*words).returncode == 0)
    for words in (("export", run, "--to", "html"), ("view", run, "--no-open")):
        done = coluber(*words)
        check(f"… and {words[0]} of a page says that it needs one, exit 3", done.returncode == 3 and "run.json: cannot be read: no such file\n  hint: `coluber plot` and `coluber export --to csv` do without it, a page does not" in done.stderr, done.stderr)
    for more in ([], ["--resume"]):
        done = coluber(*QUICK, "--out", run, *more)
        check(f"run {more} into it names --force alone", done.returncode == 2 and done.stderr == f"error: {run} exists and is not empty\n  hint: --force replaces the run in it\n", done.stderr)
    done = coluber(*QUICK, "--out", run, "--force")
    check("… which replaces the run", done.returncode == 0 and len((run / "run.json").read_bytes()) > len(kept) // 2, done.stderr)

    done = coluber(*QUICK, "--out", run)
    check("of a complete run none says that --resume continues it", done.returncode == 2 and done.stderr.endswith("hint: --force replaces the run in it\n"), done.stderr)
    check("a run is interrupted", interrupted_run(tmp / "part"))
    done = coluber(*QUICK, "--out", tmp / "part")
    check("of an interrupted one it does", done.returncode == 2 and done.stderr.endswith("hint: --force replaces the run in it, --resume continues it\n"), done.stderr)

    file = tmp / "file"
    file.write_text("mine")
    for more in ([], ["--force"], ["--resume"]):
        done = coluber(*QUICK, "--out", file, *more)
        check(f"--out FILE {more} says to name another folder, exit 2", done.returncode == 2 and done.stderr == f"error: {file} exists and is not a folder\n  hint: name another folder\n", done.stderr)
    beside = tmp / "beside"
    beside.mkdir()
    (beside / "notes.txt").write_text("mine")
    for more in ([], ["--resume"]):
        done = coluber(*QUICK, "--out", beside, *more)
        check(f"a folder of other files {more} may be forced", done.returncode == 2 and done.stderr.endswith("hint: --force writes the run beside what is in it\n"), done.stderr)
    done = coluber(*QUICK, "--out", beside, "--force")
    check("… and then holds both", done.returncode == 0 and (beside / "notes.txt").read_text() == "mine" and (beside / "run.json").exists(), done.stderr)


def test_a_dump_where_the_run_folder_will_be_is_noticed_before_the_run(tmp):
    for dump, words in (("out", ("--out", "out")), ("out", ("--out", "out/")), ("./out", ("--out", str(tmp / "out"))), ("runs", ()), ("out", ("--out", "out/deep"))):
        done = coluber(*QUICK, "--set", f"solver.dump={dump}", *words, cwd=tmp)
        check(f"solver.dump={dump} with {words} is refused, exit 3", done.returncode == 3 and f"solver.dump: {dump} is where the run folder" in done.stderr and not list(tmp.iterdir()), f"{done.returncode} {done.stderr}")
    coluber(*QUICK, "--out", "out", cwd=tmp)
    (tmp / "out/plots").mkdir()
    before = contents(tmp / "out")
    done = coluber(*QUICK, "--set", "solver.dump=out/plots/p.json", "--out", "out", "--force", cwd=tmp)
    check("so is one among its plots", done.returncode == 3 and contents(tmp / "out") == before, f"{done.returncode} {done.stderr}")
    done = coluber(*QUICK, "--set", "solver.dump=out/p.json", "--out", "out", "--force", cwd=tmp)
    check("one beside its files is written", done.returncode == 0 and (tmp / "out/p.json").exists(), done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, test in list(globals().items()):
            if not name.startswith("test_"):
                continue
            tmp = Path(os.path.realpath(folder)) / name
            tmp.mkdir()
            try:
                test(tmp)
            except Exception as error:  # a test that cannot go on has failed
                check(name.replace("_", " "), False, f"{type(error).__name__}: {error}")
    finish()


if __name__ == "__main__":
    main()
