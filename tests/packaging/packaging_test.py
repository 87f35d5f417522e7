#!/usr/bin/python3
"""Installs a build to a temporary prefix and uses it as a stranger would.

usage: packaging_test.py BUILD_FOLDER

examples/own_gait, own_controller, own_loop, own_model and own_wish are built against the installed library by
find_package(coluber), own_gait also by pkg-config. The figures they print are checked; own_model, a model
with the whole command line, is used as a user of it would.
Prints `N passed, M failed` last.
"""

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
passed, failed = 0, 0


def check(sentence, holds, why=""):
    global passed, failed
    if holds:
        passed += 1
        print(f"ok    {sentence}")
    else:
        failed += 1
        print(f"FAIL  {sentence}\n      {why}")
    return bool(holds)


def run(*command, **options):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    except OSError as error:
        done = subprocess.CompletedProcess(command, 127, "", str(error))
    if done.returncode != 0:
        print(f"$ {shlex.join(str(c) for c in command)}\n{done.stdout}{done.stderr}")
    return done


def table(text):
    """Rows of numbers below a header line."""
    return [[float(word) for word in line.split()] for line in text.splitlines()[1:]]


def check_gait(how, program, environment):
    done = run(program, env=environment)
    if not check(f"own_gait built by {how} runs", done.returncode == 0, done.stderr):
        return
    rows = table(done.stdout)
    check(f"own_gait built by {how} prints four finite rows", len(rows) == 4, done.stdout)
    check(
        f"own_gait built by {how} moves forward at every growth of the wave",
        all(2.0 < speed < 16.3 for _, speed, _ in rows),  # never faster than the wave, 16.3 cm/s
        done.stdout,
    )


def check_controller(program, environment):
    done = run(program, env=environment)
    if not check("own_controller runs", done.returncode == 0, done.stderr):
        return
    rows = table(done.stdout)
    check("own_controller prints six periods", len(rows) == 6, done.stdout)
    first, last = rows[0], rows[-1]
    check("the first period of learning is plain PD", first[1] == first[2], done.stdout)
    check("weak PD servos alone do not get better", last[1] > 0.5 * rows[1][1], done.stdout)
    check("learning servos end far below PD", last[2] < 0.25 * last[1], done.stdout)


def check_model(folder, environment):
    """A unicycle with the whole command line: its own files and one registration."""
    program = folder / "build/own_model"

    def call(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, cwd=folder, env=environment)

    done = call("check", "unicycle.toml")
    check("own_model checks its scenario", done.returncode == 0 and "ok: unicycle, 8 s" in done.stdout, done.stdout + done.stderr)
    done = call("run", "unicycle.toml", "--out", "run", "--json")
    if not check("own_model runs its scenario", done.returncode == 0, done.stderr):
        return
    summary = json.loads(done.stdout)["summary"]
    # speed 0.5 m/s: 0.5 m, two arcs of half a turn with radius 0.5/(pi/3), 0.5 m; the arcs end 4 radii to the left
    radius = 0.5 / (math.pi / 3)
    check("the wheel has rolled its arcs", abs(summary["displacement"] - math.hypot(1.0, 4 * radius)) < 1e-6, summary)
    check("the wheel ends in the direction it began in", abs(summary["heading_change"]) < 1e-12, summary)
    check(
        "the summary has no figure of models that own_model has nothing of",
        not {"residual_max", "max_torque", "max_penetration", "distance"} & summary.keys(),
        summary,
    )
    done = call("plot", "run", "--what", "path")
    check("own_model plots its path", done.returncode == 0 and (folder / "run/plots/path.svg").is_file(), done.stderr)
    done = call("plot", "run", "--what", "side")
    check("own_model plots itself from the side", done.returncode == 0 and (folder / "run/plots/side.svg").is_file(), done.stderr)
    done = call("export", "run", "--to", "csv")
    header = (folder / "run/trajectory.csv").read_text().splitlines()[0] if done.returncode == 0 else ""
    check("own_model exports its observables", header == "time,position.x,position.y,heading", header + done.stderr)
    done = call("bench", "--scenes", "scenes.toml", "--repeat", "1", "--json")
    row = json.loads(done.stdout)["scenes"][0] if done.returncode == 0 else {}
    check("own_model times its scene, with null for what it has nothing of", row.get("residual_max", 0) is None and row["us_per_step"] > 0, done.stderr)
    done = call("list", "keys", "--json")
    keys = {key["name"]: key for key in json.loads(done.stdout)["keys"]} if done.returncode == 0 else {}
    check("own_model lists its keys", keys.get("robot.turn.rate_deg", {}).get("model") == "unicycle", done.stderr)

    for sentence, change, place, hint in (
        ("an unknown key", "robot.turn.1.rate=3", "--set robot.turn.1.rate=3: robot.turn.1.rate: unknown key", "did you mean rate_deg?"),
        ("a fault of one entry of a list", "robot.turn.2.to=1", "unicycle.toml:16:1: robot.turn.2: a turn ends before it begins", "`to`"),
        ("a key of another model", "robot.links=3", 'robot.links: goes with robot.model = "planar"', "leave it out"),
        ("a gait, which it takes none of", 'gait.name="sidewinding"', 'gait.name: goes with robot.model = "planar"', "leave it out"),
        ("a condition on links, of which it has none", "stop.past_x=1.0", 'stop.past_x: the model "unicycle" has no links', "leave it out"),
        ("a wrong type", 'robot.wheel_radius="big"', "robot.wheel_radius: expected a number > 0", "radius of the wheel"),
    ):
        done = call("check", "unicycle.toml", "--set", change)
        check(f"own_model refuses {sentence}", done.returncode == 3 and place in done.stderr and hint in done.stderr, done.stderr)

    whole = call("run", "unicycle.toml", "--out", "long", "--duration", "400", "--json")
    part = subprocess.Popen([program, "run", "unicycle.toml", "--out", "cut", "--duration", "400", "-q"], cwd=folder, env=environment,
                            stderr=subprocess.DEVNULL)  # fmt: skip
    while not (folder / "cut/checkpoint.bin").exists() and part.poll() is None:
        time.sleep(0.01)
    part.kill()
    part.wait()
    done = call("run", "unicycle.toml", "--out", "cut", "--duration", "400", "--resume", "--json")
    same = whole.returncode == 0 and done.returncode == 0 and (folder / "cut/replay.bin").read_bytes() == (folder / "long/replay.bin").read_bytes()
    check("own_model resumes a killed run bit-identically", same, whole.stderr + done.stderr)


