"""Jolt: C++ sources from the crate joltc-sys, compiled here as its Distribution build."""

import os
import shutil

from . import SIZES, compile_driver, is_older, must
from .crates import fetch, machine_flags

name = "Jolt"
group = "game"

VERSION = "0.3.1+Jolt-5.0.0"
SHA256 = "846f2354e51c0a8214e687fc22a676e8cae894fd2ea647d3e5bb511583c4b297"

settings = {
    "default": [[]],
    "fastest": [["velocity=4", "position=1"],
                ["velocity=4", "position=1", "splitter=0", "deterministic=0"]],
}
notes = {
    "default": "10 sweeps over velocities, 2 over positions",
    "fastest": "4 sweeps over velocities, 1 over positions",
}


def sizes(_world):
    return SIZES


def build(folder, here):
    crate = fetch(folder / "crates", "joltc-sys", VERSION, SHA256)
    engine = crate / "JoltC/JoltPhysics"
    made = folder / "jolt"
    library = made / "libJolt.a"
    # As its makers build it: no fused multiply-adds but those it writes itself, for equal bits on all
    # machines. With them it is a twentieth faster here.
    machine = ["-O3", *machine_flags(), "-ffp-contract=off"]
    if not library.exists():
        off = ["ENABLE_ALL_WARNINGS", "GENERATE_DEBUG_SYMBOLS", "INTERPROCEDURAL_OPTIMIZATION",
               "OVERRIDE_CXX_FLAGS", "TARGET_HELLO_WORLD", "TARGET_PERFORMANCE_TEST",
               "TARGET_SAMPLES", "TARGET_UNIT_TESTS", "TARGET_VIEWER"]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        must(["cmake", "-S", engine / "Build", "-B", made, *generator,
              "-DCMAKE_BUILD_TYPE=Distribution", f"-DCMAKE_CXX_FLAGS_RELEASE={' '.join(machine)}",
              *(f"-D{option}=OFF" for option in off)])
        must(["cmake", "--build", made, "--target", "Jolt", "--parallel",
              str(len(os.sched_getaffinity(0)))])
    program = folder / "peers_jolt"
    if program.exists() and is_older(program, [library]):
        program.unlink()
    # the instruction sets Jolt's headers are compiled for must be those of the library
    sets = ["AVX", "AVX2", "F16C", "FMADD", "LZCNT", "SSE4_1", "SSE4_2", "TZCNT"]
    if machine_flags() != ["-march=x86-64-v3"]:
        sets = []
    return [compile_driver(folder, here, "jolt",
                           [*machine, "-DNDEBUG", *(f"-DJPH_USE_{s}" for s in sets),
                            "-isystem", engine, f'-DPEER_VERSION="(joltc-sys {VERSION})"', library,
                            "-lpthread"])]
