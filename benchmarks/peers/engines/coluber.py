"""Coluber itself: the program peers_coluber of the release build."""

from . import SIZES, must

name = "Coluber"
group = "ours"
settings = {
    "anchored": [["model=spatial", "law=anchored"]],
    "rigid": [["model=spatial", "law=rigid"]],
    "planar": [["model=planar", "law=anchored"]],
}


def sizes(_world):
    return SIZES


def build(_folder, here):
    root = here.parent.parent
    release = root / "build/release"
    if not (release / "CMakeCache.txt").exists():
        must(["cmake", "--preset", "release"], cwd=root)
    must(["cmake", "--build", release, "--target", "peers_coluber"], cwd=root)
    return [release / "bin/peers_coluber"]
