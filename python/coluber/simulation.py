"""Simulations: step, look, drive, record."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import Command, ControlInput
from .errors import Error, FileError, Fault, InputError, StepError
from .scenario import Scenario, load
from .trajectory import Observable, Run, Trajectory, observable_table, open_run, save_page

__all__ = ["Controller", "Gait", "Progress", "Simulation", "State", "run"]

Array = NDArray[np.float64]


class GaitObject(Protocol):
    """An object that gives references; ``max_rate`` (rad/s) is optional."""

    def evaluate(self, t: float, /) -> tuple[ArrayLike, ArrayLike]:
        """References at time t (s): angles (rad) and rates (rad/s)."""


class ControllerObject(Protocol):
    """An object that gives commands."""

    def update(self, input: ControlInput, /) -> ArrayLike | Command:
        """Torques (N m), or a Command."""


Gait: TypeAlias = Callable[[float], tuple[ArrayLike, ArrayLike]] | GaitObject
Controller: TypeAlias = Callable[[ControlInput], ArrayLike | Command] | ControllerObject


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    time: float
    """Simulated (s)."""
    duration: float
    """Of the whole run (s)."""
    real_time_factor: float
    """Simulated over wall time."""


ProgressLike: TypeAlias = bool | Callable[[Progress], object]


class State:
    """All that a simulation needs to continue bit-identically, in this process or another.

    States compare equal if they would continue equally. They can be copied and pickled.
    """

    __slots__ = ("_bytes", "_time", "_step_count", "_hash")

    def __init__(self, data: bytes, time: float, step_count: int, state_hash: str) -> None:
        self._bytes = data
        self._time = time
        self._step_count = step_count
        self._hash = state_hash

    @property
    def time(self) -> float:
        """Simulated time (s)."""
        return self._time

    @property
    def step_count(self) -> int:
        """Steps taken."""
        return self._step_count

    @property
    def state_hash(self) -> str:
        """Hash of the model's state, 16 hex digits."""
        return self._hash

    def __bytes__(self) -> bytes:
        return self._bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self._bytes, self._time, self._step_count, self._hash)

    def __repr__(self) -> str:
        return f"<State at {self._time:g} s: {self._hash}, {len(self._bytes)} bytes>"


class Simulation(_core.Simulation):
    """A scenario under simulation: step it, look at it, drive it, record it.

    >>> sim = Simulation(load("aiko_floor"))
    >>> info = sim.step(100)
    >>> sim.time
    0.1
    >>> sim["link_position"].shape
    (11, 2)
    """

    def __init__(self, scenario: Scenario | str | os.PathLike[str]) -> None:
        self.scenario = scenario if isinstance(scenario, Scenario) else load(scenario)
        """The scenario it was made from."""
        super().__init__(self.scenario._core)

    @property
    def observables(self) -> dict[str, Observable]:
        """What it shows: name, unit, doc, shape, components."""
        return observable_table(self._observables())

    @property
    def gait(self) -> Any:
        """A gait of one's own: ``f(t) -> (phi_d, phidot_d)`` in rad and rad/s, or an object with
        ``evaluate(t)`` and, for the guard against runaway joints, ``max_rate`` (rad/s). None: the
        scenario's."""
        return self._gait()

    @gait.setter
    def gait(self, gait: Gait | None) -> None:
        self._set_gait(gait)
        if gait is not None:
            self._reference: Array | None = None

    @property
    def controller(self) -> Any:
        """A controller of one's own: ``g(input)`` returns torques (N m) or a Command, or an object
        with ``update(input)``. None: the scenario's."""
        return self._controller()

    @controller.setter
    def controller(self, controller: Controller | None) -> None:
        self._set_controller(controller)

    @property
    def reference(self) -> Any:
        """Joint angles (rad) that are held from now on, instead of a gait. None: the gait's again."""
        return getattr(self, "_reference", None)

    @reference.setter
    def reference(self, phi_d: ArrayLike | None) -> None:
        self._set_reference(phi_d)
        self._reference = None if phi_d is None else np.array(phi_d, dtype=np.float64)

    @property
    def state(self) -> State:
        """All that is needed to continue bit-identically. Assign one to go back to it."""
        return State(self._save_state(), self.time, self.step_count, self.state_hash)

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, State):
            raise TypeError(f"expected a State, got a {type(state).__name__}")
        try:
            self._restore_state(bytes(state))
        except FileError as error:
            raise InputError(Fault(key="state", message=str(error))) from None

    def run(self, progress: ProgressLike = False) -> Trajectory:
        """Continues to the scenario's duration, or until a condition of [stop] holds.

        ``progress=True`` shows a bar, a function is called with a Progress a few times a second. If
        it is broken off by an exception, ``trajectory`` has the frames so far, and another call
        continues.
        """
        with _Bar(progress) as report:
            outcome = self._run(report)
        trajectory = Trajectory({**outcome, **self._frames()}, self.scenario)
        self._raise_failure(trajectory)
        return trajectory

    def _raise_failure(self, trajectory: Trajectory) -> None:
        if trajectory.status != "failed" or self.scenario["solver.on_failure"] == "warn":
            return
        error = StepError(trajectory.message, self.time)
        error.trajectory = trajectory
        raise error

    @property
    def trajectory(self) -> Trajectory:
        """The frames that ``run`` has taken so far."""
        return Trajectory(self._frames(), self.scenario)

    def record(
        self,
        folder: str | os.PathLike[str],
        progress: ProgressLike = False,
        *,
        force: bool = False,
        resume: bool = False,
    ) -> Run:
        """Runs from the start into a run folder, as ``coluber run`` writes it.

        ``force`` replaces the results in a folder that exists, ``resume`` continues a run that was
        broken off. An exception of a gait or controller marks the folder as failed.
        """
        with _Bar(progress) as report:
            self._record(folder, force, resume, report)
        if self.scenario["record.replay"]:
            save_page(folder)
        run = open_run(folder)
        self._raise_failure(run)
        return run

    def __copy__(self) -> Simulation:
        """Another one in the same state, with the same gait and controller objects."""
        copy = type(self)(self.scenario)
        copy._take(self.gait, self.controller, self.reference)
        copy.state = self.state
        return copy

    def _take(self, gait: Any, controller: Any, reference: Any) -> None:
        if gait is not None:
            self.gait = gait
        if controller is not None:
            self.controller = controller
        if reference is not None:
            self.reference = reference

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.scenario, self.gait, self.controller, self.reference, self.state)

    def __repr__(self) -> str:
        try:
            at = f"at {self.time:g} s"
        except Error:
            at = "being stepped"
        return f"<Simulation of {self.scenario.title!r} {at}>"


