#include "replay_check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;

// Json() where the key is missing.
Json part_of(const Json& object, const char* key) { return object.value(key, Json()); }

bool is_number(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

std::string fault_of_body(const Json& body, std::size_t number, std::set<std::string>& names) {
  if (!body.is_object() || !part_of(body, "name").is_string()) {
    return fmt::format("body {} has no name", number);
  }
  const auto name = body["name"].get<std::string>();
  names.insert(name);
  if (!part_of(body, "shape").is_string()) return fmt::format("body \"{}\" has no shape", name);
  const Json size = part_of(body, "size");
  const auto is_length = [](const Json& x) { return is_number(x) && x.get<double>() >= 0.0; };
  if (!size.is_null() && !(size.is_array() && std::all_of(size.begin(), size.end(), is_length))) {
    return fmt::format("the size of body \"{}\" is not a list of lengths", name);
  }
  const Json pose = part_of(body, "pose");
  if (!pose.is_null() &&
      !(pose.is_array() && pose.size() == 7 && std::all_of(pose.begin(), pose.end(), is_number))) {
    return fmt::format("the pose of body \"{}\" is not seven numbers", name);
  }
  return {};
}

std::string fault_of_field(const Json& field, std::size_t number, std::size_t width,
                           const std::set<std::string>& bodies) {
  if (!field.is_object() || !part_of(field, "name").is_string() ||
      !part_of(field, "kind").is_string()) {
    return fmt::format("field {} has no name or no kind", number);
  }
  const auto name = field["name"].get<std::string>();
  const auto kind = field["kind"].get<std::string>();
  const Json offset = part_of(field, "offset");
  const Json count = part_of(field, "count");
  if (!offset.is_number_unsigned() || !count.is_number_unsigned() ||
      count.get<std::size_t>() == 0) {
    return fmt::format("field \"{}\" has no place in a frame", name);
  }
  const auto floats = count.get<std::size_t>();
  if (offset.get<std::size_t>() > width || floats > width - offset.get<std::size_t>()) {
    return fmt::format("field \"{}\" has {} floats from {} on, but a frame has only {}", name,
                       floats, offset.get<std::size_t>(), width);
  }
  if (kind == "pose" && floats != 7) {
    return fmt::format("field \"{}\" is a pose of {} floats; a pose has 7", name, floats);
  }
  if (kind == "contact" && floats % 6 != 0) {
    return fmt::format("field \"{}\" has {} floats; contacts come in sixes", name, floats);
  }
  const std::set<std::string> known{"pose", "scalar", "vector", "polyline", "profile", "contact"};
  const Json body = part_of(field, "body");
  if (known.contains(kind) && body.is_string() && !bodies.contains(body.get<std::string>())) {
    return fmt::format("field \"{}\" belongs to \"{}\", which is not a body", name,
                       body.get<std::string>());
  }
  return {};
}

}  // namespace

std::string fault_of_replay(const Json& replay, std::size_t width) {
  const Json rate = part_of(replay, "rate_hz");
  if (!is_number(rate) || !(rate.get<double>() > 0.0)) {
    return "\"rate_hz\" is not a number above zero";
  }
  const Json bodies = part_of(replay, "bodies");
  const Json fields = part_of(replay, "fields");
  for (const char* list : {"families", "groups"}) {  // which older runs do not have
    for (const Json& entry : part_of(replay, list)) {
      if (!entry.is_object() || !part_of(entry, "name").is_string()) {
        return fmt::format("an entry of \"{}\" has no name", list);
      }
    }
  }
  if (!bodies.is_array() || !fields.is_array()) return "there is no list of bodies or of fields";
  std::set<std::string> names;
  std::size_t number = 0;
  for (const Json& body : bodies) {
    std::string fault = fault_of_body(body, ++number, names);
    if (!fault.empty()) return fault;
  }
  number = 0;
  for (const Json& field : fields) {
    std::string fault = fault_of_field(field, ++number, width, names);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace coluber::record
