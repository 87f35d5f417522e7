"""ODE from Debian's package: maximal coordinates, hinges and contacts solved together by SOR."""

from . import SIZES, compile_driver, need_packages

name = "ODE"
group = "robotics"
settings = {
    "default": [[]],
    "fastest": [["contacts=list", "gyro=off", "iterations=10"]],
    "exact": [["contacts=list", "step=exact"]],
}
notes = {
    "default": "quickstep with 20 iterations, contacts found by dSpaceCollide",
    "fastest": "quickstep with 10 iterations, contacts written down by the driver; with 8 or fewer it "
               "no longer holds on the slope (200 µm/s) and lifts off among the cylinders",
    "exact": "dWorldStep: Dantzig's pivoting on the friction pyramid",
}
limits = {"exact": {"sizes": SIZES[:3]}}  # grows with the cube of N


def sizes(_world):
    return SIZES


def build(folder, here):
    need_packages(name, "libode-dev")
    return [compile_driver(folder, here, "ode", ["-lode"])]
