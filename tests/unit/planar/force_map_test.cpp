#include "coluber/planar/force_map.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "sample/holden.hpp"

namespace coluber::planar::force_map_test {

using Eigen::Index;
using Eigen::MatrixXd;

/// Holden's matrices, literally.
struct Literal {
  MatrixXd D, A_l, K_l;

  explicit Literal(const ForceMapModel& model) {
    const Index n = model.n();
    D = MatrixXd::Zero(n - 1, n);
    A_l = MatrixXd::Zero(n - 1, n);
    for (Index i = 0; i + 1 < n; ++i) {
      D(i, i) = 1.0;
      D(i, i + 1) = -1.0;
      A_l(i, i) = model.l_h(i);
      A_l(i, i + 1) = model.l_t(i + 1);
    }
    K_l = A_l.transpose() * (D * D.transpose()).inverse() * D;
  }
};

/// A robot of odd links somewhere in motion, with loads and contacts.
struct Case {
  ForceMapModel model;
  Instant instant;
  std::vector<LinkContact> contacts;
  std::vector<int> controlled;
  GroundLoad ground;
  VectorXd u;

  Case(Kinematics kinematics, std::mt19937_64& random, int n = 9) {
    std::normal_distribution<double> normal(0.0, 1.0);
    std::uniform_real_distribution<double> share(-0.9, 0.9);
    const auto vector = [&](Index size) -> VectorXd {
      return VectorXd::NullaryExpr(size, [&](Index) { return normal(random); });
    };
    const Model robot = sample::odd_links(n, random);
    model = make_force_map_model(robot.links, kinematics);
    instant.theta = 0.6 * vector(n);
    instant.theta_dot = vector(n);
    instant.p = vector(2);
    instant.p_dot = vector(2);
    for (int link = 1; link < n; link += 3) {
      const double at = share(random) * std::min(model.l_h(link), model.l_t(link));
      contacts.push_back({link, at, link % 2 == 0 ? 1 : -1, 0.3});
    }
    controlled = {0, 1, 4};
    ground.f_r = Columns::NullaryExpr(2, n, [&](Index, Index) { return normal(random); });
    ground.tau_r = 0.1 * vector(n);
    u = vector(n - 1);
  }
};

TEST(ForceMapModel, HasThePapersKWithoutItsInverse) {
  std::mt19937_64 random(1);
  const Case c(Kinematics::mean, random);
  const Literal literal(c.model);
  EXPECT_LT((c.model.K - literal.K_l).norm(), 1e-14);
  const Index n = c.model.n();
  const MatrixXd M = c.model.m.asDiagonal();
  const MatrixXd centred = MatrixXd::Identity(n, n) - M * MatrixXd::Ones(n, n) / c.model.m_T;
  EXPECT_LT((c.model.H - literal.K_l * centred).norm(), 1e-14);
  const Model robot = sample::odd_links(9, random);
  const ForceMapModel weighted = make_force_map_model(robot.links, Kinematics::centre_of_mass);
  const Literal other(weighted);
  const MatrixXd W = weighted.m.asDiagonal();
  const MatrixXd about = MatrixXd::Identity(n, n) - W * MatrixXd::Ones(n, n) / weighted.m_T;
  EXPECT_LT((weighted.K - other.K_l * about).norm(), 1e-14);
  EXPECT_LT((weighted.H - weighted.K).norm(), 1e-14) << "K_w M e = 0";
}

TEST(ForceMapModel, JoinsTheLinksAndPutsPWhereItIsMeant) {
  std::mt19937_64 random(2);
  for (const Kinematics kinematics : {Kinematics::mean, Kinematics::centre_of_mass}) {
    const Case c(kinematics, random);
    Columns r;
    compute_link_centres(c.model, c.instant, r);
    for (int i = 0; i + 1 < c.model.n(); ++i) {
      const auto axis = [&](int k) {
        return Vector2d{std::cos(c.instant.theta(k)), std::sin(c.instant.theta(k))};
      };
      const Vector2d gap =
          r.col(i) + c.model.l_h(i) * axis(i) - (r.col(i + 1) - c.model.l_t(i + 1) * axis(i + 1));
      EXPECT_LT(gap.norm(), 1e-14) << "joint " << i + 1;
    }
    Columns v;
    compute_link_velocities(c.model, c.instant, v);
    Instant placed = c.instant;
    place_instant(c.model, r, v, placed);
    EXPECT_LT((placed.p - c.instant.p).norm(), 1e-14);
    EXPECT_LT((placed.p_dot - c.instant.p_dot).norm(), 1e-14);
  }
}

/// Accelerations of the links' centres of gravity, by (5), (6).
Columns accelerations(const Case& c, const VectorXd& theta_ddot, const Vector2d& p_ddot) {
  const VectorXd s = c.instant.theta.array().sin();
  const VectorXd k = c.instant.theta.array().cos();
  const VectorXd squares = c.instant.theta_dot.cwiseAbs2();
  Columns a(2, c.model.n());
  a.row(0) = (k.cwiseProduct(squares) + s.cwiseProduct(theta_ddot)).transpose() * c.model.K;
  a.row(1) = (s.cwiseProduct(squares) - k.cwiseProduct(theta_ddot)).transpose() * c.model.K;
  a.colwise() += p_ddot;
  return a;
}

/// Largest residual of Newton's law for the robot and of Euler's for every link, with joint forces
/// from the balance of the links behind each joint.
struct Residual {
  double newton = 0.0;
  double euler = 0.0;
};
Residual residual_of(const Case& c, const ForceMap& map, const VectorXd& f_C) {
  VectorXd theta_ddot;
  Vector2d p_ddot;
  compute_accelerations(c.model, map, c.u, f_C, theta_ddot, p_ddot);
  const Columns a = accelerations(c, theta_ddot, p_ddot);
  Columns f = c.ground.f_r;
  VectorXd moment = c.ground.tau_r;
  for (std::size_t k = 0; k < c.contacts.size(); ++k) {
    const LinkContact& contact = c.contacts[k];
    const auto column = static_cast<Index>(k);
    const Vector2d force = f_C(column) * map.g.col(column);
    f.col(contact.link) += force;
    moment(contact.link) += contact.at * map.normal.col(column).dot(force);
  }
  const int n = c.model.n();
  Residual residual;
  Vector2d h = Vector2d::Zero();  // on link i from link i-1
  for (int i = 0; i < n; ++i) {
    const double s = std::sin(c.instant.theta(i));
    const double k = std::cos(c.instant.theta(i));
    const Vector2d ahead = c.model.m(i) * a.col(i) - f.col(i) - h;  // on link i from link i+1
    const double torque = (i + 1 < n ? c.u(i) : 0.0) - (i > 0 ? c.u(i - 1) : 0.0);
    const Vector2d normal{-s, k};
    const double euler = moment(i) + torque + c.model.l_h(i) * normal.dot(ahead) -
                         c.model.l_t(i) * normal.dot(h) - c.model.J(i) * theta_ddot(i);
    residual.euler = std::max(residual.euler, std::abs(euler));
    h = -ahead;
  }
  residual.newton = h.norm();
  return residual;
}

TEST(ForceMap, ObeysNewtonAndEulerForAnyLoad) {
  std::mt19937_64 random(3);
  double printed = 0.0;
  for (int trial = 0; trial < 200; ++trial) {
    for (const ContactAcceleration form :
         {ContactAcceleration::point, ContactAcceleration::skate}) {
      const Case c(Kinematics::centre_of_mass, random);
      ForceMap map;
      ASSERT_TRUE(
          update_force_map(c.model, c.instant, c.contacts, c.controlled, c.ground, form, map)
              .regular);
      VectorXd f_C;
      compute_contact_forces(map, c.u, f_C);
      const Residual residual = residual_of(c, map, f_C);
      const double scale = 1.0 + f_C.cwiseAbs().maxCoeff();
      EXPECT_LT(residual.newton / scale, 1e-12);
      EXPECT_LT(residual.euler / scale, 1e-12);
    }
    const Case c(Kinematics::mean, random);
    ForceMap map;
    ASSERT_TRUE(update_force_map(c.model, c.instant, c.contacts, c.controlled, c.ground,
                                 ContactAcceleration::skate, map)
                    .regular);
    VectorXd f_C;
    compute_contact_forces(map, c.u, f_C);
    printed = std::max(printed, residual_of(c, map, f_C).newton);
  }
  EXPECT_GT(printed, 0.01) << "the paper's p is no centre of mass";
}

TEST(ForceMap, KeepsTheContactsAtRestAcrossTheirLinks) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    Case c(Kinematics::centre_of_mass, random);
    ForceMap map;
    ASSERT_TRUE(update_force_map(c.model, c.instant, c.contacts, c.controlled, c.ground,
                                 ContactAcceleration::point, map)
                    .regular);
    VectorXd f_C;
    VectorXd theta_ddot;
    Vector2d p_ddot;
    compute_contact_forces(map, c.u, f_C);
    compute_accelerations(c.model, map, c.u, f_C, theta_ddot, p_ddot);
    // the instant so long after, contacts slid along their links as the points in the plane demand
    const auto later = [&](double t) {
      Instant moved = c.instant;
      moved.theta += t * c.instant.theta_dot + 0.5 * t * t * theta_ddot;
      moved.theta_dot += t * theta_ddot;
      moved.p += t * c.instant.p_dot + 0.5 * t * t * p_ddot;
      moved.p_dot += t * p_ddot;
      return moved;
    };
    const double t = 1e-5;
    const auto rates = [&](double at) {
      const Instant moved = later(at);
      std::vector<LinkContact> slid = c.contacts;
      for (std::size_t k = 0; k < slid.size(); ++k) {
        slid[k].at -= at * map.v_t(static_cast<Index>(k));
      }
      return compute_contact_rates(c.model, moved, slid, ContactAcceleration::point);
    };
    const VectorXd slope = (rates(t) - rates(-t)) / (2.0 * t);
    const double scale = 1.0 + theta_ddot.cwiseAbs().maxCoeff() + p_ddot.norm();
    EXPECT_LT(slope.cwiseAbs().maxCoeff() / scale, 1e-7);
  }
}

