#include "coluber/planar/wheeled_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "coluber/core/error.hpp"

#include "chain/rows.hpp"
#include "chain/wheels_shown.hpp"
#include "observed.hpp"
#include "wheels.hpp"

namespace coluber::planar {

namespace {

/// The impulse of a slipping wheel is on the rim of its friction set, to rounding.
bool is_slipping(const nonsmooth::Impulse& P) {
  return P.T.squaredNorm() >= P.N * P.N * (1.0 - 1e-9);
}

}  // namespace

WheeledSystem::WheeledSystem(Model model, State state, const StepOptions& options,
                             bool keep_hardest)
    : PlanarSystem(std::move(model), std::move(state), options, keep_hardest) {
  if (!model_.has_wheels()) throw Error("wheeled model: the links have no wheels");
  const int n = model_.n();
  sums_.impulse = sums_.slip_now = Eigen::Matrix4Xd::Zero(4, n);
  sums_.slipping_now = VectorXd::Zero(n);
  sums_.torque.follow_from_rest(n);
  account_.run.travel.begin(travelled_at(pose_), heading_of(pose_));
  add_wheel_bodies();
  add_wheel_rows();
}

void WheeledSystem::add_wheel_bodies() {
  for (int i = 0; i < model_.n(); ++i) {
    chain::add_wheels(i, model_.axles[static_cast<std::size_t>(i)].L_w, bodies_);
  }
}

void WheeledSystem::add_wheel_rows() {
  const int n = model_.n();
  const std::vector<std::string> axes{"along", "across"};
  observables_.add(
      {"wheel_angle", "rad", "of each link's wheels, positive forward", {n}},
      chain::write_vector([this] { return state_.wheel - 0.5 * options_.dt * state_.omega; }));
  observables_.add(
      {"wheel_rate", "rad/s", "of each link's wheels, positive forward", {n}, {}, Plotted::scalar},
      chain::write_vector([this]() -> const VectorXd& { return state_.omega; }));
  observables_.add({"wheel_torque",
                    "N m",
                    "of each link's shaft in the last step, positive drives forward",
                    {n},
                    {},
                    Plotted::scalar},
                   chain::write_vector([this]() -> const VectorXd& { return data_.tau_w; }));
  // Rows count along the link's axis, which points back.
  const auto add = [&](const char* name, const char* unit, const char* doc, int row,
                       const Eigen::Matrix4Xd& values, Plotted plotted, auto factor) {
    observables_.add({name, unit, doc, {n, 2}, axes, plotted},
                     [&values, row, factor](std::span<double> out) {
                       const double share = factor();
                       for (Eigen::Index i = 0; i < values.cols(); ++i) {
                         const auto at = static_cast<std::size_t>(2 * i);
                         out[at] = -share * values(row, i);
                         out[at + 1] = -share * values(row + 1, i);
                       }
                     });
  };
  const auto per_second = [this] { return account_.run.per_second(state_.k, options_.dt); };
  const auto one = [] { return 1.0; };
  const char* force =
      "impulse of the ground on this wheel since the last frame over its time: "
      "along the way forward, and across it to the left";
  const char* slip =
      "velocity of this wheel over the ground in the middle of the last step: along "
      "the way forward, and across it to the left";
  add("wheel_force_left", "N", force, 0, sums_.impulse, Plotted::no, per_second);
  add("wheel_force_right", "N", force, 2, sums_.impulse, Plotted::no, per_second);
  add("wheel_slip_left", "m/s", slip, 0, sums_.slip_now, Plotted::scalar, one);
  add("wheel_slip_right", "m/s", slip, 2, sums_.slip_now, Plotted::scalar, one);
  observables_.add({"wheel_slipping",
                    "",
                    "share of the steps since the last frame in which a wheel of the link slipped, "
                    "mean of both",
                    {n},
                    {},
                    Plotted::scalar},
                   [this](std::span<double> out) {
                     const auto steps = static_cast<double>(state_.k - account_.run.frame_start);
                     const double share = steps > 0.0 ? 0.5 / steps : 0.0;
                     for (Eigen::Index i = 0; i < sums_.slipping_now.size(); ++i) {
                       out[static_cast<std::size_t>(i)] = share * sums_.slipping_now(i);
                     }
                   });
}

// A slipping wheel feels nothing of its own rate: omega' = omega + dt k (omega_d - omega)/Theta_w.
double WheeledSystem::explicit_shaft_limit(double k) const {
  double Theta_w = std::numeric_limits<double>::infinity();
  for (const Axle& axle : model_.axles) Theta_w = std::min(Theta_w, axle.Theta_w);
  return k > 0.0 ? 2.0 * Theta_w / k : std::numeric_limits<double>::infinity();
}

Vector2d WheeledSystem::travelled_at(const Pose& pose) const { return pose.origin + pose.r.col(0); }

double WheeledSystem::heading_of(const Pose& pose) const { return pose.theta(0); }

double WheeledSystem::note_step() {
  const double dt = options_.dt;
  sums_.torque_joints += dt * data_.tau.cwiseAbs().sum();
  sums_.torque_wheels += dt * data_.tau_w.cwiseAbs().sum();
  sums_.torque.follow(data_.tau_w, time());
  for (int i = 0; i < model_.n(); ++i) {
    for (int p = 0; p < 2; ++p) {
      const nonsmooth::Impulse& P =
          state_.ground[2 * static_cast<std::size_t>(i) + static_cast<std::size_t>(p)].x_1;
      const Vector2d slip = compute_slip(model_, state_, data_, i, p);
      sums_.slip_now.col(i).segment<2>(2 * p) = slip;
      sums_.impulse(2 * p, i) += model_.mu_T.x() * P.T.x();
      sums_.impulse(2 * p + 1, i) += model_.mu_T.y() * P.T.y();
      sums_.slip += slip.norm();
      if (is_slipping(P)) {
        ++sums_.slipping;
        sums_.slipping_now(i) += 1.0;
      }
    }
  }
  return PlanarSystem::note_step();
}

void WheeledSystem::start_frame() {
  PlanarSystem::start_frame();
  sums_.impulse.setZero();
  sums_.slipping_now.setZero();
}

// Behind those of the links.
void WheeledSystem::poses(std::span<double> values) const {
  PlanarSystem::poses(values);
  double* out = values.data() + 7 * static_cast<std::ptrdiff_t>(model_.n());
  for (int i = 0; i < model_.n(); ++i) {
    const Axle& axle = model_.axles[static_cast<std::size_t>(i)];
    const double arm = axle.offset - model_.links[static_cast<std::size_t>(i)].offset;
    const Vector2d middle =
        pose_.origin + pose_.r.col(i) + arm * Vector2d{pose_.cos(i), pose_.sin(i)};
    const double turned = state_.wheel(i) - 0.5 * options_.dt * state_.omega(i);
    out = chain::write_wheels({middle, pose_.theta(i), axle.half_track, turned}, out);
  }
}

std::vector<SummaryItem> WheeledSystem::summary() const {
  std::vector<SummaryItem> items = PlanarSystem::summary();
  items.push_back({"max_wheel_torque", sums_.torque.torque, "N m"});
  items.push_back({"max_wheel_torque_time", sums_.torque.time, "s"});
  items.push_back({"torque_joints", sums_.torque_joints, "N m s"});
  items.push_back({"torque_wheels", sums_.torque_wheels, "N m s"});
  const double wheels = 2.0 * model_.n() * static_cast<double>(state_.k);
  const double share = wheels > 0.0 ? 1.0 / wheels : 0.0;
  items.push_back({"slip_share", share * static_cast<double>(sums_.slipping)});
  items.push_back({"slip_mean", share * sums_.slip, "m/s"});
  return items;
}

std::vector<std::string> WheeledSystem::warnings() const {
  std::vector<std::string> texts = PlanarSystem::warnings();
  // one cause is told once
  if (passed_.steps > 0 || !spike_cause_.empty()) return texts;
  for (std::string& text : chain::warn_of_shaft_spike(sums_.torque, shaft_limit_)) {
    texts.push_back(std::move(text));
  }
  return texts;
}

template <typename Bytes, typename Self>
void WheeledSystem::exchange(Bytes& bytes, Self& sums) {
  auto& [torque_joints, torque_wheels, slip, slipping, torque, impulse, slipping_now, slip_now] =
      sums;
  bytes.section("wheels", 3);
  bytes(torque_joints, torque_wheels, slip, slipping, impulse, slipping_now, slip_now);
  TorquePeak::exchange(bytes, torque);
}

bool WheeledSystem::save_state(ByteWriter& bytes) const {
  exchange(bytes, sums_);
  bytes(data_.tau_w);  // observed until the next step
  return PlanarSystem::save_state(bytes);
}

void WheeledSystem::restore_state(ByteReader& bytes) {
  Sums sums = sums_;
  VectorXd tau_w = data_.tau_w;
  exchange(bytes, sums);
  bytes(tau_w);
  if (sums.slipping < 0) bytes.refuse("a negative number of slips");
  PlanarSystem::restore_state(bytes);
  sums_ = std::move(sums);
  data_.tau_w = std::move(tau_w);
}

}  // namespace coluber::planar
