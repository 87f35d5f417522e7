#include "coluber/core/bytes.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/core/random.hpp"

namespace coluber {
namespace bytes_test {

using testing::HasSubstr;

struct Sample {
  std::int64_t count = 0;
  int small = 0;
  bool on = false;
  double x = 0.0;
  std::string text;
  Eigen::VectorXd angles;
  Eigen::Matrix2Xd pairs;
  std::vector<Eigen::Vector3d> points;
  Random::State random{};
};

template <typename Bytes, typename Value>
void exchange(Bytes& bytes, Value& s) {
  bytes.section("sample", 3);
  bytes(s.count, s.small, s.on, s.x, s.text, s.angles, s.pairs, s.random);
  bytes.list(s.points, [&](auto& point) { bytes(point); });
}

Sample make_sample() {
  Sample s;
  s.count = std::numeric_limits<std::int64_t>::min();
  s.small = -7;
  s.on = true;
  s.x = -0.0;
  s.text = std::string("a\0b", 3);
  s.angles = Eigen::Vector3d(0.1, std::nan(""), -std::numeric_limits<double>::infinity());
  s.pairs = Eigen::Matrix2Xd::Constant(2, 4, 0.1).array().exp();
  s.points = {{1, 2, 3}, {4, 5, 6}};
  s.random = Random(12).state();
  return s;
}

Sample make_room() {
  Sample s;
  s.angles.resize(3);
  s.pairs.resize(2, 4);
  return s;
}

std::string written() {
  ByteWriter bytes;
  const Sample sample = make_sample();
  exchange(bytes, sample);
  return bytes.bytes();
}

std::string complaint(const std::string& bytes) {
  try {
    ByteReader reader(bytes, "file");
    Sample s = make_room();
    exchange(reader, s);
    reader.finish();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Bytes, ComeBackToTheBit) {
  const std::string bytes = written();
  ByteReader reader(bytes, "file");
  Sample got = make_room();
  exchange(reader, got);
  reader.finish();
  const Sample sample = make_sample();
  EXPECT_EQ(got.count, sample.count);
  EXPECT_EQ(got.small, sample.small);
  EXPECT_TRUE(got.on);
  EXPECT_TRUE(std::signbit(got.x)) << "-0.0 is not 0.0";
  EXPECT_EQ(got.text, sample.text);
  EXPECT_EQ(got.angles(0), 0.1);
  EXPECT_TRUE(std::isnan(got.angles(1)));
  EXPECT_EQ(got.angles(2), sample.angles(2));
  EXPECT_EQ(got.pairs, sample.pairs);
  EXPECT_EQ(got.points, sample.points);
  EXPECT_EQ(got.random, sample.random);
}

TEST(Bytes, CutShortAnywhereAreAFileErrorThatNamesTheFile) {
  const std::string bytes = written();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(complaint(bytes.substr(0, size)), HasSubstr("file: does not fit")) << size;
  }
  EXPECT_EQ(complaint(bytes), "");
  EXPECT_THAT(complaint(bytes + '\0'), HasSubstr("left over"));
}

TEST(Bytes, OfAnotherSectionOrVersionAreRefusedAndSaySo) {
  ByteWriter other;
  other.section("sample", 4);
  EXPECT_THAT(complaint(other.bytes()), HasSubstr("version 4"));
  ByteWriter stranger;
  stranger.section("snake", 3);
  EXPECT_THAT(complaint(stranger.bytes()), HasSubstr("snake"));
}

TEST(Bytes, ACountBeyondTheEndIsAnErrorAndNoAllocation) {
  ByteWriter bytes;
  bytes(std::uint64_t{1} << 60U);
  std::vector<double> values;
  ByteReader list(bytes.bytes(), "file");
  EXPECT_THROW(list.list(values, [](double&) {}), FileError);
  std::string text;
  ByteReader reader(bytes.bytes(), "file");
  EXPECT_THROW(reader(text), FileError);
}

TEST(Bytes, ANumberThatDoesNotFitItsTypeIsRefused) {
  ByteWriter bytes;
  bytes(std::int64_t{1} << 40U);
  int small = 0;
  ByteReader reader(bytes.bytes(), "file");
  EXPECT_THROW(reader(small), FileError);
  ByteWriter two;
  two(2);
  bool flag = false;
  ByteReader bits(two.bytes(), "file");
  EXPECT_THROW(bits(flag), FileError);
}

TEST(Bytes, AVectorOfAnotherSizeIsRefusedWithBothNumbers) {
  ByteWriter bytes;
  bytes(Eigen::VectorXd(Eigen::VectorXd::Zero(4)));
  Eigen::VectorXd three(3);
  ByteReader reader(bytes.bytes(), "file");
  try {
    reader(three);
    ADD_FAILURE() << "taken";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("4 numbers where 3 belong"));
  }
}

TEST(Seal, GivesThePayloadBackUnlessAnythingIsDamaged) {
  const std::string sealed = seal("checkpoint", 2, "what matters");
  EXPECT_EQ(unseal("checkpoint", 2, sealed, "file"), "what matters");
  EXPECT_EQ(unseal("empty", 1, seal("empty", 1, ""), "file"), "");
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = sealed;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_THROW((void)unseal("checkpoint", 2, damaged, "file"), FileError) << at << ' ' << bit;
    }
    EXPECT_THROW((void)unseal("checkpoint", 2, sealed.substr(0, at), "file"), FileError) << at;
  }
  EXPECT_THROW((void)unseal("checkpoint", 2, sealed + "x", "file"), FileError);
}

TEST(Seal, NamesTheKindAndVersionItFinds) {
  const auto complaint = [](std::string_view kind, std::uint32_t version) {
    try {
      (void)unseal(kind, version, seal("checkpoint", 2, "x"), "file");
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(complaint("checkpoint", 3), HasSubstr("file: has format 2"));
  EXPECT_THAT(complaint("dump", 2), HasSubstr("is a checkpoint, not a dump"));
}

}  // namespace bytes_test
}  // namespace coluber
