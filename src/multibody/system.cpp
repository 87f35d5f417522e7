#include "coluber/multibody/system.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/state_hash.hpp"
#include "coluber/math/atan2.hpp"

#include "multibody/equations.hpp"
#include "multibody/jump.hpp"
#include "multibody/parts.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

/// A step is searched for singular instants in parts in which no wheel turns further (rad).
constexpr double kTurn = 0.25;
/// Rows that turn so little move along a curve that is at most so much longer than its chord.
constexpr double kCurve = 1.5;
/// Parts of a step at the most.
constexpr double kParts = 1000.0;
/// So small a singular value is none.
constexpr double kSingular = 1e-7;

/// Angle of a body's x, seen from above; the turn nearest to `last`.
double heading(const Eigen::Matrix3d& R, double last) {
  constexpr double turn = 2.0 * std::numbers::pi;
  const double angle = math::atan2(R(1, 0), R(0, 0));
  return angle + turn * std::round((last - angle) / turn);
}

/// Components that only rounding has left are 0.
Vector3d without_rounding(const Vector3d& direction) {
  return (direction.cwiseAbs().array() > 1e-12).select(direction, 0.0);
}

}  // namespace

MultibodySystem::MultibodySystem(Model model, Program program, const Start& start,
                                 SystemOptions options)
    : model_(std::move(model)),
      program_([this, given = std::move(program)](double t, Input& input) {
        given(std::clamp(t, piece_.first, piece_.last), input);
      }),
      options_(std::move(options)),
      evaluate_{.projective = options_.solver.torques == Torques::projective,
                .rank_tolerance = options_.solver.rank_tolerance,
                .singular_window = options_.solver.singular_window},
      data_(model_),
      at_(start.at),
      theta_(VectorXd::Zero(static_cast<Eigen::Index>(model_.wheels.size()))),
      angle_(VectorXd::Zero(model_.size())),
      world_(model_.bodies.size()),
      figures_{{.name = "singular_value", .in_message = "{:.3g}"}} {
  outcome_ = close_loops(model_, program_, 0.0, at_, data_);
  if (!outcome_.ok()) return;
  as_ = classify(model_, program_, at_, options_.duration, evaluate_, data_);
  find_break(0.0);
  if (start.without_momentum && !as_.kinematic) {
    at_.eta = twist_without_momentum(model_, as_, program_, 0.0, at_, data_);
  }
  if (model_.base_imposed) {
    program_(0.0, data_.input);
    at_.g = imposed_pose(data_.input);
  }
  equations_ = std::make_unique<Equations>(model_, as_, program_, options_, evaluate_, data_);
  outcome_ = look(0.0);
  if (!outcome_.ok()) return;
  energy_start_ = data_.energy;
  if (data_.averaged) singular_instants_ = 1;
  travel_.begin(at_.g.p.head<2>(), angle_(0));
  peak_.last = VectorXd::Zero(data_.tau.size());
  add_bodies();
  add_rows();
}

MultibodySystem::~MultibodySystem() = default;

Outcome MultibodySystem::look(double t) {
  const Outcome outcome = evaluate(model_, as_, program_, t, at_, evaluate_, data_);
  if (!outcome.ok()) return outcome;
  world_[0] = at_.g;
  for (int j = 1; j < model_.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    world_[at] = world_[static_cast<std::size_t>(model_.body(j).parent)] * data_.body[at].g;
  }
  for (int j = 0; j < model_.size(); ++j) {
    angle_(j) = heading(world_[static_cast<std::size_t>(j)].R, angle_(j));
  }
  return outcome;
}

// No singular value changes faster than the rows do: they can be singular between two instants only
// if their smallest ones there are together at most the way of the rows from one to the other.
Outcome MultibodySystem::look_for_singular_instants(const Edge& begin, double t_A, double t_E) {
  if (!model_.planar || as_.rank < 2) return {};
  const Edge end = edge();
  const Eigen::Index rows = data_.base.rows.size;
  rows_E_ = data_.base.rows.a;
  const double turn = (t_E - t_A) * std::max(begin.turning, end.turning);
  const double parts = std::clamp(std::ceil(turn / kTurn), 1.0, kParts);
  bool found = false;
  double a = t_A;
  double at_a = begin.singular_value;
  for (double i = 1.0; i <= parts; ++i) {
    const bool last = i == parts;
    const double b = last ? t_E : t_A + i / parts * (t_E - t_A);
    const double at_b =
        last ? end.singular_value : compute_singular_value(model_, as_, program_, b, data_);
    const Rows3& rows_b = last ? rows_E_ : data_.after.rows.a;
    const double way = kCurve * (rows_b.topRows(rows) - rows_A_.topRows(rows)).norm();
    rows_A_ = rows_b;
    if (at_a + at_b <= way) {
      const double t = least_singular_instant(a, b);
      const double least = compute_singular_value(model_, as_, program_, t, data_);
      // An instant at the very start of a part was the end of the one before.
      if (least <= kSingular && t - a >= 1e-9 * (b - a)) {
        if (!as_.kinematic) {
          return {Outcome::Kind::singular, 0, least, data_.after.basis.q.row(2).transpose()};
        }
        const Outcome outcome = solve_base(model_, as_, program_, t, evaluate_, data_);
        if (!outcome.ok()) return outcome;
        ++singular_instants_;
        found = true;
      }
    }
    a = b;
    at_a = at_b;
  }
  return found ? look(t_E) : Outcome{};  // at the end again
}

