#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "coluber/core/export.hpp"

namespace coluber {

/// A place in a file the user wrote. Lines and columns count from 1; 0 means unknown.
struct COLUBER_EXPORT SourceLocation {
  std::string file{};
  int line = 0;
  int column = 0;
  // Not inline: g++ 12 takes the clean-up of `{.where = {.file = …}, …}` for a use of an unset
  // string.
  ~SourceLocation();
};

/// One fault of the user's input: where, which key, what was expected and found, what to do.
struct Diagnostic {
  SourceLocation where{};
  std::string key{};      ///< scenario key such as "robot.link.mass"; may be empty
  std::string message{};  ///< "expected a number > 0, got \"heavy\""
  std::string hint{};     ///< may be empty
};

/// `error: worm.toml:14:8: robot.link.mass: expected …` and, on a second line, `  hint: …`.
COLUBER_EXPORT std::string to_string(const Diagnostic& diagnostic);

/// Base of every exception the library throws.
class COLUBER_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the user gave is wrong (exit code 3). Carries every fault found, in file order.
class COLUBER_EXPORT InputError : public Error {
 public:
  /// All faults at once, in the order of the files; what() prints them one below the other.
  explicit InputError(std::vector<Diagnostic> faults);
  /// One fault.
  explicit InputError(Diagnostic fault);
  /// What was found, in file order.
  [[nodiscard]] const std::vector<Diagnostic>& faults() const { return faults_; }

 private:
  std::vector<Diagnostic> faults_;
};

/// A run folder or file could not be written or read for reasons outside the scenario (exit code
/// 1).
class COLUBER_EXPORT FileError : public Error {
 public:
  using Error::Error;
};

}  // namespace coluber
