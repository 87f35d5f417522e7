#include "record/replay_layout.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "coluber/record/csv.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t pose_size = 7;     // x y z qw qx qy qz
constexpr std::size_t contact_size = 6;  // point xyz, force xyz

// Observables a viewer plots over time; where a model lacks one it is left out.
constexpr std::array<std::string_view, 4> plotted{"joint_angle", "joint_torque", "energy",
                                                  "residual"};

const char* to_name(ShapeKind shape) {
  switch (shape) {
    case ShapeKind::capsule:
      return "capsule";
    case ShapeKind::sphere:
      return "sphere";
    case ShapeKind::cylinder:
      return "cylinder";
    case ShapeKind::box:
      return "box";
    case ShapeKind::circle:
      return "circle";
    case ShapeKind::tube:
      return "tube";
    case ShapeKind::wheel:
      return "wheel";
    case ShapeKind::plane:
      return "plane";
  }
  return "unknown";
}

// `joint_angle.3` as a person reads it: `joint angle 3`.
std::string to_label(std::string name) {
  std::ranges::replace_if(name, [](char c) { return c == '_' || c == '.'; }, ' ');
  return name;
}

}  // namespace

ReplayLayout::ReplayLayout(const System& system, std::string title, double rate_hz)
    : title_(std::move(title)), rate_hz_(rate_hz), bodies_(system.bodies()) {
  add_field("time", "time", "scalar", "", "s", 1);
  std::size_t moving = 0;
  for (const Body& body : bodies_) {
    if (!body.moving) continue;
    add_field(body.name + ".pose", to_label(body.name) + " pose", "pose", body.name, "m",
              pose_size);
    ++moving;
  }
  poses_.resize(moving * pose_size);
  const auto slots = static_cast<std::size_t>(system.contact_slots());
  contacts_.resize(moving * slots);
  for (const Body& body : bodies_) {
    if (!body.moving || slots == 0) continue;
    add_field(body.name + ".contact", to_label(body.name) + " contact", "contact", body.name, "N",
              contact_size * slots);
  }
  std::size_t offset = 0;
  for (const Observable& observable : system.observables()) {
    const std::vector<std::string> names = column_names(observable);
    if (std::ranges::find(plotted, observable.name) != plotted.end()) {
      for (std::size_t j = 0; j < names.size(); ++j) {
        add_field(names[j], to_label(names[j]), "scalar", "", observable.unit, 1);
        scalars_.push_back(offset + j);
      }
    }
    offset += names.size();
  }
  size_ = fields_.back().offset + fields_.back().count;
}

void ReplayLayout::add_field(std::string name, std::string label, const char* kind,
                             std::string body, std::string unit, std::size_t count) {
  const std::size_t offset = fields_.empty() ? 0 : fields_.back().offset + fields_.back().count;
  fields_.push_back(
      {std::move(name), std::move(label), kind, std::move(body), std::move(unit), offset, count});
}

void ReplayLayout::fill(const System& system, std::span<const double> values,
                        std::span<float> out) {
  system.poses(poses_);
  system.contacts(contacts_);
  auto at = out.begin();
  const auto put = [&](double value) { *at++ = static_cast<float>(value); };
  put(system.time());
  for (const double value : poses_) put(value);
  for (const ContactSlot& slot : contacts_) {
    for (const double value : slot.point) put(value);
    for (const double value : slot.force) put(value);
  }
  for (const std::size_t index : scalars_) put(values[index]);
}

Json ReplayLayout::header() const {
  Json json;
  json["format"] = "coluber-replay";
  json["version"] = 1;
  json["title"] = title_;
  json["frames"] = 0;
  json["rate_hz"] = rate_hz_;
  json["floats_per_frame"] = size_;
  json["bodies"] = Json::array();
  for (const Body& body : bodies_) {
    Json item{{"name", body.name},
              {"shape", to_name(body.shape)},
              {"size", body.size},
              {"colour", body.colour}};
    if (!body.moving) {  // where it stands for the whole run
      const auto& p = body.position;
      const auto& q = body.orientation;
      item["pose"] = {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
    }
    json["bodies"].push_back(std::move(item));
  }
  json["fields"] = Json::array();
  for (const Field& field : fields_) {
    json["fields"].push_back({{"name", field.name},
                              {"label", field.label},
                              {"kind", field.kind},
                              {"body", field.body.empty() ? Json(nullptr) : Json(field.body)},
                              {"unit", field.unit},
                              {"offset", field.offset},
                              {"count", field.count}});
  }
  return json;
}

}  // namespace coluber::record
