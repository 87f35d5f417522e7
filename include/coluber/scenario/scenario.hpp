#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"
#include "coluber/keys/check.hpp"

namespace coluber::scenario {

/// The top of a file: what every job has.
struct Job {
  int schema = 1;
  std::string title{};
  double duration = 10.0;  ///< s
  std::uint64_t seed = 0;
};

/// Where the code of `replay.html` is: in it, or once beside the run folders.
enum class PageCode : std::uint8_t { whole, shared };

/// `[record]`.
struct Record {
  double rate_hz = 100.0;
  bool csv = false;
  bool replay = true;
  PageCode page = PageCode::whole;
  double checkpoint_s = 1.0;
};

/// The keys of Job.
COLUBER_EXPORT const keys::Section& job_keys();
/// The keys of Record.
COLUBER_EXPORT const keys::Section& record_keys();

/// A validated scenario: every value is in range and every feature it asks for is built. What its
/// components own is in their options structs: `scenario.get<chain::Robot>().link`.
struct Scenario {
  std::string title;
  double duration = 10.0;  ///< s
  std::uint64_t seed = 0;
  std::string model;       ///< robot.model
  std::string robot;       ///< of the catalogue; empty: spelled out in the file
  std::string gait;        ///< gait.name; empty: no [gait], the start angles are held
  std::string controller;  ///< controller.name; empty: the model takes none
  Record record;
  keys::OptionSet options;

  std::filesystem::path path;  ///< the file it came from; empty if built in memory
  std::string text;            ///< that file's text, as read
  std::string resolved;        ///< every key of its components with its final value, as JSON
  std::uint64_t hash = 0;      ///< of `resolved`

  /// Where each key was given, entries of lists with their 1-based number: "solver.dt",
  /// "world.obstacle.3", "world.obstacle.3.x". Keys at their default are not in it.
  std::map<std::string, SourceLocation, std::less<>> locations;
  std::vector<keys::Warning> warnings;  ///< of its components: what has no effect, what is odd

  /// Options of type T; nullptr if no component of this scenario has them.
  template <typename T>
  [[nodiscard]] const T* find() const {
    return options.find<T>();
  }
  /// The same, to change.
  template <typename T>
  [[nodiscard]] T* find() {
    return options.find<T>();
  }
  /// The same where a component is known to have them. Throws Error if it has none.
  template <typename T>
  [[nodiscard]] const T& get() const {
    return required(find<T>());
  }
  /// The same, to change.
  template <typename T>
  [[nodiscard]] T& get() {
    return required(find<T>());
  }

 private:
  template <typename T>
  static T& required(T* options) {
    if (options == nullptr) throw Error("this scenario's components have no such options");
    return *options;
  }
};

/// `key=value` pairs of `--set`, in order; values are TOML.
using Overrides = std::vector<std::string>;

/// Reads, merges includes, applies overrides and validates. Throws InputError with every fault.
COLUBER_EXPORT Scenario load(const std::filesystem::path& file, const Overrides& overrides = {});

/// The same from TOML text; includes and tables are relative to `folder`.
COLUBER_EXPORT Scenario parse(const std::string& text, const std::filesystem::path& folder = ".",
                              const Overrides& overrides = {}, const std::string& name = "<text>");

/// Where `key` ("world.obstacle.3") was given, else the nearest table around it, else the file
/// alone: what a fault found after loading points at.
COLUBER_EXPORT SourceLocation locate(const Scenario& scenario, std::string_view key);

}  // namespace coluber::scenario
