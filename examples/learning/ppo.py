"""Learns to crawl by PPO of Stable-Baselines3, which is not among Coluber's dependencies.

pip install stable-baselines3; python ppo.py [STEPS]      default 200000
"""

import sys

import gymnasium

import coluber.gym  # registers the environments


def main() -> None:
    from stable_baselines3 import PPO  # type: ignore[import-not-found]
    from stable_baselines3.common.vec_env import DummyVecEnv  # type: ignore[import-not-found]

    envs = DummyVecEnv([lambda: gymnasium.make("coluber/Crawl-v0") for _ in range(8)])
    model = PPO("MlpPolicy", envs, n_steps=250, batch_size=500, gamma=0.98, seed=1, verbose=1, device="cpu")
    model.learn(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)

    env = gymnasium.make("coluber/Crawl-v0")
    observation, _ = env.reset(seed=0)
    total, ended = 0.0, False
    while not ended:
        action, _ = model.predict(observation, deterministic=True)
        observation, reward, terminated, truncated, _ = env.step(action)
        total += float(reward)
        ended = terminated or truncated
    print(f"{total:.2f} m in {coluber.gym.Crawl.duration:g} s")


if __name__ == "__main__":
    main()
