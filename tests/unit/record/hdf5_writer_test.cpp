#include "record/hdf5_writer.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/record/trajectory.hpp"

namespace coluber::record {
namespace hdf5_writer_test {

namespace fs = std::filesystem;

TEST(Hdf5Writer, FramesOfAnyWidthComeBackWhole) {
  // a scalar goes to the file every 128 frames, 40 kB every 26, 1.6 MB every single one
  const fs::path folder =
      fs::temp_directory_path() / ("coluber_hdf5_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::vector<Observable> observables{{"energy", "J", "", {}, {}},
                                            {"link_position", "m", "", {2500, 2}, {"x", "y"}},
                                            {"joint_angle", "rad", "", {200000}, {}}};
  const auto width = static_cast<std::size_t>(frame_size(observables));
  Trajectory expected{observables, {}, {}};
  {
    Hdf5Writer writer(folder / "trajectory.h5", observables);
    std::vector<double> values(width);
    for (std::size_t k = 0; k < 29; ++k) {
      for (std::size_t j = 0; j < width; ++j) {
        values[j] = static_cast<double>(k) + static_cast<double>(j % 1000) / 1024.0;
      }
      writer.row(static_cast<double>(k), values);
      expected.time.push_back(static_cast<double>(k));
      expected.values.insert(expected.values.end(), values.begin(), values.end());
    }
    writer.commit();
  }
  const Trajectory found = load_trajectory(folder);
  EXPECT_EQ(found.time, expected.time);
  EXPECT_TRUE(found.values == expected.values);
  fs::remove_all(folder);
}

}  // namespace hdf5_writer_test
}  // namespace coluber::record
