#include "reproduce_measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Dense>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"

namespace coluber::app {
namespace {

using nlohmann::json;
using record::Trajectory;

constexpr double slack = 1e-9;  ///< s: frames at the ends of a window count by their nominal time

struct Context {
  const std::string& run;
  const RunLookup& lookup;
};

MeasureValue compute(const json& spec, const Context& context);

const Trajectory& trajectory_of(const json& spec, const Context& context) {
  return context.lookup(spec.value("run", context.run)).trajectory;
}

int count_of(const Trajectory& run, std::string_view name) {
  for (const auto& o : run.observables)
    if (o.name == name && !o.shape.empty()) return o.shape[0];
  throw Error(fmt::format("the run has no {} by link", name));
}

const std::vector<int>& shape_of(const Trajectory& run, std::string_view name) {
  for (const auto& o : run.observables)
    if (o.name == name && !o.shape.empty()) return o.shape;
  throw Error(fmt::format("the run has no {}", name));
}

int axis_of(const json& spec) {
  const auto name = spec.value("axis", std::string{"x"});
  return name == "x" ? 0 : name == "y" ? 1 : 2;
}

int link_of(const json& spec) { return spec.at("link").get<int>() - 1; }

/// Frames whose time lies in the window; without `from` or `to` it is open.
std::vector<std::size_t> frames_in(const Trajectory& run, const json& spec) {
  const double from = spec.value("from", -std::numeric_limits<double>::infinity());
  const double to = spec.value("to", std::numeric_limits<double>::infinity());
  if (run.frames() == 0 || (std::isfinite(to) && to > run.time.back() + slack))
    throw Error(fmt::format("the run ends before {} s", to));
  std::vector<std::size_t> frames;
  for (std::size_t k = 0; k < run.frames(); ++k)
    if (run.time[k] >= from - slack && run.time[k] <= to + slack) frames.push_back(k);
  if (frames.size() < 2)
    throw Error(fmt::format("the run has no two frames between {} and {} s", from, to));
  return frames;
}

/// Where the link is over the frames; without `link`, the mean of all links.
std::vector<double> places_of(const Trajectory& run, const json& spec, int axis) {
  if (spec.contains("link")) return run.column("link_position", link_of(spec), axis);
  const int n = count_of(run, "link_position");
  std::vector<double> mean(run.frames(), 0.0);
  for (int i = 0; i < n; ++i) {
    const auto one = run.column("link_position", i, axis);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += one[k] / n;
  }
  return mean;
}

double at_time(const Trajectory& run, std::string_view name, double t, int link, int axis) {
  if (run.frames() == 0 || t < run.time.front() - slack || t > run.time.back() + slack)
    throw Error(fmt::format("the run has nothing at {} s", t));
  return run.at_time(name, std::clamp(t, run.time.front(), run.time.back()), link, axis);
}

/// Frames k >= 1 whose interval (t_(k-1), t_k] lies in the window; forces are means over it.
std::vector<std::size_t> intervals_in(const Trajectory& run, const json& spec) {
  const double from = spec.at("from").get<double>();
  const double to = spec.at("to").get<double>();
  if (run.frames() == 0 || to > run.time.back() + slack)
    throw Error(fmt::format("the run ends before {} s", to));
  std::vector<std::size_t> frames;
  for (std::size_t k = 1; k < run.frames(); ++k)
    if (run.time[k] > from + slack && run.time[k] <= to + slack) frames.push_back(k);
  if (frames.empty())
    throw Error(fmt::format("the run has no frame between {} and {} s", from, to));
  return frames;
}

/// Impulse over the window divided by its length.
double mean_force(const Trajectory& run, const json& spec, std::string_view name, int link,
                  int axis) {
  double impulse = 0.0;
  double span = 0.0;
  for (const auto k : intervals_in(run, spec)) {
    const double interval = run.time[k] - run.time[k - 1];
    impulse += interval * run.at(name, k, link, axis);
    span += interval;
  }
  return impulse / span;
}

/// How far the link, or the mean of all links, came along an axis between two times.
double displacement(const Trajectory& run, const json& spec, double from, double to, int axis) {
  const auto moved = [&](int link) {
    return at_time(run, "link_position", to, link, axis) -
           at_time(run, "link_position", from, link, axis);
  };
  if (spec.contains("link")) return moved(link_of(spec));
  const int n = count_of(run, "link_position");
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += moved(i);
  return sum / n;
}

// displacement over the window divided by its length
MeasureValue mean_velocity(const json& spec, const Context& context) {
  const double from = spec.at("from").get<double>();
  const double to = spec.at("to").get<double>();
  return displacement(trajectory_of(spec, context), spec, from, to, axis_of(spec)) / (to - from);
}

MeasureValue displacement_over(const json& spec, const Context& context) {
  return displacement(trajectory_of(spec, context), spec, spec.at("from").get<double>(),
                      spec.at("to").get<double>(), axis_of(spec));
}

// angle from e_x to the displacement over the window, seen from above
MeasureValue direction(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const double from = spec.at("from").get<double>();
  const double to = spec.at("to").get<double>();
  return std::atan2(displacement(run, spec, from, to, 1), displacement(run, spec, from, to, 0));
}

// all that was moved against the axis within the window
MeasureValue back_steps(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto place = places_of(run, spec, axis_of(spec));
  const auto frames = frames_in(run, spec);
  double back = 0.0;
  for (std::size_t k = frames.front() + 1; k <= frames.back(); ++k)
    back += std::max(0.0, place[k - 1] - place[k]);
  return back;
}

// largest distance of the path seen from above from the straight line between its ends, over that
// line's length: 0 is straight
MeasureValue bend(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto x = places_of(run, spec, 0);
  const auto y = places_of(run, spec, 1);
  const auto frames = frames_in(run, spec);
  const std::size_t first = frames.front();
  const Eigen::Vector2d chord(x[frames.back()] - x[first], y[frames.back()] - y[first]);
  double largest = 0.0;
  for (const auto k : frames)
    largest =
        std::max(largest, std::abs(chord.x() * (y[k] - y[first]) - chord.y() * (x[k] - x[first])));
  return largest / chord.squaredNorm();
}

// distance a link moved along its own axis, to and fro, seen from above
MeasureValue axial_slide(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const int link = link_of(spec);
  const auto x = run.column("link_position", link, 0);
  const auto y = run.column("link_position", link, 1);
  const auto angle = run.column("link_angle", link);
  const auto frames = frames_in(run, spec);
  double slid = 0.0;
  for (std::size_t k = frames.front() + 1; k <= frames.back(); ++k) {
    const double theta = 0.5 * (angle[k - 1] + angle[k]);
    slid += std::abs((x[k] - x[k - 1]) * std::cos(theta) + (y[k] - y[k - 1]) * std::sin(theta));
  }
  return slid;
}

/// Changes of a link's velocity from one frame's interval to the next, within the window.
std::vector<double> velocity_changes(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto place = places_of(run, spec, axis_of(spec));
  const auto frames = frames_in(run, spec);
  std::vector<double> changes;
  for (std::size_t k = frames.front() + 1; k < frames.back(); ++k)
    changes.push_back((place[k + 1] - place[k]) / (run.time[k + 1] - run.time[k]) -
                      (place[k] - place[k - 1]) / (run.time[k] - run.time[k - 1]));
  return changes;
}

MeasureValue largest_jump(const json& spec, const Context& context) {
  double largest = 0.0;
  for (const double change : velocity_changes(spec, context))
    largest = std::max(largest, std::abs(change));
  return largest;
}

// how often the velocity jumps by at least so much; frames in a row are one jump
MeasureValue jumps(const json& spec, const Context& context) {
  const double least = spec.at("at_least").get<double>();
  int count = 0;
  bool jumping = false;
  for (const double change : velocity_changes(spec, context)) {
    const bool now = std::abs(change) >= least;
    count += now && !jumping ? 1 : 0;
    jumping = now;
  }
  return static_cast<double>(count);
}

// the first frame at which |value| is at least so large; NaN if there is none
MeasureValue first_time(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto values = run.column(spec.at("observable").get<std::string>(),
                                 spec.value("link", 1) - 1, axis_of(spec));
  for (const auto k : frames_in(run, spec))
    if (std::abs(values[k]) >= spec.at("at_least").get<double>()) return run.time[k];
  return std::numeric_limits<double>::quiet_NaN();
}

// the frame from which on the kinetic energy stays below a bound up to `to`; NaN if it does not
MeasureValue rest_time(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto energy = run.column("energy");
  const auto frames = frames_in(run, spec);
  std::size_t since = frames.back() + 1;
  while (since > frames.front() && energy[since - 1] < spec.at("below").get<double>()) --since;
  return since > frames.back() ? std::numeric_limits<double>::quiet_NaN() : run.time[since];
}

// largest distance between a link's places in two runs at the same times
MeasureValue apart(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto& other = context.lookup(spec.at("other").get<std::string>()).trajectory;
  const int link = link_of(spec);
  double largest = 0.0;
  for (const auto k : frames_in(run, spec)) {
    const double t = run.time[k];
    largest = std::max(largest, std::hypot(run.at("link_position", k, link, 0) -
                                               at_time(other, "link_position", t, link, 0),
                                           run.at("link_position", k, link, 1) -
                                               at_time(other, "link_position", t, link, 1)));
  }
  return largest;
}

MeasureValue value_at(const json& spec, const Context& context) {
  return at_time(trajectory_of(spec, context), spec.value("observable", "link_position"),
                 spec.at("at").get<double>(), spec.value("link", 1) - 1, axis_of(spec));
}

// largest distance of a link from where it should be, over the given (t, x, y)
MeasureValue deviation(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const int link = link_of(spec);
  double largest = 0.0;
  for (const auto& point : spec.at("points")) {
    const double t = point.at(0).get<double>();
    largest = std::max(
        largest, std::hypot(at_time(run, "link_position", t, link, 0) - point.at(1).get<double>(),
                            at_time(run, "link_position", t, link, 1) - point.at(2).get<double>()));
  }
  return largest;
}

MeasureValue extreme(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto name = spec.value("observable", std::string{"link_position"});
  const auto values = run.column(name, spec.value("link", 1) - 1, axis_of(spec));
  const double from = spec.value("from", -std::numeric_limits<double>::infinity());
  const double to = spec.value("to", std::numeric_limits<double>::infinity());
  const bool lowest = spec.at("of").get<std::string>() == "min";
  double found = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (run.time[k] < from - slack || run.time[k] > to + slack) continue;
    if (std::isnan(found) || (lowest ? values[k] < found : values[k] > found)) found = values[k];
  }
  return found;
}

MeasureValue mean_force_of_link(const json& spec, const Context& context) {
  return mean_force(trajectory_of(spec, context), spec, "contact_force", link_of(spec),
                    axis_of(spec));
}

MeasureValue resultant_force(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  double sum = 0.0;
  for (int i = 0; i < count_of(run, "contact_force"); ++i)
    sum += mean_force(run, spec, "contact_force", i, axis_of(spec));
  return sum;
}

MeasureValue touching_links(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const auto frames = intervals_in(run, spec);
  std::vector<int> links;
  for (int i = 0; i < count_of(run, "contact_force"); ++i) {
    const bool touches = std::any_of(frames.begin(), frames.end(), [&](std::size_t k) {
      return run.at("contact_force", k, i, 0) != 0.0 || run.at("contact_force", k, i, 1) != 0.0;
    });
    if (touches) links.push_back(i + 1);
  }
  return links;
}

// the link with the largest impulse over the window; none if nothing touches
MeasureValue strongest_link(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  double largest = 0.0;
  std::vector<int> link;
  for (int i = 0; i < count_of(run, "contact_force"); ++i) {
    const double force = std::hypot(mean_force(run, spec, "contact_force", i, 0),
                                    mean_force(run, spec, "contact_force", i, 1));
    if (force <= largest) continue;
    largest = force;
    link = {i + 1};
  }
  return link;
}

// largest anticlockwise change of the mean link angle since `from`
MeasureValue turn(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const int n = count_of(run, "link_angle");
  const double from = spec.at("from").get<double>();
  const double to = spec.at("to").get<double>();
  const auto mean_angle = [&](double t) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += at_time(run, "link_angle", t, i, 0);
    return sum / n;
  };
  const double start = mean_angle(from);
  double largest = 0.0;
  for (const double t : run.time)
    if (t >= from - slack && t <= to + slack) largest = std::max(largest, mean_angle(t) - start);
  return largest;
}

