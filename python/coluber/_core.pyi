"""The C++ library of Coluber. Use the package coluber, which is built on this module."""

# written by python/stub.py
import os
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]

__version__: str



def build_info() -> dict[str, object]:
    """What made the library: version, revision, compiler, flags, libraries."""

def models() -> list[tuple[str, str]]:
    """Name and one line of doc of every registered model."""

def gaits() -> list[tuple[str, str]]:
    """The same of every gait."""

def controllers() -> list[tuple[str, str]]:
    """The same of every controller."""

def studies() -> list[tuple[str, str]]:
    """The same of every study."""

def keys_json() -> str:
    """Every scenario key, as JSON."""

def nearest(name: str, names: list[str]) -> str:
    """The name nearest to `name`; empty if none is near."""

class Scenario:
    """A validated scenario, as the C++ library holds it."""

    @property
    def title(self) -> str: ...

    @property
    def duration(self) -> float: ...

    @property
    def seed(self) -> int: ...

    @property
    def model(self) -> str: ...

    @property
    def gait(self) -> str: ...

    @property
    def controller(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def resolved(self) -> str: ...

    @property
    def hash(self) -> str: ...

    @property
    def files(self) -> dict[str, str]: ...

    @property
    def given(self) -> list[str]: ...

    @property
    def warnings(self) -> list[str]: ...

def load(file: str | os.PathLike[str], overrides: list[str]) -> Scenario: ...

def parse(text: str, folder: str | os.PathLike[str], overrides: list[str], name: str) -> Scenario: ...

class ControlInput:
    """
    What a controller may look at when it decides about one step from A (its start) to E (its end). The arrays are the same objects at every step and follow the simulation: copy what you keep.
    """

    @property
    def t(self) -> float:
        """Start of the step (s)."""

    @property
    def dt(self) -> float:
        """Its length (s)."""

    @property
    def phi(self) -> Array:
        """Joint angles at A (rad)."""

    @property
    def phidot(self) -> Array:
        """Joint rates at A (rad/s)."""

    @property
    def phi_d_A(self) -> Array:
        """Reference at A (rad)."""

    @property
    def phidot_d_A(self) -> Array:
        """Its rate at A (rad/s)."""

    @property
    def phi_d_E(self) -> Array:
        """Reference at E (rad)."""

    @property
    def phidot_d_E(self) -> Array:
        """Its rate at E (rad/s)."""

    @property
    def phidd_d_A(self) -> Array:
        """
        Second derivative of the reference at A (rad/s2); NaN unless the controller has model_based = True.
        """

class Command:
    """
    What a controller asks of the joints for one step. Joint j gets the torque
    clamp(tau + k_P (phi_d - phi) + k_D (phidot_d - phidot), -tau_max, tau_max),
    phi and phidot at the end of the step: the gains are part of the step, stable at any dt. Make it once, write into its arrays and return it.
    """

    def __init__(self, joints: int, shafts: int = 0) -> None:
        """All zero, without limits."""

    @property
    def tau(self) -> Array:
        """Torque (N m), positive drives phi up."""

    @tau.setter
    def tau(self, values: ArrayLike, /) -> None: ...

    @property
    def k_P(self) -> Array:
        """Gain (N m/rad)."""

    @k_P.setter
    def k_P(self, values: ArrayLike, /) -> None: ...

    @property
    def phi_d(self) -> Array:
        """Reference at the end of the step (rad)."""

    @phi_d.setter
    def phi_d(self, values: ArrayLike, /) -> None: ...

    @property
    def k_D(self) -> Array:
        """Gain (N m s/rad)."""

    @k_D.setter
    def k_D(self, values: ArrayLike, /) -> None: ...

    @property
    def phidot_d(self) -> Array:
        """Its rate (rad/s)."""

    @phidot_d.setter
    def phidot_d(self, values: ArrayLike, /) -> None: ...

    @property
    def tau_max(self) -> Array:
        """Largest torque (N m); inf: no limit."""

    @tau_max.setter
    def tau_max(self, values: ArrayLike, /) -> None: ...

    @property
    def shaft_tau(self) -> Array:
        """Torque of driven wheels (N m), positive drives forward."""

    @shaft_tau.setter
    def shaft_tau(self, values: ArrayLike, /) -> None: ...

    @property
    def shaft_k(self) -> Array:
        """Gain of driven wheels (N m s/rad)."""

    @shaft_k.setter
    def shaft_k(self, values: ArrayLike, /) -> None: ...

    @property
    def shaft_rate(self) -> Array:
        """Rate of driven wheels (rad/s)."""

    @shaft_rate.setter
    def shaft_rate(self, values: ArrayLike, /) -> None: ...

    @property
    def shaft_tau_max(self) -> Array:
        """Largest torque of driven wheels (N m); inf: no limit."""

    @shaft_tau_max.setter
    def shaft_tau_max(self, values: ArrayLike, /) -> None: ...

    @property
    def steering(self) -> float:
        """Of a model that is steered at its head (rad)."""

    @steering.setter
    def steering(self, arg: float, /) -> None: ...

    @property
    def speed(self) -> float:
        """Of its head (m/s)."""

    @speed.setter
    def speed(self, arg: float, /) -> None: ...

class StepInfo:
    """What a call of step() did."""

    @property
    def end(self) -> str:
        """
        Why it came back: "done", "stopped" by a condition of [stop], or "failed".
        """

    @property
    def ok(self) -> bool:
        """Every step was taken and came out."""

    @property
    def status(self) -> str:
        """
        Of the last step tried: "ok", "not converged", "not finite" or "not taken".
        """

    @property
    def steps(self) -> int:
        """Steps taken."""

    @property
    def failed_steps(self) -> int:
        """Steps that did not converge, or could not be taken."""

    @property
    def quantity(self) -> str:
        """What was not finite or worst in the last step."""

    @property
    def index(self) -> int:
        """Number of the link, joint or contact it belongs to, from 1; 0: none."""

    @property
    def figures(self) -> dict[str, float]:
        """Figures of the last step, by name: residuals, iterations."""

    @property
    def message(self) -> str:
        """Why it ended early; empty if it did not."""

    @property
    def stopped_by(self) -> str:
        """The key of [stop] that ended it; empty: none."""

    def __repr__(self) -> str: ...

class Simulation:
    """Base of coluber.Simulation: the C++ library's stepper."""

    def __init__(self, scenario: Scenario) -> None: ...

    def step(self, n: int = 1) -> StepInfo:
        """
        Takes `n` steps of `dt` seconds, beyond the scenario's duration too. Views are current afterwards; forces are means over these steps. It ends early where a condition of [stop] holds. Raises StepError if a step fails, unless solver.on_failure = "warn".
        """

    def __getitem__(self, name: str, /) -> Array:
        """
        A read-only view of an observable (SI units). It is made once and follows the simulation: copy what you keep. It outlives the simulation.
        """

    @property
    def time(self) -> float:
        """Simulated time (s)."""

    @property
    def dt(self) -> float:
        """Length of a step (s)."""

    @property
    def step_count(self) -> int:
        """Steps taken since the start: time = step_count * dt."""

    @property
    def joint_count(self) -> int:
        """
        Joint angles that references and torques are for; 0 where the model takes none.
        """

    @property
    def shaft_count(self) -> int:
        """Driven wheels."""

    @property
    def state_hash(self) -> str:
        """
        Hash of the state, 16 hex digits: equal states have equal hashes, bit for bit. It is `final_state` of run.json.
        """

    def _observables(self) -> list[tuple[str, str, str, tuple[int, ...], tuple[str, ...]]]: ...

    def _gait(self) -> object: ...

    def _set_gait(self, gait: object) -> None: ...

    def _controller(self) -> object: ...

    def _set_controller(self, controller: object) -> None: ...

    def _set_reference(self, phi_d: object) -> None: ...

    def _save_state(self) -> bytes: ...

    def _restore_state(self, state: bytes) -> None: ...

    def _run(self, progress: Callable[[float, float, float], object] | None) -> dict[str, Any]: ...

    def _frames(self) -> dict[str, Any]: ...

    def _record(self, folder: str | os.PathLike[str], force: bool, resume: bool, progress: Callable[[float, float, float], object] | None) -> dict[str, Any]: ...

def run_study(name: str, scenario: Scenario, folder: str | os.PathLike[str] | None, force: bool) -> dict[str, Any]:
    """Computes all frames of a study."""

page_mark: str

def load_run(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """run.json and all frames of a run folder."""

def pack_run(folder: str | os.PathLike[str]) -> str:
    """What a page carries of a run folder, as JSON."""

class Batch:
    """Base of coluber.Batch: several simulations stepped together."""

    def __init__(self, scenario: Scenario, size: int, threads: int) -> None: ...

    def __len__(self) -> int: ...

    @property
    def threads(self) -> int:
        """Threads that work, the caller's own among them."""

    @property
    def joint_count(self) -> int:
        """Joint angles of a reference; 0 where the model takes none."""

    @property
    def dt(self) -> float:
        """Length of a step (s)."""

    def step(self, n: int = 1) -> None:
        """
        Takes `n` steps of every simulation. Raises StepError for the first that fails, after all of them have ended, unless solver.on_failure = "warn".
        """

    def _view(self, name: str) -> Array: ...

    def _hold(self, phi_d: Array) -> None: ...

    def follow_gaits(self) -> None:
        """From now on the references are the gaits' again."""

    def _reset(self, mask: NDArray[np.uint8] | None) -> None: ...

    def _rebuild(self, i: int, scenario: Scenario) -> None: ...

    def keep_start(self, i: int) -> None:
        """The state that simulation `i` has now is its start from now on."""

    def _save_state(self, i: int) -> bytes: ...

    def _restore_state(self, i: int, state: bytes) -> None: ...

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which simulations ended the last step() by a step that failed."""

    @property
    def stopped(self) -> NDArray[np.bool_]:
        """Which simulations ended the last step() by a condition of [stop]."""

    @property
    def time(self) -> Array:
        """Simulated time of each (s)."""

    @property
    def state_hash(self) -> list[str]:
        """Hash of the state of each, 16 hex digits."""

    def _observables(self) -> list[tuple[str, str, str, tuple[int, ...], tuple[str, ...]]]: ...
