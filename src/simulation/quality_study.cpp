#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/control/servo.hpp"
#include "coluber/core/error.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/path/shown.hpp"
#include "coluber/path/tracker.hpp"
#include "coluber/path/train.hpp"
#include "coluber/world/obstacle_grid.hpp"

#include "chain/rows.hpp"
#include "simulation/map_study.hpp"

// Holden VI-A: a path can be used if at every place of it some torques move the snake along it. The
// robot is a train on the path; at each place the force map says whether torques within their
// limits meet the train's motion and press every contact onto its obstacle.

namespace coluber::simulation {

namespace {

using Eigen::Vector2d;
using nlohmann::ordered_json;

constexpr std::size_t kLaidAtOnce = 1000;
constexpr double kFit = 0.1;  // of a link's radius: an obstacle so far from its skin touches it

/// Where an obstacle lies beside the path.
struct Beside {
  int obstacle = 0;
  double s = 0.0;  ///< of the path's nearest point (m)
  double z = 0.0;  ///< from it to the centre, positive to the left (m)
};

/// What was found at a place.
struct Place {
  double s = 0.0;  ///< m
  int contacts = 0;
  bool rank = false;
  bool feasible = false;
  bool singular = false;               ///< its contacts do not determine their forces
  double overlap = 0.0;                ///< of the robot and the deepest obstacle in it (m)
  bool fits = true;                    ///< no overlap is more than touching
  std::optional<double> gap{};         ///< to the farthest of the obstacles that touch (m)
  bool apart = false;                  ///< that is more than touching
  int crowded = 0;                     ///< obstacles left out, as their link has one already
  int wished = 0;                      ///< accelerations wished for
  double crossing = 0.0;               ///< of links across their obstacles, largest (m/s)
  std::optional<double> margin{};      ///< N
  std::optional<double> torque_max{};  ///< N m
};

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

/// A length without what rounding leaves of it.
double rounded(double length) { return length < 1e-8 ? 0.0 : length; }

/// Every place where an obstacle is near the path between two arc lengths. A path may pass one
/// obstacle several times. By obstacle, then by arc length.
std::vector<Beside> find_beside(const path::Path& path, const std::vector<planar::Obstacle>& all,
                                double from, double to, double near) {
  std::vector<Beside> beside;
  if (all.empty()) return beside;
  const world::ObstacleGrid grid(all);
  // local minima of the distance lie apart by more than the curves that make them
  const double kappa = path.max_curvature();
  const double step = std::clamp(kappa > 0.0 ? 0.1 / kappa : to - from, (to - from) / 1e6,
                                 std::max(1e-9, (to - from) / 100.0));
  std::vector<int> found;
  for (double s = from; s < to + step; s += step) {
    found.clear();
    grid.find(path.at(s).r, near + step, found);
    for (const int j : found) {
      const Vector2d& centre = all[static_cast<std::size_t>(j)].H;
      const path::Deviation at = path::track(path, s, centre);
      const bool known = std::ranges::any_of(beside, [&](const Beside& other) {
        return other.obstacle == j && std::abs(other.s - at.s) < 0.5 * step;
      });
      const double reach = near + all[static_cast<std::size_t>(j)].L_H;
      if (!known && std::abs(at.z) <= reach) beside.push_back({j, at.s, at.z});
    }
  }
  std::ranges::sort(beside, [](const Beside& a, const Beside& b) {
    return a.obstacle != b.obstacle ? a.obstacle < b.obstacle : a.s < b.s;
  });
  return beside;
}

/// Can the robot pass along its path?
class QualityStudy final : public MapStudy {
 public:
  explicit QualityStudy(const drive::Build& build);

