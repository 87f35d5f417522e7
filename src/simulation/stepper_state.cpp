// What a stepper remembers, as bytes: of a checkpoint, and of a state that another may take.

#include <utility>

#include <fmt/format.h>

#include "simulation/stepper_impl.hpp"

namespace coluber::simulation {

namespace {

constexpr std::uint32_t checkpoint_version = 6;
constexpr std::uint32_t state_version = 1;

template <typename Bytes, typename Impl>
void exchange_loop(Bytes& bytes, Impl& impl) {
  bytes.section("loop", checkpoint_version);
  StopConditions::exchange(bytes, impl.stop);
  Tally::exchange(bytes, impl.tally);
  bytes(impl.past_stop);
}

}  // namespace

bool Stepper::Impl::save(ByteWriter& bytes) const {
  exchange_loop(bytes, *this);
  driver->save(bytes);
  bytes.section("references", 1);
  bytes(holder != nullptr);
  if (holder != nullptr) bytes(held);
  bytes.section("gait", 1);
  if (simulation.gait != nullptr) simulation.gait->save_state(bytes);
  bytes.section("controller", 1);
  if (simulation.controller != nullptr) simulation.controller->save_state(bytes);
  return system.save_state(bytes);
}

void Stepper::Impl::restore(ByteReader& bytes) {
  exchange_loop(bytes, *this);
  driver->restore(bytes);
  bytes.section("references", 1);
  bool holds = false;
  bytes(holds);
  Eigen::VectorXd phi_d(driver->reference_count());
  if (holds) {
    bytes(phi_d);
    if (!phi_d.allFinite()) bytes.refuse("a reference is not finite");
  }
  bytes.section("gait", 1);
  if (simulation.gait != nullptr) simulation.gait->restore_state(bytes);
  bytes.section("controller", 1);
  if (simulation.controller != nullptr) simulation.controller->restore_state(bytes);
  // before the system: it may forget what comes back with its state
  const bool held_before = holder != nullptr;
  if (holds) {
    held = phi_d;
    auto next = std::make_unique<gait::Held>(std::move(phi_d));
    driver->follow(*next);
    holder = std::move(next);
  } else if (held_before && simulation.gait != nullptr) {
    driver->follow(*simulation.gait);
    holder.reset();
  }
  system.restore_state(bytes);
  bytes.finish();
  const std::int64_t k = system.step_count();
  const std::int64_t first = tally.first();
  if (first < 0 || first > k) {
    bytes.refuse(fmt::format("it was taken after step {}, and begun at step {}", k, first));
  }
  if (!tally.fits(k - first) || !stop.fits(k)) bytes.refuse("it counts what no run could");
  started = false;
  next_sink = 0;
}

// Where the bytes do not fit, everything is as it was.
void Stepper::Impl::restore_or_stay(ByteReader& bytes) {
  ByteWriter before;
  const bool kept = save(before);
  const bool was_started = started;
  const std::size_t sink = next_sink;
  try {
    restore(bytes);
  } catch (...) {
    if (kept) {
      ByteReader back(before.bytes(), "");
      restore(back);
      started = was_started;
      next_sink = sink;
    }
    throw;
  }
  schedule = FrameSchedule(system.dt(), simulation.scenario.record.rate_hz);
}

const Fingerprint& Stepper::Impl::print() {
  if (!fingerprint) fingerprint.emplace(simulation);
  return *fingerprint;
}

std::string Stepper::save_state() const {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteWriter bytes;
  impl.print().save(bytes);
  const double wall = std::exchange(impl.tally.wall, 0.0);
  const std::int64_t untimed = std::exchange(impl.tally.untimed, 0);
  const bool kept = impl.save(bytes);
  impl.tally.wall = wall;
  impl.tally.untimed = untimed;
  if (!kept) {
    throw Error(fmt::format("the model \"{}\" keeps no state", impl.simulation.scenario.model));
  }
  return seal("state", state_version, bytes.bytes());
}

void Stepper::restore_state(std::string_view bytes) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteReader payload(unseal("state", state_version, bytes, "state"), "state");
  impl.print().require(payload);
  impl.restore_or_stay(payload);
  impl.tally.untimed = impl.system.step_count() - impl.tally.first();
}

std::string Stepper::keep() const {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteWriter bytes;
  if (!impl.save(bytes)) {
    throw Error(fmt::format("the model \"{}\" keeps no state", impl.simulation.scenario.model));
  }
  return bytes.bytes();
}

void Stepper::put_back(const std::string& kept) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteReader bytes(kept, "state");
  impl.restore(bytes);
  impl.schedule = FrameSchedule(impl.system.dt(), impl.simulation.scenario.record.rate_hz);
}

}  // namespace coluber::simulation
