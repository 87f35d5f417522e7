#!/usr/bin/python3
"""The program of a build without DAQP: what needs quadratic programs says so, the rest works.

Prints `N passed, M failed` last; the program is tests/coluber_without_daqp beside $COLUBER's folder.
"""

import json
import subprocess
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

PROGRAM = Path(COLUBER).parents[1] / "tests/coluber_without_daqp"


def coluber(*words):
    return subprocess.run([PROGRAM, *words], cwd=SOURCE, capture_output=True, text=True, timeout=120)


has_daqp = json.loads(subprocess.run([COLUBER, "version", "--json"], capture_output=True, text=True).stdout)["features"]["force_map"]
check("the program without DAQP is built beside one that has it", PROGRAM.is_file() or not has_daqp, PROGRAM)
if not PROGRAM.is_file():
    PROGRAM = COLUBER  # which has none itself

said = json.loads(coluber("version", "--json").stdout)
check("version --json says that there is no force map", said["features"]["force_map"] is False, said["features"])
for command, scenario in (("force-map", "holden_table5"), ("quality", "holden_pegs")):
    run = coluber(command, scenario)
    check(f"{command} is refused, exit 3", run.returncode == 3 and run.stdout == "", run)
    check(f"{command} says what is missing", "force_map: needs the QP solver DAQP, which this build lacks" in run.stderr, run.stderr)
    check(f"{command} says what to do", "hint: run script/bootstrap, which gets it, and build again" in run.stderr, run.stderr)
check("the scenario is checked all the same", coluber("check", "holden_table5").returncode == 0)

finish()
