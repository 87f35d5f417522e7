// Readers of a run folder: whatever the files hold, they return or throw a coluber::Error.
//
// The input is run.json, replay.json, replay.bin, trajectory.h5, frames.bin and checkpoint.bin, see
// split(). The mutator sets the checksums of frames.bin and checkpoint.bin right again. run.json
// vouches for trajectory.h5 by size and hash, which no input will guess: what HDF5 is given to read
// is fuzz_trajectory's part, going on with a run fuzz_resume's.

#include <cstring>
#include <iterator>

#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/checkpoint.hpp"
#include "coluber/record/csv.hpp"
#include "coluber/record/drawing.hpp"
#include "coluber/record/replay_pack.hpp"
#include "coluber/record/trajectory.hpp"

#include "input.hpp"
#include "mutate.hpp"
#include "plot/scene.hpp"
#include "seals.hpp"

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* odd_values[] = {
    "null",  "true",    "-1", "0",  "1.5",   "18446744073709551615", "4294967296", "1e308", "\"\"",
    "\"x\"", "\"inf\"", "[]", "{}", "[1,2]", "{\"x\":null}",         "[[[[]]]]"};

/// Goes to any value of the tree, each child as likely as to stay.
Json& any_value(Json& json, std::minstd_rand& generator) {
  if (json.empty() || !json.is_structured() || generator() % 5 == 0) return json;
  auto child = json.begin();
  std::advance(child, static_cast<std::ptrdiff_t>(generator() % json.size()));
  return any_value(*child, generator);
}

/// Replaces, takes away or moves a value of a JSON file; leaves what is no JSON as it is.
std::string change_json(std::string text, std::minstd_rand& generator) {
  if (const auto header = coluber::fuzz::frame_header_text(text)) {
    const std::string changed = change_json(std::string(*header), generator);
    return coluber::fuzz::with_frame_header(text, changed);
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_structured()) return text;
  Json& place = any_value(json, generator);
  switch (generator() % 4) {
    case 0:
      place = any_value(json, generator).is_structured() ? Json::array({1}) : Json(nullptr);
      break;
    case 1: {
      const Json other = any_value(json, generator);
      place = other;
      break;
    }
    case 2:
      if (place.is_structured() && !place.empty()) {
        auto child = place.begin();
        std::advance(child, static_cast<std::ptrdiff_t>(generator() % place.size()));
        place.erase(child);
        break;
      }
      [[fallthrough]];
    default:
      place = Json::parse(coluber::fuzz::pick(odd_values, generator), nullptr, false);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return coluber::fuzz::mutate(data, size, max_size, seed, change_json, coluber::fuzz::mend_sums);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coluber;
  static fuzz::Folder folder;
  const std::vector<std::string_view> parts = fuzz::split(data, size);
  const auto part = [&](std::size_t i) -> std::optional<std::string_view> {
    if (i >= parts.size() || parts[i].empty()) return std::nullopt;  // not there
    return parts[i];
  };
  folder.put("run.json", part(0));
  folder.put("replay.json", part(1));
  folder.put("replay.bin", part(2));
  folder.put("trajectory.h5", part(3));
  folder.put("frames.bin", part(4));
  const auto attempt = [](const auto& read) {
    try {
      static_cast<void>(read());
    } catch (const Error&) {  // any other exception is a fault of ours
    }
  };
  attempt([&] { return record::pack_run(folder.path()); });
  attempt([&] {
    const record::Trajectory trajectory = record::load_trajectory(folder.path());
    for (const Observable& each : trajectory.observables) {
      static_cast<void>(record::column_names(each));
      if (each.size() > 0) static_cast<void>(trajectory.column(each.name));
    }
    return trajectory;
  });
  attempt([&] {
    const record::Drawing drawing = record::load_drawing(folder.path());
    for (const record::DrawnBody& body : drawing.bodies) {
      if (drawing.frames == 0) break;
      static_cast<void>(drawing.pose(body, drawing.frames - 1));
      static_cast<void>(drawing.points(body, drawing.frames - 1));
    }
    return drawing;
  });
  attempt([&] { return app::load_scene(folder.path()); });
  if (const auto bytes = part(5)) {
    attempt([&] { return record::parse_checkpoint(*bytes, "checkpoint.bin"); });
  }
  return 0;
}
