"""What can go wrong, as exceptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Error",
    "Fault",
    "FileError",
    "FolderBusy",
    "FolderExists",
    "InputError",
    "RunEnded",
    "StepError",
]


@dataclass(frozen=True)
class Fault:
    """One fault of what was given: where, which key, what was expected and found, what to do."""

    file: str = ""
    """Name of the file; empty: none."""
    line: int = 0
    """From 1; 0: unknown."""
    column: int = 0
    """From 1; 0: unknown."""
    key: str = ""
    """Scenario key such as ``robot.link.mass``; may be empty."""
    message: str = ""
    """What was expected, and what was found."""
    hint: str = ""
    """What to do; may be empty."""

    def __str__(self) -> str:
        place = self.file
        if self.line > 0:
            place += f":{self.line}"
            if self.column > 0:
                place += f":{self.column}"
        parts = [part for part in (place, self.key, self.message) if part]
        return ": ".join(parts) + (f"\n  hint: {self.hint}" if self.hint else "")


class Error(Exception):
    """Base of every exception of this package."""


class InputError(Error, ValueError):
    """What was given is wrong. ``faults`` has all that was found, in the order of the files."""

    def __init__(self, *faults: Fault) -> None:
        self.faults: tuple[Fault, ...] = faults
        super().__init__("\n".join(str(fault) for fault in faults))

    @classmethod
    def of(cls, rows: Iterable[tuple[Any, ...]]) -> InputError:
        """From rows of file, line, column, key, message, hint."""
        return cls(*(Fault(*row) for row in rows))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.faults


class StepError(Error, ArithmeticError):
    """A step did not come out. The simulation stands before it, or at the best that was found."""

    def __init__(self, message: str, time: float = 0.0, quantity: str = "", index: int = 0) -> None:
        super().__init__(message)
        self.time = time
        """Where the simulation stands (s)."""
        self.quantity = quantity
        """What was not finite or worst; may be empty."""
        self.index = index
        """Number of the link, joint or contact it belongs to, from 1; 0: none."""
        self.trajectory: Any = None
        """What a run had taken before (a Trajectory), or None."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.time, self.quantity, self.index)


class FileError(Error, OSError):
    """A file or a run folder could not be read or written."""


class FolderExists(FileError):
    """The run folder is there already and holds something."""


class FolderBusy(FileError):
    """Another process is writing the run folder."""


class RunEnded(FileError):
    """The run that was to be resumed has ended."""
