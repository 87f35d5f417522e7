"""MuJoCo: the newest wheel from PyPI; the driver is linked with the C library in it."""

from . import SIZES, compile_driver, install_wheel, Missing

name = "MuJoCo"
group = "robotics"

# The free joint on the middle link, contact pairs listed instead of searched for, no islands.
LEAN = ["root=middle", "contacts=pairs", "off=island"]
FLOOR = ["root=middle", "contacts=floor", "off=island"]
# Contacts as stiff as MuJoCo allows at this step, 2 dt.
STIFF = LEAN + ["timeconst=0.002", "jacobian=sparse"]
settings = {
    "default": [[]],
    "fastest": [LEAN + ["jacobian=dense"], LEAN + ["jacobian=sparse"], FLOOR + ["jacobian=sparse"]],
    "stiff": [STIFF + ["cone=elliptic", "solver=newton"], STIFF + ["cone=elliptic", "solver=cg"]],
}
notes = {"fastest": "contacts as soft as by default", "stiff": "contacts ten times as fast, 2 dt"}


def sizes(_world):
    return SIZES


def build(folder, here):
    python = install_wheel(folder, "mujoco")
    library = sorted(python.parent.parent.glob("lib/*/site-packages/mujoco/libmujoco.so.*"))
    if not library:
        raise Missing("the wheel of mujoco has no libmujoco.so")
    where = library[0].parent
    return [compile_driver(folder, here, "mujoco",
                           ["-I", where / "include", library[0], f"-Wl,-rpath,{where}"])]
