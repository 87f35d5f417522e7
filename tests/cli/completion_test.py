#!/usr/bin/python3
"""Bash completes what the program knows: every word comes from the program, none is written down twice.

Each case is a command line up to the cursor; bash is asked as it would ask itself on a press of Tab.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

SCRIPT = SOURCE / "completions/coluber.bash"


def coluber(*arguments):
    return subprocess.run([COLUBER, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def complete(line, folder="/"):
    """What Tab offers at the end of `line`. As in bash, `=` is a word of its own, and behind it an empty one is completed."""
    words = re.findall(r"[^ =]+|=", line)
    if line.endswith(" "):
        words.append("")
    words[0] = COLUBER
    current = "" if words[-1] == "=" else words[-1]
    program = (
        'source "$1"; current=$2; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); '
        '_coluber "$1" "$current" "${COMP_WORDS[COMP_CWORD - 1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    run = subprocess.run(
        ["bash", "--norc", "-c", program, "bash", str(SCRIPT), current, *words],
        cwd=folder, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    if run.returncode != 0 or run.stderr:
        return [f"exit code {run.returncode}: {run.stderr}"]
    return sorted(word for word in run.stdout.splitlines() if word)


def names(kind):
    return [each["name"] for each in json.loads(coluber("list", kind, "--json"))[kind]]


def offers(sentence, line, expected, folder="/"):
    found = complete(line, folder)
    check(sentence, found == sorted(expected), f"{line!r} gives {found}, expected {sorted(expected)}")


commands = re.findall(r"^  ([a-z]+) {2,}", coluber("--help").split("Subcommands:")[1], re.M)
check("the help names the commands", {"run", "check", "list", "version"} <= set(commands), commands)
offers("every command is offered", "coluber ", [*commands, "--help"])
offers("a command is completed from its first letters", "coluber ver", ["version"])
for command in commands:
    options = re.findall(r"(?<![\w-])(--[a-z-]+)", "\n".join(re.findall(r"^  (-\S+)", coluber(command, "--help"), re.M)))
    offers(f"every long option of {command} is offered", f"coluber {command} --", options)

keys = names("keys")
offers("--set offers every key, ready for its value", "coluber run s.toml --set ", [key + "=" for key in keys])
offers("--set completes a key", "coluber check s.toml --set solver.to", ["solver.tolerance="])
choices = next(key for key in json.loads(coluber("list", "keys", "--json"))["keys"] if key["name"] == "solver.law")["choices"]
words = [each["name"] if isinstance(each, dict) else each for each in choices]
offers("--set key= offers the words the key takes", "coluber run s.toml --set solver.law=", words)
offers("--set key=w completes such a word", "coluber run s.toml --set solver.law=anch", ["anchored"])
offers("--set of a number offers nothing", "coluber run s.toml --set solver.dt=", [])

kinds = re.search(r"\{([a-z,]+)\}", coluber("list", "--help")).group(1).split(",")
offers("list offers what there is to list", "coluber list ", kinds)
offers("plot --what offers the plots", "coluber plot r --what ", names("plots"))
offers("reproduce offers the claims", "coluber reproduce ", names("experiments"))
offers("export --to offers the formats", "coluber export r --to ", ["html", "csv", "png"])
offers("plot --to wants a time, not a format", "coluber plot r --to ", [])
offers("bench offers its scenes", "coluber bench planar.", re.findall(r"planar\.[a-z]+", coluber("bench", "--help")))

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "snake.toml").touch()
    (folder / "snake.csv").touch()
    (folder / "my runs").mkdir()
    offers("run offers scenario files and folders", "coluber run ", ["snake.toml", "my runs"], folder)
    shipped = complete("coluber check aiko_floor", folder)
    good = len(shipped) == 1 and shipped[0].endswith("/aiko_floor.toml") and (folder / shipped[0]).is_file()
    check("a scenario that comes with Coluber is found by its name, with a path that opens from here", good, shipped)
    offers("plot offers folders alone", "coluber plot ", ["my runs"], folder)
    offers("--measured offers CSV files", "coluber plot r --measured s", ["snake.csv"], folder)
    offers("--out offers folders", "coluber run snake.toml --out ", ["my runs"], folder)

finish()
