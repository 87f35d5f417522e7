#include "coluber/record/replay_pack.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#define ZLIB_CONST  // zlib then only reads its input
#include <zlib.h>

#include "coluber/core/error.hpp"
#include "coluber/record/frames.hpp"
#include "coluber/record/run_state.hpp"

#include "record/frame_file.hpp"
#include "record/json_text.hpp"
#include "record/refuse.hpp"
#include "record/replay_check.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::uint16_t not_a_number = 65535;
constexpr double largest_level = 65534.0;

// Raw deflate; level 6, from which level 9 gains about a hundredth in several times the time.
std::string deflate_raw(const std::string& bytes, const GiveUp& give_up) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("zlib does not start");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, deflateEnd);
  std::string out;
  std::vector<Bytef> chunk(1U << 16U);
  constexpr std::size_t at_once = 1U << 20U;  // zlib counts in 32 bits
  std::size_t done = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0 && done < bytes.size()) {
      check_given_up(give_up);
      const std::size_t part = std::min(at_once, bytes.size() - done);
      stream.next_in = reinterpret_cast<const Bytef*>(bytes.data() + done);
      stream.avail_in = static_cast<uInt>(part);
      done += part;
    }
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = deflate(&stream, done == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw Error(fmt::format("zlib fails with code {}", status));
    }
    out.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - stream.avail_out);
  }
  return out;
}

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = (bits << 8U) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? digits[(bits >> (18U - 6U * k)) & 63U] : '=';
    }
  }
  return out;
}

Json parse_json(const std::string& text, const fs::path& file) {
  // what writes it again is recursive; a parser that counts takes the square of a list's length
  if (!is_shallow(text)) refuse(file, "is nested too deeply", "the file is damaged; run again");
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) refuse(file, "is not a JSON object", "the file is damaged; run again");
  return json;
}

std::size_t count_of(const Json& json, const char* key, const fs::path& file) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) {
    refuse(file, fmt::format("\"{}\" is not a count", key), "the file is damaged; run again");
  }
  return found->get<std::size_t>();
}

// What the scenario of the run says; true where nothing can be read of it.
bool wants_replay(const fs::path& run_folder) {
  const std::string text = load_run_file(run_folder / "run.json");
  const Json run = is_shallow(text) ? Json::parse(text, nullptr, false) : Json();
  const Json::json_pointer key("/scenario/resolved/record/replay");
  return !run.is_object() || !run.contains(key) || run.at(key) != false;
}

// The numbers of one column to their last bit: float32 bits as uint32, each replaced by its
// difference to the one before, modulo 2^32; all lowest bytes first, then the next; raw deflate.
std::string pack_exactly(std::span<const float> values, std::size_t width, std::size_t column,
                         const GiveUp& give_up) {
  const std::size_t frames = values.size() / width;
  std::string planes(4 * frames, '\0');
  std::uint32_t before = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    const auto bits = std::bit_cast<std::uint32_t>(values[k * width + column]);
    const std::uint32_t delta = bits - before;
    before = bits;
    for (std::size_t b = 0; b < 4; ++b) {
      planes[b * frames + k] = static_cast<char>((delta >> (8U * b)) & 0xFFU);
    }
  }
  return deflate_raw(planes, give_up);
}

// The field "time" as the viewer finds it; null where there is none.
Json time_field(const Json& replay) {
  for (const Json& field : replay["fields"]) {
    if (field["name"] == "time" && field["kind"] == "scalar" && field["count"] == 1) return field;
  }
  return {};
}

}  // namespace

// That JSON has replay.json without the blanks between its words, and for each number of a frame
// the range of its column.
std::size_t least_packed_size(const fs::path& run_folder) {
  constexpr std::string_view least_column = R"({"min":0.0,"step":0.0},)";
  constexpr std::string_view key = "\"floats_per_frame\":";
  std::ifstream in(run_folder / "replay.json", std::ios::binary);
  std::string part(std::size_t{1} << 20U, '\0');
  std::size_t bytes = 0;
  JsonScanner scanner;
  for (bool first = true; in; first = false) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    const std::string_view got(part.data(), static_cast<std::size_t>(in.gcount()));
    for (const char c : got) {
      const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
      bytes += scanner.is_text(c) || !blank ? 1 : 0;
    }
    const std::size_t at = first ? got.find(key) : std::string_view::npos;
    if (at == std::string_view::npos) continue;
    const std::size_t digit = got.find_first_of("0123456789", at + key.size());
    std::size_t columns = 0;
    if (digit != std::string_view::npos)
      std::from_chars(got.data() + digit, got.data() + got.size(), columns);
    constexpr std::size_t most_columns = 1'000'000'000;  // more is no replay
    bytes += least_column.size() * std::min(columns, most_columns);
  }
  return bytes;
}

