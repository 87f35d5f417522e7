#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <time.h>

#include "coluber/core/error.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/planar/system.hpp"

#include "chain/rows.hpp"
#include "simulation/map_study.hpp"

namespace coluber::simulation {

namespace {

using control::MapResult;
using control::MapStatus;
using nlohmann::ordered_json;

constexpr double kPegRadius = 0.01;  // m, as drawn: the map's obstacles are points

/// A number, null where it has no meaning.
ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

template <typename Vector>
ordered_json numbers(const Vector& values) {
  ordered_json list = ordered_json::array();
  for (Eigen::Index i = 0; i < values.size(); ++i) list.push_back(number(values(i)));
  return list;
}

std::string links_in_words(const std::vector<int>& links) {
  std::string text;
  for (const int link : links) text += fmt::format("{}{}", text.empty() ? "" : ", ", link + 1);
  return text;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time of `work` (s): the fastest of several rounds after one that warms up.
template <typename Work>
double fastest_of(int rounds, double least, const Work& work) {
  work();
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < rounds; ++k) {
    const double begin = cpu_seconds();
    double elapsed = 0.0;
    int count = 0;
    for (int next = 1; count == 0 || elapsed < least; next *= 2) {
      for (int i = 0; i < next; ++i) work();
      count += next;
      elapsed = cpu_seconds() - begin;
    }
    best = std::min(best, elapsed / count);
  }
  return best;
}

/// Torques and obstacle forces of the start instant.
class ForceMapStudy final : public MapStudy {
 public:
  explicit ForceMapStudy(const drive::Build& build) : MapStudy(build, false) {
    take_start(build);
    touching_ = control::make_contacts(keys_);
    const VectorXd rates = planar::compute_contact_rates(mapping_.model(), instant_, touching_,
                                                         mapping_.options().form);
    if (rates.size() > 0) contact_rate_ = rates.cwiseAbs().maxCoeff();
    if (keys_.project) {
      planar::project_velocities(mapping_.model(), touching_, mapping_.options().form, instant_);
    }
    const int resting = update_ground();
    const bool last = build.get<path::PathKeys>().leads == path::Leads::last;
    law_ = control::make_law(keys_.wish,
                             control::make_controlled(keys_.wish, touching_, model_.n(), last));
    const control::Wish wish = control::compute_wish(law_, instant_);
    refuse_beyond(build, wish);
    update(wish);
    margin_ = mapping_.margin();
    add_pegs();
    warn(build, resting);
  }

  [[nodiscard]] std::size_t frame_count() const override { return 1; }
  void go_to(std::size_t /*k*/) override {}
  [[nodiscard]] std::string report() const override;
  [[nodiscard]] std::string json() const override;
  [[nodiscard]] std::string failure() const override;
  [[nodiscard]] std::vector<StudyPart> time_parts(int rounds, double least) override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    const MapResult& result = mapping_.result();
    return {{"status", std::string(to_string(result.status))},
            {"effort", result.effort, "N² m²"},
            {"margin", margin_.value_or(std::nan("")), "N"},
            {"slack", result.z.norm()},
            {"max_torque", result.u.cwiseAbs().maxCoeff(), "N m"},
            {"constraint_rate", contact_rate_, "m/s"}};
  }

 private:
  using VectorXd = Eigen::VectorXd;

  void take_start(const drive::Build& build);
  void add_pegs();
  void warn(const drive::Build& build, int resting) const;
  /// Throws InputError for a wish that the arithmetic cannot tell from limits and signs.
  void refuse_beyond(const drive::Build& build, const control::Wish& wish) const;
  /// Row of the wish that misses most, in words; "" if none does.
  [[nodiscard]] std::string worst_row() const;

