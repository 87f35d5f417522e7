"""Coluber: models, simulation and control of snake robots.

>>> import coluber
>>> s = coluber.load("aiko_floor", {"world.friction": [0.2, 0.5]})
>>> sim = coluber.Simulation(s)
>>> info = sim.step(1000)
>>> sim["link_position"].shape
(11, 2)

All quantities are in SI units, angles in radians; degrees only in scenario keys that end in ``_deg``.
"""

from ._core import Command, ControlInput, StepInfo, __version__, build_info, controllers, gaits, models, studies
from .batch import Batch
from .data import scenarios
from .errors import Error, Fault, FileError, FolderBusy, FolderExists, InputError, RunEnded, StepError
from .scenario import Scenario, load, parse
from .simulation import Progress, Simulation, State, run
from .trajectory import Observable, Run, Trajectory, open_run

__all__ = [
    "Batch",
    "Command",
    "ControlInput",
    "Error",
    "Fault",
    "FileError",
    "FolderBusy",
    "FolderExists",
    "InputError",
    "Observable",
    "Progress",
    "Run",
    "RunEnded",
    "Scenario",
    "Simulation",
    "State",
    "StepError",
    "StepInfo",
    "Trajectory",
    "__version__",
    "build_info",
    "controllers",
    "gaits",
    "load",
    "models",
    "open_run",
    "parse",
    "run",
    "scenarios",
    "studies",
]
