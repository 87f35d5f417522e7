#!/usr/bin/python3
"""Runs on several threads at once do not disturb each other: the same figures, to the bit, as on one.

Small, so that it can run under the thread sanitizer, which ends the program with exit code 66 where two threads race.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from harness import COLUBER, check, finish

CLAIM = "transeth.A1"


def reproduce(folder, threads):
    done = subprocess.run(
        [COLUBER, "reproduce", CLAIM, "--json", "--threads", str(threads), "--out", str(folder / f"{threads}")],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    check(f"{CLAIM} is reproduced on {threads} threads", done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}")
    check(f"no thread races another of {threads}", "ThreadSanitizer" not in done.stderr, done.stderr[-3000:])
    return json.loads(done.stdout)["claims"] if done.returncode == 0 else None


with tempfile.TemporaryDirectory() as name:
    alone = reproduce(Path(name), 1)
    together = reproduce(Path(name), 4)
    check("the figures are the same", alone == together and alone, f"{alone}\n{together}")
finish()
