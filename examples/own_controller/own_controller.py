"""A controller of your own: weak servos that learn the gait.

A gait repeats itself, so the torque that was missing at this point of the period is added the next time round
(repetitive control).

own_controller.py [SCENARIO]      default: Aiko on the open floor
"""

import sys

import numpy as np

import coluber


class LearningServo:
    """tau = k_P e + k_D edot (in the step) + learned(phase), learned += gain e once a period."""

    def __init__(self, gain: float, period: float, dt: float, joints: int) -> None:
        self.gain = gain  # N m/rad per period
        self.learned = np.zeros((round(period / dt), joints))  # N m, step of the period × joint
        self.command = coluber.Command(joints)
        self.command.k_P = 20.0  # N m/rad; Aiko's own servos have 800
        self.command.k_D = 2.0
        self.squares: list[float] = []
        self.steps = 0

    def update(self, input: coluber.ControlInput) -> coluber.Command:
        phase = self.steps % len(self.learned)
        if phase == 0:
            self.squares.append(0.0)
        error = input.phi_d_A - input.phi
        self.squares[-1] += float(error @ error)

        self.command.tau = self.learned[phase]
        self.command.phi_d = input.phi_d_E
        self.command.phidot_d = input.phidot_d_E

        self.learned[phase] += self.gain * error
        self.steps += 1
        return self.command

    def error_deg(self, period: int) -> float:
        """Root mean square error over all joints in one period (degrees)."""
        return float(np.degrees(np.sqrt(self.squares[period] / self.learned.size)))


def main() -> None:
    periods, period = 6, 360.0 / 80.0  # s, gait.omega_deg = 80
    changes = {"duration": periods * period, "gait.omega_deg": 80.0}
    scenario = coluber.load(sys.argv[1] if len(sys.argv) > 1 else "aiko_floor", changes)
    print("period  error_pd_deg  error_learning_deg")
    servos = []
    for gain in (0.0, 15.0):
        simulation = coluber.Simulation(scenario)
        servos.append(LearningServo(gain, period, simulation.dt, simulation.joint_count))
        simulation.controller = servos[-1]
        simulation.run()
    for k in range(periods):
        print(f"{k + 1:6d}  {servos[0].error_deg(k):12.3f}  {servos[1].error_deg(k):18.3f}")


if __name__ == "__main__":
    main()
