"""Many environments on one batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ..batch import Batch
from .draw import draw
from .task import Task, make_task
from .work import LARGEST, Actions, box, clip

__all__ = ["SnakeVectorEnv"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class SnakeVectorEnv(VectorEnv[Array, Array, NDArray[Any]]):
    """``num_envs`` environments on a Batch with ``threads`` threads: SnakeEnv many times, faster.

    Every environment gives the numbers that a SnakeEnv of its seed gives.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array"],
        "render_fps": 25,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        task: Task | str = "crawl",
        *,
        threads: int = 1,
        actions: str = "joints",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"there is no render mode {render_mode!r}, only 'rgb_array'")
        self.num_envs = num_envs
        self.task = make_task(task)
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self._pool = self.task.pool()
        self.batch = Batch(self._pool[0], num_envs, threads)
        """The simulations."""
        self._actions = Actions(actions, self.task, self.batch)
        self._goal: Array = np.zeros((num_envs, 2))
        self._clock: Array = np.zeros(num_envs)
        self._count = np.zeros(num_envs, dtype=np.int64)
        self._most = max_episode_steps
        self._period = self.task.steps * self.batch.dt
        self._centre: Array = self.task.centre(self.batch)
        self._ended: Flags = np.zeros(num_envs, dtype=bool)
        self._rngs = [np.random.default_rng(0)] * num_envs
        self.single_action_space = self._actions.space()
        size = self._observation().shape[1]
        self.single_observation_space = box(LARGEST, size)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._seed([None] * num_envs)

    def _observation(self) -> Array:
        return clip(self.task.observation(self.batch, self._goal, self._clock))

    def _seed(self, seeds: list[int | None]) -> None:
        self._rngs = [seeding.np_random(seed)[0] for seed in seeds]

    def _begin(self, mask: Flags) -> None:
        for i in np.flatnonzero(mask):
            rng = self._rngs[i]
            self.batch.rebuild(int(i), self._pool[int(rng.integers(len(self._pool)))])
            self._goal[i] = self.task.goal(rng)
        self._clock[mask] = 0.0
        self._count[mask] = 0
        self._actions.reset(mask)
        self._centre = self.task.centre(self.batch)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """New episodes: of all, or of those in ``options["reset_mask"]``."""
        mask = np.ones(self.num_envs, dtype=bool)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], dtype=bool)
            if mask.shape != (self.num_envs,):
                raise ValueError(f"expected a mask of {self.num_envs} entries, got the shape {mask.shape}")
        if seed is not None:
            seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"expected {self.num_envs} seeds, got {len(seeds)}")
            for i in np.flatnonzero(mask):
                if seeds[i] is not None:
                    self._rngs[i] = seeding.np_random(seeds[i])[0]
        self._begin(mask)
        self._ended &= ~mask
        return self._observation(), {}

    def step(self, actions: Array) -> tuple[Array, Array, Flags, Flags, dict[str, Any]]:
        """``task.steps`` time steps of all. Episodes that end begin anew by ``autoreset_mode``."""
        actions = np.asarray(actions, dtype=np.float64)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"expected actions of shape {self.action_space.shape}, got {actions.shape}")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise ValueError("an episode has ended: reset(options={'reset_mask': …}) begins the next")
        begun = self._ended  # of none unless it is NEXT_STEP
        before = self._centre
        self._actions.apply(actions, self._clock)
        self.batch.step(self.task.steps)
        failed = self.batch.failed
        self._clock += self._period
        self._count += 1
        if some_begun := bool(begun.any()):
            self._begin(begun)
        after = self._centre = self.task.centre(self.batch)
        reward = self.task.reward(before, after, self._goal, actions)
        terminated = failed | self.task.terminated(after, self._goal)
        truncated = self._clock >= self.task.duration - 1e-9
        if self._most is not None:
            truncated |= self._count >= self._most
        truncated &= ~terminated
        if some_begun:
            reward[begun], terminated[begun], truncated[begun], failed[begun] = 0.0, False, False, False
        observation = self._observation()
        info: dict[str, Any] = {"failed": failed}
        ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            if ended.any():
                info["final_obs"] = _rows(observation, ended)
                info["_final_obs"] = ended.copy()
                info["final_info"] = {"failed": failed.copy(), "_failed": ended.copy()}
                info["_final_info"] = ended.copy()
                self._begin(ended)
                observation = self._observation()
        else:
            self._ended = ended
        return observation, reward, terminated, truncated, info

    def render(self) -> Any:
        """A picture of each, from above."""
        if self.render_mode is None:
            return None
        positions = np.array(self.batch["link_position"])
        return tuple(draw(self.batch.scenario, positions[i], self._goal[i]) for i in range(self.num_envs))


def _rows(observation: Array, ended: Flags) -> NDArray[np.object_]:
    rows = np.empty(len(ended), dtype=object)
    for i in np.flatnonzero(ended):
        rows[i] = observation[i].copy()
    return rows
