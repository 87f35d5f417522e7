// The rod as the limit of many links: a tree of n links on axles, driven to the rod's headings.

#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "coluber/math/ode.hpp"
#include "coluber/rod/system.hpp"

#include "multibody/parts.hpp"
#include "sample/trees.hpp"

namespace coluber::rod {
namespace chain_test {

constexpr double pi = std::numbers::pi;
constexpr double kCurvature = 10.0, kSpeed = -0.5;

/// Heading of the rod's section X against its head's, and the rate: θ = ∫K, K = A cos 2π(X + V t).
std::pair<double, double> heading(double X, double t) {
  const double head = 2.0 * pi * kSpeed * t;
  const double at = 2.0 * pi * X + head;
  return {kCurvature / (2.0 * pi) * (std::sin(at) - std::sin(head)),
          kCurvature * kSpeed * (std::cos(at) - std::cos(head))};
}

/// n links of 1/n m, an axle at the middle of each. The tree's own rows say how each axle slides
/// for a motion of link 1; the motion is the one with the least squares over all of them.
class Chain final : public math::Ode {
 public:
  explicit Chain(int n) : model_(tree_of(n)), data_(model_) {
    const double h = 1.0 / n;
    program_ = [h, n](double t, multibody::Input& input) {
      for (int k = 0; k + 1 < n; ++k) {
        const auto [a, adot] = heading((k + 0.5) * h, t);
        const auto [b, bdot] = heading((k + 1.5) * h, t);
        input.r(k) = b - a;
        input.rdot(k) = bdot - adot;
      }
    };
  }

  bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override {
    multibody::update_rows(model_, program_, t, data_, data_.base);
    const multibody::Rows& rows = data_.base.rows;
    EXPECT_EQ(rows.size, model_.size());
    const Eigen::Vector3d x = Eigen::MatrixXd(rows.a.topRows(rows.size))
                                  .colPivHouseholderQr()
                                  .solve(Eigen::VectorXd(-rows.b.head(rows.size)));
    const double c = std::cos(y(2));
    const double s = std::sin(y(2));
    ydot << c * x(0) - s * x(1), s * x(0) + c * x(1), x(2);
    return true;
  }

 private:
  static multibody::Tree tree_of(int n) {
    multibody::Tree tree;
    const double h = 1.0 / n;
    for (int j = 0; j < n; ++j) {  // frames at the joints, the first at the head
      tree.bodies.push_back(
          multibody::sample::body_at(j - 1, {j == 0 ? 0.0 : h, 0.0, 0.0}, h, {1e-4, 1e-4, 1e-4}));
      tree.bodies.back().c = {0.5 * h, 0.0, 0.0};
      tree.wheels.push_back(multibody::sample::wheel_on(j, 0.5 * h));
    }
    return tree;
  }

  multibody::Model model_;
  multibody::Data data_;
  multibody::Program program_;
};

TEST(ChainToRod, LinkOneEndsNearerToTheRodTheMoreLinksThereAre) {
  constexpr double t_end = 2.0;
  Model model;
  model.group = Group::SE2;
  model.elements = 160;
  model.space = Space::collocation6;
  ContactModel contact;
  contact.kind = ContactKind::annular;
  contact.abscissae = {0.1, 0.3, 0.5, 0.7, 0.9};
  SystemOptions options;
  options.dt = 0.01;
  const Undulation law{
      .amplitude = kCurvature, .wavelength = 1.0, .advance = {kSpeed, 0.0}, .turn = {}};
  RodSystem rod(model, make_strain(law), contact, {}, options);
  ASSERT_EQ(rod.start_fault(), Fault::none);
  const auto section_at = [&](int i) {
    const Pose g = rod.data().pose(rod.data().section(i));
    return std::pair{Eigen::Vector2d(g.p.head<2>()), std::atan2(g.R(1, 0), g.R(0, 0))};
  };
  const int counts[] = {10, 20, 40, 80};
  const double seen[] = {4.71e-2, 1.146e-2, 2.85e-3, 7.10e-4};
  std::vector<Eigen::Vector2d> ends;
  for (int n : counts) {
    // link 1's middle on the rod's section h/2, along it
    const double h = 1.0 / n;
    const auto [place, angle] = section_at(80 / n);
    const Eigen::Vector2d along(std::cos(angle), std::sin(angle));
    Eigen::VectorXd y(3);
    y << place - 0.5 * h * along, angle;
    Chain chain(n);
    math::Rk4 rk4(3);
    constexpr int steps = 400;
    for (int k = 0; k < steps; ++k) {
      ASSERT_TRUE(rk4.step(chain, t_end * k / steps, t_end / steps, y));
    }
    ends.emplace_back(y(0) + 0.5 * h * std::cos(y(2)), y(1) + 0.5 * h * std::sin(y(2)));
  }
  for (int k = 0; k < 200; ++k) ASSERT_EQ(rod.step().status, Status::ok);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const double apart = (ends[i] - section_at(80 / counts[i]).first).norm();
    EXPECT_NEAR(apart, seen[i], 0.02 * seen[i]) << counts[i] << " links";
  }
}

}  // namespace chain_test
}  // namespace coluber::rod
