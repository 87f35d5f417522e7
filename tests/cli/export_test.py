#!/usr/bin/python3
"""Where `coluber export -o` may write: never over a file of a run, another kind of file, a device or a pipe.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

FLOOR = str(SOURCE / "scenarios/aiko_floor.toml")
PHOTO = b"\x89PNG\r\n\x1a\n" + bytes(100)
HAS_VIEWER = any((SOURCE / "viewer" / name).exists() for name in ("viewer.html", "dist/viewer.html"))


def coluber(*words, **options):
    return subprocess.run([COLUBER, *map(str, words)], capture_output=True, text=True, timeout=600, **options)


def contents(folder):
    return {file.name: file.read_bytes() for file in Path(folder).iterdir() if file.is_file()}


def refused(what, words, code=2, says=""):
    done = coluber("export", *words)
    check(f"{what} exits {code}", done.returncode == code and done.stdout == "", f"{done.returncode}: {done.stdout}{done.stderr}")
    check("… and says why", says in done.stderr, done.stderr)


def test_files_of_a_run_stay(tmp, run):
    other = tmp / "other"
    coluber("run", FLOOR, "--duration", "0.1", "--out", other, "-q", "--set", "record.csv=true")
    (run / "plots").mkdir(exist_ok=True)
    (run / "plots" / "course.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    before = contents(run), contents(other)
    for to, name in (("csv", "trajectory.h5"), ("csv", "run.json"), ("html", "replay.json"), ("png", "replay.bin"), ("html", "trajectory.csv")):
        for more in ([], ["--force"]):
            refused(f"--to {to} -o RUN/{name} {more}", [run, "--to", to, "-o", run / name, *more], says="expected a name ending in")
    for to, name in (("csv", "trajectory.csv"), ("html", "replay.html"), ("png", "replay.png")):
        for more in ([], ["--force"]):
            refused(f"--to {to} over the {name} of another run {more}", [run, "--to", to, "-o", other / name, *more], says="is a file of the run in")
    (tmp / "away.csv").symlink_to(other / "trajectory.csv")
    refused("a link to the table of another run", [run, "--to", "csv", "-o", tmp / "away.csv", "--force"], says="is a file of the run in")
    refused("a plot of the run", [run, "--to", "png", "-o", run / "plots" / "course.png", "--force"], says="is a file of the run in")
    check("both runs are as they were", before == (contents(run), contents(other)))
    done = coluber("export", run, "--to", "csv", "-o", run / "trajectory.csv")
    check("the run's own table may be named", done.returncode == 0 and (run / "trajectory.csv").exists(), done.stderr)
    again = coluber("export", run, "--to", "csv")
    check("… and written again", again.returncode == 0, again.stderr)


def test_files_of_another_kind_stay(tmp, run):
    scenario = tmp / "mine.toml"
    scenario.write_text("schema = 1\n")
    for to in ("csv", "html", "png"):
        refused(f"--to {to} -o mine.toml", [run, "--to", to, "-o", scenario, "--force"], says="expected a name ending in")
    refused("a name without an ending", [run, "--to", "csv", "-o", tmp / "table"], says="expected a name ending in .csv")
    refused("a name that is empty", [run, "--to", "csv", "-o", ""], says="empty")
    check("the scenario is as it was", scenario.read_text() == "schema = 1\n" and not (tmp / "table").exists())

    measured = tmp / "measured.csv"
    measured.write_text("time,link_position.6.x\n0,0.1\n")
    refused("a table of other columns", [run, "--to", "csv", "-o", measured], says="--force replaces it")
    check("… is as it was", measured.read_text() == "time,link_position.6.x\n0,0.1\n")
    (tmp / "link.csv").symlink_to("measured.csv")
    refused("a link to it", [run, "--to", "csv", "-o", tmp / "link.csv"], says="--force replaces it")
    done = coluber("export", run, "--to", "csv", "-o", tmp / "link.csv", "--force")
    check("--force replaces what the link points to, and the link stays", done.returncode == 0 and (tmp / "link.csv").is_symlink()
          and measured.read_text().startswith("time,") and measured.stat().st_size > 1000, done.stderr)
    done = coluber("export", run, "--to", "csv", "-o", measured)
    check("a table that export wrote is replaced", done.returncode == 0 and done.stdout.strip() == str(measured), done.stderr)
    coluber("run", FLOOR, "--duration", "0.1", "--set", "robot.links=1", "--set", "start.link=1", "--out", tmp / "short", "-q")
    done = coluber("export", tmp / "short", "--to", "csv", "-o", measured)
    check("… also by that of another robot", done.returncode == 0 and measured.read_text().count("link_position") == 2, done.stderr)
    (tmp / "empty.csv").touch()
    check("an empty file is no loss", coluber("export", run, "--to", "csv", "-o", tmp / "empty.csv").returncode == 0)

    page = tmp / "home.html"
    page.write_text("<!doctype html><title>mine</title>")
    refused("a page of one's own", [run, "--to", "html", "-o", page], says="is not a page of Coluber")
    (tmp / "photo.png").write_text("no picture")
    refused("a PNG that is none", [run, "--to", "png", "-o", tmp / "photo.png"], says="is not a picture that Coluber made")
    (tmp / "holiday.png").write_bytes(PHOTO)
    refused("a picture of one's own", [run, "--to", "png", "-o", tmp / "holiday.png"], says="--force replaces it")
    check("all are as they were", "mine" in page.read_text() and (tmp / "photo.png").read_text() == "no picture" and (tmp / "holiday.png").read_bytes() == PHOTO)
    if HAS_VIEWER and any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        done = coluber("export", run, "--to", "png", "-o", tmp / "holiday.png", "--force")
        check("--force replaces the picture", done.returncode == 0 and (tmp / "holiday.png").read_bytes() != PHOTO, done.stderr)
        done = coluber("export", run, "--to", "png", "-o", tmp / "holiday.png", "--time", "0.1")
        check("… and now it is one of ours", done.returncode == 0, done.stderr)
    if HAS_VIEWER:
        done = coluber("export", run, "--to", "html", "-o", page, "--force")
        check("--force replaces the page", done.returncode == 0 and "coluber-run" in page.read_text(), done.stderr)
        check("… and now it is one of ours", coluber("export", run, "--to", "html", "-o", page).returncode == 0)


def test_what_is_no_file_stays(tmp, run):
    os.mkfifo(tmp / "pipe.csv")
    (tmp / "null.csv").symlink_to("/dev/null")
    (tmp / "folder.csv").mkdir()
    for name, kind in (("pipe.csv", "a pipe"), ("null.csv", "a device"), ("folder.csv", "a folder")):
        for more in ([], ["--force"]):
            refused(f"-o {name} {more}", [run, "--to", "csv", "-o", tmp / name, *more], says=f"is {kind}, which is not replaced")
    check("they are what they were", stat.S_ISFIFO((tmp / "pipe.csv").stat().st_mode) and (tmp / "folder.csv").is_dir()
          and stat.S_ISCHR(os.stat("/dev/null").st_mode) and not list(tmp.glob("*.part")) and not Path("/dev/null.part").exists())
    refused("-o /dev/stdout", [run, "--to", "csv", "-o", "/dev/stdout"], says="expected a name ending in .csv")
    (tmp / "new.csv").symlink_to("not_there.csv")
    done = coluber("export", run, "--to", "csv", "-o", tmp / "new.csv")
    check("a link to a file that is not there yet makes it", done.returncode == 0 and (tmp / "not_there.csv").stat().st_size > 1000, done.stderr)
    (tmp / "round.csv").symlink_to("round.csv")
    done = coluber("export", run, "--to", "csv", "-o", tmp / "round.csv")
    check("a link to itself is refused", done.returncode in (1, 2) and (tmp / "round.csv").is_symlink(), done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, test in list(globals().items()):
            if not name.startswith("test_"):
                continue
            tmp = Path(folder) / name
            tmp.mkdir()
            try:
                coluber("run", FLOOR, "--duration", "0.2", "--out", tmp / "run", "-q")
                test(tmp, tmp / "run")
            except Exception as error:  # a test that cannot go on has failed
                check(name.replace("_", " "), False, f"{type(error).__name__}: {error}")
    finish()


if __name__ == "__main__":
    main()
