// A model is known by its name in its own folder and in the registry, nowhere else: what every
// model has is asked of it, what some have are capabilities.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/simulation/registry.hpp"

namespace coluber::simulation {
namespace model_names_test {

namespace fs = std::filesystem;

/// Lines of the library's code that hold `text`, as "file:line: …".
std::vector<std::string> lines_with(const std::string& text,
                                    const std::vector<std::string>& except) {
  std::vector<std::string> found;
  const fs::path root = COLUBER_SOURCE_DIR;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = entry.path().lexically_relative(root).string();
      if (std::ranges::any_of(except,
                              [&](const std::string& each) { return name.starts_with(each); }))
        continue;
      std::ifstream in(entry.path());
      std::string line;
      for (int number = 1; std::getline(in, line); ++number) {
        const std::string code = line.substr(0, line.find("//"));
        if (!code.starts_with("#include") && code.find(text) != std::string::npos) {
          found.push_back(name + ":" + std::to_string(number) + ": " + line);
        }
      }
    }
  }
  return found;
}

TEST(ModelNames, AppearInTheModelsFolderAndTheRegistryAlone) {
  const std::vector<std::string> homes{"src/simulation/registry.cpp",
                                       "src/planar/",
                                       "src/spatial/",
                                       "include/coluber/planar/",
                                       "include/coluber/spatial/",
                                       "src/trailer/",
                                       "src/multibody/",
                                       "src/rod/",
                                       "src/grasp/"};
  ASSERT_GE(models().size(), 3U);
  for (const ModelEntry& entry : models()) {
    EXPECT_THAT(lines_with('"' + entry.keys.name + '"', homes), testing::IsEmpty())
        << entry.keys.name;
  }
}

// The model in minimal coordinates lives beside the planar one; the spatial one has its own folder.
TEST(ModelNames, AreNotKnownToEachOther) {
  const std::vector<std::string> registry{"src/simulation/registry.cpp"};
  for (const std::string& line : lines_with("\"spatial\"", registry)) {
    EXPECT_TRUE(line.starts_with("src/spatial/") || line.starts_with("include/coluber/spatial/"))
        << line;
  }
  for (const char* name : {"\"planar\"", "\"minimal\""}) {
    for (const std::string& line : lines_with(name, registry)) {
      EXPECT_TRUE(line.starts_with("src/planar/") || line.starts_with("include/coluber/planar/"))
          << line;
    }
  }
}

}  // namespace model_names_test
}  // namespace coluber::simulation
