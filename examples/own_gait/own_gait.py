"""A gait of your own: lateral undulation whose amplitude grows from head to tail, as in eels.

own_gait.py [SCENARIO]      default: Aiko on the open floor
"""

import sys

import numpy as np
from numpy.typing import NDArray

import coluber

DEG = np.pi / 180
AMPLITUDE, OMEGA, BETA = 40 * DEG, 80 * DEG, -50 * DEG


class GrowingWave:
    """phi_i = r(t) A (1 + growth (2 s_i - 1)) sin(omega t + (i - 1) beta), s_i from 0 (head) to 1 (tail).

    r(t) fades in over the first second, so that a straight robot may start with it.
    """

    def __init__(self, growth: float, joints: int) -> None:
        self.max_rate = AMPLITUDE * (1 + abs(growth)) * (OMEGA + 1.5)
        self.amplitude = AMPLITUDE * (1 + growth * (2 * np.linspace(0, 1, joints) - 1))
        self.phase = BETA * np.arange(joints)

    def evaluate(self, t: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        x = min(max(t, 0.0), 1.0)
        r, rdot = x * x * (3 - 2 * x), 6 * x * (1 - x)
        angle = OMEGA * t + self.phase
        sine, cosine = np.sin(angle), np.cos(angle)
        return r * self.amplitude * sine, rdot * self.amplitude * sine + r * self.amplitude * OMEGA * cosine


def main() -> None:
    changes = {"duration": 10.0, "world.friction": [0.2, 0.5], "start.shape": "straight"}
    scenario = coluber.load(sys.argv[1] if len(sys.argv) > 1 else "aiko_floor", changes)
    print("growth   net_speed_cm_s  max_torque_N_m")
    for growth in (-0.5, 0.0, 0.25, 0.5):
        simulation = coluber.Simulation(scenario)
        simulation.gait = GrowingWave(growth, simulation.joint_count)
        summary = simulation.run().summary
        print(f"{growth:6.2f}  {100 * float(summary['net_speed']):15.2f}  {float(summary['max_torque']):14.2f}")


if __name__ == "__main__":
    main()