// rms distance of a link's path from the best sine y(x), over the rms size of that sine: 0 is a
// sine, 1 has nothing of it. The wavelength is searched between the given ends.
MeasureValue sine_misfit(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const int link = link_of(spec);
  const double from = spec.at("from").get<double>();
  const double to = spec.at("to").get<double>();
  const auto wavelengths = spec.at("wavelength").get<std::vector<double>>();
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t k = 0; k < run.frames(); ++k) {
    if (run.time[k] < from - slack || run.time[k] > to + slack) continue;
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
    basis.col(1) = angle.cos();
    basis.col(2) = angle.sin();
    const Eigen::Vector3d c = (basis.transpose() * basis).ldlt().solve(basis.transpose() * path_y);
    const double residual = (path_y - basis * c).norm() / std::sqrt(static_cast<double>(n));
    const double size = std::hypot(c(1), c(2)) / std::numbers::sqrt2;
    if (size > 0.0) best = std::min(best, residual / size);
  }
  return best;
}

/// Largest size or root mean square of a quantity of the joints over the frames of a window: of one
/// joint, or of all; of every axis that a joint has.
template <typename Value>
double size_over_joints(const json& spec, const Trajectory& run, Value value) {
  const auto& shape = shape_of(run, "joint_angle");
  const int axes = shape.size() < 2 ? 1 : shape[1];
  const int joints = shape.at(0);
  const int first = spec.contains("joint") ? spec["joint"].get<int>() - 1 : 0;
  const int last = spec.contains("joint") ? first : joints - 1;
  if (last >= joints || joints == 0)
    throw Error(fmt::format("the run has {} joints, not {}", joints, last + 1));
  double largest = 0.0;
  double sum = 0.0;
  const auto frames = frames_in(run, spec);
  for (const auto k : frames) {
    for (int j = first; j <= last; ++j) {
      for (int axis = 0; axis < axes; ++axis) {
        const double size = std::abs(value(k, j, axis));
        if (std::isnan(size)) return size;
        largest = std::max(largest, size);
        sum += size * size;
      }
    }
  }
  const auto count = static_cast<double>(frames.size()) * (last - first + 1) * axes;
  return spec.at("of").get<std::string>() == "max" ? largest : std::sqrt(sum / count);
}

