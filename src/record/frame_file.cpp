#include "record/frame_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#define ZLIB_CONST  // zlib then only reads its input
#include <zlib.h>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"
#include "coluber/record/frames.hpp"
#include "coluber/record/run_state.hpp"

#include "record/output_file.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "swap bytes here for other machines");

constexpr std::string_view magic = "CLBRFRM1";
constexpr std::size_t head_bytes = 16;          // magic, length, checksum
constexpr std::size_t max_numbers = 1U << 24U;  // of one frame: no robot of ours
constexpr std::size_t max_text = 256U << 20U;   // bytes of the header's text
constexpr std::size_t padding = 8;

std::uint32_t checksum(std::uint32_t seed, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(seed, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t frame_checksum(std::uint64_t index, std::string_view bytes) {
  std::array<char, sizeof index> number{};
  std::memcpy(number.data(), &index, sizeof index);
  return checksum(checksum(0, {number.data(), number.size()}), bytes);
}

std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void append_u32(std::string& bytes, std::uint32_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::size_t record_bytes(std::size_t values, std::size_t floats) {
  const std::size_t bytes = 8 * (1 + values) + 4 * floats + 4;
  return (bytes + padding - 1) / padding * padding;
}

[[noreturn]] void damaged(const std::string& name, std::string_view why) {
  throw FileError(fmt::format("{}: is damaged or not a file of frames: {}", name, why));
}

bool is_text(const Json& json) { return json.is_string(); }

Observable parse_observable(const Json& json, const std::string& name) {
  const auto part = [&](const char* key) -> const Json& {
    const auto found = json.find(key);
    if (found == json.end()) damaged(name, fmt::format("an observable without \"{}\"", key));
    return *found;
  };
  if (!json.is_object()) damaged(name, "an observable is no object");
  Observable observable;
  for (const auto& [key, text] :
       {std::pair{"name", &observable.name}, std::pair{"unit", &observable.unit},
        std::pair{"doc", &observable.doc}}) {
    if (!is_text(part(key))) damaged(name, fmt::format("\"{}\" of an observable is no text", key));
    *text = part(key).get<std::string>();
  }
  if (!part("shape").is_array() || part("shape").size() > 3) damaged(name, "a shape is no list");
  std::size_t size = 1;
  for (const Json& extent : part("shape")) {
    if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > max_numbers) {
      damaged(name, "a shape has an impossible size");
    }
    observable.shape.push_back(extent.get<int>());
    size *= extent.get<std::size_t>();
    if (size > max_numbers) damaged(name, "a shape has an impossible size");
  }
  if (!part("components").is_array() || !std::ranges::all_of(part("components"), is_text)) {
    damaged(name, "\"components\" of an observable is no list of texts");
  }
  for (const Json& text : part("components")) {
    observable.components.push_back(text.get<std::string>());
  }
  return observable;
}

// Length of what stands before the frames, from its first bytes.
std::size_t header_length(std::string_view head, const std::string& name) {
  if (head.size() < head_bytes) damaged(name, "it is too short");
  if (!head.starts_with(magic)) damaged(name, "it begins otherwise");
  const std::size_t length = read_u32(head, magic.size());
  if (length > max_text) damaged(name, "its header is impossibly long");
  return (head_bytes + length + padding - 1) / padding * padding;
}

// The frame in `bytes`, if it is whole.
bool parse_record(const FrameLayout& layout, std::string_view bytes, std::size_t index,
                  FrameRecord& frame) {
  const std::string_view body = bytes.substr(0, layout.record_bytes - 4);
  if (read_u32(bytes, body.size()) != frame_checksum(index, body)) return false;
  std::memcpy(&frame.time, body.data(), 8);
  frame.values.resize(layout.values);
  frame.replay.resize(layout.floats);
  if (layout.values > 0) std::memcpy(frame.values.data(), body.data() + 8, 8 * layout.values);
  std::memcpy(frame.replay.data(), body.data() + 8 * (1 + layout.values), 4 * layout.floats);
  return true;
}

std::unique_ptr<std::FILE, int (*)(std::FILE*)> open_frames(const std::filesystem::path& file) {
  constexpr std::size_t stream_bytes = 1U << 17U;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), std::fclose);
  if (!in) fail("read", file, errno);
  static_cast<void>(std::setvbuf(in.get(), nullptr, _IOFBF, stream_bytes));
  return in;
}

}  // namespace