TEST(ForceMap, ContactRatesAreThoseOfThePointsThatTheLinksPass) {
  std::mt19937_64 random(5);
  const Case c(Kinematics::centre_of_mass, random);
  const VectorXd rate =
      compute_contact_rates(c.model, c.instant, c.contacts, ContactAcceleration::point);
  const double t = 1e-6;
  const auto distance = [&](double at, std::size_t k) {
    // of a point that stays where the contact is now, from the link's axis
    Columns now;
    Columns then;
    Instant moved = c.instant;
    moved.theta += at * c.instant.theta_dot;
    moved.p += at * c.instant.p_dot;
    compute_link_centres(c.model, c.instant, now);
    compute_link_centres(c.model, moved, then);
    const int i = c.contacts[k].link;
    const Vector2d axis{std::cos(c.instant.theta(i)), std::sin(c.instant.theta(i))};
    const Vector2d point = now.col(i) + c.contacts[k].at * axis;
    const Vector2d normal{-std::sin(moved.theta(i)), std::cos(moved.theta(i))};
    return normal.dot(then.col(i) - point);
  };
  for (std::size_t k = 0; k < c.contacts.size(); ++k) {
    const double slope = (distance(t, k) - distance(-t, k)) / (2.0 * t);
    EXPECT_NEAR(rate(static_cast<Index>(k)), slope, 1e-8);
  }
}

