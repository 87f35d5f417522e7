#include "coluber/core/shown.hpp"

#include <algorithm>
#include <limits>

namespace coluber {

namespace {

template <typename T>
const std::vector<T>& none() {
  static const std::vector<T> empty;
  return empty;
}

}  // namespace

int frame_size(const std::vector<Observable>& observables) {
  int size = 0;
  for (const Observable& observable : observables) size += observable.size();
  return size;
}

void ObservableTable::add(Observable observable, Writer writer) {
  list_.push_back(std::move(observable));
  writers_.push_back(std::move(writer));
}

void ObservableTable::write(std::span<double> frame) const {
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const auto size = static_cast<std::size_t>(list_[i].size());
    writers_[i](frame.first(size));
    frame = frame.subspan(size);
  }
}

double SummaryItem::number() const {
  const double* number = std::get_if<double>(&value);
  return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

const std::vector<Observable>& Shown::observables() const { return none<Observable>(); }
void Shown::observe(std::span<double> /*frame*/) const {}
const std::vector<Body>& Shown::bodies() const { return none<Body>(); }
void Shown::poses(std::span<double> /*values*/) const {}
const std::vector<ArrowFamily>& Shown::arrows() const { return none<ArrowFamily>(); }
void Shown::contacts(std::size_t /*family*/, std::span<ContactSlot> /*slots*/) const {}
const std::vector<Curve>& Shown::curves() const { return none<Curve>(); }
void Shown::curve(std::size_t /*curve*/, std::span<double> /*values*/) const {}

bool is_posed(const Shown& shown, const Body& body) {
  return body.moving && std::ranges::none_of(shown.curves(), [&](const Curve& curve) {
           return curve.body == body.name;
         });
}

std::size_t count_posed(const Shown& shown) {
  return static_cast<std::size_t>(std::ranges::count_if(
      shown.bodies(), [&](const Body& body) { return is_posed(shown, body); }));
}

ShownTogether::ShownTogether(std::vector<Shown*> parts) : parts_(std::move(parts)) {
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const Shown* part : parts_) {
    append(observables_, part->observables());
    append(bodies_, part->bodies());
    append(arrows_, part->arrows());
    append(curves_, part->curves());
  }
}

void ShownTogether::observe(std::span<double> frame) const {
  for (const Shown* part : parts_) {
    const auto size = static_cast<std::size_t>(frame_size(part->observables()));
    part->observe(frame.first(size));
    frame = frame.subspan(size);
  }
}

void ShownTogether::start_frame() {
  for (Shown* part : parts_) part->start_frame();
}

void ShownTogether::poses(std::span<double> values) const {
  for (const Shown* part : parts_) {
    const std::size_t size = 7 * count_posed(*part);
    part->poses(values.first(size));
    values = values.subspan(size);
  }
}

void ShownTogether::contacts(std::size_t family, std::span<ContactSlot> slots) const {
  for (const Shown* part : parts_) {
    if (family < part->arrows().size()) {
      part->contacts(family, slots);
      return;
    }
    family -= part->arrows().size();
  }
}

void ShownTogether::curve(std::size_t curve, std::span<double> values) const {
  for (const Shown* part : parts_) {
    if (curve < part->curves().size()) {
      part->curve(curve, values);
      return;
    }
    curve -= part->curves().size();
  }
}

std::vector<SummaryItem> ShownTogether::summary() const {
  std::vector<SummaryItem> all;
  for (const Shown* part : parts_) {
    for (SummaryItem& item : part->summary()) all.push_back(std::move(item));
  }
  return all;
}

}  // namespace coluber