FrameLayout make_frame_layout(std::vector<Observable> observables, Json replay) {
  FrameLayout layout;
  layout.observables = std::move(observables);
  layout.replay = std::move(replay);
  layout.values = static_cast<std::size_t>(frame_size(layout.observables));
  layout.floats = layout.replay.at("floats_per_frame").get<std::size_t>();
  layout.record_bytes = record_bytes(layout.values, layout.floats);
  return layout;
}

std::string make_frame_header(const std::vector<Observable>& observables, const Json& replay) {
  Json text{{"format", "coluber-frames"}, {"version", 1}};
  text["observables"] = Json::array();
  for (const Observable& observable : observables) {
    text["observables"].push_back({{"name", observable.name},
                                   {"unit", observable.unit},
                                   {"doc", observable.doc},
                                   {"shape", observable.shape},
                                   {"components", observable.components}});
  }
  text["replay"] = replay;
  const std::string dumped = text.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes(magic);
  append_u32(bytes, static_cast<std::uint32_t>(dumped.size()));
  append_u32(bytes, checksum(0, dumped));
  bytes += dumped;
  bytes.resize((bytes.size() + padding - 1) / padding * padding, ' ');
  return bytes;
}

FrameLayout parse_frame_header(std::string_view bytes, const std::string& name) {
  FrameLayout layout;
  layout.header_bytes = header_length(bytes, name);
  if (bytes.size() < layout.header_bytes) damaged(name, "it is too short");
  const std::string_view text = bytes.substr(head_bytes, read_u32(bytes, magic.size()));
  if (checksum(0, text) != read_u32(bytes, magic.size() + 4)) {
    damaged(name, "the checksum of its header differs");
  }
  const Json json = is_shallow(text) ? Json::parse(text, nullptr, false) : Json();
  if (!json.is_object() || json.value("format", Json()) != "coluber-frames") {
    damaged(name, "its header is not ours");
  }
  if (json.value("version", Json()) != 1) {
    throw FileError(fmt::format("{}: was written by another version of Coluber", name));
  }
  const Json observables = json.value("observables", Json());
  layout.replay = json.value("replay", Json());
  if (!observables.is_array() || !layout.replay.is_object()) {
    damaged(name, "its header is incomplete");
  }
  for (const Json& each : observables) {
    layout.observables.push_back(parse_observable(each, name));
    layout.values += static_cast<std::size_t>(layout.observables.back().size());
    if (layout.values > max_numbers) damaged(name, "its frames are impossibly large");
  }
  const Json floats = layout.replay.value("floats_per_frame", Json());
  if (!floats.is_number_unsigned() || floats.get<std::uint64_t>() < 1 ||
      floats.get<std::uint64_t>() > max_numbers) {
    damaged(name, "its replay has an impossible size");
  }
  layout.floats = floats.get<std::size_t>();
  layout.record_bytes = record_bytes(layout.values, layout.floats);
  return layout;
}

RecordedFrames parse_frames(std::string_view bytes, const std::string& name) {
  FrameLayout layout = parse_frame_header(bytes, name);
  RecordedFrames out;
  out.trajectory.observables = layout.observables;
  std::string_view rest = bytes.substr(layout.header_bytes);
  const std::size_t most = rest.size() / layout.record_bytes;
  out.trajectory.time.reserve(most);
  out.trajectory.values.reserve(most * layout.values);
  out.replay.reserve(most * layout.floats);
  FrameRecord frame;
  for (std::size_t k = 0; k < most && parse_record(layout, rest, k, frame); ++k) {
    out.trajectory.time.push_back(frame.time);
    out.trajectory.values.insert(out.trajectory.values.end(), frame.values.begin(),
                                 frame.values.end());
    out.replay.insert(out.replay.end(), frame.replay.begin(), frame.replay.end());
    rest.remove_prefix(layout.record_bytes);
  }
  out.lost_bytes = rest.size();
  layout.replay["frames"] = out.trajectory.frames();
  out.replay_header = layout.replay.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  return out;
}

bool is_partial(const std::filesystem::path& run_folder) {
  std::error_code error;
  const auto has = [&](const char* name) {
    return std::filesystem::exists(run_folder / name, error);
  };
  return has(frames_name) && !(has("trajectory.h5") && has("replay.json") && has("replay.bin"));
}

RecordedFrames load_frames(const std::filesystem::path& run_folder) {
  const std::filesystem::path file = run_folder / frames_name;
  return parse_frames(read_bytes(file), file.string());
}

FrameReader::FrameReader(const std::filesystem::path& file)
    : name_(file.string()), in_(open_frames(file)) {
  header_ = read(head_bytes);
  header_ += read(header_length(header_, name_) - header_.size());
  layout_ = parse_frame_header(header_, name_);
  record_.resize(layout_.record_bytes);
}

