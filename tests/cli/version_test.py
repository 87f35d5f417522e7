#!/usr/bin/python3
"""`coluber version` says what was built, and `--json` all that decides what this program can do here.

Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish


def run(*arguments, **environment):
    done = subprocess.run(
        [COLUBER, *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )
    check(f"coluber {' '.join(arguments)} ends well", done.returncode == 0 and not done.stderr, done.stderr)
    return done.stdout


def names(kind):
    return [each["name"] for each in json.loads(run("list", kind, "--json"))[kind]]


project = re.search(r"project\(coluber VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
text = run("version")
check("the first line is name, version and revision", re.match(rf"coluber {re.escape(project)}( \(\S+\))?\n", text), text)

said = json.loads(run("version", "--json"))
check("the version is that of CMakeLists.txt", said["version"] == project, said["version"])
check("compiler, build type and flags are told", said["compiler"] and said["build_type"] and "-ffp-contract=off" in said["flags"], said)
check("the library is static or shared", said["library"] in ("static", "shared"), said["library"])
for library in ("Eigen", "fmt", "nlohmann-json", "toml++", "HDF5", "zlib", "CLI11", "DAQP"):
    version = said["libraries"].get(library, "")
    check(f"the version of {library} is told", re.fullmatch(r"[0-9]+(\.[0-9]+)+", version), version)
check("libraries are told in both forms", f"HDF5 {said['libraries']['HDF5']}" in text, text)
for kind in ("models", "robots", "gaits", "controllers"):
    check(f"the {kind} are those of coluber list {kind}", said[kind] == names(kind), f"{said[kind]}, {names(kind)}")
keys = {key["name"]: key for key in json.loads(run("list", "keys", "--json"))["keys"]}
for kind, key in (("solvers", "solver.name"), ("laws", "solver.law")):
    built = [choice["name"] for choice in keys[key]["choices"] if choice["built"]]
    check(f"the {kind} are the words {key} takes", said[kind] == built, f"{said[kind]}, {built}")
check("the models of every source are told", {"planar", "wheeled", "multibody", "rod", "grasp"} <= set(said["models"]), said["models"])

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "scenarios").mkdir()
    bare = json.loads(run("version", "--json", PATH=str(folder), COLUBER_DATA=str(folder)))
    check("the data folder is told", bare["data"] == str(folder), bare["data"])
    check("without gnuplot there is no plot", bare["features"]["plot"] is False, bare)
    check("without its page there is no viewer", bare["viewer_page"] is None and not bare["features"]["view"], bare)
    check("without its page there is no export of a page", not bare["features"]["export_html"], bare)
    (folder / "viewer").mkdir()
    (folder / "viewer/viewer.html").touch()
    (folder / "gnuplot").touch(mode=0o755)
    full = json.loads(run("version", "--json", PATH=f"/nowhere:{folder}", COLUBER_DATA=str(folder)))
    check("with gnuplot there is plot", full["features"]["plot"] is True, full)
    check("the viewer's page is told", full["viewer_page"] == str(folder / "viewer/viewer.html"), full["viewer_page"])
    check("with its page there is view where the server was built in", full["features"]["view"] == ("cpp-httplib" in full["libraries"]), full)
    check("a picture of the page needs chromium too", full["features"]["export_png"] is False, full)

finish()
