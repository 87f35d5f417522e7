#include "coluber/record/replay_pack.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "coluber/core/error.hpp"

namespace coluber::record {
namespace replay_pack_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// The reader of the format, written from its description: planes, then differences, then steps.
std::vector<float> unpack(const PackedReplay& packed) {
  const std::size_t count = packed.frames * packed.columns.size();
  std::vector<unsigned char> planes(2 * count + 1);
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, -MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<const Bytef*>(packed.deflated.data());
  stream.avail_in = static_cast<uInt>(packed.deflated.size());
  stream.next_out = planes.data();
  stream.avail_out = static_cast<uInt>(planes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, 2 * count);
  EXPECT_EQ(stream.avail_in, 0U);
  inflateEnd(&stream);
  std::vector<float> values(count);
  for (std::size_t c = 0; c < packed.columns.size(); ++c) {
    unsigned level = 0;
    for (std::size_t k = 0; k < packed.frames; ++k) {
      const std::size_t at = c * packed.frames + k;
      level = (level + planes[at] + 256U * planes[count + at]) % 65536U;
      values[k * packed.columns.size() + c] =
          level == 65535U
              ? std::numeric_limits<float>::quiet_NaN()
              : static_cast<float>(packed.columns[c].min + packed.columns[c].step * level);
    }
  }
  return values;
}

TEST(ReplayPack, GivesEveryNumberBackWithinHalfAStep) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(-3.0F, 5.0F);
  constexpr std::size_t width = 7;
  std::vector<float> values(width * 400);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = number(random) * std::pow(10.0F, static_cast<float>(i % width) - 3.0F);
    if (i % 11 == 0) values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  const PackedReplay packed = pack_replay(values, width);
  const std::vector<float> back = unpack(packed);
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(back[i])) << i;
      continue;
    }
    // half a step, and one rounding to float32 of the number read
    const double bound = 0.5 * packed.columns[i % width].step + 1e-7 * std::abs(values[i]);
    EXPECT_LE(std::abs(static_cast<double>(back[i]) - static_cast<double>(values[i])), bound) << i;
  }
}

TEST(ReplayPack, KeepsTheEndsOfAColumnAndConstantsExactly) {
  const std::vector<float> values{-2.5F, 4.0F, 0.0F, 4.0F, 7.25F, 4.0F};
  const std::vector<float> back = unpack(pack_replay(values, 2));
  EXPECT_EQ(back[0], -2.5F);
  EXPECT_EQ(back[4], 7.25F);
  for (const std::size_t i : {1U, 3U, 5U}) EXPECT_EQ(back[i], 4.0F);
}

TEST(ReplayPack, StoresWhatIsNotFiniteAsNaN) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> back =
      unpack(pack_replay(std::vector{1.0F, nan, infinity, nan, 2.0F, nan}, 2));
  EXPECT_EQ(back[0], 1.0F);
  EXPECT_TRUE(std::isnan(back[2]));
  EXPECT_EQ(back[4], 2.0F);
  for (const std::size_t i : {1U, 3U, 5U}) EXPECT_TRUE(std::isnan(back[i]));
}

TEST(ReplayPack, SpansTheWholeRangeOfFloats) {
  const float most = std::numeric_limits<float>::max();
  const std::vector<float> back = unpack(pack_replay(std::vector{-most, most, 0.0F}, 1));
  EXPECT_EQ(back[0], -most);
  EXPECT_EQ(back[1], most);
}

TEST(ReplayPack, RefusesHalfAFrame) {
  EXPECT_THROW(static_cast<void>(pack_replay(std::vector<float>(5), 2)), Error);
  EXPECT_THROW(static_cast<void>(pack_replay(std::vector<float>(5), 0)), Error);
}

