#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"

// frames.bin, to which every frame of a run is appended as it is taken (docs/runs.md):
//
//   "CLBRFRM1" | u32 length of the text | u32 crc32 of it | text, padded to a multiple of 8 bytes
//   then each frame: f64 time | f64 values | f32 replay | 0 or 4 bytes 0 | u32 crc32
//
// The text is JSON: the observables and the replay's header. All frames have the same length, a
// multiple of 8 bytes. A frame's checksum begins with its number (u64), so that a frame in the
// wrong place is not taken for whole. Little-endian.

namespace coluber::record {

inline constexpr const char* frames_name = "frames.bin";

struct FrameLayout {
  std::vector<Observable> observables;
  nlohmann::ordered_json replay;  // `replay.json` with 0 frames
  std::size_t values = 0;         // doubles of one frame, without the time
  std::size_t floats = 0;         // of the replay
  std::size_t header_bytes = 0;   // before the first frame
  std::size_t record_bytes = 0;   // of one frame
};

/// The layout of frames with these observables and a replay with this header.
COLUBER_EXPORT FrameLayout make_frame_layout(std::vector<Observable> observables,
                                             nlohmann::ordered_json replay);

/// What stands before the frames.
COLUBER_EXPORT std::string make_frame_header(const std::vector<Observable>& observables,
                                             const nlohmann::ordered_json& replay);

/// Reads it back from the beginning of `bytes`. Throws FileError.
COLUBER_EXPORT FrameLayout parse_frame_header(std::string_view bytes, const std::string& name);

/// One frame of a file.
struct FrameRecord {
  double time = 0.0;
  std::vector<double> values;
  std::vector<float> replay;
};

/// Goes through the frames of a file, up to the first that is not whole.
class COLUBER_EXPORT FrameReader {
 public:
  explicit FrameReader(const std::filesystem::path& file);
  /// Of a file that begins with `header`, which tells of this layout.
  FrameReader(const std::filesystem::path& file, FrameLayout layout, std::string_view header);
  [[nodiscard]] const FrameLayout& layout() const { return layout_; }
  [[nodiscard]] const std::string& header() const { return header_; }
  /// False: that was the last.
  bool next(FrameRecord& frame);

 private:
  std::string read(std::size_t bytes);

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> in_;
  std::string header_;
  FrameLayout layout_;
  std::string record_;
  std::size_t index_ = 0;
};

/// Appends frames; a program that is killed loses none that row() has taken. Every failure (full
/// disk) is a FileError and leaves whole frames only.
class COLUBER_EXPORT FrameWriter {
 public:
  enum class Begin { anew, resumed };
  /// `header` is what make_frame_header gave for frames of this many values and floats. `anew`
  /// begins a new file. `resumed` goes on with one that must begin with `header`: takes the whole
  /// frames at its beginning and cuts the rest off; the next row is frame 0 until go_to() says
  /// otherwise.
  FrameWriter(std::filesystem::path file, const std::string& header, std::size_t values,
              std::size_t floats, Begin begin);
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;
  ~FrameWriter();

  /// Frames in the file.
  [[nodiscard]] std::size_t recorded() const { return recorded_; }
  [[nodiscard]] std::size_t frame_bytes() const { return record_bytes_; }
  /// Number of the next row.
  [[nodiscard]] std::size_t next() const { return next_; }
  void go_to(std::size_t frame);
  /// A frame that is in the file already must be the same; another is a FileError.
  void row(double time, std::span<const double> values, std::span<const float> replay);
  /// Brings all rows to the disk.
  void sync();

 private:
  void write(std::string_view bytes, std::size_t end_before);
  void require_same(std::size_t at) const;
  void count_recorded(const std::string& header);

  std::filesystem::path file_;
  int fd_ = -1;
  std::size_t header_bytes_;
  std::size_t values_;
  std::size_t floats_;
  std::size_t record_bytes_;
  std::size_t recorded_ = 0;
  std::size_t next_ = 0;
  std::string record_;
};

}  // namespace coluber::record
