#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"

#include "record/output_file.hpp"

namespace coluber::record {

/// The replay format, version 1: `replay.bin` holds little-endian float32 frames, `replay.json`
/// says what they mean. Fields: time, a pose and contact slots for every moving body, and scalars.
class COLUBER_EXPORT ReplayWriter {
 public:
  ReplayWriter(std::filesystem::path folder, const System& system, std::string title,
               double rate_hz);
  void row(const System& system, std::span<const double> values);
  void commit();

 private:
  struct Field {
    std::string name;
    std::string label;
    const char* kind;
    std::string body;  // empty: none
    std::string unit;
    std::size_t offset;
    std::size_t count;
  };
  void add_field(std::string name, std::string label, const char* kind, std::string body,
                 std::string unit, std::size_t count);

  std::filesystem::path folder_;
  std::string title_;
  double rate_hz_;
  std::vector<Body> bodies_;
  std::vector<Field> fields_;
  std::vector<std::size_t> scalars_;  // where each scalar field sits among the observables
  std::size_t slots_ = 0;             // contact slots of all moving bodies
  std::size_t frames_ = 0;
  OutputFile out_;
  std::vector<double> poses_;
  std::vector<ContactSlot> contacts_;
  std::vector<float> frame_;
};

}  // namespace coluber::record
