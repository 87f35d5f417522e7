#include "coluber/record/frames.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/core/random.hpp"

#include "record/frame_file.hpp"
#include "record/output_file.hpp"

namespace coluber::record {
namespace frames_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;

constexpr std::size_t values = 3;

class FramesTest : public testing::Test {
 protected:
  FramesTest() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~FramesTest() override { fs::remove_all(root_); }

  static std::vector<Observable> observables() {
    return {{"position", "m", "of the tip", {1, 2}, {"x", "y"}}, {"energy", "J", "", {}, {}}};
  }
  static Json replay(std::size_t floats) {
    return {{"format", "coluber-replay"}, {"frames", 0}, {"floats_per_frame", floats}};
  }
  static std::vector<double> values_of(std::size_t k) {
    const auto x = static_cast<double>(k);
    return {0.1 * x, k == 2 ? std::nan("") : -x, x * x};
  }
  static std::vector<float> replay_of(std::size_t k, std::size_t floats) {
    return std::vector<float>(floats, static_cast<float>(k) + 0.25F);
  }

  void write_frames(FrameWriter& out, std::size_t from, std::size_t to, std::size_t floats) {
    for (std::size_t k = from; k < to; ++k) {
      out.row(0.01 * static_cast<double>(k), values_of(k), replay_of(k, floats));
    }
  }
  std::string make_file(std::size_t frames, std::size_t floats) {
    const std::string header = make_frame_header(observables(), replay(floats));
    FrameWriter out(file_, header, values, floats, FrameWriter::Begin::anew);
    write_frames(out, 0, frames, floats);
    return read_bytes(file_);
  }

  fs::path root_ = fs::temp_directory_path() / ("coluber_frames_" + std::to_string(::getpid()));
  fs::path file_ = root_ / "frames.bin";
};

TEST_F(FramesTest, ComeBackToTheBitWithTheirHeaders) {
  for (const std::size_t floats : {std::size_t{4}, std::size_t{5}}) {  // with and without padding
    make_file(7, floats);
    const RecordedFrames got = load_frames(root_);
    ASSERT_EQ(got.trajectory.frames(), 7U);
    EXPECT_EQ(got.lost_bytes, 0U);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(got.trajectory.time[k], 0.01 * static_cast<double>(k));
      const std::vector<double> wanted = values_of(k);
      EXPECT_EQ(std::memcmp(&got.trajectory.values[k * values], wanted.data(), 8 * values), 0);
      EXPECT_EQ(got.replay[k * floats], static_cast<float>(k) + 0.25F);
    }
    EXPECT_EQ(got.replay.size(), 7 * floats);
    EXPECT_EQ(got.trajectory.observables[0].components, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(got.trajectory.observables[0].unit, "m");
    EXPECT_EQ(got.trajectory.observables[1].shape, std::vector<int>{});
    EXPECT_EQ(Json::parse(got.replay_header)["frames"], 7);
  }
}

TEST_F(FramesTest, CutOffAnywhereKeepAllThatAreWhole) {
  const std::string whole = make_file(4, 4);
  const std::string header = make_frame_header(observables(), replay(4));
  const std::size_t record = (whole.size() - header.size()) / 4;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    if (size < header.size()) {
      EXPECT_THROW((void)parse_frames(part, "f"), FileError) << size;
      continue;
    }
    const RecordedFrames got = parse_frames(part, "f");
    EXPECT_EQ(got.trajectory.frames(), (size - header.size()) / record) << size;
    EXPECT_EQ(got.lost_bytes, (size - header.size()) % record) << size;
  }
}

TEST_F(FramesTest, DamagedAnywhereKeepThoseBeforeTheDamage) {
  const std::string whole = make_file(4, 4);
  const std::string header = make_frame_header(observables(), replay(4));
  const std::size_t record = (whole.size() - header.size()) / 4;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    if (at < header.size()) {
      try {  // padding behind the text may hold anything
        EXPECT_EQ(parse_frames(damaged, "f").trajectory.frames(), 4U);
        EXPECT_GE(at, header.rfind('}') + 1) << at;
      } catch (const FileError&) {
      }
    } else {
      EXPECT_EQ(parse_frames(damaged, "f").trajectory.frames(), (at - header.size()) / record)
          << at;
    }
  }
}

