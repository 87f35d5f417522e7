// The force map against the simulation: pegs so small that they are points, the map's torques held,
// and the simulation's contact forces and accelerations must become the map's as the step shrinks.
//
// The first steps are off by 1.4, 0.05, 0.002 N whatever the step: W is taken in the middle of the
// step, and the compliance of the normal law has to settle. The fourth step is compared.
//
// Viscous rotational friction of 0.1 m s stops a link of Table I within milliseconds: the exact
// motion itself leaves the start's accelerations by 24 rad/s² and its forces by 0.25 N within 0.35
// ms (a Runge-Kutta integration of (13)-(15), (34)). There the fourth step is compared with the map
// of the fourth step's own instant, for the same torques.

#include <cmath>

#include <gtest/gtest.h>

#include "coluber/control/force_mapping.hpp"

#include "planar/start.hpp"
#include "sample/holden.hpp"
#include "support/needs_daqp.hpp"

namespace coluber::planar {
namespace force_map_route_test {

struct Case {
  double friction = 0.0;
  double rotational = 0.0;
  nonsmooth::Law law = nonsmooth::Law::anchored;
};

constexpr double kLinkRadius = 1e-6;  // m
constexpr double kPegRadius = 1e-5;
constexpr double kDepth = 1e-8;

/// Largest differences of contact forces (N) and of angular accelerations (rad/s²).
struct Difference {
  double force = 0.0;
  double force_at_start = 0.0;  ///< of the forces from those of the start's instant
  double acceleration = 0.0;
};

/// The map's forces and accelerations of these torques where the simulation is: places of the
/// step's middle, velocities of its end, where friction is taken.
void map_of_step(const Model& model, const State& state, const Data& data,
                 const std::vector<LinkContact>& contacts, const VectorXd& u, VectorXd& f_C,
                 VectorXd& theta_ddot) {
  const ForceMapModel map_model = make_force_map_model(model.links, Kinematics::centre_of_mass);
  const Eigen::Map<const Eigen::Matrix3Xd> velocity(state.u.data(), 3, model.n());
  Instant instant{data.pose.theta, velocity.row(2).transpose(), {}, {}};
  const Columns r = data.pose.r.colwise() + data.pose.origin;
  place_instant(map_model, r, velocity.topRows<2>(), instant);
  std::vector<LinkContact> touching = contacts;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const int i = touching[k].link;
    touching[k].at =
        (model.obstacles[k].H - r.col(i)).dot(Vector2d{data.pose.cos(i), data.pose.sin(i)});
  }
  GroundLoad ground;
  ForceMap map;
  Vector2d p_ddot;
  compute_ground_load(model, instant, velocity.topRows<2>(), ground);
  EXPECT_TRUE(
      update_force_map(map_model, instant, touching, {}, ground, ContactAcceleration::point, map)
          .regular);
  compute_contact_forces(map, u, f_C);
  compute_accelerations(map_model, map, u, f_C, theta_ddot, p_ddot);
}

Difference fourth_step(const Case& given, double dt) {
  Model model = sample::table_i();
  model.mu_T = {given.friction, given.friction};
  model.c_R = given.rotational;
  for (Link& link : model.links) {
    link.L_GS = 0.5 * link.L;
    link.L_SC = kLinkRadius;
  }

  // the corrected example: Table II's velocities, first put right at the contacts
  const std::vector<LinkContact> contacts = sample::table_iii();
  control::ForceMapping mapping(model.links, {.u_max = 4.5});
  Instant instant = sample::table_ii();
  instant.p_dot << 0.168114, 0.030884;
  project_velocities(mapping.model(), contacts, ContactAcceleration::point, instant);
  Columns v;
  GroundLoad ground;
  compute_link_velocities(mapping.model(), instant, v);
  compute_ground_load(model, instant, v, ground);
  const control::WishLaw wish{.position = Vector2d{1.0, 0.0}, .links = sample::table_iv()};
  const control::MapResult& map =
      mapping.solve(instant, contacts, control::compute_wish(wish, instant), ground);
  EXPECT_EQ(map.status, control::MapStatus::optimal);

  // the same in the simulation
  Columns r;
  compute_link_centres(mapping.model(), instant, r);
  for (const LinkContact& contact : contacts) {
    const double theta = instant.theta(contact.link);
    const Vector2d left{-std::sin(theta), std::cos(theta)};
    const double off = kLinkRadius + kPegRadius - kDepth;
    model.obstacles.push_back(
        {r.col(contact.link) - contact.gamma * off * left, kPegRadius, contact.mu});
  }
  const int n = model.n();
  const VectorXd phi = instant.theta.tail(n - 1) - instant.theta.head(n - 1);
  State state = make_state(model, phi, 0, r.col(0), instant.theta(0));
  VectorXd weights = VectorXd::Zero(n);
  weights(0) = 1.0;
  set_in_motion(model, instant.theta_dot, weights, v.col(0), dt, state);
  JointCommand command(n - 1);
  command.tau = -map.u;  // the paper's sign is the other one
  StepOptions options;
  options.dt = dt;
  options.law = given.law;
  options.activation = nonsmooth::Activation::gap;
  Data data(model);
  VectorXd before;
  for (int k = 0; k < 4; ++k) {
    before = state.u;
    EXPECT_EQ(step(model, state, data, command, options).status, Status::ok);
  }

  VectorXd f_C = map.f_C;
  VectorXd theta_ddot = map.theta_ddot;
  if (given.rotational > 0.0) map_of_step(model, state, data, contacts, map.u, f_C, theta_ddot);
  Difference difference;
  EXPECT_EQ(state.near.size(), contacts.size());
  for (const ObstacleMemory& entry : state.near) {
    const auto k = static_cast<Eigen::Index>(entry.obstacle);
    EXPECT_EQ(data.link_of_node[static_cast<std::size_t>(entry.node)],
              contacts[static_cast<std::size_t>(k)].link);
    const double force = entry.point.x_1.N / dt;
    difference.force = std::max(difference.force, std::abs(force - std::abs(f_C(k))));
    difference.force_at_start =
        std::max(difference.force_at_start, std::abs(force - std::abs(map.f_C(k))));
  }
  for (int i = 0; i < n; ++i) {
    const double alpha = (state.u(3 * i + 2) - before(3 * i + 2)) / dt;
    difference.acceleration = std::max(difference.acceleration, std::abs(alpha - theta_ddot(i)));
  }
  return difference;
}

class ForceMapRoute : public testing::TestWithParam<Case> {};

TEST_P(ForceMapRoute, TheSimulationsForcesBecomeTheMapsAsTheStepShrinks) {
  NEEDS_DAQP();
  struct Bound {
    double dt, force, acceleration;
  };
  for (const Bound& bound :
       {Bound{1e-4, 0.05, 1.5}, Bound{1e-5, 0.005, 0.15}, Bound{1e-6, 0.001, 0.02}}) {
    const Difference difference = fourth_step(GetParam(), bound.dt);
    EXPECT_LE(difference.force, bound.force) << "N, at dt " << bound.dt;
    EXPECT_LE(difference.acceleration, bound.acceleration) << "rad/s², at dt " << bound.dt;
  }
}

// With rotational friction the fourth step is compared with its own instant above. From the start's
// f_C it is off in proportion to the time that has passed: 0.322, 0.0295, 0.0030 N.
TEST(ForceMapRouteOrder, WithRotationalFrictionForcesBecomeTheStartsInProportionToTheStep) {
  NEEDS_DAQP();
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    double before = 0.0;
    for (const double dt : {1e-4, 1e-5, 1e-6}) {
      const double error = fourth_step({0.3, 0.1, law}, dt).force_at_start;
      EXPECT_NEAR(error, 3000.0 * dt, 0.15 * 3000.0 * dt) << "N, at dt " << dt;
      if (before > 0.0) {
        EXPECT_NEAR(before / error, 10.0, 2.0) << "per decade, at dt " << dt;
      }
      before = error;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    AllGrounds, ForceMapRoute,
    testing::Values(Case{0.0, 0.0, nonsmooth::Law::anchored},
                    Case{0.3, 0.0, nonsmooth::Law::anchored},
                    Case{0.3, 0.1, nonsmooth::Law::anchored}, Case{0.0, 0.0, nonsmooth::Law::rigid},
                    Case{0.3, 0.0, nonsmooth::Law::rigid}, Case{0.3, 0.1, nonsmooth::Law::rigid}),
    [](const testing::TestParamInfo<Case>& given) {
      return std::string(given.param.law == nonsmooth::Law::rigid ? "rigid" : "anchored") +
             (given.param.friction > 0.0 ? "_coulomb" : "_smooth_ground") +
             (given.param.rotational > 0.0 ? "_rotational" : "");
    });

}  // namespace force_map_route_test
}  // namespace coluber::planar
