"""Box3D: C sources from the crate box3d-sys, compiled here with the driver."""

import os

from . import SIZES, compile_driver, is_older, must
from .crates import fetch, machine_flags

name = "Box3D"
group = "game"

VERSION = "0.1.16"
SHA256 = "d740be8e5442308729c636bf81e4d5aa4f93657e6cb62b60af36b04062de58a7"

settings = {
    "default": [[]],
    "fastest": [["substeps=1"], ["substeps=1", "continuous=0"]],
    "stiff": [["substeps=1", "recycle=0", "joint_hertz=250", "contact_hertz=125"]],
}
notes = {
    "default": "four substeps, contacts recycled while a link has moved by less than 5 cm",
    "fastest": "one substep, contacts recycled as by default",
    "stiff": "one substep, contacts found anew in every step, joints and contacts as stiff as "
             "Box3D allows at this step",
}


def sizes(_world):
    return SIZES


def build(folder, here):
    crate = fetch(folder / "crates", "box3d-sys", VERSION, SHA256)
    engine = crate / "vendor/box3d"
    sources = sorted((engine / "src").glob("*.c"))
    objects_folder = folder / "box3d"
    objects_folder.mkdir(parents=True, exist_ok=True)
    objects = [objects_folder / f"{source.stem}.o" for source in sources]
    # As its makers build it: no fused multiply-adds, for equal bits on all machines. With them it is
    # a tenth faster here.
    flags = ["-O3", *machine_flags(), "-ffp-contract=off", "-DNDEBUG", "-I", engine / "include"]
    if any(is_older(o, [s]) for o, s in zip(objects, sources)):
        must([os.environ.get("CC", "gcc"), "-std=gnu17", "-w", *flags, "-c", *sources],
             cwd=objects_folder)
    return [compile_driver(folder, here, "box3d",
                           [*flags, f'-DPEER_VERSION="(box3d-sys {VERSION})"', *objects,
                            "-lm", "-lpthread"])]
