// Joints, their references and torques.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "measure/rows.hpp"
#include "measure/selection.hpp"

namespace coluber::measure {
namespace {

using record::Trajectory;

/// A dataset of joints whose place in a frame is looked up once.
class OfJoints {
 public:
  OfJoints(const Trajectory& run, std::string_view name) : run_(&run) {
    const auto& dataset = find_dataset(run, name);
    for (const auto& each : run.observables) {
      if (&each == &dataset) offset_ = stride_;
      stride_ += static_cast<std::size_t>(each.size());
    }
    axes_ = dataset.shape.size() < 2 ? 1 : static_cast<std::size_t>(dataset.shape[1]);
    joints_ = dataset.shape.empty() ? 1 : dataset.shape[0];
  }
  [[nodiscard]] double at(std::size_t frame, int joint, int axis) const {
    if (joint >= joints_ || static_cast<std::size_t>(axis) >= axes_)
      throw Error(fmt::format("the dataset has {} joints of {} axes", joints_, axes_));
    return run_->values[frame * stride_ + offset_ + static_cast<std::size_t>(joint) * axes_ +
                        static_cast<std::size_t>(axis)];
  }

 private:
  const Trajectory* run_;
  std::size_t offset_ = 0;
  std::size_t stride_ = 0;
  std::size_t axes_ = 1;
  int joints_ = 1;
};

/// Largest size or root mean square of a quantity of the joints over the frames of a window: of one
/// joint, or of all; of every axis that a joint has.
template <typename Value>
double size_over_joints(const MeasureCall& call, const Trajectory& run, Value value) {
  const int joints = entry_count(run, "joint_angle");
  const auto& shape = find_dataset(run, "joint_angle").shape;
  const int axes = shape.size() < 2 ? 1 : shape[1];
  const int first = call.has("joint") ? call.index("joint") : 0;
  const int last = call.has("joint") ? first : joints - 1;
  if (last >= joints || joints == 0)
    throw Error(fmt::format("the run has {} joints, not {}", joints, last + 1));
  double largest = 0.0;
  double sum = 0.0;
  const auto frames = frames_in(run, call);
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
  return call.text("of") == "max" ? largest : std::sqrt(sum / count);
}

MeasureValue tracking_error(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const OfJoints angle(run, "joint_angle");
  const OfJoints reference(run, "joint_reference");
  return 180.0 / std::numbers::pi * size_over_joints(call, run, [&](auto k, int j, int axis) {
           return angle.at(k, j, axis) - reference.at(k, j, axis);
         });
}

/// Times and errors of a joint over the frames of a window.
std::pair<Eigen::VectorXd, Eigen::VectorXd> errors_in(const MeasureCall& call,
                                                      const Trajectory& run) {
  const auto frames = frames_in(run, call);
  const int joint = call.index("joint");
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

// 0 is a sine, 1 and more is none
MeasureValue tracking_sine_misfit(const MeasureCall& call) {
  const auto [time, error] = errors_in(call, call.trajectory());
  const Eigen::ArrayXd angle = 2.0 * std::numbers::pi / call.number("period") * time.array();
  Eigen::MatrixXd basis(time.size(), 3);
  basis.col(0).setOnes();
  set_wave(angle, basis);
  const Eigen::Vector3d c = (basis.transpose() * basis).ldlt().solve(basis.transpose() * error);
  return rms(error - basis * c) / rms(basis.rightCols(2) * c.tail(2));
}

// 0 repeats itself exactly
MeasureValue tracking_change(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const double period = call.number("period");
  const int joint = call.index("joint");
  const auto [time, error] = errors_in(call, run);
  Eigen::VectorXd before(time.size());
  for (Eigen::Index k = 0; k < time.size(); ++k)
    before(k) = at_time(run, "joint_angle", time(k) - period, joint, 0) -
                at_time(run, "joint_reference", time(k) - period, joint, 0);
  return rms(error - before) / rms(error);
}

MeasureValue joint_torque(const MeasureCall& call) {
  const auto& run = call.trajectory();
  const OfJoints torque(run, "joint_torque");
  return size_over_joints(call, run,
                          [&](auto k, int j, int axis) { return torque.at(k, j, axis); });
}

}  // namespace

std::vector<Measure> tracking_measures() {
  using namespace parameter;
  return {
      {"tracking_error_deg",
       "deg",
       "distance of a joint from its reference; without joint, of all joints",
       {maybe_joint, size, from, to},
       tracking_error},
      {"tracking_sine_misfit",
       "",
       "rms distance of that error from the best sine of the period, over the rms of the sine",
       {joint, period, from, to},
       tracking_sine_misfit},
      {"tracking_change",
       "",
       "rms change of that error since a period earlier, over its rms",
       {joint, period, from, to},
       tracking_change},
      {"joint_torque",
       "N m",
       "size of a joint's torque at the frames; without joint, of all joints",
       {maybe_joint, size, from, to},
       joint_torque},
  };
}

}  // namespace coluber::measure
