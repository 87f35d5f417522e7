"""Drake: the newest wheel from PyPI, driven from Python (no Python within the timed loop)."""

from . import SIZES, install_wheel

name = "Drake"
group = "robotics"
settings = {
    "default": [[]],
    "lagged": [["approximation=lagged"]],
    "TAMSI": [["approximation=tamsi"]],
    "similar": [["approximation=similar"]],
}


def sizes(_world):
    return SIZES[:4]


def build(folder, here):
    return [install_wheel(folder, "drake"), here / "drake.py"]
