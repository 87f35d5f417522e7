#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "coluber/core/export.hpp"

namespace coluber {

/// How a replay offers a quantity: as lines of a plot, under one heading.
enum class Plotted : std::uint8_t {
  no,      ///< it is in the record alone
  scalar,  ///< a line per component
  angle,   ///< of a joint: the page knows which joint it belongs to
  torque,  ///< of a joint: drawn at the joint too
};

/// One named quantity. A recorder, a CSV header, a plot and Python need nothing else.
struct Observable {
  std::string name;        ///< dataset name, e.g. "link_position"
  std::string unit;        ///< SI, "" for a pure number
  std::string doc;         ///< one line
  std::vector<int> shape;  ///< per frame: {} scalar, {11} by link, {11, 2} by link and axis
  std::vector<std::string> components{};  ///< labels of the last axis if it is x, y, z, …
  Plotted plotted = Plotted::no;

  /// Numbers per frame: the product of `shape`.
  [[nodiscard]] int size() const {
    int product = 1;
    for (int extent : shape) product *= extent;
    return product;
  }
};

/// Number of doubles in one frame of `observables`.
COLUBER_EXPORT int frame_size(const std::vector<Observable>& observables);

/// Observables, each with what writes it: name, unit, doc, shape and writer in one row.
class COLUBER_EXPORT ObservableTable {
 public:
  /// Writes all numbers of the observable, row-major.
  using Writer = std::function<void(std::span<double> out)>;

  /// Adds a row.
  void add(Observable observable, Writer writer);
  /// What there is, in order.
  [[nodiscard]] const std::vector<Observable>& list() const { return list_; }
  /// All of them, one after another.
  void write(std::span<double> frame) const;

 private:
  std::vector<Observable> list_;
  std::vector<Writer> writers_;
};

/// What a body looks like.
enum class ShapeKind : std::uint8_t { capsule, sphere, cylinder, box, circle, tube, wheel, plane };

/// Something drawable. `size` in metres: capsule {radius, half core length along body x},
/// sphere {radius}, cylinder {radius, height}, box {x, y, z}, circle {radius}, tube {radius},
/// wheel {radius, width} with its axis along body y, plane {}.
struct Body {
  std::string name;  ///< link_1 …, obstacle_1 …, ground
  ShapeKind shape = ShapeKind::capsule;
  std::vector<double> size;
  std::string colour;   ///< "#rrggbb"
  bool moving = false;  ///< has a pose in every frame; else `pose` holds for the whole run
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  std::string parent{};  ///< the body it is joined to; "": the moving body before it
  /// Where it is joined to its parent, in its own axes (m); none: a page finds it from the motion.
  std::optional<Eigen::Vector3d> joint{};
  /// Numbers from 1 of the joint angles (of observables plotted as angle or torque) that turn or
  /// push it against its parent. If no body has any, the second link has the first, and so on.
  std::vector<int> coordinates{};
  /// Of a tube that stands still: its points, world axes.
  std::vector<Eigen::Vector3d> points{};
};

/// A contact as drawn: point and force in world axes; NaN when the slot is open.
struct ContactSlot {
  Eigen::Vector3d point;
  Eigen::Vector3d force;
};

/// Arrows of one kind: ground forces, obstacle forces, others.
struct ArrowFamily {
  std::string name;    ///< "obstacle"
  std::string label;   ///< "obstacle forces"
  std::string colour;  ///< "#rrggbb"
  std::string unit;    ///< "N"
  std::string field;   ///< of a body's field in the replay: "contact" gives link_1.contact
  int slots = 0;       ///< for each of its bodies
  std::vector<std::string> bodies;  ///< moving ones that the arrows are drawn at, of any part
};

/// A moving polyline: the points of a tube that has no pose, and numbers along it.
struct Curve {
  std::string body;  ///< a moving body of shape tube
  int points = 0;
  /// Name and unit of numbers along it, one per point; "radius" sets the tube's radius.
  std::vector<std::pair<std::string, std::string>> profiles{};
};

/// One figure of the run's summary: a number, or a word.
struct COLUBER_EXPORT SummaryItem {
  std::string name;
  std::variant<double, std::string> value = 0.0;
  std::string unit{};
  bool count = false;  ///< a whole number, printed as such

  /// The number; NaN where it is a word.
  [[nodiscard]] double number() const;
};

/// What is recorded and drawn of something: of a system, a controller, a reference, a study. All
/// lists are the same for the whole run.
class COLUBER_EXPORT Shown {
 public:
  Shown() = default;
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  virtual ~Shown() = default;

  /// What observe() writes, in its order.
  [[nodiscard]] virtual const std::vector<Observable>& observables() const;
  /// All observables as of now, concatenated in the order of `observables()`, row-major.
  /// Forces are impulses since the last `start_frame()` over the time since it.
  virtual void observe(std::span<double> frame) const;
  /// Begins a new recording interval for the force observables.
  virtual void start_frame() {}

  /// What there is to draw, with the poses of what does not move.
  [[nodiscard]] virtual const std::vector<Body>& bodies() const;
  /// Poses of the moving bodies that have no curve, in the order of `bodies()`: x y z qw qx qy qz
  /// each.
  virtual void poses(std::span<double> values) const;
  /// Families of arrows.
  [[nodiscard]] virtual const std::vector<ArrowFamily>& arrows() const;
  /// Arrows of family `family`: its slots for each of its bodies, in their order.
  virtual void contacts(std::size_t family, std::span<ContactSlot> slots) const;
  /// Moving polylines.
  [[nodiscard]] virtual const std::vector<Curve>& curves() const;
  /// Points (x y z each) of curve `curve`, then each of its profiles.
  virtual void curve(std::size_t curve, std::span<double> values) const;

  /// Figures of the run so far.
  [[nodiscard]] virtual std::vector<SummaryItem> summary() const { return {}; }
};

/// Several shown things as one: a system with its controller and reference. Does not own them.
class COLUBER_EXPORT ShownTogether final : public Shown {
 public:
  /// In the order of `parts`, which must outlive this.
  explicit ShownTogether(std::vector<Shown*> parts);
  [[nodiscard]] const std::vector<Observable>& observables() const override { return observables_; }
  void observe(std::span<double> frame) const override;
  void start_frame() override;
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;
  [[nodiscard]] const std::vector<Curve>& curves() const override { return curves_; }
  void curve(std::size_t curve, std::span<double> values) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;

 private:
  std::vector<Shown*> parts_;
  std::vector<Observable> observables_;
  std::vector<Body> bodies_;
  std::vector<ArrowFamily> arrows_;
  std::vector<Curve> curves_;
};

/// Moving bodies with a pose: those without a curve.
COLUBER_EXPORT std::size_t count_posed(const Shown& shown);
/// Whether this body has a pose in every frame.
COLUBER_EXPORT bool is_posed(const Shown& shown, const Body& body);

}  // namespace coluber