// Liljebäck (2.33): equal links, centres of gravity in their middles, no rotational friction.
TEST(ForceMap, ReducesToLiljebaecksModelForEqualLinks) {
  std::mt19937_64 random(6);
  Case c(Kinematics::centre_of_mass, random);
  const Model robot = sample::aiko(9);
  c.model = make_force_map_model(robot.links, Kinematics::centre_of_mass);
  c.contacts.clear();
  c.ground.tau_r.setZero();
  const Literal literal(c.model);
  const Index n = c.model.n();
  const double l = 0.061;
  const double m = robot.links.front().m;
  MatrixXd A = MatrixXd::Zero(n - 1, n);
  A.diagonal().setOnes();
  A.diagonal(1).setOnes();
  const MatrixXd inner = (literal.D * literal.D.transpose()).inverse();
  const MatrixXd V = A.transpose() * inner * A;
  const MatrixXd K = A.transpose() * inner * literal.D;
  const MatrixXd S = c.instant.theta.array().sin().matrix().asDiagonal();
  const MatrixXd C = c.instant.theta.array().cos().matrix().asDiagonal();
  const MatrixXd M_theta = MatrixXd(c.model.J.asDiagonal()) + m * l * l * (S * V * S + C * V * C);
  const MatrixXd W = m * l * l * (S * V * C - C * V * S);
  const VectorXd right = literal.D.transpose() * c.u - W * c.instant.theta_dot.cwiseAbs2() +
                         l * S * K * c.ground.f_r.row(0).transpose() -
                         l * C * K * c.ground.f_r.row(1).transpose();
  const VectorXd expected = M_theta.inverse() * right;
  ForceMap map;
  ASSERT_TRUE(update_force_map(c.model, c.instant, c.contacts, c.controlled, c.ground,
                               ContactAcceleration::point, map)
                  .regular);
  VectorXd theta_ddot;
  Vector2d p_ddot;
  compute_accelerations(c.model, map, c.u, VectorXd(), theta_ddot, p_ddot);
  EXPECT_LT((theta_ddot - expected).norm() / expected.norm(), 1e-12);
  EXPECT_LT((p_ddot * c.model.m_T - c.ground.f_r.rowwise().sum()).norm(), 1e-12);
}

