#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coluber/control/controller.hpp"
#include "coluber/core/export.hpp"

namespace coluber::control {

/// A controller around another: all but update() is the other's, unless it is overridden.
class COLUBER_EXPORT Wrapped : public Controller {
 public:
  /// Throws Error if there is none inside.
  explicit Wrapped(std::unique_ptr<Controller> controller);

  std::string connect(System& system, std::vector<drive::Warning>& warnings) override {
    return controller_->connect(system, warnings);
  }
  [[nodiscard]] bool model_based() const override { return controller_->model_based(); }
  [[nodiscard]] bool prescribes() const override { return controller_->prescribes(); }
  [[nodiscard]] bool continuous() const override { return controller_->continuous(); }
  [[nodiscard]] bool holds_torques() const override { return controller_->holds_torques(); }
  [[nodiscard]] double start_time() const override { return controller_->start_time(); }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    return controller_->warnings();
  }
  [[nodiscard]] RunawayWords runaway_words() const override { return controller_->runaway_words(); }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return controller_->observables();
  }
  void observe(std::span<double> frame) const override { controller_->observe(frame); }
  void start_frame() override { controller_->start_frame(); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return controller_->bodies(); }
  void poses(std::span<double> values) const override { controller_->poses(values); }
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override {
    return controller_->arrows();
  }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override {
    controller_->contacts(family, slots);
  }
  [[nodiscard]] const std::vector<Curve>& curves() const override { return controller_->curves(); }
  void curve(std::size_t curve, std::span<double> values) const override {
    controller_->curve(curve, values);
  }
  [[nodiscard]] std::vector<SummaryItem> summary() const override { return controller_->summary(); }
  void save_state(ByteWriter& bytes) const override { controller_->save_state(bytes); }
  void restore_state(ByteReader& bytes) override { controller_->restore_state(bytes); }

 protected:
  /// The one inside.
  [[nodiscard]] Controller& inner() { return *controller_; }
  /// The same, to read only.
  [[nodiscard]] const Controller& inner() const { return *controller_; }

 private:
  std::unique_ptr<Controller> controller_;
};

}  // namespace coluber::control