FrameReader::FrameReader(const std::filesystem::path& file, FrameLayout layout,
                         std::string_view header)
    : name_(file.string()), in_(open_frames(file)), layout_(std::move(layout)) {
  header_ = read(header.size());
  if (header_ != header) damaged(name_, "it begins otherwise");
  layout_.header_bytes = header.size();
  record_.resize(layout_.record_bytes);
}

std::string FrameReader::read(std::size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(std::fread(text.data(), 1, bytes, in_.get()));
  return text;
}

bool FrameReader::next(FrameRecord& frame) {
  if (std::fread(record_.data(), 1, record_.size(), in_.get()) != record_.size()) return false;
  if (!parse_record(layout_, record_, index_, frame)) return false;
  ++index_;
  return true;
}

FrameWriter::FrameWriter(std::filesystem::path file, const std::string& header, std::size_t values,
                         std::size_t floats, Begin begin)
    : file_(std::move(file)),
      header_bytes_(header.size()),
      values_(values),
      floats_(floats),
      record_bytes_(record_bytes(values, floats)),
      record_(record_bytes_, '\0') {
  if (begin == Begin::resumed) count_recorded(header);
  const int create = begin == Begin::anew ? O_CREAT | O_TRUNC : 0;
  fd_ = ::open(file_.c_str(), O_RDWR | O_CLOEXEC | create, 0666);
  if (fd_ < 0) fail("write", file_, errno);
  try {
    if (begin == Begin::anew) {
      write(header, 0);
    } else if (::ftruncate(fd_, static_cast<off_t>(header_bytes_ + recorded_ * record_bytes_)) !=
               0) {
      fail("write", file_, errno);
    }
  } catch (const FileError&) {
    ::close(std::exchange(fd_, -1));
    throw;
  }
}

void FrameWriter::count_recorded(const std::string& header) {
  FrameReader reader(file_);
  if (reader.header() != header) {
    throw FileError(fmt::format(
        "{}: holds frames of another model or layout than this program writes", file_.string()));
  }
  FrameRecord frame;
  while (reader.next(frame)) ++recorded_;
}

FrameWriter::~FrameWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void FrameWriter::go_to(std::size_t frame) {
  COLUBER_ASSERT(frame <= recorded_, frame, recorded_);
  next_ = frame;
}

void FrameWriter::row(double time, std::span<const double> values, std::span<const float> replay) {
  COLUBER_ASSERT(values.size() == values_ && replay.size() == floats_, values.size(), values_,
                 replay.size(), floats_);
  std::memcpy(record_.data(), &time, 8);
  if (!values.empty()) std::memcpy(record_.data() + 8, values.data(), values.size_bytes());
  std::memcpy(record_.data() + 8 + values.size_bytes(), replay.data(), replay.size_bytes());
  const std::size_t used = 8 + values.size_bytes() + replay.size_bytes();
  const std::size_t body = record_.size() - 4;
  std::fill(record_.begin() + static_cast<std::ptrdiff_t>(used), record_.end(), '\0');
  const std::uint32_t sum = frame_checksum(next_, std::string_view(record_).substr(0, body));
  std::memcpy(record_.data() + body, &sum, 4);

  const std::size_t at = header_bytes_ + next_ * record_bytes_;
  if (next_ < recorded_) {
    require_same(at);
  } else {
    write(record_, at);
    ++recorded_;
  }
  ++next_;
}

// What does not fit is taken away again: the file ends with a whole frame.
void FrameWriter::write(std::string_view bytes, std::size_t end_before) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pwrite(fd_, bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(end_before + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const int error = got < 0 ? errno : ENOSPC;
      static_cast<void>(::ftruncate(fd_, static_cast<off_t>(end_before)));
      fail("write", file_, error);
    }
    done += static_cast<std::size_t>(got);
  }
}

void FrameWriter::require_same(std::size_t at) const {
  std::string before(record_.size(), '\0');
  const ssize_t got = ::pread(fd_, before.data(), before.size(), static_cast<off_t>(at));
  if (got < 0) fail("read", file_, errno);
  if (static_cast<std::size_t>(got) != before.size() || before != record_) {
    throw FileError(
        fmt::format("{}: frame {} does not come out as it was recorded before; was the run begun "
                    "by another build or on another kind of machine?",
                    file_.string(), next_));
  }
}

void FrameWriter::sync() {
  if (::fdatasync(fd_) != 0) fail("write", file_, errno);
}

}  // namespace coluber::record
