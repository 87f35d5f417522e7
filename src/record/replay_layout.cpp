#include "record/replay_layout.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "coluber/record/csv.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t contact_size = 6;  // point xyz, force xyz

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

ReplayLayout::ReplayLayout(const Shown& shown, std::string title, double rate_hz)
    : title_(std::move(title)),
      rate_hz_(rate_hz),
      bodies_(shown.bodies()),
      families_(shown.arrows()) {
  add_field({"time", "time", "scalar", "", "s", 1});
  add_bodies(shown);
  add_arrows(shown);
  add_scalars(shown);
  size_ = fields_.back().offset + fields_.back().count;
}

void ReplayLayout::add_field(Field field) {
  field.offset = fields_.empty() ? 0 : fields_.back().offset + fields_.back().count;
  fields_.push_back(std::move(field));
}

void ReplayLayout::add_bodies(const Shown& shown) {
  for (const Body& body : bodies_) {
    if (!is_posed(shown, body)) continue;
    add_field(
        {body.name + ".pose", to_label(body.name) + " pose", "pose", body.name, "m", pose_size});
  }
  poses_.resize(count_posed(shown) * pose_size);
  for (const Curve& curve : shown.curves()) {
    const auto points = static_cast<std::size_t>(curve.points);
    add_field({curve.body + ".points", to_label(curve.body) + " points", "polyline", curve.body,
               "m", 3 * points});
    for (const auto& [name, unit] : curve.profiles) {
      add_field({curve.body + '.' + name, to_label(name), "profile", curve.body, unit, points});
    }
    curves_.emplace_back(points * (3 + curve.profiles.size()));
  }
}

void ReplayLayout::add_arrows(const Shown& /*shown*/) {
  for (const ArrowFamily& family : families_) {
    const auto slots = static_cast<std::size_t>(family.slots);
    for (const std::string& body : family.bodies) {
      add_field({body + '.' + family.field, to_label(body + '.' + family.field), "contact", body,
                 family.unit, contact_size * slots, family.name});
    }
    contacts_.emplace_back(slots * family.bodies.size());
  }
}

void ReplayLayout::add_scalars(const Shown& shown) {
  std::size_t offset = 0;
  for (const Observable& observable : shown.observables()) {
    const std::vector<std::string> names = column_names(observable);
    const std::size_t first = offset;
    offset += names.size();
    if (observable.plotted == Plotted::no || names.empty()) continue;
    groups_.push_back(observable);
    // entries of the last axis have names of their own where it has labels
    const std::size_t parts = observable.components.empty() ? 1 : observable.components.size();
    for (std::size_t j = 0; j < names.size(); ++j) {
      Field field{names[j], to_label(names[j]), "scalar", "", observable.unit, 1};
      field.group = observable.name;
      if (!observable.shape.empty()) field.index = static_cast<int>(j / parts) + 1;
      if (!observable.components.empty()) field.component = observable.components[j % parts];
      add_field(std::move(field));
      scalars_.push_back(first + j);
    }
  }
}

void ReplayLayout::fill(double t, const Shown& shown, std::span<const double> values,
                        std::span<float> out) {
  auto at = out.begin();
  const auto put = [&](double value) { *at++ = static_cast<float>(value); };
  put(t);
  shown.poses(poses_);
  for (const double value : poses_) put(value);
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    shown.curve(i, curves_[i]);
    for (const double value : curves_[i]) put(value);
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    shown.contacts(i, contacts_[i]);
    for (const ContactSlot& slot : contacts_[i]) {
      for (const double value : slot.point) put(value);
      for (const double value : slot.force) put(value);
    }
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
    if (!body.parent.empty()) item["parent"] = body.parent;
    if (body.joint) item["joint"] = {body.joint->x(), body.joint->y(), body.joint->z()};
    if (!body.coordinates.empty()) item["coordinates"] = body.coordinates;
    for (const auto& point : body.points) {
      item["points"].push_back({point.x(), point.y(), point.z()});
    }
    json["bodies"].push_back(std::move(item));
  }
  json["families"] = Json::array();
  for (const ArrowFamily& family : families_) {
    json["families"].push_back({{"name", family.name},
                                {"label", family.label},
                                {"colour", family.colour},
                                {"unit", family.unit}});
  }
  json["groups"] = Json::array();
  for (const Observable& group : groups_) {
    Json item{{"name", group.name}, {"label", to_label(group.name)}, {"unit", group.unit}};
    if (group.plotted == Plotted::angle) item["role"] = "angle";
    if (group.plotted == Plotted::torque) item["role"] = "torque";
    json["groups"].push_back(std::move(item));
  }
  json["fields"] = Json::array();
  for (const Field& field : fields_) {
    Json item{
        {"name", field.name},  {"label", field.label},
        {"kind", field.kind},  {"body", field.body.empty() ? Json(nullptr) : Json(field.body)},
        {"unit", field.unit},  {"offset", field.offset},
        {"count", field.count}};
    if (!field.family.empty()) item["family"] = field.family;
    if (!field.group.empty()) item["group"] = field.group;
    if (field.index > 0) item["index"] = field.index;
    if (!field.component.empty()) item["component"] = field.component;
    json["fields"].push_back(std::move(item));
  }
  return json;
}

}  // namespace coluber::record
