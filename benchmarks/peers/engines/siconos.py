"""Siconos' numerics from Debian's package: its contact solvers around a robot of the driver's own."""

import shutil
import subprocess

from . import SIZES, compile_driver, need_packages, pkg_config

name = "Siconos"
group = "robotics"
settings = {
    "default": [[]],
    "fastest": [["local=newton", "compliance=1"]],
    "shared loads": [["local=newton", "compliance=0.1"]],
}
notes = {
    "default": "NSGS as it comes, rigid floor: the loads are not determined and wander to few points, "
               "and the robot with them",
    "fastest": "NSGS with plain Newton steps for a contact; a compliance of 1/kg shares the loads and "
               "saves sweeps",
    "shared loads": "the same with a tenth of the compliance: an independent answer to what Coluber "
                    "computes",
}


def sizes(_world):
    return SIZES[:4]  # W is dense, time grows with the cube of N


def build(folder, here):
    need_packages(name, "libsiconos-numerics-dev", "libeigen3-dev")
    flags = [*pkg_config("--cflags-only-I", "eigen3"), "-I/usr/include/siconos",
             "-I/usr/include/siconos/numerics", "-DEIGEN_USE_BLAS", "-lsiconos_numerics", "-lblas"]
    if shutil.which("dpkg-query"):  # no header says it
        found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libsiconos-numerics-dev"],
                               capture_output=True, text=True, check=False).stdout
        flags.append(f'-DSICONOS_VERSION=" {found.split("+")[0]}"')
    return [compile_driver(folder, here, "siconos", flags)]
