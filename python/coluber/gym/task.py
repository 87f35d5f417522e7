"""Tasks: what is observed, rewarded and when an episode ends, for any number of robots at once.

Every function works on arrays with a row per robot. One environment and a vector of them call the
same functions, so that their numbers agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..scenario import Scenario, load

__all__ = ["Course", "Crawl", "Steer", "Task"]

Array = NDArray[np.float64]


class View(Protocol):
    """What a task looks at: a Batch, or a dict of arrays with a row per robot."""

    def __getitem__(self, name: str, /) -> Array: ...


class Task:
    """A scenario, and what is made of it. Derive from it for a task of your own.

    Actions are joint references in units of ``reach`` (rad), or with ``actions="gait"`` amplitude,
    frequency, phase and offset of a travelling wave, each from -1 to 1.
    """

    scenario: str = "aiko_floor"
    """The scenario of every episode."""
    overrides: Mapping[str, Any] = {}
    """Keys that are changed in it."""
    friction: tuple[tuple[float, float], tuple[float, float]] = ((0.08, 0.12), (0.4, 0.6))
    """Ranges along and across a link, from which ``world.friction`` is drawn."""
    heading: float = 5.0
    """The start heading is drawn from 180 ± this (degrees)."""
    variants: int = 16
    """Friction and start are drawn from so many, which are the same for every seed."""
    steps: int = 20
    """Time steps per step of the environment."""
    duration: float = 5.0
    """Of an episode (s)."""
    reach: float = 0.9
    """Largest joint reference (rad)."""

    def __init__(self, **changes: Any) -> None:
        for name, value in changes.items():
            if not hasattr(type(self), name) or name.startswith("_") or callable(getattr(type(self), name)):
                raise TypeError(f"{type(self).__name__} has no option {name!r}")
            setattr(self, name, value)

    def base(self) -> Scenario:
        """The scenario without variations."""
        own = {"duration": 1e3, "record.rate_hz": 1.0, "solver.on_failure": "warn", "controller.kp": 60.0}
        return load(self.scenario, {**own, **self.overrides})

    def vary(self, base: Scenario, rng: np.random.Generator) -> Scenario:
        """One variation of friction and start."""
        along, across = self.friction
        friction = [rng.uniform(*along), rng.uniform(*across)]
        heading = 180.0 + rng.uniform(-self.heading, self.heading)
        return base.replace({"world.friction": friction, "start.heading_deg": heading})

    def pool(self) -> list[Scenario]:
        """The variations that episodes start from."""
        rng = np.random.default_rng(0)
        base = self.base()
        return [self.vary(base, rng) for _ in range(self.variants)]

    def goal(self, rng: np.random.Generator) -> Array:
        """What an episode aims at, drawn once per episode: two numbers."""
        return np.zeros(2)

    def observation(self, view: View, goal: Array, time: Array) -> Array:
        """What the policy sees, a row per robot: joint angles and rates over two, direction and velocity of the body,
        and the phase of a clock of one second."""
        joint_angle = view["joint_angle"]
        n, joints = joint_angle.shape
        links = view["link_angle"].shape[1]
        out = np.empty((n, 2 * joints + 6))
        out[:, :joints] = joint_angle
        np.multiply(view["joint_rate"], 0.5, out=out[:, joints : 2 * joints])
        angle = np.add.reduce(view["link_angle"], axis=1) / links
        velocity = np.add.reduce(view["link_velocity"], axis=1) / links
        turned, vx, vy = out[:, 2 * joints :], velocity[:, 0], velocity[:, 1]
        c, s = np.cos(angle), np.sin(angle)
        turned[:, 0], turned[:, 1] = c, s
        np.add(c * vx, s * vy, out=turned[:, 2])
        np.subtract(c * vy, s * vx, out=turned[:, 3])
        clock = 2.0 * np.pi * time
        np.sin(clock, out=turned[:, 4])
        np.cos(clock, out=turned[:, 5])
        return out

    def reward(self, before: Array, after: Array, goal: Array, action: Array) -> Array:
        """Of one step, a number per robot. ``before`` and ``after`` are the robots' centres (m)."""
        progress: Array = after[:, 0] - before[:, 0]
        return progress

    def terminated(self, centre: Array, goal: Array) -> NDArray[np.bool_]:
        """Which episodes have reached their end."""
        return np.zeros(len(centre), dtype=bool)

    def centre(self, view: View) -> Array:
        """Centre of each robot (m)."""
        position = view["link_position"]
        mean: Array = np.add.reduce(position, axis=1) / position.shape[1]
        return mean


class Crawl(Task):
    """Crawl forward, towards +x, on ground with a grain along the body."""

    reach = 0.7


class Course(Task):
    """Make way through the pegs of aiko_course."""

    scenario = "aiko_course"
    friction = ((0.15, 0.25), (0.15, 0.25))
    heading = 0.0

    def terminated(self, centre: Array, goal: Array) -> NDArray[np.bool_]:
        done: NDArray[np.bool_] = centre[:, 0] > 3.0
        return done


class Steer(Task):
    """Go to a goal, a metre and a half away to either side."""

    reach = 0.7

    def goal(self, rng: np.random.Generator) -> Array:
        direction = rng.uniform(-0.6, 0.6)
        return np.array([0.6 + 1.5 * np.cos(direction), 1.5 * np.sin(direction)])

    def observation(self, view: View, goal: Array, time: Array) -> Array:
        usual = super().observation(view, goal, time)
        away = goal - self.centre(view)
        c, s = usual[:, -6], usual[:, -5]
        ahead = c * away[:, 0] + s * away[:, 1]
        aside = c * away[:, 1] - s * away[:, 0]
        return np.column_stack((usual, ahead, aside))

    def reward(self, before: Array, after: Array, goal: Array, action: Array) -> Array:
        def distance(centre: Array) -> Array:
            away = goal - centre
            return np.sqrt(away[:, 0] ** 2 + away[:, 1] ** 2)

        return distance(before) - distance(after)

    def terminated(self, centre: Array, goal: Array) -> NDArray[np.bool_]:
        away = goal - centre
        done: NDArray[np.bool_] = away[:, 0] ** 2 + away[:, 1] ** 2 < 0.2**2
        return done


TASKS: dict[str, type[Task]] = {"crawl": Crawl, "course": Course, "steer": Steer}


def make_task(task: Task | str) -> Task:
    """A task, or the one of this name."""
    if isinstance(task, Task):
        return task
    if task not in TASKS:
        raise ValueError(f"there is no task {task!r}; known: {', '.join(TASKS)}")
    return TASKS[task]()
