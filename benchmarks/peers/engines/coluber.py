"""Coluber itself: the program peers_coluber of the release build."""

from . import Missing, SIZES, must

name = "Coluber"
group = "ours"
release = None    # build folder, if not build/release
is_built = False  # nothing is to be built
settings = {
    "anchored": [["model=spatial", "law=anchored"]],
    "rigid": [["model=spatial", "law=rigid"]],
    "planar": [["model=planar", "law=anchored"]],
}
notes = {
    "anchored": "the spatial model, loads as they come",
    "rigid": "the same with the set-valued law as it stands",
    "planar": "the planar model: half a link's weight on each point, no lifting, no pitching",
}
limits = {"planar": {"worlds": ["floor"]}}  # its links meet obstacles as capsules, not as spheres


def sizes(_world):
    return SIZES


def build(_folder, here):
    root = here.parent.parent
    where = release or root / "build/release"
    program = where / "bin/peers_coluber"
    if not is_built:
        if not (where / "CMakeCache.txt").exists():
            must(["cmake", "--preset", "release", "-B", where], cwd=root)
        must(["cmake", "--build", where, "--target", "peers_coluber"], cwd=root)
    if not program.exists():
        raise Missing(f"{program} is not built")
    return [program]
