#include "multibody/make.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/drive/laws.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"
#include "coluber/multibody/keys.hpp"
#include "coluber/multibody/system.hpp"
#include "coluber/world/keys.hpp"

#include "math/degree.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Vector3d;

/// A wheel's law, and where its wheel is.
struct WheelDrive {
  drive::WheelLaw law{};
  int wheel = 0;
  double base = 0.0;  ///< of Ackermann: its x less that of a fixed wheel (m)
  double y = 0.0;     ///< its y (m)
};

/// Everything that the scenario gives over time.
struct Driving {
  std::shared_ptr<const Shape> shape{};
  std::vector<int> in_metres{};  ///< coordinates whose column of a table was taken for degrees
  std::vector<WheelDrive> wheels{};
  std::vector<drive::BaseLaw> base{};
  std::optional<drive::Law> drive{};
  Vector3d place = Vector3d::Zero();
  double yaw = 0.0;
  Eigen::Matrix3d tilt = Eigen::Matrix3d::Identity();

  void operator()(double t, Input& input) const {
    if (shape != nullptr) shape->evaluate(t, input.r, input.rdot, input.rddot);
    for (int k : in_metres) {
      for (Eigen::VectorXd* each : {&input.r, &input.rdot, &input.rddot})
        (*each)(k) /= math::degree;
    }
    for (const WheelDrive& each : wheels) move_wheel(each, t, input);
    if (drive) {
      const drive::Motion speed = drive->at(t);
      input.speed = speed.value;
      input.speeddot = speed.rate;
    }
    if (base.empty()) return;
    input.place = place;
    input.yaw = yaw;
    input.tilt = tilt;
    for (const drive::BaseLaw& law : base) {
      const drive::Motion motion = law.at(t);
      if (law.axis == drive::BaseAxis::yaw) {
        input.yaw = yaw + motion.value;
        input.yawdot = motion.rate;
        input.yawddot = motion.acceleration;
      } else {
        const auto axis = static_cast<Eigen::Index>(law.axis);
        input.place(axis) = place(axis) + motion.value;
        input.placedot(axis) = motion.rate;
        input.placeddot(axis) = motion.acceleration;
      }
    }
  }

  // A wheel of a car turns about the centre on the fixed axle's line that a wheel on the middle
  // line would have: tan β_w = l tan β/(l - y tan β).
  //
  // Differs: the relation after Ali (4.22) lacks the inner tan β.
  static void move_wheel(const WheelDrive& each, double t, Input& input) {
    const drive::Motion motion = each.law.at(t);
    if (each.law.motion == drive::WheelMotion::roll) {
      input.theta(each.wheel) = motion.value;
      input.thetadot(each.wheel) = motion.rate;
      input.thetaddot(each.wheel) = motion.acceleration;
      return;
    }
    if (each.law.law != drive::LawKind::ackermann) {
      input.beta(each.wheel) = motion.value;
      input.betadot(each.wheel) = motion.rate;
      return;
    }
    double s = 0.0;
    double c = 1.0;
    math::sincos(motion.value, s, c);
    const double l = each.base;
    const double u = l * s;
    const double v = l * c - each.y * s;
    input.beta(each.wheel) = math::atan2(u, v);
    input.betadot(each.wheel) = l * l * motion.rate / (u * u + v * v);
  }
};

/// A fixed wheel on the same body, for a wheel that turns about a centre on its axle's line.
WheelDrive make_wheel_drive(const drive::Build& build, const Tree& tree, const drive::WheelLaw& law,
                            std::size_t entry) {
  WheelDrive each{law, law.wheel - 1, 0.0, 0.0};
  if (law.law != drive::LawKind::ackermann) return each;
  const Wheel& own = tree.wheels[static_cast<std::size_t>(each.wheel)];
  const auto fixed = std::ranges::find_if(tree.wheels, [&](const Wheel& other) {
    return other.body == own.body && other.kind == WheelKind::fixed;
  });
  if (fixed == tree.wheels.end() || fixed->place.x() == own.place.x()) {
    throw InputError(build.fault(fmt::format("gait.wheel.{}.law", entry + 1),
                                 "\"ackermann\" needs a fixed wheel on the same body, ahead or "
                                 "behind",
                                 "add one to [[robot.wheel]], or take another law"));
  }
  each.base = own.place.x() - fixed->place.x();
  each.y = own.place.y();
  return each;
}

