// Contact problems of spatial runs, solved by Siconos: an answer from other code, by other methods.
//
// The dense problem is put together here from nodes and contacts: H = sum J^T M J + diag(sd),
// D = W^T H^-1 W, scaled variables, so that every friction cone is |T| <= P_N. The anchored law
// adds diag(c, c_t, c_t) and -c_t A; the rigid law adds c on the normals alone, which is its load
// sharing.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <gtest/gtest.h>

#include "coluber/control/servo.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/spatial/system.hpp"

extern "C" {
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
}

namespace coluber::spatial {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using nonsmooth::Contact;
using nonsmooth::ContactProblem;
using nonsmooth::Law;
using nonsmooth::Solution;

/// The step's equations without its contacts, dense: nu = (root twist, joint rates).
struct Dense {
  MatrixXd H;  // joint-space inertia with the servos in the step
  VectorXd f;  // H nu = f + W P
  MatrixXd W;  // a column each for w_N, w_1, w_2 of every contact, at nu
};

Dense make_dense(const ContactProblem<6>& problem) {
  const auto n = static_cast<Index>(problem.nodes.size());
  const auto contacts = static_cast<Index>(problem.contacts.size());
  const Index size = 6 + n - 1;
  Dense dense{MatrixXd::Zero(size, size), VectorXd::Zero(size), MatrixXd::Zero(size, 3 * contacts)};
  for (Index i = 0; i < n; ++i) {
    const auto& node = problem.nodes[static_cast<std::size_t>(i)];
    MatrixXd J = MatrixXd::Zero(6, size);
    J.leftCols<6>().setIdentity();
    for (Index k = i; k + 1 < n; k = problem.nodes[static_cast<std::size_t>(k)].parent) {
      J.col(6 + k) = problem.nodes[static_cast<std::size_t>(k)].s;
    }
    dense.H += J.transpose() * node.M * J;
    dense.f += J.transpose() * node.p;
    if (i + 1 < n) {
      dense.H(6 + i, 6 + i) += node.sd;
      dense.f(6 + i) += node.sr;
    }
    for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
      const Contact<6>& contact = problem.contacts[static_cast<std::size_t>(k)];
      dense.W.col(3 * k) = J.transpose() * contact.w_N;
      dense.W.col(3 * k + 1) = J.transpose() * contact.w_1;
      dense.W.col(3 * k + 2) = J.transpose() * contact.w_2;
    }
  }
  return dense;
}

/// Rows of the problem Siconos is given: of each point the normal and two tangential ones, and with
/// rolling friction two more.
struct Layout {
  Index dimension = 3;
  std::vector<Index> rows;  // of W, in that order
  std::vector<double> mu, mu_r;
};

Layout make_layout(const ContactProblem<6>& problem) {
  Layout layout;
  for (const auto& contact : problem.contacts) {
    if (contact.shares_normal) layout.dimension = 5;
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const Contact<6>& contact = problem.contacts[k];
    const auto row = static_cast<Index>(3 * k);
    if (contact.shares_normal) {
      layout.rows.insert(layout.rows.end(), {row + 1, row + 2});
      continue;
    }
    layout.rows.insert(layout.rows.end(), {row, row + 1, row + 2});
    layout.mu.push_back(contact.mu_max > 0.0 ? 1.0 : 0.0);
    layout.mu_r.push_back(1.0);
  }
  return layout;
}

struct Answer {
  VectorXd reaction;  // by row of W
  VectorXd velocity;  // W^T nu, by row of W
  int failed = 0;
};

