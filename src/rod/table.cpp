#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/rod/strain.hpp"

namespace coluber::rod {

namespace {

/// Second derivatives at the knots of the cubic spline through (x, f), not-a-knot at its ends. With
/// three knots a parabola, with two a line.
std::vector<double> spline_curvatures(const std::vector<double>& x, const std::vector<double>& f) {
  const std::size_t n = x.size();
  std::vector<double> M(n, 0.0);
  if (n < 3) return M;
  const auto h = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto slope = [&](std::size_t i) { return (f[i + 1] - f[i]) / h(i); };
  if (n == 3) {
    M.assign(3, 2.0 * (slope(1) - slope(0)) / (x[2] - x[0]));
    return M;
  }
  // Rows 1 … n-2: h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (slope_i -
  // slope_{i-1}), with M_0 and M_{n-1} put in from the third derivative's continuity at knots 1 and
  // n-2.
  std::vector<double> below(n, 0.0);
  std::vector<double> diagonal(n, 1.0);
  std::vector<double> above(n, 0.0);
  std::vector<double> right(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = h(i - 1);
    diagonal[i] = 2.0 * (h(i - 1) + h(i));
    above[i] = h(i);
    right[i] = 6.0 * (slope(i) - slope(i - 1));
  }
  const double first = h(0) / h(1);  // M_0 = (1 + first) M_1 - first M_2
  diagonal[1] += below[1] * (1.0 + first);
  above[1] -= below[1] * first;
  const double last = h(n - 2) / h(n - 3);
  diagonal[n - 2] += above[n - 2] * (1.0 + last);
  below[n - 2] -= above[n - 2] * last;
  for (std::size_t i = 2; i + 1 < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    right[i] -= factor * right[i - 1];
  }
  for (std::size_t i = n - 2; i >= 1; --i) {
    M[i] = (right[i] - (i + 2 < n ? above[i] * M[i + 1] : 0.0)) / diagonal[i];
  }
  M[0] = (1.0 + first) * M[1] - first * M[2];
  M[n - 1] = (1.0 + last) * M[n - 2] - last * M[n - 3];
  return M;
}

/// Weights of (f_i, f_{i+1}, M_i, M_{i+1}) in a spline and its derivatives.
struct Basis {
  std::size_t i = 0;
  std::array<double, 4> value{}, first{}, second{};
};

Basis basis_at(const std::vector<double>& x, double at) {
  Basis out;
  if (x.size() == 1) {
    out.value[0] = 1.0;
    return out;
  }
  const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, at);
  out.i = static_cast<std::size_t>(above - x.begin()) - 1;
  const double h = x[out.i + 1] - x[out.i];
  const double b = (at - x[out.i]) / h;
  const double a = 1.0 - b;
  out.value = {a, b, (a * a * a - a) * h * h / 6.0, (b * b * b - b) * h * h / 6.0};
  out.first = {-1.0 / h, 1.0 / h, (1.0 - 3.0 * a * a) * h / 6.0, (3.0 * b * b - 1.0) * h / 6.0};
  out.second = {0.0, 0.0, a, b};
  return out;
}

/// What a cell of the grid has at a knot: the strains, their second derivatives along X, along t,
/// and those of one another.
struct Knot {
  Vector6d f = Vector6d::Zero(), f_X = Vector6d::Zero(), f_t = Vector6d::Zero(),
           f_Xt = Vector6d::Zero();
};

class TableLaw final : public StrainLaw {
 public:
  explicit TableLaw(std::span<const std::array<double, 8>> rows) {
    for (const auto& row : rows) {
      t_.push_back(row[0]);
      X_.push_back(row[1]);
    }
    for (std::vector<double>* each : {&t_, &X_}) {
      std::ranges::sort(*each);
      each->erase(std::unique(each->begin(), each->end()), each->end());
    }
    if (rows.empty()) throw Error("a table of strains needs at least one row");
    knots_.resize(t_.size() * X_.size());
    std::vector<char> seen(knots_.size(), 0);
    for (const auto& row : rows) {
      const auto index = [](const std::vector<double>& list, double value) {
        return static_cast<std::size_t>(std::ranges::lower_bound(list, value) - list.begin());
      };
      const std::size_t at = index(t_, row[0]) * X_.size() + index(X_, row[1]);
      if (seen[at] != 0) {
        throw Error(fmt::format("X = {} is there twice at t = {}", row[1], row[0]));
      }
      seen[at] = 1;
      for (int k = 0; k < 6; ++k) knots_[at].f(k) = row[static_cast<std::size_t>(k) + 2];
    }
    for (std::size_t at = 0; at < seen.size(); ++at) {
      if (seen[at] != 0) continue;
      throw Error(fmt::format("there is no row for X = {} at t = {}: every X is needed at every t",
                              X_[at % X_.size()], t_[at / X_.size()]));
    }
    fill(X_, 1, X_.size(), t_.size(), &Knot::f, &Knot::f_X);
    fill(t_, X_.size(), 1, X_.size(), &Knot::f, &Knot::f_t);
    fill(t_, X_.size(), 1, X_.size(), &Knot::f_X, &Knot::f_Xt);
  }

