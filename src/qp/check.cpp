#include "check.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

namespace coluber::qp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

void same_size(std::string_view what, Index found, std::string_view other, Index wanted) {
  if (found == wanted) return;
  throw Error(fmt::format("QP: {} has {} entries, {} has {}", what, found, other, wanted));
}

void same_columns(std::string_view what, const MatrixXd& rows, Index unknowns) {
  if (rows.rows() == 0 || rows.cols() == unknowns) return;
  throw Error(
      fmt::format("QP: {} has {} columns, limit has {} entries", what, rows.cols(), unknowns));
}

void all_finite(std::string_view what, const MatrixXd& values) {
  if (values.allFinite()) return;
  for (Index j = 0; j < values.cols(); ++j) {
    for (Index i = 0; i < values.rows(); ++i) {
      if (std::isfinite(values(i, j))) continue;
      throw Error(
          fmt::format("QP: {}({}, {}) is {}, expected a finite number", what, i, j, values(i, j)));
    }
  }
}

void all_finite(std::string_view what, const VectorXd& values) {
  for (Index i = 0; i < values.size(); ++i) {
    if (std::isfinite(values(i))) continue;
    throw Error(fmt::format("QP: {}({}) is {}, expected a finite number", what, i, values(i)));
  }
}

void all_positive(std::string_view what, const VectorXd& values, bool infinite) {
  for (Index i = 0; i < values.size(); ++i) {
    if (values(i) > 0.0 && (infinite || std::isfinite(values(i)))) continue;
    throw Error(fmt::format("QP: {}({}) is {}, expected a {}number > 0", what, i, values(i),
                            infinite ? "" : "finite "));
  }
}

void positive(std::string_view what, double value) {
  if (value > 0.0) return;
  throw Error(fmt::format("QP: {} is {}, expected a number > 0", what, value));
}

}  // namespace

void check(const Problem& problem, const Options& options) {
  const Index n = problem.limit.size();
  same_size("weight", problem.weight.size(), "limit", n);
  same_columns("A", problem.A, n);
  same_columns("G", problem.G, n);
  if (problem.b.size() != problem.A.rows()) {
    throw Error(
        fmt::format("QP: b has {} entries, A has {} rows", problem.b.size(), problem.A.rows()));
  }
  if (problem.h.size() != problem.G.rows()) {
    throw Error(
        fmt::format("QP: h has {} entries, G has {} rows", problem.h.size(), problem.G.rows()));
  }
  same_size("slack_weight", problem.slack_weight.size(), "b", problem.b.size());
  constexpr Index most = 10000;  // of a dense problem; DAQP counts in int
  if (n + problem.A.rows() + problem.G.rows() > most) {
    throw Error(fmt::format("QP: {} unknowns, {} rows of A and {} of G are more than {} together",
                            n, problem.A.rows(), problem.G.rows(), most));
  }
  all_finite("A", problem.A);
  all_finite("b", problem.b);
  all_finite("G", problem.G);
  for (Index j = 0; j < problem.h.size(); ++j) {  // +infinity: no inequality
    if (problem.h(j) > -HUGE_VAL) continue;
    throw Error(fmt::format("QP: h({}) is {}, expected a number or infinity", j, problem.h(j)));
  }
  all_positive("limit", problem.limit, true);
  all_positive("weight", problem.weight, false);
  all_positive("slack_weight", problem.slack_weight, false);
  positive("Options::hard_from", options.hard_from);
  positive("Options::rank_threshold", options.rank_threshold);
  positive("Options::tolerance", options.tolerance);
  positive("Options::max_iterations", options.max_iterations);
}

}  // namespace coluber::qp