// Golden section: the smallest singular value has one minimum between a and b, if any.
double MultibodySystem::least_singular_instant(double a, double b) {
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  const auto value = [&](double t) {
    return compute_singular_value(model_, as_, program_, t, data_);
  };
  double left = b - ratio * (b - a);
  double right = a + ratio * (b - a);
  double at_left = value(left);
  double at_right = value(right);
  for (int i = 0; i < 60; ++i) {
    if (at_left < at_right) {
      b = right;
      right = left;
      at_right = at_left;
      left = b - ratio * (b - a);
      at_left = value(left);
    } else {
      a = left;
      left = right;
      at_left = at_right;
      right = a + ratio * (b - a);
      at_right = value(right);
    }
  }
  return 0.5 * (a + b);
}

MultibodySystem::Edge MultibodySystem::edge() const {
  Edge edge{.singular_value = data_.singular_value};
  for (int j : model_.base_bodies) {
    edge.turning += std::abs(joint_rate(model_, j, data_.base.input.rdot).about);
  }
  if (data_.base.input.betadot.size() > 0) {
    edge.turning += data_.base.input.betadot.cwiseAbs().maxCoeff();
  }
  return edge;
}

Outcome MultibodySystem::advance_piece(double t_A, double t_E, chain::StepWork& work) {
  const Edge begin = edge();
  rows_A_ = data_.base.rows.a;
  if (!equations_->advance(t_A, t_E, at_, theta_)) return equations_->outcome();
  work += equations_->work;
  // What integration lets drift is put back: loops stay closed, wheels do not slide.
  Outcome outcome = close_loops(model_, program_, t_E, at_, data_);
  if (outcome.ok() && model_.planar && !as_.kinematic) {
    at_.eta = nearest_twist(model_, as_, program_, t_E, at_, data_);
  }
  if (outcome.ok()) outcome = look(t_E);
  if (outcome.ok() && as_.kinematic) at_.eta = data_.eta_o;
  if (outcome.ok()) outcome = look_for_singular_instants(begin, t_A, t_E);
  return outcome;
}

StepInfo MultibodySystem::refuse(const Outcome& outcome) {
  outcome_ = outcome;
  figure_ = outcome.size;
  const auto not_taken = [&](const char* what) {
    return StepInfo{Status::not_taken, what, outcome.index, {&figure_, 1}};
  };
  switch (outcome.kind) {
    case Outcome::Kind::singular:
      return not_taken("singular value of the wheels' rows");
    case Outcome::Kind::inertia:
      return not_taken("pivot of the robot's inertia");
    case Outcome::Kind::follower:
      return not_taken("share of its rate that moves its wheel sideways, joint");
    case Outcome::Kind::loop:
      return not_taken("gap or pivot of the loop of joint");
    case Outcome::Kind::jammed:
      return not_taken(outcome.index == 0 ? "slip (m/s) of the driven wheels"
                                          : "slip (m/s) of driven wheel");
    case Outcome::Kind::ok:
    case Outcome::Kind::non_finite:
      break;
  }
  return {Status::non_finite, "motion of link", 1};
}

StepInfo MultibodySystem::step() {
  const double t_A = time();
  const double t_E = static_cast<double>(k_ + 1) * options_.dt;
  before_ = at_;
  theta_before_ = theta_;
  const Piece piece = piece_;
  const double next = break_;
  chain::StepWork work;
  if (const Outcome outcome = advance(t_A, t_E, work); !outcome.ok()) {
    at_ = before_;
    theta_ = theta_before_;
    piece_ = piece;
    break_ = next;
    static_cast<void>(look(t_A));
    return refuse(outcome);
  }
  ++k_;
  work_ += work;
  work_.scheme =
      data_.energy - energy_start_ - (work_.servo + work_.friction + work_.contact + work_.gravity);
  peak_.update(data_.tau, t_E);
  travel_.add(at_.g.p.head<2>());
  for (int w = 0; w < static_cast<int>(model_.wheels.size()); ++w) {
    if (!model_.wheel(w).holds() || !(std::abs(data_.slip(w)) > largest_slip_)) continue;
    largest_slip_ = std::abs(data_.slip(w));
    slipping_ = w + 1;
  }
  figure_ = data_.singular_value;
  return {Status::ok, "", 0, {&figure_, 1}};
}