// how far joints are from their references, in degrees
MeasureValue tracking_error(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  return 180.0 / std::numbers::pi * size_over_joints(spec, run, [&](auto k, int j, int axis) {
           return run.at("joint_angle", k, j, axis) - run.at("joint_reference", k, j, axis);
         });
}

/// Times and errors of a joint over the frames of a window.
std::pair<Eigen::VectorXd, Eigen::VectorXd> errors_in(const json& spec, const Trajectory& run) {
  const auto frames = frames_in(run, spec);
  const int joint = spec.at("joint").get<int>() - 1;
  const auto count = static_cast<Eigen::Index>(frames.size());
  std::pair<Eigen::VectorXd, Eigen::VectorXd> series{count, count};
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto frame = frames[static_cast<std::size_t>(k)];
    series.first(k) = run.time[frame];
    series.second(k) =
        run.at("joint_angle", frame, joint) - run.at("joint_reference", frame, joint);
  }
  return series;
}

double rms(const Eigen::VectorXd& values) {
  return values.norm() / std::sqrt(static_cast<double>(values.size()));
}

// how far a joint's error is from a sine of the given period: rms of what is left over that of the
// sine; 0 is a sine, 1 and more is none
MeasureValue tracking_sine_misfit(const json& spec, const Context& context) {
  const auto [time, error] = errors_in(spec, trajectory_of(spec, context));
  const Eigen::ArrayXd angle =
      2.0 * std::numbers::pi / spec.at("period").get<double>() * time.array();
  Eigen::MatrixXd basis(time.size(), 3);
  basis.col(0).setOnes();
  basis.col(1) = angle.cos();
  basis.col(2) = angle.sin();
  const Eigen::Vector3d c = (basis.transpose() * basis).ldlt().solve(basis.transpose() * error);
  return rms(error - basis * c) / rms(basis.rightCols(2) * c.tail(2));
}

