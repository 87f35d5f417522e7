"""DART from Debian's packages (built there with its assertions on): joint coordinates, dense LCP."""

from . import SIZES, compile_driver, need_packages, pkg_config

name = "DART"
group = "robotics"
LEAN = ["collision=ode", "root=middle"]
settings = {
    "default": [[]],
    "fastest": [LEAN, LEAN + ["lcp=pgs"]],
}
notes = {
    "default": "collision by FCL, which makes meshes of spheres and cylinders; Dantzig's method",
    "fastest": "collision by ODE, the free joint on the middle link; Dantzig's method or projected "
               "Gauss-Seidel (30 iterations)",
}
limits = {"default": {"sizes": SIZES[:2]}}  # a quarter of a second a step at N = 40


def sizes(_world):
    return SIZES[:4]


def build(folder, here):
    need_packages(name, "libdart-dev", "libdart-collision-ode-dev")
    # no -DNDEBUG: DART's classes have other virtual functions with it than the packaged library
    flags = [*pkg_config("--cflags-only-I", "eigen3"), "-ldart", "-ldart-collision-ode"]
    return [compile_driver(folder, here, "dart", flags)]
