"""One environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ..batch import Batch
from .draw import draw
from .task import Task, make_task
from .work import LARGEST, Actions, box, clip

__all__ = ["SnakeEnv"]

Array = NDArray[np.float64]


class SnakeEnv(gymnasium.Env[Array, Array]):
    """A snake robot as an environment of Gymnasium.

    The task says what is observed, rewarded and when an episode ends. ``actions="joints"``: a
    reference per joint, in units of ``task.reach``; ``actions="gait"``: amplitude, frequency, phase
    and offset of a wave. Derive from it and override ``observation``, ``reward`` or ``terminated``,
    or give a task of your own.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25}

    def __init__(
        self,
        task: Task | str = "crawl",
        *,
        actions: str = "joints",
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"there is no render mode {render_mode!r}, only 'rgb_array'")
        self.task = make_task(task)
        self.render_mode = render_mode
        self._pool = self.task.pool()
        self.batch = Batch(self._pool[0], 1)
        """The simulation, as a batch of one."""
        self._actions = Actions(actions, self.task, self.batch)
        self._goal: Array = np.zeros((1, 2))
        self._clock: Array = np.zeros(1)
        self.action_space = self._actions.space()
        size = self.observation().shape[0]
        self.observation_space = box(LARGEST, size)

    def observation(self) -> Array:
        """What the policy sees."""
        row: Array = self.task.observation(self.batch, self._goal, self._clock)[0]
        return clip(row)

    def reward(self, before: Array, after: Array, action: Array) -> float:
        """Of one step; ``before`` and ``after`` are the robot's centres (m)."""
        return float(self.task.reward(before[None], after[None], self._goal, action[None])[0])

    def terminated(self, centre: Array) -> bool:
        """Whether the episode has reached its end."""
        return bool(self.task.terminated(centre[None], self._goal)[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new episode: friction, start and goal are drawn."""
        super().reset(seed=seed)
        k = int(self.np_random.integers(len(self._pool)))
        self.batch.rebuild(0, self._pool[k])
        self._goal[0] = self.task.goal(self.np_random)
        self._clock[0] = 0.0
        self._actions.reset(np.array([True]))
        return self.observation(), {"variant": k}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """``task.steps`` time steps under these references."""
        action = np.asarray(action, dtype=np.float64)
        if action.shape != self.action_space.shape:
            raise ValueError(f"expected an action of shape {self.action_space.shape}, got {action.shape}")
        before = self.task.centre(self.batch)[0]
        self._actions.apply(action[None], self._clock)
        self.batch.step(self.task.steps)
        self._clock += self.task.steps * self.batch.dt
        after = self.task.centre(self.batch)[0]
        failed = bool(self.batch.failed[0])
        reward = self.reward(before, after, action)
        done = failed or self.terminated(after)
        late = bool(self._clock[0] >= self.task.duration - 1e-9)
        return self.observation(), reward, done, late and not done, {"failed": failed}

    def render(self) -> Any:
        """The robot and its obstacles from above, as an array of colours."""
        if self.render_mode is None:
            return None
        return draw(self.batch.scenario, np.array(self.batch["link_position"][0]), self._goal[0])
