#!/usr/bin/python3
"""Wheels that do not slide against dry friction that holds them: a tree and the planar model on one joint table.

A head runs along a given curve, the axles behind it follow without slip. That gives joint angles over time. The tree on
ideal wheels, all joints imposed, must take the head's path; the non-smooth planar model with friction mu across its links
and none along them comes near it as long as mu holds.

Prints `N passed, M failed` last; the program is $COLUBER. With --write it draws docs/pictures/ideal_wheels.svg.
"""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy

from harness import COLUBER, SOURCE, check, finish

LINKS, LENGTH, MASS, INERTIA = 10, 0.2, 0.3, 1e-3
DURATION, STEP = 8.0, 1e-3  # s, of the table
AMPLITUDE, WAVE = 4.8 / (2 * math.pi), 0.8  # rad, m: headings along the curve
PUBLISHED = {0.5: 0.14, 0.1: 0.11, 0.02: 13.6, 0.005: 129.5}  # mu: mm away from the ideal path, at most


def heading(s):
    return AMPLITUDE * numpy.sin(2 * math.pi * s / WAVE)


def speed(t):
    x = min(1.0, t)
    return 0.1 * (3 * x * x - 2 * x ** 3)


def rates(t, y):
    """Of y = (x, y of the head's axle, its way s, headings). Axles are in the middle of their links."""
    s, theta, v = y[2], y[3:], speed(t)
    rate = numpy.empty_like(y)
    velocity = -v * numpy.array((math.cos(theta[0]), math.sin(theta[0])))
    rate[:2], rate[2] = velocity, v
    rate[3] = 6 * math.cos(2 * math.pi * s / WAVE) * v
    for k in range(1, LINKS):
        velocity = velocity + 0.5 * LENGTH * rate[2 + k] * numpy.array((-math.sin(theta[k - 1]), math.cos(theta[k - 1])))
        across = numpy.array((-math.sin(theta[k]), math.cos(theta[k])))
        rate[3 + k] = -2 / LENGTH * across.dot(velocity)
        velocity = velocity + 0.5 * LENGTH * rate[3 + k] * across
    return rate


