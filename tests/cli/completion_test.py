#!/usr/bin/python3
"""Bash, zsh and fish complete what the program knows: every word comes from the program, none is written down twice.

Each case is a command line up to the cursor; bash and fish are asked as they would ask themselves on a press of Tab, for
zsh its line editor's own functions are stood in for. A shell that is not installed is passed over.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

FOLDER = SOURCE / "completions"


def coluber(*arguments):
    return subprocess.run([COLUBER, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def ask(command, folder, **options):
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, **options)
    if run.returncode != 0 or run.stderr:
        return [f"exit code {run.returncode}: {run.stderr}"]
    return run.stdout.splitlines()


def bash(line, folder):
    """As in bash, `=` is a word of its own, and behind it an empty one is completed."""
    words = re.findall(r"[^ =]+|=", line)
    if line.endswith(" "):
        words.append("")
    words[0] = COLUBER
    current = "" if words[-1] == "=" else words[-1]
    program = (
        'source "$1"; current=$2; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); '
        '_coluber "$1" "$current" "${COMP_WORDS[COMP_CWORD - 1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return ask(["bash", "--norc", "-c", program, "bash", str(FOLDER / "coluber.bash"), current, *words], folder)


# What zsh's own functions do, as far as the script asks for it: they work in its line editor only.
ZSH = r"""
script=$1; shift
words=("$@"); CURRENT=$#words; PREFIX=$words[-1]
compset() { PREFIX=${PREFIX#*=}; }
compadd() {
  while [[ $1 != -- ]]; do shift; done
  shift
  local each
  for each; do [[ $each == ${(b)PREFIX}* ]] && print -r -- $each; done
  return 0
}
_files() {
  local -a found=( ${(b)PREFIX}*(N/) )
  case $1 in
    -/) ;;
    -g) found+=( ${(b)PREFIX}${~2}(N.) ) ;;
    *) found+=( ${(b)PREFIX}*(N.) ) ;;
  esac
  (( $#found )) && print -rl -- $found
  return 0
}
set --
source $script
true
"""


def zsh(line, folder):
    words = line.split(" ")
    return ask(["zsh", "-f", "-c", ZSH, "zsh", str(FOLDER / "_coluber"), COLUBER, *words[1:]], folder)


def fish(line, folder):
    """Fish offers whole words, `key=value`, and marks folders."""
    line = line.replace("coluber", COLUBER, 1)
    program = f"source {FOLDER / 'coluber.fish'}; complete -C {shlex.quote(line)}"
    with tempfile.TemporaryDirectory() as home:  # it keeps a history there
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home}
        found = ask(["fish", "--no-config", "-c", program], folder, env=environment)
    behind = line.split(" ")[-1].partition("=")[1]
    return [(word.partition("=")[2] if behind else word).rstrip("/") for word in (each.split("\t")[0] for each in found)]


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


def names(kind):
    return [each["name"] for each in json.loads(coluber("list", kind, "--json"))[kind]]


def offers(sentence, line, expected, folder="/"):
    for name, complete in SHELLS.items():
        found = sorted(word for word in complete(line, folder) if word)
        check(f"{name}: {sentence}", found == sorted(expected), f"{line!r} gives {found}, expected {sorted(expected)}")


for each in list(SHELLS):
    if shutil.which(each) is None:
        del SHELLS[each]
        print(f"no {each}: its completion is not tested")

commands = re.findall(r"^  ([a-z-]+) {2,}", coluber("--help").split("Subcommands:")[1], re.M)
check("the help names the commands", {"run", "check", "list", "version"} <= set(commands), commands)
offers("every command is offered", "coluber ", [*commands, "--help", "--version"])
offers("a command is completed from its first letters", "coluber ver", ["version"])
for command in commands:
    options = re.findall(r"(?<![\w-])(--[a-z-]+)", "\n".join(re.findall(r"^  (-\S+)", coluber(command, "--help"), re.M)))
    offers(f"every long option of {command} is offered", f"coluber {command} --", options)

keys = names("keys")
offers("--set offers every key, ready for its value", "coluber run s.toml --set ", [key + "=" for key in keys])
offers("--set completes a key", "coluber check s.toml --set solver.tol", ["solver.tolerance="])
choices = next(key for key in json.loads(coluber("list", "keys", "--json"))["keys"] if key["name"] == "solver.law")["choices"]
words = [each["name"] if isinstance(each, dict) else each for each in choices]
offers("--set key= offers the words the key takes", "coluber run s.toml --set solver.law=", words)
offers("--set key=w completes such a word", "coluber run s.toml --set solver.law=anch", ["anchored"])
offers("--set of a number offers nothing", "coluber run s.toml --set solver.dt=", [])

offers("help offers the commands", "coluber help ", commands)

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
    shipped = [Path(name).stem for name in names("scenarios")]
    offers("run offers scenario files, folders, and what comes with Coluber", "coluber run ", ["snake.toml", "my runs", *shipped], folder)
    offers("a scenario that comes with Coluber is found by its name", "coluber check aiko_flo", ["aiko_floor"], folder)
    offers("plot offers folders alone", "coluber plot ", ["my runs"], folder)
    offers("--plane offers the planes, no folders", "coluber plot r --plane ", ["xz", "yz"], folder)
    offers("--width wants a length, not a folder", "coluber plot r --width ", [], folder)
    offers("--view wants a view, not a folder", "coluber export r --to png --view ", [], folder)
    offers("--measured offers CSV files", "coluber plot r --measured s", ["snake.csv"], folder)
    offers("--out offers folders", "coluber run snake.toml --out ", ["my runs"], folder)

if "zsh" in SHELLS:
    program = 'fpath=($1 $fpath); autoload -Uz compinit; compinit -D -u; print -r -- $_comps[coluber]'
    found = ask(["zsh", "-f", "-c", program, "zsh", str(FOLDER)], "/")
    check("zsh loads the completion by its first line", found == ["_coluber"], found)

finish()