TEST(ForceMap, RowsOfTheWishAreTheAccelerationsThatFollow) {
  std::mt19937_64 random(7);
  for (const Kinematics kinematics : {Kinematics::mean, Kinematics::centre_of_mass}) {
    const Case c(kinematics, random);
    ForceMap map;
    ASSERT_TRUE(update_force_map(c.model, c.instant, c.contacts, c.controlled, c.ground,
                                 ContactAcceleration::skate, map)
                    .regular);
    VectorXd f_C;
    VectorXd theta_ddot;
    Vector2d p_ddot;
    compute_contact_forces(map, c.u, f_C);
    compute_accelerations(c.model, map, c.u, f_C, theta_ddot, p_ddot);
    const VectorXd row = map.A_e * c.u - map.b_0;
    EXPECT_LT((row.head<2>() + c.model.m_T * p_ddot).norm(), 1e-11);
    for (std::size_t k = 0; k < c.controlled.size(); ++k) {
      EXPECT_NEAR(row(static_cast<Index>(k) + 2), theta_ddot(c.controlled[k]),
                  1e-11 * (1.0 + theta_ddot.norm()));
    }
  }
}

TEST(ForceMap, ProjectedVelocitiesLoseTheLeastEnergyAndKeepContacts) {
  std::mt19937_64 random(8);
  for (const Kinematics kinematics : {Kinematics::mean, Kinematics::centre_of_mass}) {
    const Case c(kinematics, random);
    const auto energy = [&](const Instant& instant) {
      Columns v;
      compute_link_velocities(c.model, instant, v);
      return 0.5 * (v.colwise().squaredNorm() * c.model.m +
                    instant.theta_dot.cwiseAbs2().transpose() * c.model.J)(0);
    };
    Instant projected = c.instant;
    project_velocities(c.model, c.contacts, ContactAcceleration::point, projected);
    const VectorXd rate =
        compute_contact_rates(c.model, projected, c.contacts, ContactAcceleration::point);
    EXPECT_LT(rate.cwiseAbs().maxCoeff(), 1e-13);
    Instant lost = c.instant;  // what was taken away, orthogonal to what is left
    lost.theta_dot -= projected.theta_dot;
    lost.p_dot -= projected.p_dot;
    EXPECT_NEAR(energy(c.instant), energy(projected) + energy(lost), 1e-12 * energy(c.instant));
    Instant again = projected;
    project_velocities(c.model, c.contacts, ContactAcceleration::point, again);
    EXPECT_LT((again.theta_dot - projected.theta_dot).norm(), 1e-12);
  }
}

