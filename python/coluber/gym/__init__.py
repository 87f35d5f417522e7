"""Environments for learning, for Gymnasium.

>>> import gymnasium, coluber.gym
>>> env = gymnasium.make("coluber/Crawl-v0")
>>> observation, info = env.reset(seed=1)

``coluber/Crawl-v0`` crawls forward on ribbed ground, ``coluber/Course-v0`` makes its way through
pegs, ``coluber/Steer-v0`` goes to a goal. ``gymnasium.make_vec`` steps many of them together.
"""

import gymnasium

from .env import SnakeEnv
from .task import Course, Crawl, Steer, Task
from .vector import SnakeVectorEnv

__all__ = ["Course", "Crawl", "SnakeEnv", "SnakeVectorEnv", "Steer", "Task"]

for _name in ("Crawl", "Course", "Steer"):
    gymnasium.register(
        id=f"coluber/{_name}-v0",
        entry_point="coluber.gym.env:SnakeEnv",
        vector_entry_point="coluber.gym.vector:SnakeVectorEnv",
        kwargs={"task": _name.lower()},
        max_episode_steps=250,
    )