  [[nodiscard]] std::size_t frame_count() const override { return count_; }
  void go_to(std::size_t k) override;
  [[nodiscard]] double time() const override { return (now_.s - options_.from) / options_.speed; }
  [[nodiscard]] double rate_hz() const override { return options_.speed / options_.step; }
  [[nodiscard]] std::string report() const override;
  [[nodiscard]] std::string json() const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  /// Figures over all places.
  struct Sum {
    double share = 0.0;
    double rank_share = 0.0;
    std::optional<double> margin_min{};
    double torque_max = 0.0;
  };
  [[nodiscard]] Sum sum() const;
  /// What a reader of the table should know, a line each.
  [[nodiscard]] std::string remarks() const;
  [[nodiscard]] double place_of(std::size_t k) const {
    return options_.from + static_cast<double>(k) * options_.step;
  }
  void lay(double s);
  void find_contacts();
  /// An obstacle lies so deep (m) in a link of this radius (m); negative: so far from it.
  void note_overlap(double depth, double radius);

  control::QualityKeys options_;
  control::WishKeys demanded_;  // its links
  std::unique_ptr<path::Path> path_;
  SourceLocation where_path_;
  bool last_leads_ = false;
  std::size_t count_ = 0;
  std::vector<double> lengths_;  // from the rear
  std::vector<Beside> beside_;
  path::Train train_;
  planar::Columns centres_, velocities_, accelerations_;
  Eigen::VectorXd alpha_;
  Place now_;
  std::vector<Place> places_;  // so far
};

QualityStudy::QualityStudy(const drive::Build& build)
    : MapStudy(build, true), options_(build.get<control::QualityKeys>()) {
  const auto& path = build.get<path::PathKeys>();
  if (!path.shape) {
    throw InputError(build.fault("path", "quality is of a path, and there is no [path]",
                                 "add  [path]  with  shape = \"serpenoid\""));
  }
  if (!std::isfinite(mapping_.options().u_max)) {
    throw InputError(build.fault("controller.torque_limit",
                                 "quality is a question of limits, and there is none",
                                 "for example  torque_limit = 4.5  in [controller]"));
  }
  demanded_ = keys_.wish;
  if (options_.links.word != "wish") demanded_.links = options_.links;
  path_ = path::make_path(path);
  where_path_ = build.locate("path");
  last_leads_ = path.leads == path::Leads::last;
  count_ = static_cast<std::size_t>(options_.places());
  double length = 0.0;
  double radius = 0.0;
  for (const planar::Link& link : model_.links) {
    lengths_.push_back(link.L);
    length += link.L;
    radius = std::max(radius, link.L_SC);
  }
  if (!last_leads_) std::ranges::reverse(lengths_);
  const double end = options_.to + 2.0 * length;  // the arc is longer than the links
  beside_ =
      find_beside(*path_, model_.obstacles, options_.from - length, end, radius + options_.reach);
  bodies_.push_back(path::make_path_body(*path_, options_.from, options_.to + length));
  const int n = model_.n();
  centres_.resize(2, n);
  velocities_.resize(2, n);
  accelerations_.resize(2, n);
  alpha_.resize(n);
  // a path that does not hold the robot is refused before anything is written; of very many places
  // the rest when it is their turn
  const std::size_t every = 1 + count_ / kLaidAtOnce;
  for (std::size_t k = 0; k < count_; k += every) lay(place_of(k));

  const auto number = [this](const char* name, const char* unit, const char* doc, auto get) {
    observables_.add({name, unit, doc, {}, {}, Plotted::scalar}, chain::write_number(get));
  };
  number("place", "m", "arc length of the rear end", [this] { return now_.s; });
  number("contact_count", "", "obstacles that touch", [this] { return now_.contacts; });
  number("overlap", "m", "of the robot on the path and the deepest obstacle in it",
         [this] { return now_.overlap; });
  number("gap", "m", "between the robot and the farthest of the obstacles that touch",
         [this] { return or_nan(now_.gap); });
  number("rank", "", "1: some torques meet the motion, whatever limits and signs",
         [this] { return now_.rank ? 1.0 : 0.0; });
  number(
      "feasible", "",
      "1: the robot fits, and torques within their limits meet the motion and press every contact",
      [this] { return now_.feasible ? 1.0 : 0.0; });
  number("margin", "N", "largest force with which every contact can be pressed",
         [this] { return or_nan(now_.margin); });
  number("torque_max", "N m", "largest torque of the least effort",
         [this] { return or_nan(now_.torque_max); });
}

// The train is counted from the rear. A link's axis points to the next link: along the way where
// the last link leads, against it where the first does.
void QualityStudy::lay(double s) {
  if (!path::lay_train(*path_, lengths_, s, options_.speed, options_.acceleration, train_)) {
    throw InputError(Diagnostic{
        where_path_, "path",
        fmt::format("the robot does not fit on it with its rear end at s = {:.6g} m: the path is "
                    "curled tighter than a link is long",
                    s),
        "take a wider path, shorter links, or other places"});
  }
  const int n = model_.n();
  for (int i = 0; i < n; ++i) {
    const int k = last_leads_ ? i : n - 1 - i;
    const double arm = last_leads_ ? mapping_.model().l_t(i) : mapping_.model().l_h(i);
    const double theta = train_.theta(k);
    const Vector2d along{std::cos(theta), std::sin(theta)};
    const Vector2d left{-along.y(), along.x()};
    const double omega = train_.omega(k);
    centres_.col(i) = train_.r.col(k) + arm * along;
    velocities_.col(i) = train_.v.col(k) + arm * omega * left;
    accelerations_.col(i) =
        train_.a.col(k) + arm * (train_.alpha(k) * left - omega * omega * along);
    instant_.theta(i) = last_leads_ ? theta : theta + std::numbers::pi;
    instant_.theta_dot(i) = omega;
    alpha_(i) = train_.alpha(k);
  }
  planar::place_instant(mapping_.model(), centres_, velocities_, instant_);
}

void QualityStudy::note_overlap(double depth, double radius) {
  now_.overlap = std::max(now_.overlap, depth);
  if (depth > kFit * radius) now_.fits = false;
}

void QualityStudy::find_contacts() {
  touching_.clear();
  const int n = model_.n();
  for (const Beside& beside : beside_) {
    if (beside.s < train_.s(0) || beside.s > train_.s(n)) {  // only its rim may be in an end link
      const bool ahead = beside.s > train_.s(n);
      const planar::Obstacle& post = model_.obstacles[static_cast<std::size_t>(beside.obstacle)];
      const planar::Link& end = ahead == last_leads_ ? model_.links.back() : model_.links.front();
      note_overlap(post.L_H - (post.H - train_.r.col(ahead ? n : 0)).norm(), end.L_SC);
      continue;
    }
    const auto* const begin = train_.s.data();
    const auto after = std::upper_bound(begin, begin + n, beside.s) - begin;
    const int k = std::clamp(static_cast<int>(after) - 1, 0, n - 1);
    const int i = last_leads_ ? k : n - 1 - k;
    const planar::Obstacle& obstacle = model_.obstacles[static_cast<std::size_t>(beside.obstacle)];
    const double radius = model_.links[static_cast<std::size_t>(i)].L_SC;
    if (std::abs(beside.z) > radius + obstacle.L_H + options_.reach) continue;
    const bool taken = std::ranges::any_of(
        touching_, [&](const planar::LinkContact& other) { return other.link == i; });
    const double depth = radius + obstacle.L_H - std::abs(beside.z);
    note_overlap(depth, radius);
    if (taken) ++now_.crowded;
    if (taken) continue;
    now_.gap = std::max(now_.gap.value_or(0.0), -depth);
    if (-depth > kFit * radius) now_.apart = true;
    const Vector2d along{std::cos(train_.theta(k)), std::sin(train_.theta(k))};
    const double ahead = along.dot(path_->at(beside.s).r - train_.r.col(k));
    const planar::ForceMapModel& map = mapping_.model();
    const double at = last_leads_ ? ahead - map.l_t(i) : map.l_h(i) - ahead;
    const bool left = (beside.z > 0.0) == last_leads_;
    touching_.push_back({i, std::clamp(at, -map.l_t(i), map.l_h(i)), left ? -1 : 1, obstacle.mu});
  }
  std::ranges::sort(touching_, {}, &planar::LinkContact::link);
}

void QualityStudy::go_to(std::size_t k) {
  now_ = {};
  now_.s = place_of(k);
  lay(now_.s);
  find_contacts();
  const Eigen::VectorXd rates =
      planar::compute_contact_rates(mapping_.model(), instant_, touching_, mapping_.options().form);
  if (rates.size() > 0) now_.crossing = rates.cwiseAbs().maxCoeff();
  if (keys_.project) {
    planar::project_velocities(mapping_.model(), touching_, mapping_.options().form, instant_);
  }
  update_ground();
  control::Wish wish;
  wish.links = control::make_controlled(demanded_, touching_, model_.n(), last_leads_);
  wish.angular.resize(static_cast<Eigen::Index>(wish.links.size()));
  for (std::size_t j = 0; j < wish.links.size(); ++j) {
    wish.angular(static_cast<Eigen::Index>(j)) = alpha_(wish.links[j]);
  }
  wish.centre = mapping_.model().kinematics == planar::Kinematics::mean
                    ? Vector2d(accelerations_.rowwise().mean())
                    : Vector2d(accelerations_ * mapping_.model().m / mapping_.model().m_T);
  update(wish);
  const control::MapResult& result = mapping_.result();
  now_.contacts = static_cast<int>(touching_.size());
  now_.wished = static_cast<int>(wish.links.size()) + 2;
  now_.rank = result.solvable;
  now_.singular = result.status == control::MapStatus::singular;
  now_.margin = mapping_.margin();
  now_.feasible = now_.fits && result.status == control::MapStatus::optimal;
  if (now_.feasible) now_.torque_max = result.u.cwiseAbs().maxCoeff();
  if (k >= places_.size()) places_.resize(k + 1);
  places_[k] = now_;
}

QualityStudy::Sum QualityStudy::sum() const {
  Sum sum;
  if (places_.empty()) return sum;
  const auto share_of = [this](bool Place::* holds) {
    return static_cast<double>(std::ranges::count(places_, true, holds)) /
           static_cast<double>(places_.size());
  };
  sum.share = share_of(&Place::feasible);
  sum.rank_share = share_of(&Place::rank);
  bool all = true;
  double least = std::numeric_limits<double>::infinity();
  for (const Place& place : places_) {
    sum.torque_max = std::max(sum.torque_max, place.torque_max.value_or(0.0));
    all = all && place.margin.has_value();
    least = std::min(least, place.margin.value_or(least));
  }
  if (all) sum.margin_min = least;
  return sum;
}

std::vector<SummaryItem> QualityStudy::summary() const {
  const Sum figures = sum();
  return {{"share", figures.share},
          {"rank_share", figures.rank_share},
          {"margin_min", or_nan(figures.margin_min), "N"},
          {"torque_max", figures.torque_max, "N m"},
          {"places", static_cast<double>(places_.size()), "", true}};
}

std::vector<std::string> QualityStudy::warnings() const {
  std::vector<std::string> texts;
  double overlap = 0.0;
  double gap = 0.0;
  for (const Place& place : places_) {
    overlap = std::max(overlap, place.overlap);
    gap = std::max(gap, place.gap.value_or(0.0));
  }
  const auto blocked = std::ranges::count(places_, false, &Place::fits);
  if (blocked > 0) {
    texts.push_back(fmt::format(
        "an obstacle lies {:.3g} m inside the robot on the path: the robot does not fit there, and "
        "{} of {} places are not feasible for that",
        overlap, blocked, places_.size()));
  }
  const auto apart = std::ranges::count(places_, true, &Place::apart);
  if (apart > 0) {
    texts.push_back(fmt::format(
        "obstacles up to {:.3g} m away from the robot count as touching, at {} of {} places, as "
        "quality.reach = {:.6g}: it has to get there before they push it",
        gap, apart, places_.size(), options_.reach));
  }
  return texts;
}

std::string QualityStudy::remarks() const {
  std::string text;
  const int joints = model_.n() - 1;
  const auto asked = std::ranges::count_if(
      places_, [&](const Place& place) { return !place.rank && place.wished > joints; });
  if (asked > 0) {
    text += fmt::format(
        "at {} places without rank the wish has more parts than the robot has joints ({}): control "
        "fewer links with force_map.wish.links\n",
        asked, joints);
  }
  const auto crowded = std::ranges::count_if(places_, [](const Place& p) { return p.crowded > 0; });
  if (crowded > 0) {
    text += fmt::format(
        "at {} places a link touches several obstacles, and the first of [[world.obstacle]] "
        "counts\n",
        crowded);
  }
  const auto singular = std::ranges::count(places_, true, &Place::singular);
  if (singular > 0) {
    text += fmt::format("at {} places the contacts do not determine their forces\n", singular);
  }
  for (const std::string& warning : warnings()) text += warning + "\n";
  double crossing = 0.0;
  for (const Place& place : places_) crossing = std::max(crossing, place.crossing);
  if (crossing > 1e-3 && !keys_.project) {
    text += fmt::format(
        "links are straight, so they move across their obstacles, by up to {:.3g} m/s; "
        "force_map.project = true takes that away\n",
        crossing);
  }
  return text;
}

std::string QualityStudy::report() const {
  std::string text =
      "      s, m  contacts  overlap, m      gap, m  rank  feasible   margin, N  torque, N m\n";
  for (const Place& place : places_) {
    const auto figure = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.4g}", *value) : std::string("-");
    };
    text += fmt::format("{:10.6g} {:9} {:>11.3g} {:>11} {:>5} {:>9} {:>11} {:>12}\n", place.s,
                        place.contacts, rounded(place.overlap),
                        place.gap ? fmt::format("{:.3g}", rounded(*place.gap)) : "-",
                        place.rank ? "yes" : "no", place.feasible ? "yes" : "no",
                        figure(place.margin), figure(place.torque_max));
  }
  const Sum figures = sum();
  const auto feasible = std::ranges::count(places_, true, &Place::feasible);
  const auto rank = std::ranges::count(places_, true, &Place::rank);
  text += fmt::format("\nfeasible at {} of {} places; by rank alone at {}\n", feasible,
                      places_.size(), rank);
  text += remarks();
  if (figures.margin_min) text += fmt::format("least margin {:.4g} N\n", *figures.margin_min);
  text += feasible == std::ssize(places_) ? "the path can be used\n"
                                          : "the path cannot be used as it is\n";
  return text;
}

std::string QualityStudy::json() const {
  ordered_json json;
  json["rows"] = ordered_json::array();
  for (const Place& place : places_) {
    json["rows"].push_back({{"s", place.s},
                            {"contacts", place.contacts},
                            {"overlap", place.overlap},
                            {"gap", or_null(place.gap)},
                            {"rank", place.rank},
                            {"feasible", place.feasible},
                            {"margin", or_null(place.margin)},
                            {"torque_max", or_null(place.torque_max)}});
  }
  const Sum figures = sum();
  json["share"] = figures.share;
  json["rank_share"] = figures.rank_share;
  json["margin_min"] = or_null(figures.margin_min);
  json["traversable"] = !places_.empty() && std::ranges::all_of(places_, &Place::feasible);
  return json.dump(2);
}

}  // namespace

std::unique_ptr<Study> make_quality(const drive::Build& build) {
  return std::make_unique<QualityStudy>(build);
}

}  // namespace coluber::simulation
