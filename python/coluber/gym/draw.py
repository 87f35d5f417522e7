"""A picture of a robot from above."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..scenario import Scenario

WIDTH, HEIGHT = 480, 320
_SPAN = 2.6  # m across the picture
_GROUND, _LINE, _BODY, _HEAD, _PEG, _GOAL = (
    (244, 242, 236),
    (222, 219, 210),
    (46, 111, 163),
    (196, 84, 32),
    (120, 120, 120),
    (60, 150, 80),
)


def draw(scenario: Scenario, links: NDArray[Any], goal: NDArray[Any]) -> NDArray[np.uint8]:
    """Links (n, 2) (m), pegs and goal, the robot in the middle; a grid of half a metre."""
    picture = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
    picture[:] = _GROUND
    scale = _SPAN / WIDTH
    middle = links[:, :2].mean(axis=0)
    x = middle[0] + (np.arange(WIDTH) - WIDTH / 2 + 0.5) * scale
    y = middle[1] - (np.arange(HEIGHT) - HEIGHT / 2 + 0.5) * scale
    picture[:, np.abs(x / 0.5 - np.round(x / 0.5)) * 0.5 < 0.6 * scale] = _LINE
    picture[np.abs(y / 0.5 - np.round(y / 0.5)) * 0.5 < 0.6 * scale] = _LINE

    def disc(centre: NDArray[Any], radius: float, colour: tuple[int, int, int]) -> None:
        picture[(x[None, :] - centre[0]) ** 2 + (y[:, None] - centre[1]) ** 2 < radius**2] = colour

    world = scenario.resolved().get("world", {})
    for peg in world.get("obstacle", []):
        if "x" in peg and "radius" in peg:
            disc(np.array([peg["x"], peg["y"]]), max(float(peg["radius"]), 2 * scale), _PEG)
    if goal.any():
        disc(goal, 0.05, _GOAL)
    for a, b in zip(links[:-1], links[1:]):
        for part in np.linspace(0.0, 1.0, 6):
            disc(a[:2] + part * (b[:2] - a[:2]), 0.035, _BODY)
    disc(links[0, :2], 0.045, _HEAD)
    return picture
