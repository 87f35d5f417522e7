"""Figures with Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .errors import Error

if TYPE_CHECKING:
    import matplotlib.axes

    from .trajectory import Trajectory

__all__ = ["plot"]


def plot(t: Trajectory, *names: str, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """Draws observables over time, one line per number; without names, the links' paths from above."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(figsize=(7, 4)).add_subplot()
    if not names:
        _path(t, ax)
        return ax
    labels = []
    for name in names:
        row, values = t.observables[name] if name in t else None, t[name]
        assert row is not None
        flat = values.reshape(len(t), -1)
        for i in range(flat.shape[1]):
            ax.plot(t.time, flat[:, i], linewidth=1, label=f"{name} {i + 1}" if flat.shape[1] > 1 else name)
        labels.append(f"{name} ({row.unit})" if row.unit else name)
    ax.set_xlabel("time (s)")
    ax.set_ylabel(", ".join(labels))
    if len(ax.lines) <= 12:
        ax.legend(fontsize="small")
    return ax


def _path(t: Trajectory, ax: matplotlib.axes.Axes) -> None:
    if "link_position" not in t:
        raise Error(f"this run has no link_position; name what to draw: {', '.join(t)}")
    position = t["link_position"]
    ax.plot(position[:, 0, 0], position[:, 0, 1], linewidth=1, label="link 1")
    for k in np.linspace(0, len(t) - 1, min(len(t), 5)).astype(int):
        ax.plot(position[k, :, 0], position[k, :, 1], "o-", markersize=3, label=f"{t.time[k]:.3g} s")
    ax.set_aspect("equal")
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")
    ax.legend(fontsize="small")
