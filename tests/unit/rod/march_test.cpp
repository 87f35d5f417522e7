// The operators f1, f2, f3 against fields that can be written down, and against each other.

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/math/ode.hpp"
#include "coluber/rod/contact.hpp"

#include "sample/rods.hpp"

namespace coluber::rod {
namespace march_test {

/// All six strains move.
std::unique_ptr<StrainLaw> six_strains() {
  return make_strain(std::vector<Wave>{{0, 0.15, 1.0, 3.0, 0.3},
                                       {1, 0.10, 0.8, 2.0, 1.1},
                                       {2, 0.12, 1.3, 2.5, 0.7},
                                       {3, 1.5, 1.1, 2.2, 0.2},
                                       {4, 2.5, 0.9, 3.1, 0.9},
                                       {5, 3.0, 1.0, 2.7, 1.9}});
}

/// Largest errors of a snake that follows its own path, against η = V_o ξ, η̇ = V̇_o ξ + V_o² ξ'.
struct Errors {
  double twist = 0.0, wrench = 0.0;
};

Errors errors_of(Space space, int elements, const Undulation& law = {}) {
  const auto strain = make_strain(law);
  Model model;
  model.group = Group::SE2;
  model.space = space;
  model.elements = elements;
  Data data(model);
  const double t = 2.3;
  const Travel travel = *strain->travel(t);
  const auto xi = [&](double X) {
    Strains at;
    strain->evaluate(t, {&X, 1}, {&at, 1});
    return at;
  };
  Errors errors;
  EXPECT_EQ(update_shape(model, *strain, t, data), Fault::none);
  EXPECT_EQ(update_motion(model, *strain, t, {}, travel.V * xi(0.0).xi, data), Fault::none);
  for (const Point& point : data.points) {
    errors.twist = std::max(errors.twist,
                            (data.twist(point) - travel.V * xi(point.X).xi).cwiseAbs().maxCoeff());
  }
  // F_in = M_o η̇_o - F_c, with F_c of the closed form
  data.etadot_o = travel.Vdot * xi(0.0).xi + travel.V * xi(0.0).xidot;
  const sample::Resultant exact = sample::exact_resultant(*strain, model, t);
  const Vector6d F_c = data.M_o * data.etadot_o - data.F_o;
  errors.wrench = std::max({std::abs(F_c(0) - exact.force.x()), std::abs(F_c(1) - exact.force.y()),
                            std::abs(F_c(5) - exact.torque)});
  return errors;
}

TEST(March, OfOrderFourMeetsTheExactFieldOfASnake) {
  const Errors coarse = errors_of(Space::magnus4, 80);
  const Errors fine = errors_of(Space::magnus4, 160);
  EXPECT_GE(coarse.twist, 14.0 * fine.twist) << coarse.twist << " " << fine.twist;
  EXPECT_GE(coarse.wrench, 14.0 * fine.wrench) << coarse.wrench << " " << fine.wrench;
  EXPECT_LE(fine.twist, 1e-6);
}

TEST(March, OfOrderSixMeetsTheExactFieldOfASnake) {
  Errors last = errors_of(Space::collocation6, 20);
  for (int elements : {40, 80}) {
    const Errors next = errors_of(Space::collocation6, elements);
    EXPECT_GE(last.twist, 45.0 * next.twist) << elements << " " << last.twist << " " << next.twist;
    EXPECT_GE(last.wrench, 45.0 * next.wrench)
        << elements << " " << last.wrench << " " << next.wrench;
    last = next;
  }
  EXPECT_LE(last.twist, 1e-10);
}

/// Λ of the free rod in space with all six strains, at 20 sections.
std::vector<Vector6d> internal_wrenches(Space space, int elements) {
  const auto strain = six_strains();
  Model model;
  model.space = space;
  model.elements = elements;
  Data data(model);
  const Vector6d eta{{0.3, -0.2, 0.5, 0.7, -0.4, 0.6}};
  EXPECT_EQ(evaluate_dynamic(model, *strain, 0.7, {}, eta, true, data), Fault::none);
  std::vector<Vector6d> out;
  for (int i = 0; i <= 20; ++i) out.push_back(data.section(i * elements / 20).Lambda);
  return out;
}

/// The same of the planar snake at 2.3 s on its five contacts, whose reactions are those of the
/// mesh.
std::vector<Vector6d> snake_wrenches(Space space, int elements) {
  const auto strain = make_strain(Undulation{});
  Model model;
  model.group = Group::SE2;
  model.space = space;
  model.elements = elements;
  ContactModel contact;
  contact.kind = ContactKind::annular;
  contact.abscissae = {0.1, 0.3, 0.5, 0.7, 0.9};
  contact.load_time = 2.3;
  Data data(model, count_contacts(model, contact, *strain));
  ContactData contacts(model, contact, *strain);
  EXPECT_EQ(evaluate_kinematic(model, contact, *strain, 2.3, {}, 0.0, contacts, data), Fault::none);
  std::vector<Vector6d> out;
  for (int i = 0; i <= 20; ++i) out.push_back(data.section(i * elements / 20).Lambda);
  return out;
}

double largest_difference(const std::vector<Vector6d>& a, const std::vector<Vector6d>& b) {
  double out = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, (a[i] - b[i]).norm());
  return out;
}

TEST(March, FindsTheInternalWrenchToItsOrder) {
  for (auto* wrenches : {&internal_wrenches, &snake_wrenches}) {
    const auto fine = wrenches(Space::collocation6, 1280);
    const auto error = [&](Space space, int elements) {
      return largest_difference(wrenches(space, elements), fine);
    };
    EXPECT_GE(error(Space::magnus4, 80), 14.0 * error(Space::magnus4, 160))
        << error(Space::magnus4, 80);
    double last = error(Space::collocation6, 20);
    for (int elements : {40, 80}) {
      const double next = error(Space::collocation6, elements);
      EXPECT_GE(last, 45.0 * next) << elements << " " << last << " " << next;
      last = next;
    }
  }
}

TEST(March, MeetsTheExactFieldAtVariableSpeedInATurn) {
  const Undulation law{.advance = {-0.5, 0.1}, .turn = Turn{1.0, 4.0, 2.0}};
  const Errors four = errors_of(Space::magnus4, 160, law);
  EXPECT_LE(four.twist, 1e-6);
  EXPECT_LE(four.wrench, 1e-6);
  const Errors six = errors_of(Space::collocation6, 160, law);
  EXPECT_LE(six.twist, 1e-11);
  EXPECT_LE(six.wrench, 1e-10);
}

TEST(March, WithAdaptedStepsMeetsTheExactField) {
  const Errors errors = errors_of(Space::adaptive, 20);
  EXPECT_LE(errors.twist, 1e-9);
  EXPECT_LE(errors.wrench, 1e-9);
}

// d/dt of the energy, found from η and η̇ alone, is the actuators' power, found from Λ.
TEST(March, BalancesPowerInSpaceWithSixStrains) {
  const auto strain = six_strains();
  for (const auto& [space, tolerance] :
       {std::pair{Space::magnus4, 2e-6}, {Space::collocation6, 1e-10}, {Space::adaptive, 1e-8}}) {
    Model model;
    model.space = space;
    model.elements = 80;
    model.gravity = {0.3, -0.5, -9.81};
    model.forces.push_back({.c_along = 0.3, .c_across = 1.2, .c_turn = 0.01});
    model.M = Vector6d{{1.1, 1.4, 1.7, 0.02, 0.03, 0.05}};  // no symmetry to hide behind
    Data data(model, 2);
    data.contacts[0].X = 0.237;
    data.contacts[1].X = 0.731;
    place_contacts(model, data);
    data.loads.F_minus << 0.3, -0.2, 0.4, 0.1, 0.05, -0.07;
    data.loads.F_plus << -0.1, 0.6, 0.2, -0.02, 0.03, 0.04;
    data.contacts[0].wrench << 0.5, 0.1, -0.3, 0.02, 0.06, 0.01;
    data.contacts[1].wrench << -0.4, 0.2, 0.1, 0.03, -0.05, 0.02;
    const Vector6d eta{{0.3, -0.2, 0.5, 0.7, -0.4, 0.6}};
    const Pose g{math::exp(Eigen::Vector3d{0.3, 0.5, -0.2}), {1.0, 2.0, 3.0}};
    ASSERT_EQ(update_shape(model, *strain, 0.7, data), Fault::none);
    ASSERT_EQ(update_motion(model, *strain, 0.7, g, eta, data), Fault::none);
    for (const Contact& contact : data.contacts) {
      data.F_o +=
          math::to_parent(data.points[static_cast<std::size_t>(contact.point)].h, contact.wrench);
    }
    ASSERT_EQ(solve_head(model, data), Fault::none);
    ASSERT_EQ(update_internal(model, *strain, 0.7, data), Fault::none);
    EXPECT_LE(data.end_residual, space == Space::adaptive ? 1e-9 : 1e-12);
    const double balance = data.power_energy - data.actuator_power - data.power_friction -
                           data.power_gravity - data.power_ends - data.power_contact;
    EXPECT_LE(std::abs(balance), tolerance) << data.power_energy;
  }
}

}  // namespace march_test
}  // namespace coluber::rod