// how much a joint's error changes over a period: rms of the change from one period earlier, over
// that of the error; 0 repeats itself exactly
MeasureValue tracking_change(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  const double period = spec.at("period").get<double>();
  const int joint = spec.at("joint").get<int>() - 1;
  const auto [time, error] = errors_in(spec, run);
  Eigen::VectorXd before(time.size());
  for (Eigen::Index k = 0; k < time.size(); ++k)
    before(k) = at_time(run, "joint_angle", time(k) - period, joint, 0) -
                at_time(run, "joint_reference", time(k) - period, joint, 0);
  return rms(error - before) / rms(error);
}

MeasureValue joint_torque(const json& spec, const Context& context) {
  const auto& run = trajectory_of(spec, context);
  return size_over_joints(
      spec, run, [&](auto k, int j, int axis) { return run.at("joint_torque", k, j, axis); });
}

// a figure of the run's summary
MeasureValue summary_item(const json& spec, const Context& context) {
  const auto name = spec.at("item").get<std::string>();
  for (const auto& item : context.lookup(spec.value("run", context.run)).summary)
    if (item.name == name) return item.value;
  throw Error(fmt::format("the run's summary has no {}", name));
}

// a number as it stands: what the source says, where something is compared with it
MeasureValue stated(const json& spec, const Context& /*context*/) {
  return spec.at("value").get<double>();
}

