"""What one environment and a vector of them share."""

from __future__ import annotations

from typing import cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ..batch import Batch
from .task import Task

Array = NDArray[np.float64]

# amplitude (rad), angular rate (rad/s), phase per joint (rad), offset (rad): mean and half range
_WAVE = np.array([[0.45, 0.45], [4.0, 4.0], [0.0, 1.2], [0.0, 0.25]])


LARGEST = 1e4
"""Of an observation."""


def clip(observation: Array) -> Array:
    """Within bounds, in place."""
    np.maximum(observation, -LARGEST, out=observation)
    return np.minimum(observation, LARGEST, out=observation)


def box(largest: float, size: int) -> spaces.Space[Array]:
    """So many numbers, each between plus and minus `largest`."""
    return cast("spaces.Space[Array]", spaces.Box(-largest, largest, (size,), np.float64))


class Actions:
    """Turns actions, a row per robot, into references."""

    def __init__(self, kind: str, task: Task, batch: Batch) -> None:
        if kind not in ("joints", "gait"):
            raise ValueError(f'actions are "joints" or "gait", not {kind!r}')
        self._waves = kind == "gait"
        self._reach = task.reach
        self._period = task.steps * batch.dt
        self._batch = batch
        self._angle: Array = np.zeros(len(batch))
        self.size = 4 if self._waves else batch.joint_count

    def space(self) -> spaces.Space[Array]:
        """Of one robot."""
        return box(1.0, self.size)

    def reset(self, mask: NDArray[np.bool_]) -> None:
        """Those begin a new episode."""
        self._angle[mask] = 0.0

    def apply(self, action: Array, clock: Array) -> None:
        """Holds these references."""
        action = np.minimum(np.maximum(action, -1.0), 1.0)
        if not self._waves:
            action *= self._reach
            self._batch._hold(action)
            return
        wave = _WAVE[:, 0] + _WAVE[:, 1] * action
        self._angle += wave[:, 1] * self._period
        joints = np.arange(self._batch.joint_count)
        angle = self._angle[:, None] + wave[:, 2:3] * joints
        self._batch.references = wave[:, 0:1] * np.sin(angle) + wave[:, 3:4]