TEST(ForceMap, TurnsAndMirrorsWithTheScene) {
  std::mt19937_64 random(9);
  Case c(Kinematics::centre_of_mass, random);
  ForceMap map;
  ASSERT_TRUE(update_force_map(c.model, c.instant, c.contacts, c.controlled, c.ground,
                               ContactAcceleration::point, map)
                  .regular);
  VectorXd f_C;
  compute_contact_forces(map, c.u, f_C);

  Case turned = c;
  const double angle = 1.1;
  const Eigen::Matrix2d R = Eigen::Rotation2Dd(angle).toRotationMatrix();
  turned.instant.theta.array() += angle;
  turned.instant.p = R * c.instant.p;
  turned.instant.p_dot = R * c.instant.p_dot;
  turned.ground.f_r = R * c.ground.f_r;
  ForceMap other;
  ASSERT_TRUE(update_force_map(turned.model, turned.instant, turned.contacts, turned.controlled,
                               turned.ground, ContactAcceleration::point, other)
                  .regular);
  VectorXd f_turned;
  compute_contact_forces(other, turned.u, f_turned);
  EXPECT_LT((f_turned - f_C).norm(), 1e-11 * (1.0 + f_C.norm()));

  Case mirrored = c;  // y to -y
  const Vector2d flip{1.0, -1.0};
  mirrored.instant.theta *= -1.0;
  mirrored.instant.theta_dot *= -1.0;
  mirrored.instant.p = flip.cwiseProduct(c.instant.p);
  mirrored.instant.p_dot = flip.cwiseProduct(c.instant.p_dot);
  mirrored.ground.f_r.row(1) *= -1.0;
  mirrored.ground.tau_r *= -1.0;
  for (LinkContact& contact : mirrored.contacts) contact.gamma *= -1;
  mirrored.u *= -1.0;
  ASSERT_TRUE(update_force_map(mirrored.model, mirrored.instant, mirrored.contacts,
                               mirrored.controlled, mirrored.ground, ContactAcceleration::point,
                               other)
                  .regular);
  VectorXd f_mirrored;
  compute_contact_forces(other, mirrored.u, f_mirrored);
  EXPECT_LT((f_mirrored + f_C).norm(), 1e-11 * (1.0 + f_C.norm()));
}

TEST(ForceMap, NamesTheLinksOfContactsThatCannotBeToldApart) {
  ForceMapModel model = make_force_map_model(sample::aiko(3).links, Kinematics::centre_of_mass);
  Instant instant;
  instant.theta = VectorXd::Zero(3);
  instant.theta_dot = VectorXd::Zero(3);
  GroundLoad ground;
  ground.set_zero(3);
  const double l = 0.061;
  // one peg on each side of the first joint: the two forces act at one point
  const std::vector<LinkContact> contacts{{0, l, 1, 0.0}, {1, -l, -1, 0.0}};
  ForceMap map;
  const ForceMapInfo info = update_force_map(model, instant, contacts, std::vector<int>{0}, ground,
                                             ContactAcceleration::point, map);
  EXPECT_FALSE(info.regular);
  EXPECT_EQ(info.dependent, (std::vector<int>{0, 1}));
}

// The paper's own torques minimise the effort among those that give the same motion: 2 u has no
// part in the null space of A_e but that of the bound at joint 6. This needs no ground friction.
TEST(ForceMap, ThePrintedTorquesOfTableVAreStationary) {
  const VectorXd u = sample::table_v_torques();
  const auto residual = [&](const std::vector<int>& controlled, Kinematics kinematics) {
    const ForceMapModel model = make_force_map_model(sample::table_i().links, kinematics);
    const Instant instant = sample::table_ii();
    GroundLoad ground;
    ground.set_zero(20);
    ForceMap map;
    EXPECT_TRUE(update_force_map(model, instant, sample::table_iii(), controlled, ground,
                                 ContactAcceleration::skate, map)
                    .regular);
    const Eigen::FullPivLU<MatrixXd> lu(map.A_e);
    const MatrixXd kernel =
        lu.kernel().householderQr().householderQ() * MatrixXd::Identity(19, lu.dimensionOfKernel());
    VectorXd bound = VectorXd::Zero(19);
    bound(5) = 1.0;
    const VectorXd a = kernel.transpose() * u;
    const VectorXd b = kernel.transpose() * bound;
    return std::pair{(a - b * b.dot(a) / b.squaredNorm()).norm(), a.norm()};
  };
  const auto [left, all] = residual(sample::table_iv(), Kinematics::mean);
  EXPECT_NEAR(left, 0.0038, 0.0005);
  EXPECT_NEAR(all, 1.349, 0.001);
  std::vector<int> head = sample::table_iv();
  head.front() = 19;
  EXPECT_NEAR(residual(head, Kinematics::mean).first, 3.64, 0.01) << "head for tail";
  EXPECT_NEAR(residual(sample::table_iv(), Kinematics::centre_of_mass).first, 0.41, 0.01);
}

}  // namespace coluber::planar::force_map_test
