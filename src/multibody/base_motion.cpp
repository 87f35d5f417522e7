#include <algorithm>
#include <cmath>

#include "multibody/parts.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Vector3d;

/// Rows this far from dependent are solved as they are, without a look at their neighbours in time.
constexpr double kFarFromSingular = 1e-2;

/// Motion at time t as the rows give it; `base.basis.rank` says whether they do.
double solve_at(const Model& model, const Classification& as, const Program& program, double t,
                const EvaluateOptions& options, const Data& data, Data::Base& base) {
  update_rows(model, program, t, data, base);
  choose_rows(base.rows, as, options.rank_tolerance, base.basis);
  base.eta_o = from_plane(solve_rows(base.basis, base.rows.b));
  update_row_bias(model, base);
  base.etadot_o = from_plane(solve_rows(base.basis, base.rows.gamma));
  return base.basis.rank < 3 ? 0.0 : smallest_singular_value(base.basis);
}

Outcome singular(const Data::Base& base, double value) {
  // What the other rows leave free is nearly free altogether.
  return {Outcome::Kind::singular, 0, value, base.basis.q.row(2).transpose()};
}

}  // namespace

// η_o = -Ā⁻¹ B̄ ṙ, η̇_o likewise.  Ali (3.45), (3.46), (3.55)
//
// Where Ā is singular for an instant, and the motion asked for is one that it allows, both sides of
// that instant have the same limit: take the mean of them, of velocities and of accelerations.
// Where one side stays singular, take the limit of the other.
Outcome solve_base(const Model& model, const Classification& as, const Program& program, double t,
                   const EvaluateOptions& options, Data& data) {
  data.averaged = false;
  data.singular_value = solve_at(model, as, program, t, options, data, data.base);
  data.eta_o = data.base.eta_o;
  data.etadot_o = data.base.etadot_o;
  if (data.base.basis.rank == 3 && data.base.basis.least > kFarFromSingular) {
    // The other wheels determine the motion, and this one shall roll otherwise.
    const Rows& rows = data.base.rows;
    for (int i = rows.sliding; i < rows.size; ++i) {
      const double slip = rows.a.row(i).dot(in_plane(data.eta_o)) + rows.b(i);
      const int wheel =
          model.drive ? 0 : model.driven[static_cast<std::size_t>(i - rows.sliding)] + 1;
      if (std::abs(slip) > 1e-9 * (1.0 + std::abs(rows.b(i)))) {
        return {Outcome::Kind::jammed, wheel, std::abs(slip), Vector3d::Zero()};
      }
    }
    return {};
  }
  const double w = options.singular_window;
  const double before = solve_at(model, as, program, t - w, options, data, data.before);
  const double after = solve_at(model, as, program, t + w, options, data, data.after);
  if (data.singular_value >= std::min(before, after) && data.base.basis.rank == 3) return {};
  if ((data.before.basis.rank == 3) != (data.after.basis.rank == 3)) {
    // The shape is held on one side, as before the first row of a table: the limit of the other.
    const bool later = data.after.basis.rank == 3;
    Data::Base& closer = later ? data.after : data.before;
    Data::Base& farther = later ? data.before : data.after;
    solve_at(model, as, program, later ? t + 2.0 * w : t - 2.0 * w, options, data, farther);
    const Vector6d change = farther.eta_o - closer.eta_o;
    const double bound = w * (closer.etadot_o.norm() + farther.etadot_o.norm()) + 1e-9;
    if (farther.basis.rank < 3 || !(change.norm() <= bound) ||
        change.norm() > 0.1 * (1.0 + closer.eta_o.norm())) {
      return singular(data.base, data.singular_value);
    }
    data.eta_o = closer.eta_o - change;
    data.etadot_o = 2.0 * closer.etadot_o - farther.etadot_o;
    data.averaged = true;
    return {};
  }
  if (data.before.basis.rank < 3) {
    if (as.leads) {  // dependent for longer than an instant: later rows take their place
      Classification any = as;
      any.leads = false;
      return solve_base(model, any, program, t, options, data);
    }
    return singular(data.base, data.singular_value);
  }
  // It is finite if both sides agree to what the acceleration changes between them.
  const Vector6d jump = data.after.eta_o - data.before.eta_o;
  const double usual = 2.0 * w * (data.before.etadot_o.norm() + data.after.etadot_o.norm()) + 1e-9;
  if (!(jump.norm() <= usual) || jump.norm() > 0.1 * (1.0 + data.after.eta_o.norm())) {
    return singular(data.base, data.singular_value);
  }
  data.eta_o = 0.5 * (data.before.eta_o + data.after.eta_o);
  data.etadot_o = 0.5 * (data.before.etadot_o + data.after.etadot_o);
  data.averaged = true;
  return {};
}

double compute_singular_value(const Model& model, const Classification& as, const Program& program,
                              double t, Data& data) {
  update_rows(model, program, t, data, data.after);
  choose_rows(data.after.rows, as, 0.0, data.after.basis);
  return data.after.basis.rank < as.rank ? 0.0 : smallest_singular_value(data.after.basis);
}

}  // namespace coluber::multibody
