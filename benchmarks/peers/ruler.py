"""What the peers' benchmark measures, from where the links were: the same ruler for every engine."""

import argparse
import math
import pathlib
import re

import numpy as np


def load_constants():
    """The scene's numbers, from the one place that has them."""
    text = (pathlib.Path(__file__).resolve().parent / "scene.hpp").read_text(encoding="utf-8")
    known = {"degree": math.pi / 180}
    for name, value in re.findall(r"inline constexpr double (\w+) = ([^;]+);", text):
        if name != "degree":
            known[name] = eval(value, {}, known)  # numbers, and products of those above
    return argparse.Namespace(**known)


C = load_constants()


def load_poses(path, n):
    """Centres and long axes, steps + 1 x n x 3 each, up to the first value that is not finite; and
    how many steps there are of it."""
    values = np.fromfile(path)
    values = values[: len(values) // (6 * n) * 6 * n].reshape(-1, n, 6)
    bad = ~np.isfinite(values).all(axis=(1, 2))
    if bad.any():
        values = values[: int(np.argmax(bad))]
    return values[:, :, :3], values[:, :, 3:], len(values) - 1


def load_cylinders(path, turned):
    """x, y, radius, turned with the scene."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    c, s = math.cos(turned), math.sin(turned)
    return np.column_stack([c * rows[:, 0] - s * rows[:, 1], s * rows[:, 0] + c * rows[:, 1], rows[:, 2]])


def references(n, steps):
    """phi_d at t = 0, dt, …: steps + 1 x n - 1."""
    t = C.dt * np.arange(steps + 1)
    return C.amplitude * np.sin(C.omega * t[:, None] + C.delta * np.arange(n - 1)[None, :])


def turn_back(xy, turned):
    """Into the axes of the scene that is not turned."""
    c, s = math.cos(turned), math.sin(turned)
    return float(c * xy[0] + s * xy[1]), float(c * xy[1] - s * xy[0])


def ends(r, e):
    """Centres of the two spheres of every link: steps + 1 x 2 n x 3."""
    return np.concatenate([r - C.half_core * e, r + C.half_core * e], axis=1)


def measure_gait(path, n, cylinders=None, turned=0.0):
    """A run on the level. Lengths in m, angles in rad."""
    r, e, steps = load_poses(path, n)
    seen = {"steps": steps}
    if steps < 1:
        return seen
    centre = r[:, :, :2].mean(axis=1)
    seen["x"], seen["y"] = turn_back(centre[-1] - centre[0], turned)
    # angle from link to link, about the vertical; rms over all joints after 1 s
    cross = np.cross(e[:, :-1], e[:, 1:])
    size = np.linalg.norm(cross, axis=2)
    phi = np.arctan2(np.copysign(size, cross[:, :, 2]), (e[:, :-1] * e[:, 1:]).sum(axis=2))
    error = (phi - references(n, steps))[min(steps, round(1.0 / C.dt)):]
    seen["tracking"] = float(np.sqrt(np.mean(error**2)))
    # how far the ends of neighbours are apart, worst
    gap = r[:, :-1] + C.length / 2 * e[:, :-1] - (r[:, 1:] - C.length / 2 * e[:, 1:])
    seen["drift"] = float(np.sqrt((gap**2).sum(axis=2).max()))
    # how deep a sphere is in the floor and in a cylinder, worst
    spheres = ends(r, e)
    seen["floor_depth"] = float(max(0.0, C.radius - spheres[:, :, 2].min()))
    if cylinders is not None:
        deepest = 0.0
        for x, y, radius in load_cylinders(cylinders, turned):
            apart = np.hypot(spheres[:, :, 0] - x, spheres[:, :, 1] - y).min()
            deepest = max(deepest, radius + C.radius - apart)
        seen["cylinder_depth"] = float(deepest)
    return seen


def measure_creep(path, n):
    """On the slope that must hold: speed over the second half (m/s), and how far the robot was ever
    from where it lay after 100 steps (m)."""
    r, _, steps = load_poses(path, n)
    if steps < 200:
        return {}
    centre = r.mean(axis=1)
    half = steps // 2
    return {"creep": float(np.linalg.norm(centre[-1] - centre[half]) / ((steps - half) * C.dt)),
            "crept": float(np.linalg.norm(centre[100:] - centre[100], axis=1).max())}


def measure_slide(path, n, turned):
    """On the slope that must not hold: distance downhill over the closed form's, less 1; and the
    distance sideways over it."""
    r, _, steps = load_poses(path, n)
    if steps < 1:
        return None
    centre = r[:, :, :2].mean(axis=1)
    down, _ = turn_back(centre[-1] - centre[0], turned)
    pull = C.gravity * (math.sin(C.slope_slid) - C.friction * math.cos(C.slope_slid))
    return down / (0.5 * pull * (steps * C.dt) ** 2) - 1