double number_of(const json& spec, const Context& context) {
  return std::get<double>(compute(spec, context));
}

// the mean of one measure over several runs
MeasureValue mean_over_runs(const json& spec, const Context& context) {
  double sum = 0.0;
  for (const auto& run : spec.at("runs")) {
    const auto name = run.get<std::string>();
    sum += number_of(spec.at("of"), {name, context.lookup});
  }
  return sum / static_cast<double>(spec.at("runs").size());
}

MeasureValue ratio(const json& spec, const Context& context) {
  return std::abs(number_of(spec.at("numerator"), context) /
                  number_of(spec.at("denominator"), context));
}

// (largest - smallest) / |mean| of several numbers
MeasureValue spread(const json& spec, const Context& context) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0.0;
  for (const auto& part : spec.at("of")) {
    const double value = number_of(part, context);
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  return (high - low) / std::abs(sum / static_cast<double>(spec.at("of").size()));
}

// largest - smallest of several numbers
MeasureValue range_of(const json& spec, const Context& context) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto& part : spec.at("of")) {
    const double value = number_of(part, context);
    if (std::isnan(value)) return value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high - low;
}

// ---- the table of measures ----------------------------------------------------------------------

enum class Kind : std::uint8_t {
  number,
  link,
  text,
  run,
  runs,
  axis,
  size,
  measure,
  measures,
  points,
  pair
};

struct Parameter {
  std::string_view name;
  Kind kind;
  bool required = true;
};

