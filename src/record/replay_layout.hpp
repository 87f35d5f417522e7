#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"

namespace coluber::record {

inline constexpr std::size_t pose_size = 7;  ///< x y z qw qx qy qz

/// The replay format, version 1: `replay.bin` holds little-endian float32 frames, `replay.json`
/// says what they mean. Fields: time, a pose for every moving body or the points and profiles of
/// its curve, arrows by family, and the scalars that are plotted.
class COLUBER_EXPORT ReplayLayout {
 public:
  ReplayLayout(const Shown& shown, std::string title, double rate_hz);
  /// Floats of one frame.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The frame at time `t` (s); `out` has size() entries.
  void fill(double t, const Shown& shown, std::span<const double> values, std::span<float> out);
  /// The contents of `replay.json`, `frames` still 0.
  [[nodiscard]] nlohmann::ordered_json header() const;

 private:
  struct Field {
    std::string name;
    std::string label;
    const char* kind;
    std::string body;  // empty: none
    std::string unit;
    std::size_t count;
    std::string family = {};     // of a contact
    std::string group = {};      // of a scalar
    int index = 0;               // of a scalar: number of its joint or link; 0: none
    std::string component = {};  // of a scalar
    std::size_t offset = 0;
  };
  void add_field(Field field);
  void add_bodies(const Shown& shown);
  void add_arrows(const Shown& shown);
  void add_scalars(const Shown& shown);

  std::string title_;
  double rate_hz_;
  std::vector<Body> bodies_;
  std::vector<ArrowFamily> families_;
  std::vector<Observable> groups_;  // what is plotted
  std::vector<Field> fields_;
  std::vector<std::size_t> scalars_;  // where each scalar field sits among the observables
  std::size_t size_ = 0;
  std::vector<double> poses_;
  std::vector<std::vector<double>> curves_;
  std::vector<std::vector<ContactSlot>> contacts_;  // by family
};

}  // namespace coluber::record