/// How a body is drawn: as said, else the box of its mass and inertia.
coluber::Body draw(const BodyKeys& keys) {
  coluber::Body body;
  static constexpr ShapeKind kinds[] = {ShapeKind::box, ShapeKind::cylinder, ShapeKind::capsule,
                                        ShapeKind::sphere};
  body.shape = kinds[static_cast<std::size_t>(keys.shape)];
  body.size = keys.size;
  if (!body.size.empty()) return body;
  body.shape = ShapeKind::box;
  constexpr double least = 0.02;  // m
  const auto& I = keys.inertia;
  const auto side = [&](double twice) {
    return keys.mass > 0.0 ? std::sqrt(std::max(0.0, 6.0 * twice / keys.mass)) : 0.0;
  };
  body.size = {std::max(least, side(I[1] + I[2] - I[0])), std::max(least, side(I[0] + I[2] - I[1])),
               std::max(least, side(I[0] + I[1] - I[2]))};
  return body;
}

/// 0 for what only rounding has left.
double rounded(double value) { return std::abs(value) > 1e-12 ? value : 0.0; }

/// Words of an outcome at the start.
std::string words_of(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::singular:
      return fmt::format(
          "the wheels' rows are singular, {:.3g} is their smallest singular value; they do not "
          "hold "
          "link 1 against V_x {:.3g}, V_y {:.3g} m/s, Omega_z {:.3g} rad/s, and the motion asked "
          "for "
          "needs it",
          outcome.size, rounded(outcome.direction(0)), rounded(outcome.direction(1)),
          rounded(outcome.direction(2)));
    case Outcome::Kind::inertia:
      return "the robot has no inertia in a direction in which it may move";
    case Outcome::Kind::follower:
      return fmt::format("joint {} cannot follow, its wheel stands across the way", outcome.index);
    case Outcome::Kind::loop:
      return fmt::format("a loop cannot be closed: {:.3g} is left at joint {}", outcome.size,
                         outcome.index);
    case Outcome::Kind::jammed:
      if (outcome.index == 0) {
        return fmt::format("the wheels hold the robot, the driven ones would slip with {:.3g} m/s",
                           outcome.size);
      }
      return fmt::format(
          "the other wheels determine the motion, wheel {} would slip with {:.3g} m/s",
          outcome.index, outcome.size);
    default:
      return "the motion at the start is not finite";
  }
}

/// A motion that is asked for and not possible, rather than a fault of the robot's description.
bool ends_a_run(const Outcome& outcome) {
  return outcome.kind == Outcome::Kind::singular || outcome.kind == Outcome::Kind::follower ||
         outcome.kind == Outcome::Kind::jammed;
}

/// The key that an outcome at the start belongs to, and what to do about it.
std::pair<const char*, const char*> place_of(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::inertia:
      return {"robot.body",
              "give the bodies mass and inertia; a slender body needs some about its "
              "own axis too"};
    case Outcome::Kind::loop:
      return {"robot.loop",
              "give the joints with  law = \"loop\"  a start near the closed shape, and as many of "
              "them as the loop determines"};
    case Outcome::Kind::non_finite:
      return {"start.twist", "take smaller numbers"};
    default:
      return {"robot.wheel", "change the laws or the wheels"};
  }
}

/// Twist as a list, without what only rounding has left.
std::string list_of(const Vector6d& twist) {
  std::string text;
  for (double each : twist) {
    text += fmt::format("{}{:.9g}", text.empty() ? "" : ", ", rounded(each));
  }
  return text;
}

}  // namespace

