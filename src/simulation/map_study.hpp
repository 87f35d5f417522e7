#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coluber/control/force_map_keys.hpp"
#include "coluber/control/force_mapping.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/planar/snake.hpp"
#include "coluber/simulation/study.hpp"

namespace coluber::simulation {

/// A planar robot at an instant with the force map's answer: what `force-map` and `quality` show.
class MapStudy : public Study {
 public:
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override { observables_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;

 protected:
  /// Throws InputError where the scenario's robot or ground is not one the map is for, or where the
  /// build has no QP solver.
  /// `demands`: the wish is to be met, whatever the weights of its slack.
  MapStudy(const drive::Build& build, bool demands);

  /// Where the links are, p and velocities already set; then the map's answer.
  void update(const control::Wish& wish);
  /// Number of friction points of the ground that rest at `instant_`.
  int update_ground();

  planar::Model model_;
  control::ForceMapKeys keys_;
  control::ForceMapping mapping_;
  planar::Instant instant_;
  planar::GroundLoad ground_;
  std::vector<planar::LinkContact> touching_;
  planar::Pose pose_;  // of `instant_`
  std::vector<Body> bodies_;
  ObservableTable observables_;

 private:
  void add_rows();

  planar::Columns velocity_;
  std::vector<ArrowFamily> arrows_;
};

/// `coluber force-map`.
std::unique_ptr<Study> make_force_map(const drive::Build& build);
/// `coluber quality`.
std::unique_ptr<Study> make_quality(const drive::Build& build);

}  // namespace coluber::simulation