def check_soname(prefix, version):
    """libcoluber.so -> .so.MAJOR.MINOR, its soname, -> .so.VERSION: before 1.0 every minor version may break."""
    library = next(prefix.glob("lib/**/libcoluber.so"))
    soname = f"libcoluber.so.{'.'.join(version.split('.')[:2])}"
    check("the shared library's links lead to the versioned file", library.resolve().name == f"libcoluber.so.{version}")
    check("the soname's link is installed", (library.parent / soname).is_symlink())
    dynamic = run("readelf", "-d", library).stdout
    check("the soname holds the major and minor version", f"Library soname: [{soname}]" in dynamic, dynamic)


def check_versions(work, prefix, version, compiler, environment):
    """find_package takes the version asked for, refuses one of another minor version."""
    major, minor, patch = (int(part) for part in version.split("."))
    for wanted, good in ((f"{major}.{minor}", True), (f"{major}.{minor + 1}", False), (f"{major + 1}.0", False)):
        folder = work / f"wants-{wanted}"
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(wants LANGUAGES CXX)\nfind_package(coluber {wanted} CONFIG QUIET)\n"
            'message(STATUS "found: ${coluber_FOUND} ${coluber_VERSION}")\n'
        )
        done = run(
            "cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={compiler}", env=environment,
        )  # fmt: skip
        expected = f"found: 1 {version}" if good else "found: 0"
        verb = "finds" if good else "refuses"
        check(f"find_package(coluber {wanted}) {verb} {version}", expected in done.stdout, done.stdout + done.stderr)


