#include "coluber/record/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/drawing_sink.hpp"
#include "coluber/record/run_state.hpp"

#include "record/drawn_part.hpp"
#include "record/frame_file.hpp"
#include "record/json_text.hpp"
#include "record/replay_check.hpp"
#include "record/replay_layout.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_drawing(const std::string& name, std::string_view why) {
  throw FileError(fmt::format("{}: is damaged: {}", name, why));
}

bool is_point(const Json& value) {
  return value.is_array() && value.size() == 3 &&
         std::all_of(value.begin(), value.end(),
                     [](const Json& x) { return x.is_number() && std::isfinite(x.get<double>()); });
}

// What fault_of_replay has found sound, and the points of a tube.
DrawnBody parse_body(const Json& json, const std::string& name) {
  DrawnBody body;
  body.name = text_of(json, "name");
  body.shape = text_of(json, "shape");
  body.colour = text_of(json, "colour");
  body.parent = text_of(json, "parent");
  if (const auto size = json.find("size"); size != json.end() && size->is_array()) {
    body.size = size->get<std::vector<double>>();
  }
  if (const auto pose = json.find("pose"); pose != json.end() && pose->is_array()) {
    body.pose = pose->get<std::array<double, pose_size>>();
  }
  if (const auto points = json.find("points"); points != json.end() && !points->is_null()) {
    if (!points->is_array() || !std::all_of(points->begin(), points->end(), is_point)) {
      refuse_drawing(name,
                     fmt::format("the points of body \"{}\" are not a list of x, y, z", body.name));
    }
    for (const Json& point : *points) body.points.push_back(point.get<std::array<double, 3>>());
  }
  return body;
}

DrawnField parse_field(const Json& json) {
  return {text_of(json, "name"),
          text_of(json, "kind"),
          text_of(json, "body"),
          text_of(json, "unit"),
          json.at("offset").get<std::size_t>(),
          json.at("count").get<std::size_t>()};
}

// Each body gets the first of the fields that place it.
void join(Drawing& drawing, const std::string& name) {
  std::map<std::string_view, DrawnBody*> by_name;
  for (DrawnBody& body : drawing.bodies) by_name.emplace(body.name, &body);
  for (std::size_t k = 0; k < drawing.fields.size(); ++k) {
    const DrawnField& field = drawing.fields[k];
    const auto found = by_name.find(field.body);
    if (found == by_name.end()) continue;
    DrawnBody& body = *found->second;
    if (field.kind == "polyline" && (field.count < 6 || field.count % 3 != 0)) {
      refuse_drawing(name, fmt::format("field \"{}\" has {} floats; a curve has 3 per point",
                                       field.name, field.count));
    }
    if (field.kind == "pose" && !body.pose_field) body.pose_field = k;
    if (field.kind == "polyline" && !body.polyline_field) body.polyline_field = k;
    const bool radius = field.kind == "profile" && field.name == field.body + ".radius";
    if (radius && !body.radius_field) body.radius_field = k;
  }
  for (DrawnBody& body : drawing.bodies) {
    if (!body.radius_field) continue;
    const std::size_t radii = drawing.fields[*body.radius_field].count;
    if (!body.polyline_field || 3 * radii != drawing.fields[*body.polyline_field].count) {
      refuse_drawing(name,
                     fmt::format("body \"{}\" has {} radii, which are not those of its points",
                                 body.name, radii));
    }
  }
}

}  // namespace

std::span<const float> Drawing::at(std::size_t field, std::size_t frame) const {
  if (field >= fields.size() || frame >= frames) {
    throw Error(fmt::format("the drawing has {} fields and {} frames, asked for [{}, {}]",
                            fields.size(), frames, field, frame));
  }
  const DrawnField& at = fields[field];
  return std::span(values).subspan(frame * floats + at.offset, at.count);
}

std::array<double, 7> Drawing::pose(const DrawnBody& body, std::size_t frame) const {
  if (!body.pose_field) return body.pose;
  std::array<double, pose_size> pose{};
  std::ranges::copy(at(*body.pose_field, frame), pose.begin());
  return pose;
}

std::vector<std::array<double, 3>> Drawing::points(const DrawnBody& body, std::size_t frame) const {
  if (!body.polyline_field) return body.points;
  std::vector<std::array<double, 3>> points;
  const auto floats_of_it = at(*body.polyline_field, frame);
  for (std::size_t k = 0; k + 2 < floats_of_it.size(); k += 3) {
    points.push_back({floats_of_it[k], floats_of_it[k + 1], floats_of_it[k + 2]});
  }
  return points;
}

Drawing make_drawing(std::string_view header, std::vector<float> values, const std::string& name) {
  const Json json = is_shallow(header) ? Json::parse(header, nullptr, false) : Json();
  if (!json.is_object() || json.value("format", Json()) != "coluber-replay") {
    refuse_drawing(name, "it is not the header of a replay");
  }
  if (json.value("version", Json()) != 1) {
    throw FileError(fmt::format("{}: was written by another version of Coluber", name));
  }
  const Json width = json.value("floats_per_frame", Json());
  if (!width.is_number_unsigned()) refuse_drawing(name, "\"floats_per_frame\" is not a count");
  Drawing drawing;
  drawing.floats = width.get<std::size_t>();
  if (const std::string fault = fault_of_replay(json, drawing.floats); !fault.empty()) {
    refuse_drawing(name, fault);
  }
  if (drawing.floats > 0) {
    if (values.size() % drawing.floats != 0) {
      refuse_drawing(name, fmt::format("its {} numbers are no whole frames of {}", values.size(),
                                       drawing.floats));
    }
    drawing.frames = values.size() / drawing.floats;
  }
  drawing.values = std::move(values);
  for (const Json& body : json.at("bodies")) drawing.bodies.push_back(parse_body(body, name));
  for (const Json& field : json.at("fields")) drawing.fields.push_back(parse_field(field));
  join(drawing, name);
  return drawing;
}

struct DrawingSink::Impl {
  std::optional<ReplayLayout> layout;
  DrawnPart part;
  std::vector<float> frame;
  std::vector<float> values;
  std::size_t frames = 0;
};

DrawingSink::DrawingSink() : impl_(std::make_unique<Impl>()) {}
DrawingSink::~DrawingSink() = default;

void DrawingSink::frame(double t, const Shown& shown, std::span<const double> values) {
  if (!impl_->layout) {
    impl_->layout.emplace(shown, "", 1.0);  // title and rate are not drawn
    impl_->part = DrawnPart(impl_->layout->header());
    impl_->frame.resize(impl_->layout->size());
  }
  impl_->layout->fill(t, shown, values, impl_->frame);
  impl_->part.take(impl_->frame, impl_->values);
  ++impl_->frames;
}

Drawing DrawingSink::take() {
  if (!impl_->layout) return {};
  Drawing drawing =
      make_drawing(to_text(impl_->part.header()), std::move(impl_->values), "the drawing");
  drawing.frames = impl_->frames;
  impl_ = std::make_unique<Impl>();
  return drawing;
}

}  // namespace coluber::record
