"""Learns to crawl by augmented random search, in forty lines of NumPy.

crawl.py [ITERATIONS]      default 20

A linear policy of a clock moves the joints: 30 parameters. Every iteration tries 16 directions, both ways, in 32
environments at once, and goes along those that came out best.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from coluber.gym import Crawl, SnakeVectorEnv

Array = NDArray[np.float64]
DIRECTIONS, BEST, SIZE, STRIDE = 16, 8, 0.1, 0.08


def rollout(envs: SnakeVectorEnv, policies: Array, seed: int) -> Array:
    """How far each policy, joints × 3, comes in an episode (m). Its features are the clock's sine, cosine and 1."""
    observations, _ = envs.reset(seed=[seed] * envs.num_envs)
    total = np.zeros(envs.num_envs)
    ended = np.zeros(envs.num_envs, dtype=bool)
    while not ended.all():
        clock = observations[:, -2:]
        features = np.column_stack((clock, np.ones(len(clock))))
        action = np.clip(np.einsum("njk,nk->nj", policies, features), -1.0, 1.0)
        observations, rewards, terminated, truncated, _ = envs.step(action)
        total += np.where(ended, 0.0, rewards)
        ended |= terminated | truncated
    return total


def learn(iterations: int = 20, seed: int = 1, threads: int = 1, say: bool = False) -> tuple[Array, list[float]]:
    """The policy, and how far it came on the mean after each iteration (m)."""
    rng = np.random.default_rng(seed)
    envs = SnakeVectorEnv(2 * DIRECTIONS, Crawl(variants=8), threads=threads)
    joints = envs.batch.joint_count
    policy = 0.3 * rng.standard_normal((joints, 3))
    curve = []
    for k in range(iterations):
        directions = rng.standard_normal((DIRECTIONS, joints, 3))
        tried = policy + SIZE * np.concatenate((directions, -directions))
        reward = rollout(envs, tried, seed=1000 * seed + k)
        plus, minus = reward[:DIRECTIONS], reward[DIRECTIONS:]
        best = np.argsort(-np.maximum(plus, minus))[:BEST]
        spread = float(np.concatenate((plus[best], minus[best])).std()) + 1e-9
        policy = policy + STRIDE / (BEST * spread) * np.einsum("d,djk->jk", (plus - minus)[best], directions[best])
        curve.append(float(rollout(envs, np.repeat(policy[None], 2 * DIRECTIONS, axis=0), seed=k).mean()))
        if say:
            print(f"{k + 1:4d}  {curve[-1]:.3f} m", flush=True)
    return policy, curve


if __name__ == "__main__":
    learn(int(sys.argv[1]) if len(sys.argv) > 1 else 20, threads=2, say=True)
