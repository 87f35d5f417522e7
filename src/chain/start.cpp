#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/drive/build.hpp"

#include "math/degree.hpp"

namespace coluber::chain {

namespace {

using math::degree;

}  // namespace

Eigen::VectorXd compute_start_angles(const drive::Build& build, int angles) {
  const auto& start = build.get<Start>();
  if (start.as_gait() && build.gait_start) return build.gait_start().phi;
  Eigen::VectorXd phi = Eigen::VectorXd::Zero(angles);
  const std::vector<double>& numbers = start.shape->numbers;
  for (Eigen::Index i = 0; i < angles && i < std::ssize(numbers); ++i) {
    phi(i) = numbers[static_cast<std::size_t>(i)] * degree;
  }
  return phi;
}

double minus_mean_angle(const Eigen::VectorXd& phi) {
  const auto n = static_cast<double>(phi.size() + 1);
  double mean = 0.0;
  for (Eigen::Index j = 0; j < phi.size(); ++j) {
    mean += phi(j) * (n - 1.0 - static_cast<double>(j)) / n;
  }
  return -mean;
}

double first_link_angle(const drive::Build& build, const Eigen::VectorXd& yaw) {
  if (yaw.size() > 0 && build.get<Start>().as_gait() && build.gait_start) {
    if (const auto mean_line = build.gait_start().mean_line) return *mean_line;
  }
  return minus_mean_angle(yaw);
}

void warn_of_many_links(const drive::Build& build) {
  constexpr int many = 5000;  // residual 4e-7 by rounding alone; 2e-6 at 10000
  const auto links = static_cast<int>(build.get<Robot>().link.size());
  if (links <= many) return;
  build.warnings.push_back(
      {"robot.links",
       fmt::format("robot.links = {}: beyond {} links rounding shows, by the square of their "
                   "number; above some 20000 steps fail to converge",
                   links, many)});
}

}  // namespace coluber::chain
