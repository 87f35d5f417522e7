#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "page/replay_page.hpp"

namespace coluber::app {

/// `course-1` of `runs/course-1/`.
std::string folder_name(const std::filesystem::path& run);

/// The runs' folders by name; where two have the same, as they were given.
std::vector<std::string> run_names(const std::vector<std::filesystem::path>& runs);

/// Packs two runs into one page that shows them over each other. Throws as save_replay_page.
PageInfo save_compared_page(const std::vector<std::filesystem::path>& runs,
                            const std::filesystem::path& file);

}  // namespace coluber::app