struct Measure {
  std::string_view name;
  std::vector<Parameter> parameters;
  bool is_number;
  MeasureValue (*compute)(const json&, const Context&);
};

const std::vector<Measure>& measures() {
  static const Parameter link{"link", Kind::link};
  static const Parameter any_link{"link", Kind::link, false};
  static const Parameter axis{"axis", Kind::axis};
  static const Parameter any_axis{"axis", Kind::axis, false};
  static const Parameter observable{"observable", Kind::text, false};
  static const Parameter from{"from", Kind::number};
  static const Parameter to{"to", Kind::number};
  static const Parameter joint{"joint", Kind::link};
  static const Parameter period{"period", Kind::number};
  static const Parameter any_joint{"joint", Kind::link, false};
  static const Parameter size{"of", Kind::size};
  static const std::vector<Measure> all{
      {"mean_velocity", {any_link, axis, from, to}, true, mean_velocity},
      {"displacement", {any_link, axis, from, to}, true, displacement_over},
      {"direction", {any_link, from, to}, true, direction},
      {"back_steps", {any_link, axis, from, to}, true, back_steps},
      {"bend", {any_link, from, to}, true, bend},
      {"axial_slide", {link, from, to}, true, axial_slide},
      {"largest_jump", {any_link, axis, from, to}, true, largest_jump},
      {"jumps", {any_link, axis, from, to, {"at_least", Kind::number}}, true, jumps},
      {"first_time",
       {{"observable", Kind::text}, any_link, any_axis, {"at_least", Kind::number}},
       true,
       first_time},
      {"rest_time", {{"below", Kind::number}, to}, true, rest_time},
      {"apart", {link, {"other", Kind::run}, from, to}, true, apart},
      {"value_at", {observable, any_link, any_axis, {"at", Kind::number}}, true, value_at},
      {"deviation", {link, {"points", Kind::points}}, true, deviation},
      {"extreme",
       {observable,
        any_link,
        any_axis,
        {"of", Kind::text},
        {"from", Kind::number, false},
        {"to", Kind::number, false}},
       true,
       extreme},
      {"mean_contact_force", {link, axis, from, to}, true, mean_force_of_link},
      {"resultant_contact_force", {axis, from, to}, true, resultant_force},
      {"touching_links", {from, to}, false, touching_links},
      {"strongest_link", {from, to}, false, strongest_link},
      {"turn", {from, to}, true, turn},
      {"sine_misfit", {link, from, to, {"wavelength", Kind::pair}}, true, sine_misfit},
      {"tracking_error_deg", {any_joint, size, from, to}, true, tracking_error},
      {"tracking_sine_misfit", {joint, period, from, to}, true, tracking_sine_misfit},
      {"tracking_change", {joint, period, from, to}, true, tracking_change},
      {"joint_torque", {any_joint, size, from, to}, true, joint_torque},
      {"summary", {{"item", Kind::text}}, true, summary_item},
      {"stated", {{"value", Kind::number}}, true, stated},
      {"mean", {{"of", Kind::measure}, {"runs", Kind::runs}}, true, mean_over_runs},
      {"ratio", {{"numerator", Kind::measure}, {"denominator", Kind::measure}}, true, ratio},
      {"spread", {{"of", Kind::measures}}, true, spread},
      {"range", {{"of", Kind::measures}}, true, range_of}};
  return all;
}

const Measure* find_measure(const json& spec) {
  if (!spec.contains("name") || !spec["name"].is_string()) return nullptr;
  for (const auto& measure : measures())
    if (measure.name == spec["name"].get<std::string>()) return &measure;
  return nullptr;
}