Answer solve_with_siconos(const ContactProblem<6>& problem, Law law) {
  const Dense dense = make_dense(problem);
  const Layout layout = make_layout(problem);
  const auto size = static_cast<Index>(layout.rows.size());
  const auto points = static_cast<int>(layout.mu.size());
  const Eigen::LLT<MatrixXd> factor(dense.H);
  const MatrixXd W = dense.W(Eigen::all, layout.rows);
  MatrixXd D = W.transpose() * factor.solve(W);
  VectorXd q = W.transpose() * factor.solve(dense.f);
  for (Index row = 0; row < size; ++row) {
    const Index of = layout.rows[static_cast<std::size_t>(row)];
    const Contact<6>& contact = problem.contacts[static_cast<std::size_t>(of / 3)];
    if (of % 3 == 0) {
      D(row, row) += contact.c;
      q(row) += contact.b;
    } else if (!(contact.mu_max > 0.0)) {
      D(row, row) = 1.0;  // a frictionless point: its impulse is zero
    } else if (law == Law::anchored) {
      D(row, row) += contact.c_t;
      q(row) -= contact.c_t * contact.A(of % 3 - 1);
    }
  }

  VectorXd reaction = VectorXd::Zero(size);
  VectorXd velocity = VectorXd::Zero(size);
  std::vector<double> mu = layout.mu;
  std::vector<double> mu_r = layout.mu_r;
  // numbers stay ours; Siconos frees what it has made around them
  NumericsMatrix* matrix =
      NM_create_from_data(NM_DENSE, static_cast<int>(size), static_cast<int>(size), D.data());
  Answer answer;
  if (layout.dimension == 3) {
    FrictionContactProblem* contact =
        frictionContactProblem_new_with_data(3, points, matrix, q.data(), mu.data());
    SolverOptions* options = solver_options_create(law == Law::anchored ? SICONOS_FRICTION_3D_NSN_AC
                                                                        : SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = law == Law::anchored ? 1000 : 200000;
    answer.failed = fc3d_driver(contact, reaction.data(), velocity.data(), options);
    solver_options_delete(options);
    matrix->matrix0 = nullptr;
    contact->q = contact->mu = nullptr;
    frictionContactProblem_free(contact);
  } else {
    RollingFrictionContactProblem* contact = rollingFrictionContactProblem_new_with_data(
        5, points, matrix, q.data(), mu.data(), mu_r.data());
    SolverOptions* options = solver_options_create(SICONOS_ROLLING_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 200000;
    answer.failed = rolling_fc3d_driver(contact, reaction.data(), velocity.data(), options);
    solver_options_delete(options);
    matrix->matrix0 = nullptr;
    contact->q = contact->mu = contact->mu_r = nullptr;
    rollingFrictionContactProblem_free(contact);
  }

  answer.reaction = VectorXd::Zero(dense.W.cols());
  for (Index row = 0; row < size; ++row) {
    answer.reaction(layout.rows[static_cast<std::size_t>(row)]) = reaction(row);
  }
  const VectorXd nu = factor.solve(dense.f + W * reaction);
  answer.velocity = dense.W.transpose() * nu;
  return answer;
}

/// Largest difference of our impulses and velocities from Siconos', over m g dt and g dt.
struct Difference {
  double impulse = 0.0;
  double velocity = 0.0;
};

Difference compare(const ContactProblem<6>& problem, const Solution<6>& ours, double g_dt,
                   const Answer& theirs) {
  Difference worst;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const auto& node = problem.nodes[i];
    for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
      const auto& contact = problem.contacts[static_cast<std::size_t>(k)];
      const auto& P = ours.impulse[static_cast<std::size_t>(k)];
      const auto row = static_cast<Index>(3 * k);
      const auto raise = [](double& value, double by) { value = std::max(value, std::abs(by)); };
      if (!contact.shares_normal) {
        raise(worst.impulse, (P.N - theirs.reaction(row)) / problem.impulse_scale);
        raise(worst.velocity, (contact.w_N.dot(ours.twist[i]) - theirs.velocity(row)) / g_dt);
      }
      if (!(contact.mu_max > 0.0)) continue;
      for (int axis = 0; axis < 2; ++axis) {
        const auto& w = axis == 0 ? contact.w_1 : contact.w_2;
        raise(worst.impulse, contact.mu_max * (P.T(axis) - theirs.reaction(row + 1 + axis)) /
                                 problem.impulse_scale);
        raise(worst.velocity,
              (w.dot(ours.twist[i]) - theirs.velocity(row + 1 + axis)) / contact.mu_max / g_dt);
      }
    }
  }
  return worst;
}

struct Scene {
  const char* name;
  const char* scenario;
  scenario::Overrides overrides{};
  double seconds = 6.0;
  Law law = Law::anchored;
  int sticking = 10, slipping = 20, at_cylinders = 0;  // at least so many, or it proves little
};

class Siconos : public testing::TestWithParam<Scene> {};

