"""Bullet from Debian's package, in single precision as pkg-config names it."""

from . import SIZES, compile_driver, need_packages, pkg_config

name = "Bullet"
group = "robotics"
settings = {
    "default": [[]],
    "fastest": [["iterations=2", "gyro=off", "aabbs=active"]],
    "articulated": [["bodies=multi"]],
}
notes = {
    "default": "rigid bodies with hinges, 10 iterations",
    "fastest": "rigid bodies with hinges, 2 iterations; with 1 it lands 1 cm elsewhere and its joints "
               "come 1.8 mm apart among the cylinders",
    "articulated": "btMultiBody, 10 iterations; it puts half of the weight on one point",
}
limits = {"articulated": {"sizes": SIZES[:4]}}  # grows with the square of N and more


def sizes(_world):
    return SIZES


def build(folder, here):
    need_packages(name, "libbullet-dev")
    flags = [*pkg_config("--cflags", "bullet"), "-lBulletDynamics", "-lBulletCollision", "-lLinearMath"]
    return [compile_driver(folder, here, "bullet", flags)]
