#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "coluber/core/error.hpp"

namespace coluber::app {

/// A view that names what its run does not have.
class RefusedView : public Error {
 public:
  using Error::Error;
};

struct ScreenshotOptions {
  std::optional<double> time;  ///< s, the moment to show; that of `view` or the first if not given
  int width = 1280;            ///< pixels
  int height = 720;            ///< pixels
  std::string view;            ///< more of the page's state, as its address has it after #
};

/// A picture of a run's replay page, drawn by chromium without a window. Throws FileError where
/// there is no chromium or it shows no run, InputError where the run cannot be read,
/// RefusedView. False when SIGINT or SIGTERM came first: then there is no picture and nothing is
/// left behind.
[[nodiscard]] bool save_screenshot(const std::filesystem::path& run,
                                   const std::filesystem::path& file,
                                   const ScreenshotOptions& options = {});

}  // namespace coluber::app
