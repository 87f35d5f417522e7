#!/usr/bin/python3
"""What people reach for: `--version`, `help`, a scenario on the standard input, shipped scenarios by name, views checked.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

AIKO = 'duration = 0.05\n[robot]\nname = "aiko"\nlinks = 3\n'


def coluber(*words, cwd=SOURCE, text=None):
    given = {"stdin": subprocess.DEVNULL} if text is None else {"input": text}
    return subprocess.run([COLUBER, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=300, **given)


def test_version_and_help():
    said = coluber("version").stdout.splitlines()[0]
    done = coluber("--version")
    check("--version prints the first line of version", done.returncode == 0 and done.stdout == said + "\n" and not done.stderr, done)
    plain = coluber("--help")
    for words in (["help"], ["help", "help"]):
        check(f"{' '.join(words)} ends well", coluber(*words).returncode == 0)
    check("help is --help", coluber("help").stdout == plain.stdout)
    check("--help names help and --version", re.search(r"^  help ", plain.stdout, re.M) and "--version" in plain.stdout, plain.stdout)
    commands = re.findall(r"^  ([a-z-]+) {2,}", plain.stdout.split("Subcommands:")[1], re.M)
    for command in commands:
        done = coluber("help", command)
        check(f"help {command} is {command} --help", done.returncode == 0 and done.stdout == coluber(command, "--help").stdout and not done.stderr, done)


def test_standard_input(folder):
    (folder / "s.toml").write_text(AIKO)
    done = coluber("check", "-", cwd=folder, text=AIKO)
    check("check - reads the standard input", done.returncode == 0 and done.stdout.startswith("-: ok: planar, 3 links") and not done.stderr, done)
    done = coluber("check", "-", "--set", "solver.dtt=1", cwd=folder, text=AIKO)
    check("its overrides are checked", done.returncode == 3 and "did you mean dt?" in done.stderr, done)
    done = coluber("check", "-", cwd=folder, text=AIKO + "[solver]\ndt = -1\n")
    check("faults of it have a line and a column", done.returncode == 3 and done.stderr.startswith("error: <stdin>:6:6: solver.dt: "), done)
    done = coluber("check", "-", cwd=folder, text='include = "s.toml"\n')
    check("its includes are relative to the current folder", done.returncode == 0, done)
    first = coluber("run", "-", "-q", "--json", cwd=folder, text=AIKO)
    again = coluber("run", "s.toml", "-q", "--json", cwd=folder)
    check("run - runs it", first.returncode == 0, first)
    check("its folder is runs/stdin-1", json.loads(first.stdout)["out"] == "runs/stdin-1", first.stdout[:200])
    states = [json.loads(each.stdout)["summary"]["final_state"] for each in (first, again)]
    check("the run is that of the file", states[0] == states[1], states)
    check("run.json keeps its text", json.loads((folder / "runs/stdin-1/run.json").read_text())["scenario"]["text"] == AIKO)
    done = coluber("run", "-", "--resume", "-q", cwd=folder, text=AIKO)
    check("run - --resume finds the folder again", done.returncode == 0 and sorted(p.name for p in (folder / "runs").iterdir()) == ["s-1", "stdin-1"], done)


def test_names(folder):
    shipped = sorted(path.stem for path in (SOURCE / "scenarios").glob("*.toml"))
    for name in shipped:
        by_name = coluber("check", name, cwd=folder)
        by_file = coluber("check", SOURCE / "scenarios" / f"{name}.toml", cwd=folder)
        same = by_name.stdout.split(": ", 1)[-1] == by_file.stdout.split(": ", 1)[-1]
        check(f"check {name} finds the shipped scenario from any folder", by_name.returncode == 0 and same, by_name)
    check("with its ending too", coluber("check", "aiko_floor.toml", cwd=folder).returncode == 0)
    done = coluber("run", "aiko_floor", "--duration", 0.05, "-q", "--json", cwd=folder)
    run = json.loads(done.stdout)
    check("run aiko_floor runs it into runs/aiko_floor-1", done.returncode == 0 and run["out"] == "runs/aiko_floor-1", done.stderr)
    check("run.json says which file it was", Path(folder / run["scenario"]["path"]).resolve() == SOURCE / "scenarios/aiko_floor.toml", run["scenario"]["path"])
    (folder / "aiko_drop").mkdir()
    check("a folder of the same name is not in its way", coluber("check", "aiko_drop", cwd=folder).returncode == 0)
    (folder / "aiko_course").write_text(AIKO)
    done = coluber("check", "aiko_course", cwd=folder)
    check("a file of the same name goes first", done.returncode == 0 and "3 links" in done.stdout, done)
    done = coluber("check", "no/aiko_floor", cwd=folder)
    check("a path is a path, not a name", done.returncode == 3 and "no such file" in done.stderr, done)


def test_views():
    text = (SOURCE / "viewer/src/address.ts").read_text().split("export function write_address")[0]
    read = set(re.findall(r"(?:kept\.get|number|flag|one_of|list)\('([a-z]+)'", text)) | {"still"}
    table = (SOURCE / "apps/coluber/view_state.cpp").read_text()
    known = set(re.findall(r'\{"([a-z]+)", Takes::', table))
    check("--view knows the parts that the viewer reads", known == read, known ^ read)
    cameras = re.findall(r"'([a-z]+)'", re.search(r"camera_names.*", text).group(0))
    for camera in cameras:
        done = coluber("export", "nowhere", "--to", "png", "--view", f"cam={camera}&panel=0&t=1.5&view=1,2,3,4,5,6,7&theme=dark")
        check(f"a view with cam={camera} is a view", done.returncode == 3 and "is not a run folder" in done.stderr, done)
    for view in ("panel=2", "t=soon", "view=1,2", "theme=", "cam", "=1", "top"):
        done = coluber("export", "nowhere", "--to", "png", "--view", view)
        check(f"--view {view} is exit 2 with a hint", done.returncode == 2 and "\n  hint: " in done.stderr and not done.stdout, done)


def test_warnings_are_kept(folder):
    (folder / "odd.toml").write_text(AIKO + "[controller.noise]\nposition = 0.1\n[solver.thesis]\nr_T = 0.2\n")
    (folder / "plain.toml").write_text(AIKO)
    odd = coluber("run", "odd.toml", "-q", "--json", cwd=folder)
    plain = coluber("run", "plain.toml", "-q", "--json", cwd=folder)
    said = json.loads(odd.stdout)["warnings"]
    check("run.json keeps the warnings", odd.returncode == 0 and [w.split(":")[0] for w in said] == ["solver.thesis.r_T", "controller.noise.position"], said)
    check("each is said once", odd.stderr.count("warning: ") == 2, odd.stderr)
    states = [json.loads(each.stdout)["summary"]["final_state"] for each in (odd, plain)]
    check("what has no effect has none", states[0] == states[1], states)


def test_unset_table(folder):
    (folder / "pegs.csv").write_text("x,y,radius\n5,5,0.1\n6,5,0.1\n")
    (folder / "course.toml").write_text(AIKO + '[world]\nobstacle_table = "pegs.csv"\n')
    (folder / "bare.toml").write_text('include = "course.toml"\n[world]\nobstacle_table = ""\n')
    for words, pegs in ((["course.toml"], 2), (["bare.toml"], 0), (["course.toml", "--set", 'world.obstacle_table=""'], 0), (["course.toml", "--set", "world.obstacle_table="], 0)):
        done = coluber("check", *words, cwd=folder)
        check(f"{' '.join(words)} has {pegs} obstacles", done.returncode == 0 and f"{pegs} obstacles" in done.stdout, done)


def test_runs_that_are_none(folder):
    (folder / "lost").mkdir()
    (folder / "lost/run.json").write_text('{"status": "completed"}')
    (folder / "file").touch()
    (folder / "empty").mkdir()
    for name in ("lost", "file", "empty", "nowhere"):
        for words in (["plot", name], ["export", name, "--to", "csv"], ["export", name, "--to", "html"], ["view", name, "--no-open"]):
            if name == "lost" and words[-1] == "html" or words[0] == "view" and name == "lost":
                continue  # without the viewer's page they say that first
            done = coluber(*words, cwd=folder)
            check(f"{' '.join(words)} is exit 3 with a hint", done.returncode == 3 and "\n  hint: " in done.stderr and not done.stdout, done)


test_version_and_help()
test_views()
for test in (test_standard_input, test_names, test_warnings_are_kept, test_unset_table, test_runs_that_are_none):
    with tempfile.TemporaryDirectory() as name:
        test(Path(name))
finish()