void check(const json& spec, bool number_wanted, std::vector<std::string>& faults) {
  const auto* measure = spec.is_object() ? find_measure(spec) : nullptr;
  if (measure == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& m : measures()) names.push_back(m.name);
    faults.push_back(fmt::format("expected name = one of {}", fmt::join(names, ", ")));
    return;
  }
  if (number_wanted && !measure->is_number)
    faults.push_back(fmt::format("{} does not give a number", measure->name));
  for (const auto& [key, value] : spec.items()) {
    if (key == "name") continue;
    if (key == "run") {
      if (!value.is_string()) faults.emplace_back("run: expected the name of a run");
      continue;
    }
    const auto known = std::find_if(measure->parameters.begin(), measure->parameters.end(),
                                    [&](const Parameter& p) { return p.name == key; });
    if (known == measure->parameters.end()) {
      faults.push_back(fmt::format("{} has no parameter {}", measure->name, key));
      continue;
    }
    bool good = true;
    switch (known->kind) {
      case Kind::number:
        good = value.is_number();
        break;
      case Kind::link:
        good = value.is_number_integer() && value.get<int>() >= 1;
        break;
      case Kind::text:
        good = value.is_string() && (key != "of" || value.get<std::string>() == "max" ||
                                     value.get<std::string>() == "min");
        break;
      case Kind::run:
        good = value.is_string();
        break;
      case Kind::runs:
        good = value.is_array() && !value.empty() &&
               std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_string(); });
        break;
      case Kind::size:
        good = value == "max" || value == "rms";
        break;
      case Kind::axis:
        good = value == "x" || value == "y" || value == "z";
        break;
      case Kind::measure:
        check(value, true, faults);
        break;
      case Kind::measures:
        good = value.is_array() && value.size() >= 2;
        if (good)
          for (const auto& part : value) check(part, true, faults);
        break;
      case Kind::points:
        good = value.is_array() && !value.empty();
        if (good)
          for (const auto& point : value)
            good = good && point.is_array() && point.size() == 3 && point[0].is_number() &&
                   point[1].is_number() && point[2].is_number();
        break;
      case Kind::pair:
        good =
            value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number();
        break;
    }
    if (!good)
      faults.push_back(fmt::format("{}: {} is not what the measure takes", measure->name, key));
  }
  for (const auto& parameter : measure->parameters)
    if (parameter.required && !spec.contains(std::string{parameter.name}))
      faults.push_back(fmt::format("{} needs {}", measure->name, parameter.name));
}

void gather_runs(const json& spec, std::vector<std::string>& names) {
  if (spec.is_object()) {
    for (const auto& [key, value] : spec.items()) {
      if ((key == "run" || key == "other") && value.is_string()) {
        names.push_back(value.get<std::string>());
      } else if (key == "runs" && value.is_array()) {
        for (const auto& name : value)
          if (name.is_string()) names.push_back(name.get<std::string>());
      } else {
        gather_runs(value, names);
      }
    }
  } else if (spec.is_array()) {
    for (const auto& part : spec) gather_runs(part, names);
  }
}

MeasureValue compute(const json& spec, const Context& context) {
  return find_measure(spec)->compute(spec, context);
}

}  // namespace

std::vector<std::string> check_measure(const MeasureSpec& spec) {
  std::vector<std::string> faults;
  check(json::parse(spec), false, faults);
  return faults;
}

std::vector<std::string> runs_of_measure(const MeasureSpec& spec) {
  std::vector<std::string> names;
  if (!spec.empty()) gather_runs(json::parse(spec), names);
  return names;
}

MeasureValue compute_measure(const MeasureSpec& spec, const std::string& run,
                             const RunLookup& lookup) {
  const auto parsed = json::parse(spec);
  return compute(parsed, {run, lookup});
}

bool fulfils(const MeasureValue& value, const Bounds& bounds) {
  if (const auto* links = std::get_if<std::vector<int>>(&value))
    return bounds.equals && *links == *bounds.equals;
  const double number = std::get<double>(value);
  // written so that a NaN fulfils nothing
  return !bounds.equals && (!bounds.at_least || number >= *bounds.at_least) &&
         (!bounds.at_most || number <= *bounds.at_most) && std::isfinite(number);
}

}  // namespace coluber::app