def _restore(scenario: Scenario, gait: Any, controller: Any, reference: Any, state: State) -> Simulation:
    simulation = Simulation(scenario)
    simulation._take(gait, controller, reference)
    simulation.state = state
    return simulation


class _Bar:
    """What run() calls while it works: a function of the user's, or a bar."""

    def __init__(self, progress: ProgressLike) -> None:
        if not (isinstance(progress, bool) or progress is None or callable(progress)):
            raise TypeError("progress is True, False or a function")
        self._progress = progress
        self._bar: Any = None
        self._said = 0.0

    def __enter__(self) -> Callable[[float, float, float], object] | None:
        if not self._progress:
            return None
        if callable(self._progress):
            given = self._progress
            return lambda time, duration, factor: given(Progress(time, duration, factor))
        try:
            import tqdm  # type: ignore[import-untyped]
        except ImportError:
            return self._say
        self._bar = tqdm.tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")
        return self._draw

    def _draw(self, time: float, duration: float, factor: float) -> None:
        self._bar.n = min(1.0, time / duration) if duration > 0 else 1.0
        self._bar.set_postfix_str(f"{time:.1f} s, {factor:.0f} x real time")

    def _say(self, time: float, duration: float, factor: float) -> None:
        if clock.monotonic() - self._said > 2.0:
            self._said = clock.monotonic()
            print(f"{time:.1f} of {duration:g} s, {factor:.0f} x real time", flush=True)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._bar is not None:
            if error is None:
                self._bar.n = 1.0
            self._bar.close()


def run(
    scenario: Scenario | str | os.PathLike[str],
    overrides: Mapping[str, Any] | None = None,
    *,
    study: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: ProgressLike = False,
) -> Trajectory:
    """Runs a scenario, or computes a study of it, into memory or a run folder.

    ``study`` is the name of one of ``coluber.studies()``; without it the scenario is run over time.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario, overrides)
    elif overrides:
        scenario = scenario.replace(overrides)
    if study is None:
        simulation = Simulation(scenario)
        return simulation.run(progress) if folder is None else simulation.record(folder, progress, force=force)
    known = [name for name, _ in _core.studies()]
    if study not in known:
        near = _core.nearest(str(study), known)
        hint = f"did you mean {near}?" if near else f"known: {', '.join(known)}"
        raise InputError(Fault(key="study", message=f'there is no study "{study}"', hint=hint))
    data = _core.run_study(study, scenario._core, folder, force)
    result = Trajectory(data, scenario)
    if folder is not None and scenario["record.replay"]:
        save_page(folder)
    if result.status == "failed":
        error = Error(result.message)
        raise error
    return result