std::string for_script(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

PackedReplay pack_replay(std::span<const float> values, std::size_t floats_per_frame,
                         const GiveUp& give_up) {
  if (floats_per_frame == 0 || values.size() % floats_per_frame != 0) {
    throw Error(
        fmt::format("{} floats are not whole frames of {}", values.size(), floats_per_frame));
  }
  PackedReplay packed;
  packed.frames = values.size() / floats_per_frame;
  packed.columns.resize(floats_per_frame);
  std::string planes(2 * values.size(), '\0');
  for (std::size_t c = 0; c < floats_per_frame; ++c) {
    check_given_up(give_up);
    const auto value = [&](std::size_t frame) {
      return static_cast<double>(values[frame * floats_per_frame + c]);
    };
    double least = std::numeric_limits<double>::infinity();
    double largest = -least;
    for (std::size_t k = 0; k < packed.frames; ++k) {
      if (!std::isfinite(value(k))) continue;
      least = std::min(least, value(k));
      largest = std::max(largest, value(k));
    }
    PackedColumn& column = packed.columns[c];
    if (least <= largest) column = {least, (largest - least) / largest_level};
    std::uint16_t before = 0;
    for (std::size_t k = 0; k < packed.frames; ++k) {
      std::uint16_t level = not_a_number;
      if (std::isfinite(value(k))) {
        const double steps = column.step > 0.0 ? (value(k) - column.min) / column.step : 0.0;
        level = static_cast<std::uint16_t>(std::min(std::round(steps), largest_level));
      }
      const auto delta = static_cast<std::uint16_t>(level - before);
      before = level;
      const std::size_t at = c * packed.frames + k;
      planes[at] = static_cast<char>(delta & 0xFFU);
      planes[values.size() + at] = static_cast<char>(delta >> 8U);
    }
  }
  packed.deflated = deflate_raw(planes, give_up);
  return packed;
}

Replay load_replay(const fs::path& run_folder, const GiveUp& give_up) {
  if (!is_partial(run_folder)) {
    std::error_code error;
    if (fs::exists(run_folder / "trajectory.h5", error) &&
        !fs::exists(run_folder / "replay.json", error) && !wants_replay(run_folder)) {
      refuse(run_folder, "has no replay: it was recorded with record.replay = false",
             "`coluber plot` draws it; for a page run it again with  --set record.replay=true");
    }
    return {load_run_file(run_folder / "replay.json"),
            load_run_file(run_folder / "replay.bin", give_up)};
  }
  RecordedFrames recorded = load_frames(run_folder);
  if (recorded.trajectory.frames() == 0) {
    refuse(run_folder, "the run was cut off before its first frame", "run it again");
  }
  const auto* data = reinterpret_cast<const char*>(recorded.replay.data());
  return {std::move(recorded.replay_header),
          std::string(data, recorded.replay.size() * sizeof(float))};
}

PackedRun pack_run(const fs::path& run_folder, const GiveUp& told) {
  require_run_folder(run_folder);
  const fs::path header = run_folder / "replay.json";
  const fs::path data = run_folder / "replay.bin";
  const Replay stored_replay = load_replay(run_folder, told);
  // the description of very many links is longer than their frames
  const GiveUp give_up =
      stored_replay.header.size() + stored_replay.data.size() > never_given_up ? told : GiveUp();
  check_given_up(give_up);
  const Json replay = parse_json(stored_replay.header, header);
  check_given_up(give_up);
  if (replay.value("format", Json()) != "coluber-replay" || replay.value("version", Json()) != 1) {
    refuse(header, "is not a replay of version 1", "run the scenario again with this Coluber");
  }
  const std::size_t frames = count_of(replay, "frames", header);
  const std::size_t width = count_of(replay, "floats_per_frame", header);
  if (const std::string fault = fault_of_replay(replay, width); !fault.empty()) {
    refuse(header, fault, "the file is damaged; run again");
  }
  const Json run = Json::parse(load_run_json(run_folder));
  const std::string& bytes = stored_replay.data;
  if (width == 0 || frames == 0 || bytes.size() % (4 * width) != 0 ||
      bytes.size() / (4 * width) != frames) {
    refuse(data,
           fmt::format("has {} bytes, but replay.json speaks of {} frames of {} floats",
                       bytes.size(), frames, width),
           "the file was cut short or belongs to another run; run again");
  }
  static_assert(std::endian::native == std::endian::little, "swap bytes here for other machines");
  check_given_up(give_up);
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  const Json clock = time_field(replay);
  const std::size_t at = clock.is_null() ? 0 : clock["offset"].get<std::size_t>();
  for (std::size_t k = 0; k < frames && !clock.is_null(); ++k) {
    const float t = values[k * width + at];
    if (!std::isfinite(t) || (k > 0 && t < values[(k - 1) * width + at])) {
      refuse(data, fmt::format("time runs backwards or is not a number at frame {}", k + 1),
             "the file is damaged; run again");
    }
  }
  const PackedReplay packed = pack_replay(values, width, give_up);

  Json out;
  out["replay"] = replay;
  const auto part = [&](const char* key) { return run.value(key, Json()); };
  const Json scenario = part("scenario");
  out["run"] = {{"title", part("title")},
                {"status", part("status")},
                {"scenario", scenario.is_object() ? scenario.value("resolved", Json()) : Json()},
                {"summary", part("summary")},
                {"units", part("units")},
                {"version", part("version")},
                {"warnings", part("warnings")}};
  Json stored{{"encoding", "delta16-deflate"}};
  stored["columns"] = Json::array();
  for (const PackedColumn& column : packed.columns) {
    stored["columns"].push_back({{"min", column.min}, {"step", column.step}});
  }
  stored["bytes"] = to_base64(packed.deflated);
  if (!clock.is_null()) stored["time"] = to_base64(pack_exactly(values, width, at, give_up));
  PackedRun result;
  if (!clock.is_null()) {
    const auto time = [&](std::size_t frame) {
      return static_cast<double>(values[frame * width + at]);
    };
    result.end = time(frames - 1);
    if (frames > 1) result.last_step = *result.end - time(frames - 2);
  }
  result.raw_bytes = bytes.size();
  result.packed_bytes = stored.dump().size();
  out["data"] = std::move(stored);
  check_given_up(give_up);
  result.json = for_script(out.dump(-1, ' ', true, Json::error_handler_t::replace));
  return result;
}

}  // namespace coluber::record
