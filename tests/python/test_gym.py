"""Environments: Gymnasium's own checks, and the vector against single ones."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import coluber.gym
from coluber.gym import Crawl, SnakeEnv, SnakeVectorEnv

IDS = ["coluber/Crawl-v0", "coluber/Course-v0", "coluber/Steer-v0"]


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name, render_mode="rgb_array")
        check_env(env.unwrapped)
    picture = env.unwrapped.render()
    assert picture.shape == (320, 480, 3) and picture.dtype == np.uint8 and len(np.unique(picture)) > 5


@pytest.mark.parametrize("name", IDS)
def test_make_vec_makes_the_batch(name: str) -> None:
    envs = gymnasium.make_vec(name, num_envs=3, vectorization_mode="vector_entry_point")
    assert isinstance(envs.unwrapped, SnakeVectorEnv)
    observation, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(observation)
    envs.step(envs.action_space.sample())


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("task", ["crawl", "steer"])
def test_the_vector_is_many_single_ones(task: str, threads: int, mode: AutoresetMode) -> None:
    """Random actions, episodes that end at different times: bit-identical observations and flags."""
    steps = 400 if (threads, mode, task) == (2, AutoresetMode.NEXT_STEP, "crawl") else 60

    class Short(type(coluber.gym.task.make_task(task))):  # type: ignore[misc]
        def terminated(self, centre, goal):  # type: ignore[no-untyped-def]
            return np.abs(centre[:, 1]) > 0.02

    def make() -> Short:
        return Short(duration=0.5, variants=4)

    ours = SnakeVectorEnv(5, make(), threads=threads, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: SnakeEnv(make()) for _ in range(5)], autoreset_mode=mode)
    a, _ = ours.reset(seed=3)
    b, _ = theirs.reset(seed=3)
    np.testing.assert_array_equal(a, b)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(steps):
        action = rng.uniform(-1, 1, (5, 10))
        a, reward_a, terminated_a, truncated_a, info_a = ours.step(action)
        b, reward_b, terminated_b, truncated_b, info_b = theirs.step(action)
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(reward_a, reward_b, atol=1e-12)
        np.testing.assert_array_equal(terminated_a, terminated_b)
        np.testing.assert_array_equal(truncated_a, truncated_b)
        ended = terminated_a | truncated_a
        ends += int(ended.sum())
        if mode is AutoresetMode.SAME_STEP and ended.any():
            for i in np.flatnonzero(ended):
                np.testing.assert_array_equal(info_a["final_obs"][i], info_b["final_obs"][i])
        if mode is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ValueError, match="reset"):
                ours.step(action)
            a, _ = ours.reset(options={"reset_mask": ended})
            b, _ = theirs.reset(options={"reset_mask": ended})
            np.testing.assert_array_equal(a, b)
    assert ends >= 5


def test_seeds_decide_friction_and_start() -> None:
    env = SnakeEnv()
    first = [env.reset(seed=k)[1]["variant"] for k in range(20)]
    assert first == [env.reset(seed=k)[1]["variant"] for k in range(20)] and len(set(first)) > 5
    assert len({s["world.friction"][0] for s in env.task.pool()}) == env.task.variants


def test_waves_crawl_forward() -> None:
    env = SnakeEnv(actions="gait")
    env.reset(seed=1)
    start = env.task.centre(env.batch)[0, 0]
    for _ in range(100):
        _, _, done, _, _ = env.step(np.array([0.0, 0.0, -0.7, 0.0]))
        assert not done
    assert env.task.centre(env.batch)[0, 0] > start + 0.1


def test_a_task_of_ones_own() -> None:
    class Back(Crawl):
        def reward(self, before, after, goal, action):  # type: ignore[no-untyped-def]
            return before[:, 0] - after[:, 0]

    env = SnakeEnv(Back(duration=0.2))
    env.reset(seed=1)
    total, truncated = 0.0, False
    start = env.task.centre(env.batch)[0, 0]
    while not truncated:
        _, reward, _, truncated, _ = env.step(np.zeros(10))
        total += reward
    assert total == pytest.approx(start - env.task.centre(env.batch)[0, 0])
    with pytest.raises(TypeError, match="no option"):
        Crawl(durration=1)
    with pytest.raises(ValueError, match="known: crawl, course, steer"):
        SnakeEnv("climb")


def test_an_exception_of_a_reward_comes_out_unchanged() -> None:
    class Trouble(Exception):
        pass

    class Broken(Crawl):
        def reward(self, before, after, goal, action):  # type: ignore[no-untyped-def]
            raise Trouble

    envs = SnakeVectorEnv(2, Broken())
    envs.reset(seed=1)
    with pytest.raises(Trouble):
        envs.step(np.zeros((2, 10)))
