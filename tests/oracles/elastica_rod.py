"""The free rod of benchmarks/scenes/rod_free.toml in PyElastica: stiff in bending, its rest curvature driven.

To be run by a Python that has PyElastica: script/bootstrap --dev puts one into build/third_party/pyelastica-1.0.0.
"""

import time
from pathlib import Path

import elastica
import numpy as np

STEP = 2e-5  # s, at 50 elements
STIFFNESS = 3e6  # Pa
MASS_PER_LENGTH, RADIUS = 1.0, 0.05

SCENARIO = Path(__file__).resolve().parents[2] / "benchmarks/scenes/rod_free.toml"


def curvature(X, t):
    """K_Z of the scenario, 1/m."""
    return 6.0 * (1.0 - np.exp(-t * t)) * np.cos(2.0 * np.pi * X - 4.0 * t)


class _Collection(elastica.BaseSystemCollection, elastica.Forcing):
    pass


class _Drive(elastica.NoForces):
    """Sets the rest curvature between elements."""

    def __init__(self, X):
        self.X = X

    def apply_forces(self, system, time=0.0):
        system.rest_kappa[0, :] = curvature(self.X, float(time))


class Rod:
    """Starts straight and at rest along x, the head at the origin. Bends about z, nothing holds or damps it."""

    def __init__(self, elements=50, stiffness=STIFFNESS, step=None):
        self.dt = STEP * 50 / elements if step is None else step
        self.system = _Collection()
        density = MASS_PER_LENGTH / (np.pi * RADIUS**2)
        # the first of the section's axes is z: its curvature is K_Z
        self.rod = elastica.CosseratRod.straight_rod(
            elements, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), 1.0, RADIUS, density,
            youngs_modulus=stiffness, shear_modulus=stiffness / 3.0)
        self.system.append(self.rod)
        self.system.add_forcing_to(self.rod).using(_Drive, np.arange(1, elements) / elements)
        self.system.finalize()
        self.stepper = elastica.PositionVerlet()
        self.time = np.float64(0.0)
        self.steps = 0

    def run(self, t):
        """On to time t (s). Processor time it took (s)."""
        start = time.process_time()
        while self.steps < round(t / self.dt):
            self.time = self.stepper.step(self.system, self.time, self.dt)
            self.steps += 1
        return time.process_time() - start

    def ends(self):
        """Places of head and tail in the plane, m."""
        return self.rod.position_collection[:2, [0, -1]].T.copy()
