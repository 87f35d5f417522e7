"""ODE from Debian's package: maximal coordinates, hinges and contacts solved together by SOR.

Fastest: contacts written down by the driver instead of found by dSpaceCollide, and 10 iterations for
20. With 8 or fewer the robot no longer holds on the slope (200 µm/s and more) and lifts off among the
cylinders; 10 leave its answers where 20 have them.
"""

import pathlib
import subprocess

name = "ODE"
packages = ["libode-dev"]
settings = {
    "default": [[]],
    "fastest": [["contacts=list", "gyro=off", "iterations=10"]],
}


def sizes(world):
    del world
    return [10, 20, 40, 80, 160]


def build(folder, here):
    if not pathlib.Path("/usr/include/ode/ode.h").exists():
        raise RuntimeError("ODE's headers are missing: apt-get install " + " ".join(packages))
    program = folder / "peers_ode"
    sources = [here / "ode.cpp", here / "driver.hpp", here / "scene.hpp"]
    if not program.exists() or any(s.stat().st_mtime > program.stat().st_mtime for s in sources):
        subprocess.run(["g++", "-std=c++20", "-O3", sources[0], "-lode", "-o", program], check=True)
    return [program]
