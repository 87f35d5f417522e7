#include "coluber/simulation/batch.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/thread_pool.hpp"

namespace coluber::simulation {

namespace {

/// What two simulations of a batch must have in common.
bool shows_the_same(const Shown& a, const Shown& b) {
  return std::ranges::equal(a.observables(), b.observables(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.shape == y.shape;
  });
}

std::string words_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "what was thrown has no words";
  }
}

}  // namespace

BatchError::BatchError(int index, const std::string& why, std::exception_ptr cause)
    : Error(why), index_(index), cause_(std::move(cause)) {}

struct Batch::Impl {
  /// A simulation with its stepper and its start. Where it is, it stays.
  struct Member {
    explicit Member(const scenario::Scenario& scenario)
        : simulation(make_simulation(scenario)), stepper(simulation), start(stepper.keep()) {}
    Simulation simulation;
    Stepper stepper;
    std::string start;
  };

  Impl(const scenario::Scenario& scenario, int size, int threads)
      : members(require_size(size)), results(members.size()), pool(std::min(threads, size)) {
    pool.for_each(members.size(),
                  [&](std::size_t i) { members[i] = std::make_unique<Member>(scenario); });
    const Stepper& first = members.front()->stepper;
    frame = static_cast<std::size_t>(first.frame_size());
    references = static_cast<std::size_t>(first.reference_count());
    values.resize(members.size() * frame);
    pool.for_each(members.size(), [&](std::size_t i) { observe(i); });
  }

  static std::size_t require_size(int size) {
    if (size >= 1) return static_cast<std::size_t>(size);
    throw Error(fmt::format("a batch of {} simulations: at least 1 is wanted", size));
  }

  Member& at(int i) const {
    if (i >= 0 && static_cast<std::size_t>(i) < members.size()) {
      return *members[static_cast<std::size_t>(i)];
    }
    throw Error(
        fmt::format("there is no simulation {}: the batch has 0 to {}", i, members.size() - 1));
  }

  void observe(std::size_t i) {
    members[i]->stepper.observe(std::span(values).subspan(i * frame, frame));
  }

  /// `task(i)` for every simulation. An exception says which it was of.
  template <typename Task>
  void for_each(const Task& task) {
    pool.for_each(members.size(), [&](std::size_t i) {
      try {
        task(i);
      } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        throw BatchError(
            static_cast<int>(i),
            fmt::format("simulation {} of {}: {}", i, members.size(), words_of(thrown)), thrown);
      }
    });
  }

  std::vector<std::unique_ptr<Member>> members;
  std::vector<Stepped> results;
  std::vector<double> values;  // of all observables
  std::size_t frame = 0;       // of them, per simulation
  std::size_t references = 0;  // per simulation
  const std::atomic<bool>* interrupt = nullptr;
  ThreadPool pool;
};

Batch::Batch(const scenario::Scenario& scenario, int size, int threads)
    : impl_(std::make_unique<Impl>(scenario, size, threads)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

int Batch::size() const { return static_cast<int>(impl_->members.size()); }
int Batch::threads() const { return impl_->pool.threads(); }

std::span<const Stepped> Batch::step(std::int64_t n) {
  Impl& impl = *impl_;
  impl.for_each([&](std::size_t i) {
    Stepper& stepper = impl.members[i]->stepper;
    impl.results[i] = {};
    try {
      impl.results[i] = stepper.step(n);
    } catch (...) {
      impl.observe(i);  // as it stands
      throw;
    }
    impl.observe(i);
  });
  return impl.results;
}

std::span<const Stepped> Batch::stepped() const { return impl_->results; }

const Shown& Batch::shown() const { return impl_->members.front()->stepper.shown(); }
int Batch::frame_size() const { return static_cast<int>(impl_->frame); }
std::span<const double> Batch::observables() const { return impl_->values; }
int Batch::reference_count() const { return static_cast<int>(impl_->references); }

void Batch::hold_references(std::span<const double> phi_d) {
  Impl& impl = *impl_;
  if (impl.references == 0) impl.members.front()->stepper.hold_references(phi_d);  // says why not
  if (phi_d.size() != impl.members.size() * impl.references) {
    throw Error(fmt::format("{} references were given, {} simulations with {} joint angles need {}",
                            phi_d.size(), impl.members.size(), impl.references,
                            impl.members.size() * impl.references));
  }
  const auto bad = std::ranges::find_if(phi_d, [](double value) { return !std::isfinite(value); });
  if (bad != phi_d.end()) {
    const auto at = static_cast<std::size_t>(bad - phi_d.begin());
    throw Error(fmt::format("reference {} of simulation {} is {}", at % impl.references + 1,
                            at / impl.references, *bad));
  }
  for (std::size_t i = 0; i < impl.members.size(); ++i) {
    impl.members[i]->stepper.hold_references(phi_d.subspan(i * impl.references, impl.references));
  }
}

void Batch::follow_gaits() {
  for (const auto& member : impl_->members) member->stepper.follow_gait();
}

void Batch::reset(std::span<const std::uint8_t> mask) {
  Impl& impl = *impl_;
  if (mask.size() != impl.members.size()) {
    throw Error(fmt::format("the mask has {} entries, the batch {} simulations", mask.size(),
                            impl.members.size()));
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) continue;
    impl.members[i]->stepper.put_back(impl.members[i]->start);
    impl.observe(i);
  }
}

void Batch::reset() {
  Impl& impl = *impl_;
  for (std::size_t i = 0; i < impl.members.size(); ++i) {
    impl.members[i]->stepper.put_back(impl.members[i]->start);
    impl.observe(i);
  }
}

void Batch::rebuild(int i, const scenario::Scenario& scenario) {
  Impl& impl = *impl_;
  Impl::Member& old = impl.at(i);
  auto member = std::make_unique<Impl::Member>(scenario);
  if (!shows_the_same(old.stepper.shown(), member->stepper.shown()) ||
      old.stepper.reference_count() != member->stepper.reference_count()) {
    throw Error(
        fmt::format("simulation {} cannot be of this scenario: it shows or is driven by other "
                    "numbers than the others of the batch",
                    i));
  }
  member->stepper.set_interrupt(impl.interrupt);
  impl.members[static_cast<std::size_t>(i)] = std::move(member);
  impl.observe(static_cast<std::size_t>(i));
}

void Batch::keep_start(int i) {
  Impl::Member& member = impl_->at(i);
  member.start = member.stepper.keep();
}

Stepper& Batch::at(int i) { return impl_->at(i).stepper; }

void Batch::set_interrupt(const std::atomic<bool>* interrupt) {
  impl_->interrupt = interrupt;
  for (const auto& member : impl_->members) member->stepper.set_interrupt(interrupt);
}

}  // namespace coluber::simulation
