#include "record/hdf5_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/record/trajectory.hpp"

#include "record/chunk_codec.hpp"

namespace coluber::record {
namespace hdf5_writer_test {

namespace fs = std::filesystem;

TEST(Hdf5Writer, FramesOfAnyWidthComeBackWhole) {
  // a scalar goes to the file every 512 frames, 40 kB every 26, 1.6 MB every single one
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

TEST(Hdf5Writer, FramesComeBackWhateverNumberWasAnnounced) {
  const fs::path folder =
      fs::temp_directory_path() / ("coluber_hdf5_known_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::vector<Observable> observables{
      {"energy", "J", "", {}, {}}, {"nothing", "", "", {0}, {}}, {"noise", "", "", {3}, {}}};
  for (const std::size_t frames : {1U, 2U, 511U, 512U, 513U, 1300U}) {
    for (const std::size_t announced : {frames, unknown_frames}) {
      Trajectory expected{observables, {}, {}};
      Hdf5Writer writer(folder / "trajectory.h5", observables, announced);
      std::uint64_t random = 1;
      for (std::size_t k = 0; k < frames; ++k) {
        expected.time.push_back(static_cast<double>(k));
        expected.values.push_back(k < 700 ? 0.25 : -0.25);
        for (int j = 0; j < 3; ++j) {
          random = random * 6364136223846793005U + 1442695040888963407U;
          expected.values.push_back(static_cast<double>(random >> 11U) * 0x1p-53);
        }
        writer.row(expected.time.back(), std::span(expected.values).last(4));
      }
      writer.commit();
      const Trajectory found = load_trajectory(folder);
      EXPECT_EQ(found.time, expected.time) << frames;
      EXPECT_TRUE(found.values == expected.values) << frames << " frames, announced " << announced;
    }
  }
  fs::remove_all(folder);
}

// The sum of the Fletcher filter in HDF5's file format: 16-bit words, high byte first.
TEST(Fletcher32, IsThatOfTheFileFormat) {
  const auto sum = [](std::string_view text) { return fletcher32(std::as_bytes(std::span(text))); };
  EXPECT_EQ(sum(""), 0U);
  EXPECT_EQ(sum(std::string_view("\x01\x02", 2)), 0x01020102U);
  EXPECT_EQ(sum(std::string_view("\x01\x02\x03\x04", 4)), 0x05080406U);  // 0102 + (0102 + 0304)
  EXPECT_EQ(sum(std::string_view("\x01", 1)), 0x01000100U);
}

}  // namespace hdf5_writer_test
}  // namespace coluber::record