class PackRunTest : public testing::Test {
 protected:
  PackRunTest() : folder_(fs::temp_directory_path() / ("pack_run_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    write("run.json", run_.dump());
    write("replay.json", replay_.dump());
    write("replay.bin", std::string(3 * 2 * 4, '\0'));
  }
  ~PackRunTest() override { fs::remove_all(folder_); }

  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string refusal() const {
    try {
      static_cast<void>(pack_run(folder_));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  json replay_{
      {"format", "coluber-replay"},
      {"version", 1},
      {"frames", 3},
      {"rate_hz", 10.0},
      {"floats_per_frame", 2},
      {"bodies", json::array()},
      {"fields",
       {{{"name", "time"}, {"kind", "scalar"}, {"body", nullptr}, {"offset", 1}, {"count", 1}}}}};
  json run_{{"title", "</script><script>alert(1)</script><!--"},
            {"scenario", {{"resolved", {{"duration", 2.0}}}, {"path", "secret"}}},
            {"summary", {{"distance", 1.5}}},
            {"version", "0.1.0"},
            {"warnings", json::array()}};
  fs::path folder_;
};

TEST_F(PackRunTest, PutsNothingIntoThePageThatEndsAScript) {
  const PackedRun packed = pack_run(folder_);
  EXPECT_THAT(packed.json, Not(HasSubstr("<")));
  const json read = json::parse(packed.json);
  EXPECT_EQ(read["run"]["title"], run_["title"]);
  EXPECT_EQ(read["run"]["scenario"], run_["scenario"]["resolved"]);
  EXPECT_EQ(read["run"]["summary"], run_["summary"]);
  EXPECT_EQ(read["replay"], replay_);
  EXPECT_EQ(read["data"]["encoding"], "delta16-deflate");
  EXPECT_EQ(read["data"]["columns"].size(), 2U);
  EXPECT_EQ(packed.raw_bytes, 24U);
}

// 100 s at 1 kHz have more moments than 16 bits can tell apart.
TEST_F(PackRunTest, KeepsTimeToItsLastBit) {
  constexpr std::size_t frames = 100'001;
  std::vector<float> values(2 * frames);
  for (std::size_t k = 0; k < frames; ++k) values[2 * k + 1] = static_cast<float>(k) / 1000.0F;
  replay_["frames"] = frames;
  write("replay.json", replay_.dump());
  write("replay.bin", std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size()));
  const std::string text = json::parse(pack_run(folder_).json)["data"]["time"];
  std::string deflated;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit =
        std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string::npos) break;  // padding
    bits = (bits << 6U) | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      deflated += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
    }
  }
  std::vector<unsigned char> planes(4 * frames + 1);
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, -MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<const Bytef*>(deflated.data());
  stream.avail_in = static_cast<uInt>(deflated.size());
  stream.next_out = planes.data();
  stream.avail_out = static_cast<uInt>(planes.size());
  ASSERT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  ASSERT_EQ(stream.total_out, 4 * frames);
  inflateEnd(&stream);
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    for (std::size_t b = 0; b < 4; ++b) {
      word += static_cast<std::uint32_t>(planes[b * frames + k]) << (8U * b);
    }
    ASSERT_EQ(std::bit_cast<float>(word), values[2 * k + 1]) << k;
  }
}

TEST_F(PackRunTest, RefusesTimeThatRunsBackwards) {
  const std::vector<float> values{0.0F, 1.0F, 0.0F, 2.0F, 0.0F, 1.5F};
  write("replay.bin", std::string(reinterpret_cast<const char*>(values.data()), 24));
  EXPECT_THAT(refusal(), HasSubstr("at frame 3"));
}

TEST_F(PackRunTest, RefusesFieldsThatTheViewerCannotShow) {
  for (const json& field :
       {json(7), json{{"name", "x"}},
        json{{"name", "x"}, {"kind", "scalar"}, {"offset", 1000000}, {"count", 1}},
        json{{"name", "x"}, {"kind", "scalar"}, {"offset", 18446744073709551615ULL}, {"count", 2}},
        json{{"name", "x"}, {"kind", "pose"}, {"offset", 0}, {"count", 2}},
        json{{"name", "x"}, {"kind", "scalar"}, {"body", "none"}, {"offset", 0}, {"count", 1}}}) {
    auto spoilt = replay_;
    spoilt["fields"].push_back(field);
    write("replay.json", spoilt.dump());
    EXPECT_THAT(refusal(), HasSubstr("replay.json")) << field;
  }
}

TEST_F(PackRunTest, RefusesDataThatWereCutShort) {
  write("replay.bin", std::string(20, '\0'));
  EXPECT_THAT(refusal(), HasSubstr("20 bytes, but replay.json speaks of 3 frames of 2 floats"));
}

TEST_F(PackRunTest, RefusesCountsThatDoNotFitTheData) {
  for (const json& frames :
       {json(-1), json("many"), json(1e30), json(4611686018427387904ULL), json(0)}) {
    replay_["frames"] = frames;
    write("replay.json", replay_.dump());
    EXPECT_THAT(refusal(), Not(testing::IsEmpty())) << frames;
  }
}

TEST_F(PackRunTest, RefusesWhatIsNotAReplay) {
  write("replay.json", "{\"format\": \"other\"}");
  EXPECT_THAT(refusal(), HasSubstr("not a replay"));
  write("replay.json", "{");
  EXPECT_THAT(refusal(), HasSubstr("not a JSON object"));
  fs::remove(folder_ / "replay.json");
  EXPECT_THAT(refusal(), HasSubstr("cannot be read"));
}

TEST_F(PackRunTest, RefusesWhatIsNestedDeeperThanTheStackHolds) {
  for (const char* file : {"replay.json", "run.json"}) {
    const std::string before = file == std::string("run.json") ? "{}" : replay_.dump();
    write(file, "{\"a\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}");
    EXPECT_THAT(refusal(), HasSubstr("nested too deeply")) << file;
    write(file, before);
  }
}

}  // namespace replay_pack_test
}  // namespace coluber::record