TEST_P(Siconos, AgreesStepByStep) {
  const Scene& scene = GetParam();
  const auto simulation = simulation::make_simulation(scenario::load(
      std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + scene.scenario + ".toml", scene.overrides));
  const auto& system = dynamic_cast<const SpatialSystem&>(*simulation.system);
  const Model& model = system.model();
  State state = system.state();
  Data data(model);
  StepOptions options = system.options();
  options.law = scene.law;
  options.plain = true;  // which keeps the problem it solved; the fast step gives the same step
  options.newton.tolerance = 1e-12;
  const auto& controller = simulation.scenario.get<control::ServoKeys>();
  Difference worst;
  int sticking = 0;
  int slipping = 0;
  int at_cylinders = 0;
  const auto steps = static_cast<int>(std::lround(scene.seconds / options.dt));
  for (int k = 1; k <= steps; ++k) {
    const double t = k * options.dt;
    JointCommand command(model.angles());
    simulation.gait->evaluate(t, command.phi_d, command.phidot_d);
    if (t > controller.start_time) {
      command.k_P.setConstant(controller.kp(0));
      command.k_D.setConstant(controller.kd(0));
    }
    const nonsmooth::ContactStepInfo info = step(model, state, data, command, options);
    ASSERT_EQ(info.status, Status::ok) << "t = " << t;
    if (k % (steps / 30) != 0) continue;
    const Answer theirs = solve_with_siconos(data.problem, scene.law);
    ASSERT_EQ(theirs.failed, 0) << "t = " << t;
    const Difference here = compare(data.problem, data.solution, model.g * options.dt, theirs);
    worst.impulse = std::max(worst.impulse, here.impulse);
    worst.velocity = std::max(worst.velocity, here.velocity);
    for (const auto& P : data.solution.impulse) {
      if (P.N > 0.0) ++(P.T.norm() < 0.999 * P.N ? sticking : slipping);
    }
    if (!data.obstacle_impulse.isZero(0.0)) ++at_cylinders;
  }
  std::printf("%s: impulse %.2g, velocity %.2g; sticking %d, slipping %d, at cylinders %d\n",
              scene.name, worst.impulse, worst.velocity, sticking, slipping, at_cylinders);
  EXPECT_GE(sticking, scene.sticking);
  EXPECT_GE(slipping, scene.slipping);
  EXPECT_GE(at_cylinders, scene.at_cylinders);
  // the impulses of the rigid law are not unique
  if (scene.law == Law::anchored) {
    EXPECT_LE(worst.impulse, 1e-6);
  }
  EXPECT_LE(worst.velocity, 1e-6);
}

const scenario::Overrides smooth{"world.rolling_friction=0.0"};
const scenario::Overrides rough_pegs{
    "world.rolling_friction=0.0",    "world.obstacle.1.friction=0.3",
    "world.obstacle.2.friction=0.3", "world.obstacle.3.friction=0.3",
    "world.obstacle.4.friction=0.3", "world.obstacle.5.friction=0.3"};

INSTANTIATE_TEST_SUITE_P(
    Scenes, Siconos,
    testing::Values(
        Scene{"floor", "aiko_spatial_floor", smooth, 6.0, Law::anchored, 0},
        Scene{"floor_rigid", "aiko_spatial_floor", smooth, 6.0, Law::rigid, 0},
        Scene{"hold",
              "aiko_spatial_floor",
              {"world.rolling_friction=0.0", "gait.omega_deg=0.0", "world.tilt_deg=5.0"},
              0.6,
              Law::anchored,
              20,
              0},
        Scene{"sidewinding", "aiko_sidewinding", smooth},
        Scene{"sidewinding_rigid", "aiko_sidewinding", smooth, 6.0, Law::rigid},
        Scene{"sidewinding_with_a_grain",
              "aiko_sidewinding",
              {"world.rolling_friction=0.0", "world.friction=[0.1, 0.6]"}},
        Scene{"sidewinding_and_rolling_friction", "aiko_sidewinding"},
        Scene{"lateral_rolling", "aiko_lateral_rolling", {}, 6.0, Law::anchored, 0},
        Scene{"drop", "aiko_drop", smooth, 0.8},
        Scene{"course", "aiko_spatial_course", smooth, 6.0, Law::anchored, 0, 20, 20},
        Scene{"rough_course", "aiko_spatial_course", rough_pegs, 6.0, Law::anchored, 0, 20, 20},
        Scene{"rough_course_rigid", "aiko_spatial_course", rough_pegs, 6.0, Law::rigid, 0, 20, 20}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace coluber::spatial
