#!/usr/bin/python3
"""Runs on several threads at once do not disturb each other: the same figures, to the bit, as on one. A signal does not
disturb the run it ends.

Beside the program it runs batch_threads, built with it, which steps a batch of simulations from C++.

Small, so that it can run under the thread sanitizer, which ends the program with exit code 66 where two threads race.
Prints `N passed, M failed` last; the program is $COLUBER.
"""

import json
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from harness import COLUBER, SOURCE, check, finish

CLAIM = "transeth.A1"


def reproduce(folder, threads):
    done = subprocess.run(
        [COLUBER, "reproduce", CLAIM, "--json", "--threads", str(threads), "--out", str(folder / f"{threads}")],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    check(f"{CLAIM} is reproduced on {threads} threads", done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}")
    check(f"no thread races another of {threads}", "ThreadSanitizer" not in done.stderr, done.stderr[-3000:])
    return json.loads(done.stdout)["claims"] if done.returncode == 0 else None


def run_and_interrupt(folder, number, *words):
    """Begins or resumes a long run, and ends it by a signal once it has recorded more frames."""
    frames = folder / "frames.bin"
    before = frames.stat().st_size if frames.exists() else 0
    process = subprocess.Popen(
        [COLUBER, "run", str(SOURCE / "scenarios" / "aiko_pegs.toml"), "--duration", "100000", "--set", "record.rate_hz=10",
         "--out", str(folder), *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None and not (frames.exists() and frames.stat().st_size > before + 2000):
        time.sleep(0.05)
    process.send_signal(number)
    _, talk = process.communicate(timeout=300)
    check(f"{number.name} ends a run with 130", process.returncode == 130, f"{process.returncode}: {talk[-3000:]}")
    check(f"nothing is unsafe in what {number.name} does", "ThreadSanitizer" not in talk, talk[-3000:])


def run_whole(folder):
    """300 frames: enough for trajectory.h5 to be made on two threads."""
    done = subprocess.run(
        [COLUBER, "run", str(SOURCE / "scenarios" / "aiko_pegs.toml"), "--duration", "3", "-q", "--out", str(folder)],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    check("no thread races another while results are written", done.returncode == 0 and "ThreadSanitizer" not in done.stderr, f"{done.returncode}: {done.stderr[-3000:]}")
    done = subprocess.run([COLUBER, "export", str(folder), "--to", "csv"], capture_output=True, text=True, timeout=600)
    check("… and what they are read by", done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}")
    return (folder / "trajectory.csv").read_bytes()  # not trajectory.h5: HDF5 leaves bytes between its entries as they come


def step_batch(threads):
    """What a batch of simulations comes to, as a hash."""
    program = Path(COLUBER).with_name("batch_threads")
    check(f"{program.name} is built", program.exists(), "cmake --build … --target batch_threads")
    if not program.exists():
        return None
    done = subprocess.run(
        [program, str(SOURCE / "scenarios" / "aiko_pegs.toml"), str(threads)], capture_output=True, text=True, timeout=600
    )
    check(f"a batch is stepped on {threads} threads", done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}")
    check(f"no thread of {threads} races another in a batch", "ThreadSanitizer" not in done.stderr, done.stderr[-3000:])
    return done.stdout


hashes = [step_batch(threads) for threads in (1, 2, 5)]
check("a batch comes to the same bits on 1, 2 and 5 threads", hashes[0] and len(set(hashes)) == 1, str(hashes))
with tempfile.TemporaryDirectory() as name:
    check("the datasets are the same each time", run_whole(Path(name) / "one") == run_whole(Path(name) / "two"))
    run_and_interrupt(Path(name) / "run", signal.SIGINT)
    run_and_interrupt(Path(name) / "run", signal.SIGTERM, "--resume")
    alone = reproduce(Path(name), 1)
    together = reproduce(Path(name), 4)
    check("the figures are the same", alone == together and alone, f"{alone}\n{together}")
finish()
