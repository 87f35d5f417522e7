#pragma once

#include <filesystem>
#include <string>

namespace coluber::app {

struct ScreenshotOptions {
  double time = 0.0;  ///< s, the moment to show
  int width = 1280;   ///< pixels
  int height = 720;   ///< pixels
  std::string view;   ///< more of the page's state, as its address has it after #
};

/// A picture of a run's replay page, drawn by chromium without a window. Throws FileError where
/// there is no chromium, InputError where the run cannot be read.
void save_screenshot(const std::filesystem::path& run, const std::filesystem::path& file,
                     const ScreenshotOptions& options = {});

}  // namespace coluber::app