  void evaluate(double t, std::span<const double> X, std::span<Strains> out) const override {
    const bool inside = t_.size() > 1 && t >= t_.front() && t <= t_.back();
    const Basis in_t = basis_at(t_, std::clamp(t, t_.front(), t_.back()));
    for (std::size_t i = 0; i < X.size(); ++i) {
      const Basis in_X = basis_at(X_, X[i]);
      out[i].xi = sum(in_t.i, in_t.value, in_X.i, in_X.value);
      out[i].xidot.setZero();
      out[i].xiddot.setZero();
      if (!inside) continue;
      out[i].xidot = sum(in_t.i, in_t.first, in_X.i, in_X.value);
      out[i].xiddot = sum(in_t.i, in_t.second, in_X.i, in_X.value);
    }
  }
  void evaluate_slopes(double t, std::span<const double> X, std::span<Slopes> out) const override {
    const bool inside = t_.size() > 1 && t >= t_.front() && t <= t_.back();
    const Basis in_t = basis_at(t_, std::clamp(t, t_.front(), t_.back()));
    for (std::size_t i = 0; i < X.size(); ++i) {
      const Basis in_X = basis_at(X_, X[i]);
      out[i].xi = sum(in_t.i, in_t.value, in_X.i, in_X.first);
      out[i].xidot.setZero();
      if (inside) out[i].xidot = sum(in_t.i, in_t.first, in_X.i, in_X.first);
    }
  }
  [[nodiscard]] double next_break(double t) const override {
    if (t_.size() > 1 && t < t_.front()) return t_.front();
    if (t_.size() > 1 && t < t_.back()) return t_.back();
    return std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] StrainMask actuated() const override {
    StrainMask mask{};
    for (const Knot& knot : knots_) {
      for (int k = 0; k < 6; ++k) {
        if (knot.f(k) != (k == 0 ? 1.0 : 0.0)) mask[static_cast<std::size_t>(k)] = true;
      }
    }
    return mask;
  }

 private:
  /// Second derivatives along one axis of the grid: `stride` between its knots, `other` lines.
  void fill(const std::vector<double>& axis, std::size_t stride, std::size_t step,
            std::size_t lines, Vector6d Knot::* from, Vector6d Knot::* to) {
    std::vector<double> f(axis.size());
    for (std::size_t line = 0; line < lines; ++line) {
      for (int k = 0; k < 6; ++k) {
        for (std::size_t i = 0; i < axis.size(); ++i) {
          f[i] = (knots_[line * step + i * stride].*from)(k);
        }
        const std::vector<double> M = spline_curvatures(axis, f);
        for (std::size_t i = 0; i < axis.size(); ++i) {
          (knots_[line * step + i * stride].*to)(k) = M[i];
        }
      }
    }
  }
  [[nodiscard]] Vector6d sum(std::size_t i, const std::array<double, 4>& in_t, std::size_t j,
                             const std::array<double, 4>& in_X) const {
    Vector6d out = Vector6d::Zero();
    for (std::size_t a = 0; a < 2; ++a) {
      if (i + a >= t_.size()) continue;
      for (std::size_t b = 0; b < 2; ++b) {
        if (j + b >= X_.size()) continue;
        const Knot& knot = knots_[(i + a) * X_.size() + j + b];
        out += in_t[a] * (in_X[b] * knot.f + in_X[b + 2] * knot.f_X) +
               in_t[a + 2] * (in_X[b] * knot.f_t + in_X[b + 2] * knot.f_Xt);
      }
    }
    return out;
  }

  std::vector<double> t_, X_;
  std::vector<Knot> knots_;
};

}  // namespace

std::unique_ptr<StrainLaw> make_strain_table(std::span<const std::array<double, 8>> rows) {
  return std::make_unique<TableLaw>(rows);
}

}  // namespace coluber::rod
