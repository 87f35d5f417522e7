"""Many simulations of one scenario, stepped together."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import FileError, Fault, InputError
from .scenario import Scenario, load
from .trajectory import Observable, observable_table

__all__ = ["Batch"]

Array = NDArray[np.float64]


class Batch(_core.Batch):
    """``size`` simulations of one scenario on several threads.

    Each is what it would be alone, bit for bit, whatever the number of threads.

    >>> batch = Batch("aiko_floor", 4, threads=2)
    >>> batch.step(20)
    >>> batch["joint_angle"].shape
    (4, 10)
    """

    def __init__(self, scenario: Scenario | str | os.PathLike[str], size: int, threads: int = 1) -> None:
        self.scenario = scenario if isinstance(scenario, Scenario) else load(scenario)
        """The scenario of all of them."""
        super().__init__(self.scenario._core, size, threads)
        self._views: dict[str, Array] = {}

    @property
    def observables(self) -> dict[str, Observable]:
        """What each shows: name, unit, doc, shape, components."""
        return observable_table(self._observables())

    def __getitem__(self, name: str) -> Array:
        """A read-only view (SI units), a row per simulation, that follows the batch."""
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = self._view(name)
        return view

    @property
    def references(self) -> Any:
        """Assign joint angles (rad), a row per simulation: they are held from now on."""
        return getattr(self, "_references", None)

    @references.setter
    def references(self, phi_d: ArrayLike | None) -> None:
        if phi_d is None:
            self.follow_gaits()
            self._references: Array | None = None
            return
        given = np.array(phi_d, dtype=np.float64, order="C")
        if given.ndim != 2:
            raise InputError(Fault(key="references", message=f"expected two axes, got an array of shape {given.shape}"))
        self._hold(given)
        self._references = given

    def reset(self, mask: ArrayLike | None = None) -> None:
        """Those that the mask selects go back to their start and follow their gaits; None: all."""
        if mask is None:
            self._reset(None)
            self._references = None
        else:
            self._reset(np.ascontiguousarray(np.asarray(mask, dtype=bool), dtype=np.uint8))

    def rebuild(self, i: int, scenario: Scenario) -> None:
        """Makes simulation ``i`` anew from another scenario, such as one with other friction.

        That is also its start from now on. It must show and take as many numbers as the others.
        """
        self._rebuild(i, scenario._core)

    def state(self, i: int) -> bytes:
        """All that simulation ``i`` needs to continue bit-identically."""
        return self._save_state(i)

    def set_state(self, i: int, state: bytes) -> None:
        """Takes back what ``state`` gave."""
        try:
            self._restore_state(i, state)
        except FileError as error:
            raise InputError(Fault(key="state", message=str(error))) from None

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} x {self.scenario.title!r}, {self.threads} threads>"
