"""What the command line tests share: the program, counted checks, the closing line that script/test reads."""

import os
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
COLUBER = str(Path(os.environ.get("COLUBER", SOURCE / "build/release/bin/coluber")).resolve())
_counts = {"passed": 0, "failed": 0}


def check(sentence, holds, why=""):
    """Counts a sentence that must hold; a broken one is printed with what was seen instead."""
    _counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"FAIL  {sentence}\n      {why}")


def finish():
    """Prints `N passed, M failed` and ends the test."""
    print(f"{_counts['passed']} passed, {_counts['failed']} failed")
    sys.exit(1 if _counts["failed"] else 0)