def make_motion():
    """Times, places of the head and headings of all links, every STEP (Runge-Kutta)."""
    y = numpy.concatenate(((0.0, 0.0, 0.0), heading(-LENGTH * numpy.arange(LINKS))))
    rows, h = [y], STEP
    times = STEP * numpy.arange(round(DURATION / STEP) + 1)
    for t in times[:-1]:
        a = rates(t, y)
        b = rates(t + h / 2, y + h / 2 * a)
        c = rates(t + h / 2, y + h / 2 * b)
        d = rates(t + h, y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
        rows.append(y)
    rows = numpy.array(rows)
    return times, rows[:, :2], rows[:, 3:]


def write_table(file, times, theta):
    phi = numpy.degrees(numpy.diff(theta, axis=1))
    names = ",".join(["t"] + [f"phi_{k}" for k in range(1, LINKS)])
    numpy.savetxt(file, numpy.column_stack((times, phi)), delimiter=",", header=names, comments="", fmt="%.17g")


def tree_text(theta):
    """Frames in the middle of the first link, at the joint ahead of the others; an axle in the middle of each."""
    text = f'duration = {DURATION}\n[robot]\nmodel = "multibody"\n'
    wheels = ""
    for k in range(LINKS):
        middle = 0.0 if k == 0 else LENGTH / 2
        text += f'[[robot.body]]\nname = "link_{k + 1}"\nmass = {MASS}\ncentre = [{middle}, 0, 0]\n'
        text += f"inertia = [{INERTIA / 10}, {INERTIA}, {INERTIA}, 0, 0, 0]\n"
        if k > 0:
            text += f'parent = "link_{k}"\nposition = [{LENGTH / 2 if k == 1 else LENGTH}, 0, 0]\n'
        wheels += f'[[robot.wheel]]\nbody = "link_{k + 1}"\nposition = [{middle}, 0]\n'
    return (text + wheels + '[gait]\nname = "table"\ntable = "wave.csv"\n'
            f"[start]\nheading_deg = {math.degrees(theta[0])!r}\n[solver]\ndt = 0.005\n[record]\nrate_hz = 50\nreplay = false\n")


def planar_text(theta, mu):
    return (f'duration = {DURATION}\n[robot]\nmodel = "planar"\nlinks = {LINKS}\n'
            f"link = {{ mass = {MASS}, inertia = {INERTIA}, length = {LENGTH}, half_core = 0.08, radius = 0.02 }}\n"
            f"[start]\nlink = 1\nlink_angle = {[float(x) for x in theta]}\n"
            f'[world]\nfriction = [0, {mu}]\n[gait]\nname = "table"\ntable = "wave.csv"\n'
            '[controller]\nname = "pd"\nkp = 200\nkd = 0.5\n'
            "[solver]\ndt = 0.00025\n[record]\nrate_hz = 50\nreplay = false\n")


class Scene:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.times, self.head, self.theta = make_motion()
        write_table(self.folder / "wave.csv", self.times, self.theta)

    def run(self, name, text):
        """Where the head went, at most how far from the ideal path at the same time (m), and its trajectory."""
        file = self.folder / f"{name}.toml"
        file.write_text(text)
        out = self.folder / name
        done = subprocess.run([COLUBER, "run", str(file), "--out", str(out), "-q"], capture_output=True, text=True, timeout=600)
        check(f"{name}: runs", done.returncode == 0, done.stderr)
        if done.returncode != 0:
            return math.nan, None
        with h5py.File(out / "trajectory.h5", "r") as data:
            values = {key: data[key][()] for key in ("time", "link_position", "link_angle")}
            if "wheel_slip" in data:
                values["wheel_slip"] = data["wheel_slip"][()]
        ideal = self.head[numpy.round(values["time"] / STEP).astype(int)]
        return float(numpy.linalg.norm(values["link_position"][:, 0, :2] - ideal, axis=1).max()), values

    def tree(self):
        return self.run("tree", tree_text(self.theta[0]))

    def planar(self, mu):
        return self.run(f"planar_{mu}", planar_text(self.theta[0], mu))


def test(folder):
    scene = Scene(folder)
    check("the head's heading is that of its curve", abs(scene.theta[-1, 0] - heading(0.1 * (DURATION - 0.5))) < 1e-9,
          scene.theta[-1, 0])
    off, values = scene.tree()
    check("the tree with all joints imposed takes the ideal path to 1e-7 m", off <= 1e-7, off)
    if values is not None:
        slip = float(numpy.abs(values["wheel_slip"]).max())
        check("… and no wheel slides", slip <= 1e-6, slip)
    for mu, millimetres in PUBLISHED.items():
        off, _ = scene.planar(mu)
        check(f"friction {mu} across the links: {millimetres} mm from the ideal path", abs(1e3 * off / millimetres - 1) <= 0.1, 1e3 * off)


def draw(folder):
    """Distance from the ideal path over mu, by gnuplot."""
    scene = Scene(folder)
    rows = "\n".join(f"{mu} {1e3 * scene.planar(mu)[0]:.6g}" for mu in (0.005, 0.007, 0.01, 0.014, 0.02, 0.025, 0.03, 0.04, 0.05, 0.1, 0.2, 0.5, 1.0))
    commands = f"""$rows << end
{rows}
end
set terminal svg size 640,360 font 'DejaVu Sans,13' background '#ffffff'
set output '{SOURCE / "docs/pictures/ideal_wheels.svg"}'
set logscale xy
set xlabel 'friction across the links μ'
set ylabel 'largest distance from the ideal path (mm)'
set xrange [0.004:1.2]
set yrange [0.05:300]
set xtics (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
set ytics (0.1, 1, 10, 100)
set grid linecolor '#e6e6e6'
unset key
plot $rows using 1:2 with linespoints pointtype 7 pointsize 0.7 linewidth 2 linecolor '#0072b2'
"""
    subprocess.run(["gnuplot"], input=commands, text=True, check=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] == ["--write"]:
            draw(folder)
            return
        test(folder)
    finish()


if __name__ == "__main__":
    main()