def main(build, work):
    prefix = work / "prefix"
    # Only the installed files: no data from the source tree, none of its libraries.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COLUBER")}
    environment["COLUBER_DATA"] = str(prefix / "share/coluber")

    done = run("cmake", "--install", build, "--prefix", prefix)
    if not check("the build installs", done.returncode == 0, done.stderr):
        return
    cache = (build / "CMakeCache.txt").read_text()
    compiler = next(l.split("=", 1)[1] for l in cache.splitlines() if l.startswith("CMAKE_CXX_COMPILER:"))
    shared = any(prefix.glob("lib/**/libcoluber.so"))

    targets = "".join(p.read_text() for p in prefix.glob("lib/**/coluberTargets*.cmake"))
    check("the export names no flags of ours", "coluber_flags" not in targets and "-W" not in targets)
    check("the export holds no path of the source tree", str(SOURCE) not in targets)
    check("the generated version header is installed", (prefix / "include/coluber/core/version.hpp").is_file())
    headers = {p.relative_to(SOURCE / "include") for p in (SOURCE / "include").rglob("*.hpp")}
    absent = [str(h) for h in headers if not (prefix / "include" / h).is_file()]
    check("every public header is installed", not absent, ", ".join(absent))

    licences = sorted(p.name for p in prefix.glob("share/doc/coluber/LICENSE*"))
    check("our licence and DAQP's are installed", licences == ["LICENSE", "LICENSE.daqp"], licences)
    foreign = [p for p in prefix.rglob("*daqp*") if p.name != "LICENSE.daqp"]
    check("nothing else of DAQP is installed", not foreign, foreign)
    libraries = list(prefix.glob("lib/**/libcoluber.so" if shared else "lib/**/libcoluber.a"))
    words = ("-D", "--defined-only") if shared else ("-g", "--defined-only")
    names = [l.split()[-1] for l in run("nm", *words, libraries[0]).stdout.splitlines() if l.split()[-2:-1] in (["T"], ["D"], ["B"])]
    bare = [n for n in names if "daqp" in n and (shared or not n.startswith("coluber_"))]
    check("no name of DAQP reaches a program that links the library", names and not bare, bare[:5])

    version = next(l.split("=", 1)[1] for l in cache.splitlines() if l.startswith("CMAKE_PROJECT_VERSION:"))
    if shared:
        check_soname(prefix, version)

    program = prefix / "bin/coluber"
    done = run(program, "version", "--json", env=environment)
    if check("the installed program starts", done.returncode == 0, done.stderr):
        said = json.loads(done.stdout)
        check("it prints the version of CMakeLists.txt", said["version"] == version, done.stdout)
        check("it says whether its library is shared", said["library"] == ("shared" if shared else "static"), done.stdout)
        check("it finds its own data", said["data"] == str(prefix / "share/coluber"), done.stdout)
    completion = prefix / "share/bash-completion/completions/coluber"
    done = run("bash", "--norc", "-c", f"source {shlex.quote(str(completion))} && complete -p coluber")
    check("bash completion is installed under the program's name", done.returncode == 0 and "_coluber" in done.stdout, done.stderr)
    for name in ("share/zsh/site-functions/_coluber", "share/fish/vendor_completions.d/coluber.fish"):
        check(f"{name} is installed", (prefix / name).is_file())
    plain = {k: v for k, v in environment.items() if k != "COLUBER_DATA"}
    done = run(program, "list", "scenarios", env=plain, cwd=work)
    check("the installed program lists its scenarios", "aiko_course" in done.stdout, done.stdout + done.stderr)

    for example in ("own_gait", "own_controller", "own_loop", "own_model", "own_wish"):
        folder = work / example
        shutil.copytree(SOURCE / "examples" / example, folder)
        configured = run(
            "cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release",
            env=environment,
        )  # fmt: skip
        built = configured.returncode == 0 and run("cmake", "--build", folder / "build", env=environment).returncode == 0
        if check(f"{example} builds by find_package(coluber) in a project of C++ alone", built):
            if example == "own_gait":
                check_gait("find_package", folder / "build/own_gait", environment)
            elif example == "own_controller":
                check_controller(folder / "build/own_controller", environment)
            elif example == "own_loop":
                done = run(folder / "build/own_loop", env=environment)
                rows = table(done.stdout)
                good = done.returncode == 0 and len(rows) == 6
                check("own_loop steers its robots to within half a degree", good and all(abs(wanted - got) <= 0.5 for wanted, got in rows), done.stdout + done.stderr)
            elif example == "own_wish":
                done = run(folder / "build/own_wish", env=environment)
                check("own_wish says how hard the snake can accelerate", done.stdout.startswith("up to 13.57 m/s² ahead; pegs press with 83.7 185.7 105.7 N"), done.stdout + done.stderr)
            else:
                check_model(folder, environment)

    check_versions(work, prefix, version, compiler, environment)

    pc_folder = next(prefix.glob("lib/**/pkgconfig"))
    with_pc = dict(environment, PKG_CONFIG_PATH=str(pc_folder))
    flags = run("pkg-config", "--cflags", "--libs", "coluber", env=with_pc)
    if check("pkg-config knows coluber", flags.returncode == 0, flags.stderr):
        words = shlex.split(flags.stdout)
        if shared:
            words.append(f"-Wl,-rpath,{pc_folder.parent}")
        program = work / "own_gait_pc"
        done = run(compiler, "-std=c++20", "-O2", work / "own_gait/own_gait.cpp", "-o", program, *words)
        if check("own_gait builds by pkg-config", done.returncode == 0):
            check_gait("pkg-config", program, environment)


with tempfile.TemporaryDirectory(prefix="coluber-packaging-") as folder:
    main(Path(sys.argv[1]).resolve(), Path(folder))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
