// Where links go, and how. What is said of a link's place holds for any number of a run: `dataset`,
// `index` and `component` name another one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Dense>

#include "coluber/core/error.hpp"
#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"

#include "measure/rows.hpp"
#include "measure/selection.hpp"

namespace coluber::measure {
namespace {

using record::Trajectory;

/// The C library's hypot differs between processors.
double distance(double x, double y) { return std::sqrt(x * x + y * y); }

/// The place of a link, or of the mean of all, along the call's axis; or what the call names.
Selection followed(const MeasureCall& call) { return {call.trajectory(), call, "link_position"}; }

MeasureValue displacement(const MeasureCall& call) {
  return followed(call).change(call.number("from"), call.number("to"));
}

MeasureValue mean_velocity(const MeasureCall& call) {
  const double from = call.number("from");
  const double to = call.number("to");
  return followed(call).change(from, to) / (to - from);
}

MeasureValue direction(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const double from = call.number("from");
  const double to = call.number("to");
  return math::atan2(Selection::places(run, call, 1).change(from, to),
                     Selection::places(run, call, 0).change(from, to));
}

MeasureValue back_steps(const MeasureCall& call) {
  const auto place = followed(call).series();
  const auto frames = frames_in(call.trajectory(), call);
  double back = 0.0;
  for (std::size_t k = frames.front() + 1; k <= frames.back(); ++k)
    back += std::max(0.0, place[k - 1] - place[k]);
  return back;
}

MeasureValue bend(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const auto x = Selection::places(run, call, 0).series();
  const auto y = Selection::places(run, call, 1).series();
  const auto frames = frames_in(run, call);
  const std::size_t first = frames.front();
  const Eigen::Vector2d chord(x[frames.back()] - x[first], y[frames.back()] - y[first]);
  double largest = 0.0;
  for (const auto k : frames)
    largest =
        std::max(largest, std::abs(chord.x() * (y[k] - y[first]) - chord.y() * (x[k] - x[first])));
  return largest / chord.squaredNorm();
}

MeasureValue axial_slide(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const int link = call.index("link");
  const auto x = run.column("link_position", link, 0);
  const auto y = run.column("link_position", link, 1);
  const auto angle = run.column("link_angle", link);
  const auto frames = frames_in(run, call);
  double slid = 0.0;
  for (std::size_t k = frames.front() + 1; k <= frames.back(); ++k) {
    double sine = 0.0;
    double cosine = 1.0;
    math::sincos(0.5 * (angle[k - 1] + angle[k]), sine, cosine);
    slid += std::abs((x[k] - x[k - 1]) * cosine + (y[k] - y[k - 1]) * sine);
  }
  return slid;
}

/// Changes of a velocity from one frame's interval to the next, within the window.
std::vector<double> velocity_changes(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const auto place = followed(call).series();
  const auto frames = frames_in(run, call);
  std::vector<double> changes;
  for (std::size_t k = frames.front() + 1; k < frames.back(); ++k)
    changes.push_back((place[k + 1] - place[k]) / (run.time[k + 1] - run.time[k]) -
                      (place[k] - place[k - 1]) / (run.time[k] - run.time[k - 1]));
  return changes;
}

MeasureValue largest_jump(const MeasureCall& call) {
  double largest = 0.0;
  for (const double change : velocity_changes(call)) largest = std::max(largest, std::abs(change));
  return largest;
}

MeasureValue jumps(const MeasureCall& call) {
  const double least = call.number("at_least");
  int count = 0;
  bool jumping = false;
  for (const double change : velocity_changes(call)) {
    const bool now = std::abs(change) >= least;
    count += now && !jumping ? 1 : 0;
    jumping = now;
  }
  return static_cast<double>(count);
}

// NaN if the value is not below the bound at the end
MeasureValue rest_time(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const auto values = Selection(run, call, "energy").series();
  const auto frames = frames_in(run, call);
  std::size_t since = frames.back() + 1;
  while (since > frames.front() && values[since - 1] < call.number("below")) --since;
  return since > frames.back() ? std::numeric_limits<double>::quiet_NaN() : run.time[since];
}

MeasureValue apart(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const auto& other = call.run("other").trajectory;
  const int link = call.index("link");
  double largest = 0.0;
  for (const auto k : frames_in(run, call)) {
    const double t = run.time[k];
    largest = std::max(largest, distance(run.at("link_position", k, link, 0) -
                                             at_time(other, "link_position", t, link, 0),
                                         run.at("link_position", k, link, 1) -
                                             at_time(other, "link_position", t, link, 1)));
  }
  return largest;
}

MeasureValue deviation(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const int link = call.index("link");
  double largest = 0.0;
  for (const auto& point : call.points("points"))
    largest =
        std::max(largest, distance(at_time(run, "link_position", point[0], link, 0) - point[1],
                                   at_time(run, "link_position", point[0], link, 1) - point[2]));
  return largest;
}

MeasureValue turn(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const int n = entry_count(run, "link_angle");
  const double from = call.number("from");
  const double to = call.number("to");
  const auto mean_angle = [&](double t) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += at_time(run, "link_angle", t, i, 0);
    return sum / n;
  };
  const double start = mean_angle(from);
  double largest = 0.0;
  for (const double t : run.time)
    if (t >= from - window_slack && t <= to + window_slack)
      largest = std::max(largest, mean_angle(t) - start);
  return largest;
}

// 0 is a sine, 1 has nothing of it. The wavelength is searched between the given ends.
MeasureValue sine_misfit(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const int link = call.index("link");
  const double from = call.number("from");
  const double to = call.number("to");
  const auto wavelengths = call.numbers("wavelength");
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t k = 0; k < run.frames(); ++k) {
    if (run.time[k] < from - window_slack || run.time[k] > to + window_slack) continue;
    x.push_back(run.at("link_position", k, link, 0));
    y.push_back(run.at("link_position", k, link, 1));
  }
  const auto n = static_cast<Eigen::Index>(x.size());
  if (n < 10) throw Error("too few frames for a sine");
  const Eigen::Map<const Eigen::VectorXd> path_x(x.data(), n);
  const Eigen::Map<const Eigen::VectorXd> path_y(y.data(), n);
  Eigen::MatrixXd basis(n, 3);
  double best = std::numeric_limits<double>::infinity();
  constexpr int trials = 200;
  for (int trial = 0; trial <= trials; ++trial) {
    const double length =
        wavelengths.at(0) + (wavelengths.at(1) - wavelengths.at(0)) * trial / trials;
    const Eigen::ArrayXd angle = 2.0 * std::numbers::pi / length * path_x.array();
    basis.col(0).setOnes();
    set_wave(angle, basis);
    const Eigen::Vector3d c = (basis.transpose() * basis).ldlt().solve(basis.transpose() * path_y);
    const double residual = (path_y - basis * c).norm() / std::sqrt(static_cast<double>(n));
    const double size = distance(c(1), c(2)) / std::numbers::sqrt2;
    if (size > 0.0) best = std::min(best, residual / size);
  }
  return best;
}