  control::WishLaw law_;
  std::optional<double> margin_;
  double contact_rate_ = 0.0;
};

void ForceMapStudy::take_start(const drive::Build& build) {
  const std::unique_ptr<System> system = build.make_system();
  const auto& robot = dynamic_cast<const planar::PlanarSystem&>(*system);
  planar::Pose pose;
  planar::compute_pose_at_time(robot.model(), robot.state(), robot.options().dt, pose);
  instant_.theta = pose.theta;
  const Eigen::Map<const Eigen::Matrix3Xd> u(robot.state().u.data(), 3, model_.n());
  instant_.theta_dot = u.row(2);
  const planar::Columns r = pose.r.colwise() + pose.origin;
  const planar::Columns v = u.topRows<2>();
  planar::place_instant(mapping_.model(), r, v, instant_);
}

std::vector<StudyPart> ForceMapStudy::time_parts(int rounds, double least) {
  if (mapping_.result().status == MapStatus::singular) return {};
  planar::ForceMap map;
  qp::Solver solver;
  qp::Solution solution;
  const qp::Problem& problem = mapping_.problem();
  const qp::Options& options = mapping_.options().qp;
  const auto assemble = [&] {
    static_cast<void>(planar::update_force_map(mapping_.model(), instant_, touching_, law_.links,
                                               ground_, mapping_.options().form, map));
  };
  const auto solve_cold = [&] { solver.solve(problem, options, solution); };
  const auto solve_warm = [&] { solver.solve(problem, options, solution, true); };
  return {{"assembly", fastest_of(rounds, least, assemble)},
          {"qp", fastest_of(rounds, least, solve_cold)},
          {"qp_warm", fastest_of(rounds, least, solve_warm)}};
}

void ForceMapStudy::add_pegs() {
  const Body ground = bodies_.back();
  bodies_.pop_back();
  std::size_t number = model_.obstacles.size();
  for (const planar::LinkContact& contact : touching_) {
    const int i = contact.link;
    const Eigen::Vector2d axis{pose_.cos(i), pose_.sin(i)};
    const Eigen::Vector2d left{-axis.y(), axis.x()};
    const double off = model_.links[static_cast<std::size_t>(i)].L_SC + kPegRadius;
    const Eigen::Vector2d place =
        pose_.origin + pose_.r.col(i) + contact.at * axis - contact.gamma * off * left;
    bodies_.push_back(chain::make_obstacle(number++, place, kPegRadius, 0.0));
  }
  bodies_.push_back(ground);
}

void ForceMapStudy::refuse_beyond(const drive::Build& build, const control::Wish& wish) const {
  const auto refuse = [&](const char* asked, const char* by_error, double error,
                          const char* by_rate, double rate, double whole, const char* unit) {
    constexpr double room = 1.01;  // keys at their limit, and a little from the gains
    if (!(std::abs(whole) > room * control::kMostWished)) return;
    const bool by_gain = std::max(error, rate) > 0.5 * std::abs(whole);
    const char* key = !by_gain ? asked : error > rate ? by_error : by_rate;
    throw InputError(build.fault(
        key,
        fmt::format("the wish is an acceleration of {:.4g} {}, the limit is {:.6g}", whole, unit,
                    control::kMostWished),
        by_gain ? "take a smaller gain, or wish for a state that is nearer" : "wish for less"));
  };
  const Eigen::Vector2d error = law_.position
                                    ? Eigen::Vector2d(law_.kp * (instant_.p - *law_.position))
                                    : Eigen::Vector2d::Zero();
  const Eigen::Vector2d rate = law_.kd * (instant_.p_dot - law_.velocity);
  for (int k = 0; k < 2; ++k) {
    refuse("force_map.wish.acceleration", "force_map.wish.kp", std::abs(error(k)),
           "force_map.wish.kd", std::abs(rate(k)), wish.centre(k), "m/s²");
  }
  for (std::size_t k = 0; k < law_.links.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const int i = law_.links[k];
    const double by_angle =
        law_.angle.size() > 0 ? law_.kp_angle * (instant_.theta(i) - law_.angle(row)) : 0.0;
    const double wished_rate = law_.rate.size() > 0 ? law_.rate(row) : 0.0;
    refuse("force_map.wish.angular_acceleration", "force_map.wish.kp_angle", std::abs(by_angle),
           "force_map.wish.kd_angle",
           std::abs(law_.kd_angle * (instant_.theta_dot(i) - wished_rate)), wish.angular(row),
           "rad/s²");
  }
}

void ForceMapStudy::warn(const drive::Build& build, int resting) const {
  const MapResult& result = mapping_.result();
  if (touching_.empty() && !model_.obstacles.empty()) {
    build.warnings.push_back(
        {"force_map.contact",
         fmt::format("force_map.contact: {} obstacle{}, no [[force_map.contact]]: none is used",
                     model_.obstacles.size(), model_.obstacles.size() == 1 ? "" : "s")});
  }
  if (result.at_rest > 0) {
    build.warnings.push_back(
        {"force_map.contact",
         fmt::format("force_map.contact: {} of {} contacts do not slide; without a direction they "
                     "are taken as without friction",
                     result.at_rest, touching_.size())});
  }
  if (resting > 0) {
    build.warnings.push_back(
        {"world.friction",
         fmt::format("world.friction: {} points of the robot rest on the ground; they are taken as "
                     "without friction",
                     resting)});
  }
  if (contact_rate_ > 1e-3 && !keys_.project) {
    build.warnings.push_back(
        {"start.velocity",
         fmt::format("the start breaks its contacts: a link moves across its obstacle at {:.3g} "
                     "m/s, and the map takes it as at rest; write  project = true  in [force_map]",
                     contact_rate_)});
  }
  if (result.status == MapStatus::slack) {
    build.warnings.push_back({"force_map.wish", "the wish is not met: " + worst_row()});
  }
}

std::string ForceMapStudy::worst_row() const {
  VectorXd z = mapping_.result().z;
  z.head<2>() /= -mapping_.model().m_T;  // wish less acceleration, as of the angles
  Eigen::Index row = 0;
  if (z.size() == 0 || !(z.cwiseAbs().maxCoeff(&row) > 1e-9)) return "";
  if (row < 2) {
    return fmt::format("the centre's {} misses by {:.4g} m/s²{}", row == 0 ? "x" : "y", z(row),
                       touching_.empty() ? ", as no obstacle can push the robot" : "");
  }
  return fmt::format("the angle of link {} misses by {:.4g} rad/s²",
                     law_.links[static_cast<std::size_t>(row - 2)] + 1, z(row));
}

std::string ForceMapStudy::failure() const {
  const MapResult& result = mapping_.result();
  switch (result.status) {
    case MapStatus::optimal:
    case MapStatus::slack:
      return "";
    case MapStatus::infeasible:
      return fmt::format(
          "infeasible: no torques within {} N m press all {} contacts onto their "
          "obstacles",
          mapping_.options().u_max, touching_.size());
    case MapStatus::singular:
      return fmt::format(
          "the contacts of links {} depend on each other: they do not determine "
          "their forces; leave one of them out",
          links_in_words(result.dependent));
    case MapStatus::failed:
      break;
  }
  return "the QP solver found no answer that meets its own test";
}

std::string ForceMapStudy::report() const {
  const MapResult& result = mapping_.result();
  std::string text = fmt::format("status      {}\n", to_string(result.status));
  if (!failure().empty()) return text;
  text += fmt::format("effort      {:.6g} N² m² (sum of squared torques)\n", result.effort);
  text += margin_ ? fmt::format("margin      {:.4g} N\n", *margin_) : std::string();
  text += fmt::format("slack       {:.3g}{}\n", result.z.norm(),
                      result.status == MapStatus::slack ? ": " + worst_row() : "");
  text += fmt::format("centre      {:.6g}, {:.6g} m/s² predicted\n", result.p_ddot.x(),
                      result.p_ddot.y());
  if (!result.active.empty()) {
    text += fmt::format("at limit    joint {}\n", links_in_words(result.active));
  }
  if (!touching_.empty()) {
    text += "\nlink  side       at, m   force across, N        x, N        y, N    power, W\n";
    for (std::size_t k = 0; k < touching_.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      text += fmt::format("{:4}  {:5} {:11.4g} {:17.6g} {:11.6g} {:11.6g} {:11.4g}\n",
                          touching_[k].link + 1, touching_[k].gamma < 0 ? "left" : "right",
                          touching_[k].at, result.f_C(i), result.force(0, i), result.force(1, i),
                          result.power(i));
    }
  }
  text += "\njoint      u, N m\n";
  for (Eigen::Index j = 0; j < result.u.size(); ++j) {
    text += fmt::format("{:5} {:11.6g}\n", j + 1, result.u(j));
  }
  return text;
}

std::string ForceMapStudy::json() const {
  const MapResult& result = mapping_.result();
  ordered_json json;
  json["status"] = to_string(result.status);
  json["u"] = numbers(result.u);
  json["f_C"] = numbers(result.f_C);
  json["z"] = numbers(result.z);
  json["z_norm"] = number(result.z.norm());
  json["active"] = ordered_json::array();
  for (const int joint : result.active) json["active"].push_back(joint + 1);
  json["predicted"] = {{"centre", numbers(result.p_ddot)}, {"angular", numbers(result.theta_ddot)}};
  json["margin"] = margin_ ? number(*margin_) : ordered_json(nullptr);
  json["kkt"] = number(result.kkt);
  json["weight_slack"] =
      ordered_json::array({number(result.slack_weight(0)),
                           number(result.slack_weight(result.slack_weight.size() - 1))});
  const control::MapCondition condition = mapping_.condition();
  json["rank"] = condition.rank ? ordered_json(*condition.rank) : ordered_json(nullptr);
  json["condition"] = {{"M_theta", number(condition.M_theta)},
                       {"A_f", number(condition.A_f)},
                       {"A_e", number(condition.A_e)}};
  json["constraint_rate"] = contact_rate_;
  json["centre_velocity"] = numbers(instant_.p_dot);
  json["contacts"] = ordered_json::array();
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    json["contacts"].push_back({{"link", touching_[k].link + 1},
                                {"at", touching_[k].at},
                                {"side", touching_[k].gamma < 0 ? "left" : "right"},
                                {"force", numbers(result.force.col(i))},
                                {"power", number(result.power(i))}});
  }
  return json.dump(2);
}

}  // namespace

std::unique_ptr<Study> make_force_map(const drive::Build& build) {
  return std::make_unique<ForceMapStudy>(build);
}

}  // namespace coluber::simulation
