#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "coluber/grasp/system.hpp"

#include "math/degree.hpp"

// What a run says of itself: faults, warnings, the summary.

namespace coluber::grasp {

namespace {

/// No motor of a robot turns faster (rad/s).
constexpr double kFast = 10.0;
/// Contacts are held if no link is farther than this from touching (m).
constexpr double kHeldTolerance = 0.01;
/// A yaw so near 90 degrees (deg) is named as the cause of large rates.
constexpr double kNearSingular = 15.0;

}  // namespace

StepInfo GraspSystem::refuse(Fault fault) {
  figure_ = fault_figure_;
  const auto not_taken = [&](const char* what) {
    return StepInfo{Status::not_taken, what, fault_index_, {&figure_, 1}};
  };
  switch (fault) {
    case Fault::input:
      return not_taken("rate of joint");
    case Fault::contact:
      return not_taken("place of the contact of link");
    case Fault::joint:
      return not_taken("yaw of joint");
    case Fault::collision:
      return not_taken("distance to another link of link");
    case Fault::overlap:
    case Fault::apart:
      return not_taken("distance to the object of link");
    case Fault::inside:
    case Fault::beyond:
      return not_taken("tangent to the object of link");
    case Fault::stalled:
      return not_taken("gain");
    case Fault::loose:
      return not_taken("contacts");
    case Fault::none:
    case Fault::not_finite:
      break;
  }
  return {Status::non_finite, "motion of link", 1, {&figure_, 1}};
}

std::string GraspSystem::fault_words() const {
  const double rho = options_.object ? options_.object->rho : 0.0;
  const int singular = singular_joint();
  const auto why_words = [&]() -> std::string {
    const double yaw = state_.q.yaw(singular) / math::degree;
    if (std::abs(std::abs(yaw) - 90.0) < kNearSingular) {
      return fmt::format(
          "; joint {} stands at {:.4g} deg: at 90 deg its pitch axis lies along its link, and no "
          "rate of it lifts the link",
          singular, yaw);
    }
    const double gain = options_.controller.law.gain;
    const double limit = options_.integrator == Integrator::euler ? 2.0 : 2.78;
    if (gain * options_.dt <= limit) return "";
    return fmt::format(
        "; controller.gain times solver.dt is {:.3g}, above {} steps overshoot: take "
        "solver.dt below {:.3g} s",
        gain * options_.dt, limit, limit / gain);
  };
  switch (fault_) {
    case Fault::input:
      return fmt::format("joint {} would have to turn with {:.4g} rad/s, the limit is {} rad/s",
                         fault_index_, fault_figure_, options_.controller.input_limit) +
             why_words();
    case Fault::contact:
      return fmt::format("link {} would be {:.4g} m from where it should be, the limit is {} m",
                         fault_index_, fault_figure_, options_.controller.contact_limit) +
             why_words();
    case Fault::joint:
      return fmt::format(
          "joint {} would stand at {:.4g} deg; a lasso bends none past 85 deg, near 90 deg pitches "
          "lose their effect",
          fault_index_, fault_figure_);
    case Fault::collision:
      return fmt::format("links {} and {} would be {:.4g} m inside each other", fault_index_,
                         fault_other_, fault_figure_);
    case Fault::overlap:
      return fmt::format("link {} is {:.4g} m inside the object", fault_index_, fault_figure_);
    case Fault::apart:
      return fmt::format("link {} is {:.4g} m from touching the object, 0.01 m counts as touching",
                         fault_index_, fault_figure_);
    case Fault::inside:
      return fmt::format(
          "the joint behind link {} is within {:.4g} m of the object's centre: no tangent goes "
          "through it",
          fault_index_, rho);
    case Fault::beyond:
      return fmt::format("the tangent through the joint behind link {} is longer than the link",
                         fault_index_);
    case Fault::stalled:
      return fmt::format("the adaptive gain has fallen to {:.3g} 1/s, with errors left",
                         fault_figure_) +
             why_words();
    case Fault::loose:
      return "there is no contact to carry the object with";
    case Fault::none:
    case Fault::not_finite:
      break;
  }
  return "the motion is not finite";
}

std::string GraspSystem::advice(const StepInfo& info) const {
  return info.status == Status::not_taken ? "; " + fault_words() : "";
}

const char* GraspSystem::status_word() const {
  if (fault_ == Fault::stalled) return "stalled";
  if (fault_ == Fault::contact) return "lost";
  if (fault_ != Fault::none) return "refused";
  if (state_.contacts.empty()) return "free";
  for (const Contact& contact : state_.contacts) {
    if (contact.touches && std::abs(clearance_(contact.link)) > kHeldTolerance) return "lost";
  }
  return "held";
}

std::vector<std::string> GraspSystem::warnings() const {
  std::vector<std::string> texts;
  if (state_.largest_input > kFast) {
    texts.push_back(
        fmt::format("a joint turned with {:.3g} rad/s, faster than motors do: set "
                    "controller.input_limit to what they can",
                    state_.largest_input));
  }
  if (state_.largest_slip > 1e-6) {
    texts.push_back(fmt::format(
        "wheels slipped sideways with up to {:.3g} m/s: the joints cannot do what the task asks",
        state_.largest_slip));
  }
  if (state_.least_self < 0.0) {
    texts.push_back(
        fmt::format("links were up to {:.3g} m inside each other: this model has no "
                    "contact between links",
                    -state_.least_self));
  }
  if (options_.object) {
    for (int i = 0; i < model_.links; ++i) {
      if (!(clearance_(i) < -kHeldTolerance)) continue;
      texts.push_back(
          fmt::format("link {} ends {:.3g} m inside the object", i + 1, -clearance_(i)));
      break;
    }
    if (fault_ == Fault::none && std::string_view(status_word()) == "lost") {
      texts.emplace_back("a link that was laid on the object does not touch it any more");
    }
  }
  return texts;
}

std::vector<SummaryItem> GraspSystem::summary() const {
  const chain::Travel& travel = state_.travel;
  const double displacement = (travel.place - travel.start).norm();
  const double t = time();
  int touching = 0;
  int first = model_.links;
  int last = -1;
  for (const Contact& contact : state_.contacts) {
    if (!contact.touches) continue;
    if (std::abs(clearance_(contact.link)) <= kHeldTolerance) ++touching;
    first = std::min(first, contact.link);
    last = std::max(last, contact.link);
  }
  double wrapped = 0.0;
  for (int j = first + 1; j <= last; ++j) wrapped += state_.q.yaw(j);
  return {{"displacement", displacement, "m"},
          {"path_length", travel.length, "m"},
          {"net_speed", t > 0.0 ? displacement / t : 0.0, "m/s"},
          {"mean_speed", t > 0.0 ? travel.length / t : 0.0, "m/s"},
          {"heading_change", state_.q.yaw(0) - travel.start_angle, "rad"},
          {"contacts", static_cast<double>(touching), "", true},
          {"wrap_angle", wrapped, "rad"},
          {"grasp_status", std::string(status_word())},
          {"max_input", state_.largest_input, "rad/s"},
          {"max_slip", state_.largest_slip, "m/s"},
          {"max_drift", state_.largest_drift, "m"},
          {"min_self_clearance", state_.least_self, "m"}};
}

}  // namespace coluber::grasp
