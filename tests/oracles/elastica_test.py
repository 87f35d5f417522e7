"""The free rod beside PyElastica's: elastic, but stiff, and driven by its rest curvature.

    elastica_test.py

To be run by a Python that has PyElastica: script/bootstrap --dev puts one into build/third_party/pyelastica-1.0.0. Its rod
has masses at nodes and waves of its own; ours has the curvature exactly.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from harness import COLUBER, check, finish  # noqa: E402

import elastica_rod  # noqa: E402

INSTANTS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


def ours(tmp):
    """Places of head and tail at each of the instants."""
    done = subprocess.run([COLUBER, "run", elastica_rod.SCENARIO, "--out", tmp / "run", "-q", "--set", "record.csv=true", "--set",
                           "record.replay=false"], capture_output=True, text=True, timeout=300)
    check("our rod runs", done.returncode == 0, done.stderr)
    out = {}
    with (tmp / "run" / "trajectory.csv").open() as file:
        for row in csv.DictReader(file):
            for t in INSTANTS:
                if abs(float(row["time"]) - t) < 1e-9:
                    out[t] = np.array([[float(row[f"section_position.{i}.{axis}"]) for axis in "xy"] for i in (1, 41)])
    return out


def distances(places, elements):
    """Of both ends from those of PyElastica's rod, the larger, at each instant."""
    rod = elastica_rod.Rod(elements)
    out = []
    for t in INSTANTS:
        rod.run(t)
        out.append(float(np.linalg.norm(rod.ends() - places[t], axis=1).max()))
    return out


def main():
    with tempfile.TemporaryDirectory() as folder:
        places = ours(Path(folder))
    if len(places) == len(INSTANTS):
        fine = distances(places, 50)
        for t, distance in zip(INSTANTS, fine):
            check(f"both ends are within 1.5 mm of PyElastica's at {t} s", distance <= 1.5e-3, f"{distance:.3g} m")
        print("distances, mm: " + " ".join(f"{1e3 * distance:.2f}" for distance in fine))
        still = np.array([[0.0, 0.0], [1.0, 0.0]])
        moved = max(float(np.linalg.norm(places[t] - still, axis=1).max()) for t in INSTANTS)
        check("they move a hundred times as far", moved >= 0.15, moved)
        coarse = distances(places, 25)
        check("what is left falls with its elements", max(coarse) >= 1.3 * max(fine), (coarse, fine))
    else:
        check("our rod has every instant", False, sorted(places))
    finish()


if __name__ == "__main__":
    main()
