"""Times a free rod beside PyElastica's: one run, turns taken, processor time of one thread.

    build/third_party/pyelastica-1.0.0/bin/python benchmarks/free_rod.py    (script/bootstrap --dev puts it there)

Ours is `coluber bench rod.free`: 40 elements, marched in space, rk4 at 10 ms, motion and internal wrench at every step.
PyElastica's is the rod of tests/oracles: 50 elements, bending stiffness of 3e6 Pa, 2e-5 s. Both give the same motion
within a millimetre. The program is build/release/bin/coluber, or $COLUBER.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
COLUBER = os.environ.get("COLUBER", str(SOURCE / "build/release/bin/coluber"))
sys.path.insert(0, str(SOURCE / "tests/oracles"))
import elastica_rod  # noqa: E402

ROUNDS = 3


def main():
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    rod = elastica_rod.Rod()
    rod.run(0.02)  # compiled now
    theirs, ours = [], []
    for _ in range(ROUNDS):
        theirs.append(rod.run(rod.time + 0.5) / 0.5)
        done = subprocess.run([COLUBER, "bench", "rod.free", "--json"], capture_output=True, text=True, check=True)
        scene = json.loads(done.stdout)["scenes"][0]
        ours.append(1e-6 * scene["us_per_step"] / scene["dt"])
    print(f"PyElastica: {1e6 * rod.dt * min(theirs):7.1f} µs a step, {1 / min(theirs):8.2f} s simulated in a second")
    print(f"Coluber:    {1e6 * scene['dt'] * min(ours):7.1f} µs a step, {1 / min(ours):8.2f} s simulated in a second")
    print(f"times as fast: {min(theirs) / min(ours):.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