TEST_F(FramesTest, ABlockOfZerosOrAFrameInTheWrongPlaceIsNoFrame) {
  const std::string whole = make_file(4, 4);
  const std::string header = make_frame_header(observables(), replay(4));
  const std::size_t record = (whole.size() - header.size()) / 4;
  std::string zeros = whole;  // what a crash of the machine may leave of a file that was growing
  std::fill(zeros.end() - static_cast<std::ptrdiff_t>(2 * record), zeros.end(), '\0');
  EXPECT_EQ(parse_frames(zeros, "f").trajectory.frames(), 2U);
  std::string twice = whole.substr(0, header.size() + 2 * record);
  twice += whole.substr(header.size() + record);
  EXPECT_EQ(parse_frames(twice, "f").trajectory.frames(), 2U);
}

TEST_F(FramesTest, AHeaderThatMakesNoSenseIsAFileErrorEvenWithTheRightChecksum) {
  const auto complaint = [](const std::vector<Observable>& what, const Json& how) -> std::string {
    try {
      (void)parse_frames(make_frame_header(what, how), "f");
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(observables(), replay(1)), "");
  EXPECT_THAT(complaint(observables(), replay(0)), HasSubstr("impossible size"));
  EXPECT_THAT(complaint(observables(), Json::array()), HasSubstr("incomplete"));
  EXPECT_THAT(complaint(observables(), Json{{"floats_per_frame", -1}}), HasSubstr("impossible"));
  EXPECT_THAT(complaint(observables(), Json{{"floats_per_frame", 1ULL << 60U}}),
              HasSubstr("imposs"));
  const int huge = std::numeric_limits<int>::max();
  EXPECT_THAT(complaint({{"x", "", "", {huge, huge, huge}, {}}}, replay(1)),
              HasSubstr("impossible"));
  EXPECT_THAT(complaint({{"x", "", "", {4096, 4096, 4096}, {}}}, replay(1)),
              HasSubstr("impossible"));
  EXPECT_THAT(complaint({{"x", "", "", {-1}, {}}}, replay(1)), HasSubstr("impossible"));
  Json deep = 1;
  for (int i = 0; i < 100; ++i) deep = Json::array({std::move(deep)});
  Json nested = replay(1);
  nested["more"] = deep;
  EXPECT_THAT(complaint(observables(), nested), HasSubstr("damaged"));
}

TEST_F(FramesTest, AWriterThatResumesCutsOffWhatIsNotWholeAndGoesOn) {
  const std::string whole = make_file(6, 5);
  const std::string header = make_frame_header(observables(), replay(5));
  std::ofstream(file_, std::ios::binary) << whole.substr(0, whole.size() - 11);
  {
    FrameWriter out(file_, header, values, 5, FrameWriter::Begin::resumed);
    EXPECT_EQ(out.recorded(), 5U);
    EXPECT_EQ(out.next(), 0U);
    out.go_to(3);
    write_frames(out, 3, 6, 5);  // 3 and 4 are there already, 5 is new
    EXPECT_EQ(out.recorded(), 6U);
  }
  EXPECT_EQ(read_bytes(file_), whole);
}

TEST_F(FramesTest, AWriterThatResumesRefusesFramesThatComeOutDifferently) {
  make_file(6, 5);
  const std::string header = make_frame_header(observables(), replay(5));
  FrameWriter out(file_, header, values, 5, FrameWriter::Begin::resumed);
  out.go_to(3);
  std::vector<double> other = values_of(3);
  other[1] = std::nextafter(other[1], 1.0);
  try {
    out.row(0.03, other, replay_of(3, 5));
    ADD_FAILURE() << "taken";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("frame 3 does not come out"));
  }
  EXPECT_EQ(load_frames(root_).trajectory.frames(), 6U) << "nothing recorded is lost";
}

TEST_F(FramesTest, AWriterRefusesToGoOnWithFramesOfAnotherLayout) {
  make_file(3, 5);
  const std::string other = make_frame_header(observables(), replay(6));
  EXPECT_THROW(FrameWriter(file_, other, values, 6, FrameWriter::Begin::resumed), FileError);
  EXPECT_EQ(load_frames(root_).trajectory.frames(), 3U);
}

TEST_F(FramesTest, RandomBytesAreNeverMoreThanAFileError) {
  const std::string whole = make_file(3, 4);
  Random random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    for (int j = 0; j < 4; ++j) {
      bytes[random.next() % bytes.size()] = static_cast<char>(random.next());
    }
    bytes.resize(random.next() % (2 * whole.size()));
    try {
      EXPECT_LE(parse_frames(bytes, "f").trajectory.frames(), 3U);
    } catch (const FileError&) {
    }
  }
}

}  // namespace frames_test
}  // namespace coluber::record
