"""What the command line tests share: the program, counted checks, the closing line that script/test reads."""

import ctypes
import os
import signal
import subprocess
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


def start_until(command, seen, **options):
    """Starts a program and stops it (SIGSTOP) as soon as `seen()`, as it enters or leaves a system call.

    What a program does between two calls nobody sees, so the moment is the same however busy the machine is. None if
    the program ends before.
    """
    trace_me, syscall, detach, set_options = 0, 24, 17, 0x4200  # of ptrace(2)
    mark_syscalls, end_with_us = 0x1, 0x100000
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def ptrace(request, pid=0, data=0):
        if libc.ptrace(request, pid, None, data) == -1:
            raise OSError(ctypes.get_errno(), "ptrace: " + os.strerror(ctypes.get_errno()))

    process = subprocess.Popen(command, preexec_fn=lambda: ptrace(trace_me), **options)
    os.waitpid(process.pid, 0)  # it stops before its first instruction
    ptrace(set_options, process.pid, mark_syscalls | end_with_us)
    number = 0
    while not seen():
        ptrace(syscall, process.pid, number)
        _, status = os.waitpid(process.pid, 0)
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            process.communicate()
            return None
        number = os.WSTOPSIG(status)
        if number == signal.SIGTRAP | 0x80:  # a system call, not a signal to hand on
            number = 0
    ptrace(detach, process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)  # it takes the signal by itself: one sent before would be overtaken
    return process


def finish():
    """Prints `N passed, M failed` and ends the test."""
    print(f"{_counts['passed']} passed, {_counts['failed']} failed")
    sys.exit(1 if _counts["failed"] else 0)