std::unique_ptr<System> make_multibody(const drive::Build& build) {
  const auto& robot = build.get<RobotKeys>();
  const auto& start_keys = build.get<StartKeys>();
  const auto* laws = build.options.find<drive::Laws>();
  Tree tree =
      make_tree(robot, build.get<WorldKeys>(), build.get<world::GravityKeys>().gravity, laws);

  const auto turn = [](double angle_deg, int axis) {
    return math::exp(Vector3d(angle_deg * math::degree * Vector3d::Unit(axis)));
  };
  Driving driving;
  driving.yaw = start_keys.heading_deg * math::degree;
  driving.tilt = turn(-start_keys.pitch_deg, 1) * turn(start_keys.roll_deg, 0);
  driving.place << start_keys.position, start_keys.z;
  if (build.gait_shape) driving.shape = build.gait_shape();
  if (laws != nullptr) {
    for (std::size_t i = 0; i < laws->wheel.size(); ++i) {
      driving.wheels.push_back(make_wheel_drive(build, tree, laws->wheel[i], i));
    }
    driving.base = laws->base;
    driving.drive = laws->drive;
  }

  const auto refuse = [&](const char* key, const std::string& message, const char* hint) {
    throw InputError(build.fault(key, message, hint));
  };
  std::optional<Model> model;
  try {
    model.emplace(std::move(tree));
  } catch (const Error& error) {
    refuse("gait.joint", error.what(), "give the joint another law");
  }
  if (!model->loops.empty() && model->passive.empty()) {
    refuse("robot.loop", "no joint closes the loop",
           "write  law = \"loop\"  for its passive joints in [[gait.joint]]");
  }
  if (model->planar && (start_keys.pitch_deg != 0.0 || start_keys.roll_deg != 0.0)) {
    refuse(start_keys.pitch_deg != 0.0 ? "start.pitch_deg" : "start.roll_deg",
           "the robot stands on wheels", "wheels stand on level ground: leave it out");
  }
  if (driving.shape != nullptr && (laws == nullptr || laws->joint.empty())) {  // a table
    for (int j = 1; j < model->size(); ++j) {
      const Joint joint = model->body(j).joint;
      if (joint == Joint::prismatic || joint == Joint::cylindrical) {
        driving.in_metres.push_back(model->first_of(j));
      }
    }
  }
  Start start;
  start.at.g = {turn(start_keys.heading_deg, 2) * driving.tilt, driving.place};
  start.without_momentum = !start_keys.twist.word.empty();
  for (std::size_t i = 0; i < start_keys.twist.numbers.size() && i < 6; ++i) {
    start.at.eta(static_cast<Eigen::Index>(i)) = start_keys.twist.numbers[i];
  }
  start.at.follower = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model->followers.size()));
  start.at.passive = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model->passive.size()));
  const auto start_of = [&](int coordinate) {
    const auto found = std::ranges::find(laws->joint, coordinate + 1, &drive::JointLaw::joint);
    return found->start;
  };
  for (std::size_t i = 0; i < model->followers.size(); ++i) {
    start.at.follower(static_cast<Eigen::Index>(i)) = start_of(model->followers[i].coordinate);
  }
  for (std::size_t i = 0; i < model->passive.size(); ++i) {
    start.at.passive(static_cast<Eigen::Index>(i)) = start_of(model->passive[i]);
  }

  SystemOptions options;
  options.dt = build.get<drive::Stepping>().dt;
  options.duration = build.duration;
  options.solver = build.get<SolverKeys>();
  if (driving.shape != nullptr) {
    options.next_break = [shape = driving.shape](double t) { return shape->next_break(t); };
  }
  for (const BodyKeys& keys : robot.body) options.drawn.push_back(draw(keys));

  std::unique_ptr<MultibodySystem> system;
  try {
    system = std::make_unique<MultibodySystem>(*model, driving, start, options);
  } catch (const Error& error) {
    refuse("gait.joint", error.what(), "give the joint another law");
  }
  // What the file says can be built, but it cannot move: as when that comes later in the run.
  if (ends_a_run(system->start_outcome())) {
    throw Error(fmt::format("cannot start at t = 0 s: {}", words_of(system->start_outcome())));
  }
  if (!system->start_outcome().ok()) {
    const auto [key, hint] = place_of(system->start_outcome());
    refuse(key, words_of(system->start_outcome()), hint);
  }
  // A twist that was given must be one that the wheels or the laws of the base allow.
  const Classification& as = system->classification();
  if (as.kinematic && !start.at.eta.isZero(0.0)) {
    const Vector6d& only = system->data().eta_o;
    if ((only - start.at.eta).cwiseAbs().maxCoeff() > start.rest) {
      refuse("start.twist", "wheels and laws determine the twist",
             fmt::format("leave it out; it is [{}]", list_of(only)).c_str());
    }
  }
  if (!as.kinematic && model->planar && !start.without_momentum) {
    Data data(*model);
    Configuration at = system->configuration();  // with its loops closed
    at.eta = start.at.eta;
    const Vector6d nearest = nearest_twist(*model, as, Program(driving), 0.0, at, data);
    if ((nearest - start.at.eta).cwiseAbs().maxCoeff() > start.rest) {
      refuse("start.twist", "the wheels do not allow this twist",
             fmt::format("the nearest that they do: [{}]; or  twist = \"zero_momentum\"",
                         list_of(nearest))
                 .c_str());
    }
  }
  return system;
}

}  // namespace coluber::multibody