/// A measure of one number over time: of a link's place, or of what `dataset` names.
std::vector<MeasureParameter> of_a_series(std::vector<MeasureParameter> more) {
  std::vector<MeasureParameter> all{parameter::maybe_link, parameter::axis,
                                    parameter::maybe_dataset, parameter::maybe_index,
                                    parameter::maybe_component};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

std::vector<Measure> motion_measures() {
  using namespace parameter;
  return {
      {"mean_velocity", "m/s", "displacement over the time it took", of_a_series({from, to}),
       mean_velocity},
      {"displacement", "m", "change between two times", of_a_series({from, to}), displacement},
      {"direction",
       "rad",
       "angle from the x axis to the displacement, seen from above",
       {maybe_link, from, to},
       direction},
      {"back_steps", "m", "sum of all steps against the axis", of_a_series({from, to}), back_steps},
      {"bend",
       "",
       "largest distance of a path from the straight line between its ends, over that line's "
       "length",
       {maybe_link, from, to},
       bend},
      {"axial_slide",
       "m",
       "distance a link moved along its own axis, to and fro, seen from above",
       {link, from, to},
       axial_slide},
      {"largest_jump", "m/s", "largest change of a velocity from one frame to the next",
       of_a_series({from, to}), largest_jump},
      {"jumps", "", "how often a velocity jumps by at_least; successive frames count as one jump",
       of_a_series({from, to, at_least}), jumps},
      {"rest_time",
       "s",
       "frame from which the kinetic energy stays below a bound, up to `to`",
       {{"below", ParameterKind::number}, to, maybe_dataset, maybe_index, maybe_component},
       rest_time},
      {"apart",
       "m",
       "largest distance between a link's places in two runs",
       {link, {"other", ParameterKind::run}, from, to},
       apart},
      {"deviation",
       "m",
       "largest distance of a link from given places",
       {link, {"points", ParameterKind::points}},
       deviation},
      {"turn",
       "rad",
       "largest anticlockwise change of the mean link angle since `from`",
       {from, to},
       turn},
      {"sine_misfit",
       "",
       "rms distance of a path from the best sine, over the rms of that sine",
       {link, from, to, {"wavelength", ParameterKind::pair}},
       sine_misfit},
  };
}

}  // namespace coluber::measure