std::string MultibodySystem::advice(const StepInfo& info) const {
  if (info.status != Status::not_taken) return "";
  const Vector3d free = without_rounding(outcome_.direction);
  switch (outcome_.kind) {
    case Outcome::Kind::singular:
      return fmt::format(
          "; the wheels do not hold link 1 against V_x {:.3g}, V_y {:.3g} m/s, "
          "Omega_z {:.3g} rad/s, and the motion asked for needs it",
          free(0), free(1), free(2));
    case Outcome::Kind::inertia:
      return "; the robot has no inertia in a direction in which it may move";
    case Outcome::Kind::follower:
      return "; its wheel stands across the way it would follow";
    case Outcome::Kind::jammed:
      return "; the other wheels determine the motion, and the law asks for another";
    default:
      return "";
  }
}

std::vector<std::string> MultibodySystem::warnings() const {
  std::vector<std::string> texts;
  if (largest_slip_ > 1e-9 && slipping_ > 0) {
    texts.push_back(fmt::format(
        "wheel {} had to slide sideways with up to {:.3g} m/s: the joints ask for more than the "
        "wheels allow; a joint with law = \"follower\" gives way",
        slipping_, largest_slip_));
  }
  return texts;
}

std::vector<SummaryItem> MultibodySystem::summary() const {
  const double displacement = (travel_.place - travel_.start).norm();
  const double t = time();
  std::vector<SummaryItem> items{
      {"case", std::string(to_string(as_.which))},
      {"rank", static_cast<double>(as_.rank), "", true},
      {"singular_instants", static_cast<double>(singular_instants_), "", true},
      {"displacement", displacement, "m"},
      {"path_length", travel_.length, "m"},
      {"net_speed", t > 0.0 ? displacement / t : 0.0, "m/s"},
      {"mean_speed", t > 0.0 ? travel_.length / t : 0.0, "m/s"},
      {"heading_change", angle_(0) - travel_.start_angle, "rad"}};
  if (model_.coordinates > 0) {
    items.push_back({"max_torque", peak_.torque, "N m"});
    items.push_back({"max_torque_time", peak_.time, "s"});
  }
  items.push_back({"work_positive", work_.positive, "J"});
  items.push_back({"work_net", work_.servo, "J"});
  const double effort = model_.mass * model_.gravity * travel_.length;
  if (effort > 0.0) items.push_back({"cost_of_transport", work_.positive / effort});
  return items;
}

template <typename Bytes, typename Self>
void MultibodySystem::exchange(Bytes& bytes, Self& self) {
  bytes(self.k_, self.at_.g.R, self.at_.g.p, self.at_.eta, self.at_.follower, self.at_.passive,
        self.theta_);
}

template <typename Bytes, typename Self>
void MultibodySystem::exchange_sums(Bytes& bytes, Self& self) {
  bytes(self.energy_start_, self.angle_, self.singular_instants_, self.largest_slip_,
        self.slipping_, self.equations_->next_step());
  chain::StepWork::exchange(bytes, self.work_);
  chain::Travel::exchange(bytes, self.travel_);
  TorquePeak::exchange(bytes, self.peak_);
}

std::uint64_t MultibodySystem::state_hash() const {
  StateHasher hash(StateHasher::Sizes::counted);
  exchange(hash, *this);
  return hash.finish();
}

bool MultibodySystem::save_state(ByteWriter& bytes) const {
  bytes.section("multibody", 1);
  exchange(bytes, *this);
  exchange_sums(bytes, *this);
  return true;
}

void MultibodySystem::restore_state(ByteReader& bytes) {
  bytes.section("multibody", 1);
  restore_or_keep(
      bytes,
      [this](auto& to) {
        exchange(to, *this);
        exchange_sums(to, *this);
      },
      [&] {
        if (k_ < 0 || singular_instants_ < 0) bytes.refuse("a negative count");
        if (slipping_ < 0 || slipping_ > static_cast<int>(model_.wheels.size())) {
          bytes.refuse("there is no such wheel");
        }
      });
  const VectorXd angle = angle_;
  find_break(time());
  if (!look(time()).ok()) bytes.refuse("a state that has no motion");
  angle_ = angle;
}

}  // namespace coluber::multibody
