"""The engines of the peers' benchmark, one file each.

A file here says how its engine is had and how it is set; the driver beside `run` (`<engine>.cpp` or
the like) says how the scene is built in it. Each file has

    name       as it stands in the tables
    group      "robotics", "game" or "ours"
    settings   {setting: [candidate, …]}, a candidate being a list of NAME=VALUE that the driver takes
               as --setting; of several candidates the fastest counts, at each N and world
    notes      {setting: a sentence for the docs}; optional
    sizes(world)            the N it is run at; world is "floor" or "cylinders"
    build(folder, here)     makes what is missing below `folder` (`here` is benchmarks/peers) and
                            returns the program as a list of words; raises Missing with the reason
                            if the engine cannot be had

and nothing is linked to Coluber's library but coluber.py's program.
"""

import os
import pathlib
import shutil
import subprocess
import sys

# the order of the tables
ORDER = ["coluber", "mujoco", "ode", "drake", "bullet", "dart", "siconos", "jolt", "box3d", "rapier"]
SIZES = [10, 20, 40, 80, 160]


class Missing(Exception):
    """Why an engine cannot be had."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def must(command, **options):
    """Runs a command of a build; its output is talk."""
    words = [str(word) for word in command]
    say("  " + " ".join(words))
    try:
        subprocess.run(words, check=True, stdout=sys.stderr, **options)
    except FileNotFoundError as error:
        raise Missing(f"{words[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        raise Missing(f"`{' '.join(words[:4])} …` failed with code {error.returncode}") from error


def is_older(program, sources):
    """Whether a program must be built (again)."""
    program = pathlib.Path(program)
    if not program.exists():
        return True
    return any(pathlib.Path(s).stat().st_mtime > program.stat().st_mtime for s in sources)


def compile_driver(folder, here, engine, flags, extra_sources=()):
    """One driver, `here`/<engine>.cpp, with the flags an engine needs; returns the program."""
    program = folder / f"peers_{engine}"
    sources = [here / f"{engine}.cpp", *extra_sources]
    if is_older(program, [*sources, here / "scene.hpp"]):
        must([os.environ.get("CXX", "g++"), "-std=c++20", "-O3", *sources, *flags, "-o", program])
    return program


def need_packages(engine, *packages):
    """Debian packages an engine needs; Missing if one is not installed."""
    if shutil.which("dpkg-query") is None:
        return
    lacking = [p for p in packages
               if subprocess.run(["dpkg-query", "-W", p], capture_output=True).returncode != 0]
    if lacking:
        raise Missing(f"{engine} needs the packages {' '.join(lacking)}")


def pkg_config(*words):
    """Flags from pkg-config."""
    try:
        done = subprocess.run(["pkg-config", *words], capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise Missing("pkg-config is not installed") from error
    except subprocess.CalledProcessError as error:
        raise Missing(error.stderr.strip().splitlines()[0]) from error
    return done.stdout.split()


def install_wheel(folder, package):
    """The newest release of a package from PyPI in a virtual environment of its own; returns the
    environment's python."""
    environment = folder / f"venv-{package}"
    python = environment / "bin/python"
    done = environment / "installed"
    if not done.exists():
        must(["/usr/bin/python3", "-m", "venv", "--clear", environment])
        must([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package])
        done.touch()
    return python
