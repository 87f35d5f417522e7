#include "simulation/map_study.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/core/error.hpp"
#include "coluber/math/sincos.hpp"
#include "coluber/planar/keys.hpp"
#include "coluber/world/keys.hpp"

#include "chain/rows.hpp"
#include "planar/make.hpp"
#include "planar/observed.hpp"

namespace coluber::simulation {

namespace {

constexpr std::size_t kMostLinks = 2000;

/// The planar robot, if the map can be made of it.
planar::Model planar_model(const drive::Build& build) {
  if (build.options.find<planar::RotationKeys>() == nullptr) {  // it alone has them
    throw InputError(build.fault(
        "robot.model", fmt::format("expected \"planar\", got \"{}\"", build.model),
        "the force map is of robots in the plane without wheels: write  model = \"planar\""));
  }
  if (build.get<world::GroundKeys>().tilt_deg != 0.0) {
    throw InputError(
        build.fault("world.tilt_deg", "the force map is for level ground", "leave it out"));
  }
  if (build.get<chain::Robot>().link.size() < 2) {
    throw InputError(
        build.fault("robot.links", "the force map needs at least two links", "add links"));
  }
  if (build.get<chain::Robot>().link.size() > kMostLinks) {
    throw InputError(
        build.fault("robot.links",
                    fmt::format("the force map has dense matrices: at most {} links", kMostLinks),
                    "take fewer links"));
  }
  if (!qp::available()) {
    throw InputError(build.fault("force_map", "needs the QP solver DAQP, which this build lacks",
                                 "run script/bootstrap, which gets it, and build again"));
  }
  return planar::make_model(build.options);
}

double torque_limit(const drive::Build& build) {
  const auto* servo = build.options.find<control::ServoKeys>();
  return servo == nullptr ? std::numeric_limits<double>::infinity() : servo->torque_limit;
}

/// `demands`: the wish is to be met, whatever the weights of its slack.
control::ForceMappingOptions options_of(const control::ForceMapKeys& keys, double u_max,
                                        bool demands) {
  control::ForceMappingOptions options = control::make_options(keys, u_max);
  if (demands) options.weight_slack = control::ForceMappingOptions{}.weight_slack;
  return options;
}

}  // namespace

MapStudy::MapStudy(const drive::Build& build, bool demands)
    : model_(planar_model(build)),
      keys_(build.get<control::ForceMapKeys>()),
      mapping_(model_.links, options_of(keys_, torque_limit(build), demands)),
      bodies_(planar::make_bodies(model_)) {
  const int n = model_.n();
  instant_.theta.setZero(n);
  instant_.theta_dot.setZero(n);
  ground_.set_zero(n);
  velocity_.setZero(2, n);
  pose_.resize(n);
  arrows_ = {chain::make_arrows(n, 1, "mapped_force", "mapped forces", "#c2318f", "mapped_force"),
             chain::make_arrows(n, 1, "mapped_constraint", "mapped constraint", "#e08fc6",
                                "mapped_constraint")};
  add_rows();
}

int MapStudy::update_ground() {
  planar::compute_link_velocities(mapping_.model(), instant_, velocity_);
  return planar::compute_ground_load(model_, instant_, velocity_, ground_);
}

void MapStudy::update(const control::Wish& wish) {
  planar::Columns centres;
  planar::compute_link_centres(mapping_.model(), instant_, centres);
  pose_.origin = centres.col(model_.base());
  pose_.r = centres.colwise() - pose_.origin;
  pose_.theta = instant_.theta;
  for (int i = 0; i < model_.n(); ++i) math::sincos(pose_.theta(i), pose_.sin(i), pose_.cos(i));
  mapping_.solve(instant_, touching_, wish, ground_);
}

void MapStudy::poses(std::span<double> values) const { planar::write_poses(model_, pose_, values); }

void MapStudy::contacts(std::size_t family, std::span<ContactSlot> slots) const {
  chain::open_slots(slots);
  const control::MapResult& result = mapping_.result();
  const planar::Columns& force = family == 0 ? result.force : result.constraint;
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    const int i = touching_[k].link;
    const auto column = static_cast<Eigen::Index>(k);
    if (column >= force.cols() || !force.col(column).allFinite()) continue;
    const Eigen::Vector2d point = pose_.origin + pose_.r.col(i) +
                                  touching_[k].at * Eigen::Vector2d{pose_.cos(i), pose_.sin(i)};
    chain::put_arrow(slots, 1, i, {point.x(), point.y(), 0.0},
                     {force(0, column), force(1, column), 0.0});
  }
}

void MapStudy::add_rows() {
  const int n = model_.n();
  const std::vector<std::string> xy{"x", "y"};
  planar::add_link_rows(observables_, pose_, n);
  observables_.add({"link_velocity", "m/s", "of the centre of gravity of each link", {n, 2}, xy},
                   [this](std::span<double> out) {
                     Eigen::Map<planar::Columns>(out.data(), 2, model_.n()) = velocity_;
                   });
  observables_.add(
      {"link_angular_velocity", "rad/s", "rate of each link's angle", {n}},
      chain::write_vector([this]() -> const Eigen::VectorXd& { return instant_.theta_dot; }));
  observables_.add(
      {"joint_angle", "rad", "link_angle i+1 minus link_angle i", {n - 1}, {}, Plotted::angle},
      [this](std::span<double> out) {
        for (std::size_t j = 0; j < out.size(); ++j) {
          const auto i = static_cast<Eigen::Index>(j);
          out[j] = instant_.theta(i + 1) - instant_.theta(i);
        }
      });
  observables_.add(
      {"mapped_torque",
       "N m",
       "torque of least effort that meets the wish, positive drives the angle up",
       {n - 1},
       {},
       Plotted::torque},
      chain::write_vector([this]() -> Eigen::VectorXd { return -mapping_.result().u; }));
  const auto forces = [this](const planar::Columns& by_contact, std::span<double> out) {
    std::ranges::fill(out, 0.0);
    for (std::size_t k = 0; k < touching_.size(); ++k) {
      const auto at = 2 * static_cast<std::size_t>(touching_[k].link);
      const auto column = static_cast<Eigen::Index>(k);
      out[at] = by_contact(0, column);
      out[at + 1] = by_contact(1, column);
    }
  };
  observables_.add({"mapped_force", "N", "force of its obstacle on each link", {n, 2}, xy},
                   [this, forces](std::span<double> out) { forces(mapping_.result().force, out); });
  observables_.add(
      {"mapped_constraint", "N", "the same without friction", {n, 2}, xy},
      [this, forces](std::span<double> out) { forces(mapping_.result().constraint, out); });
  observables_.add({"wish_slack", "", "norm of what is missing of the wish: N and rad/s²", {}},
                   chain::write_number([this] { return mapping_.result().z.norm(); }));
  observables_.add(
      {"qp_status", "", "0 optimal, 1 slack, 2 infeasible, 3 not asked, 4 failed, 5 singular", {}},
      chain::write_number([this] {
        return static_cast<double>(control::status_number(mapping_.result().status));
      }));
  observables_.add(
      {"qp_residual", "", "largest residual of the conditions of optimality, scaled", {}},
      chain::write_number([this] { return mapping_.result().kkt; }));
}

}  // namespace coluber::simulation
