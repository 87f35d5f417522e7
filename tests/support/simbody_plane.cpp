#include "support/simbody_plane.hpp"

#include <cmath>

#include <Simbody.h>

namespace simbody {

namespace {

SimTK::Vec3 vector(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

SimTK::Body::Rigid make_body(const Body& body) {
  const SimTK::Vec3 centre = vector(body.centre);
  const SimTK::Inertia about_centre(body.moments[0], body.moments[1], body.moments[2]);
  return SimTK::Body::Rigid(
      SimTK::MassProperties(body.m, centre, about_centre.shiftFromMassCenter(centre, body.m)));
}

}  // namespace

Answer run(const PlanarRobot& robot, double end) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::MobilizedBody::Planar base(matter.Ground(), SimTK::Transform(), make_body(robot.body),
                                    SimTK::Transform());
  // the wheel's point on the ground does not move along its body's y
  const auto add_wheel = [&](SimTK::MobilizedBody& body) {
    SimTK::Constraint::NoSlip1D(body, SimTK::Vec3(0), SimTK::UnitVec3(SimTK::YAxis),
                                matter.updGround(), body);
  };
  if (robot.wheel) add_wheel(base);
  for (const Pin& pin : robot.pins) {
    SimTK::MobilizedBody::Pin body(base, SimTK::Transform(SimTK::Vec3(pin.x, 0, 0)),
                                   make_body(pin.body), SimTK::Transform());
    SimTK::Motion::Sinusoid(body, SimTK::Motion::Position, pin.amplitude, pin.omega, 0.0);
    if (pin.wheel) add_wheel(body);
  }

  SimTK::State state = system.realizeTopology();
  system.realizeModel(state);
  base.setU(state, SimTK::Vec3(robot.Omega, robot.V_x, 0));
  SimTK::RungeKuttaFeldbergIntegrator integrator(system);
  integrator.setAccuracy(1e-12);
  integrator.setConstraintTolerance(1e-13);
  SimTK::TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  stepper.stepTo(end);
  const SimTK::State& last = integrator.getState();
  system.realize(last, SimTK::Stage::Acceleration);

  Answer answer;
  answer.t = last.getTime();
  const SimTK::Vec3 q = base.getQ(last);  // heading, x, y
  const SimTK::Vec3 u = base.getU(last);
  answer.pose = {q[1], q[2], std::remainder(q[0], 2.0 * SimTK::Pi)};
  answer.twist = {std::cos(q[0]) * u[1] + std::sin(q[0]) * u[2],
                  std::cos(q[0]) * u[2] - std::sin(q[0]) * u[1], u[0]};
  // both stand on the other side of Simbody's equations than forces do
  SimTK::Vector motion;
  matter.findMotionForces(last, motion);
  for (int k = 3; k < motion.size(); ++k) answer.tau.push_back(-motion[k]);
  const SimTK::Vector multipliers = matter.getConstraintMultipliers(last);
  for (int k = 0; k < multipliers.size(); ++k) answer.lambda.push_back(-multipliers[k]);
  return answer;
}

}  // namespace simbody
