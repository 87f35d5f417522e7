"""Drake: the newest wheel from PyPI, driven from Python (no Python within the timed loop)."""

from . import SIZES, install_wheel

name = "Drake"
group = "robotics"
settings = {
    "default": [[]],
    "fastest": [["approximation=tamsi", "ports=live", "root=middle"]],
    "SAP": [["approximation=sap"]],
    "similar": [["approximation=similar"]],
}
notes = {
    "default": "contact approximation `lagged`, PD actuators implicit in the step",
    "fastest": "TAMSI, explicit torques, outputs not sampled, the floating joint on the middle link",
    "SAP": "the convex approximation, in which a sliding point hovers",
    "similar": "SAP with the compliance of `lagged`",
}
# rows for their accuracy, not for their speed
limits = {"SAP": {"sizes": [10], "worlds": ["floor"]},
          "similar": {"sizes": [10], "worlds": ["floor"]}}


def sizes(_world):
    return SIZES[:4]


def build(folder, here):
    return [install_wheel(folder, "drake"), here / "drake.py"]
