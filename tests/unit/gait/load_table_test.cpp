#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/gait/table.hpp"

namespace coluber::gait {
namespace load_table_test {

using testing::HasSubstr;

class LoadTable : public testing::Test {
 protected:
  LoadTable() { std::filesystem::create_directories(folder_); }
  ~LoadTable() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& text) {
    const auto file = folder_ / "angles.csv";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  // The faults of a table of two joints with this text.
  std::vector<Diagnostic> faults(const std::string& text) {
    try {
      load_table(write(text), 2);
    } catch (const InputError& error) {
      return error.faults();
    }
    return {};
  }

  // Expects one fault at a place, saying `message`, with some hint.
  void expect_fault(const std::string& text, int line, int column, const std::string& message) {
    const auto found = faults(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(found[0].where.line, line) << found[0].message;
    EXPECT_EQ(found[0].where.column, column) << found[0].message;
    EXPECT_THAT(found[0].message, HasSubstr(message));
    EXPECT_THAT(found[0].where.file, HasSubstr("angles.csv"));
    EXPECT_FALSE(found[0].hint.empty());
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("coluber_load_table_" + std::to_string(::getpid()));
};

TEST_F(LoadTable, ReadsDegreesWithCommentsBlanksAndForeignLineEnds) {
  const auto table = load_table(
      write("\xef\xbb\xbf# measured\r\nt, phi_1 ,phi_2\r\n\r\n0, 0,-90\r\n 1.5e0,45, +90 \r\n"), 2);
  Eigen::VectorXd phi(2);
  Eigen::VectorXd rate(2);
  table->evaluate(1.5, phi, rate);
  EXPECT_DOUBLE_EQ(phi(0), std::acos(-1.0) / 4.0);
  EXPECT_DOUBLE_EQ(phi(1), std::acos(-1.0) / 2.0);
  EXPECT_NEAR(rate(1), std::acos(-1.0) / 1.5, 1e-15);
}

TEST_F(LoadTable, NamesThePlaceOfANumberThatIsNotFinite) {
  expect_fault("t,phi_1,phi_2\n0,0,0\n1, nan,0\n", 3, 4, "finite");
  expect_fault("t,phi_1,phi_2\n0,0,-inf\n", 2, 5, "finite");
}

TEST_F(LoadTable, NamesThePlaceOfAWordThatIsNoNumber) {
  expect_fault("t,phi_1,phi_2\n0,0,0\n1,2,3x\n", 3, 5, "expected a number, got \"3x\"");
  expect_fault("t,phi_1,phi_2\n0,,0\n", 2, 3, "expected a number, got \"\"");
}

TEST_F(LoadTable, NamesALineWithTooFewOrTooManyNumbers) {
  expect_fault("t,phi_1,phi_2\n0,0\n", 2, 4, "expected 3 numbers (t and 2 joint angles), got 2");
  expect_fault("t,phi_1,phi_2\n0,0,0,7\n", 2, 7,
               "expected 3 numbers (t and 2 joint angles), got 4");
}

TEST_F(LoadTable, NamesAHeaderThatDoesNotFitTheRobot) {
  expect_fault("t,phi_1\n0,0\n", 1, 8, "the header has 2 columns, the robot needs 3");
  expect_fault("t,phi_1,phi_2,phi_3\n", 1, 15, "the header has 4 columns, the robot needs 3");
  expect_fault("time,phi_1,phi_2\n", 1, 1, "expected the column name \"t\", got \"time\"");
}

TEST_F(LoadTable, NamesATimeThatDoesNotIncrease) {
  expect_fault("t,phi_1,phi_2\n0,0,0\n1,0,0\n1,0,0\n", 4, 1, "time must increase");
}

TEST_F(LoadTable, RefusesAnEmptyFileAndOneWithoutPoints) {
  expect_fault("", 0, 0, "is empty");
  expect_fault("t,phi_1,phi_2\n", 2, 1, "no points");
}

TEST_F(LoadTable, ReportsAllFaultsOfATableAtOnce) {
  const auto found = faults("t,phi_1,phi_2\n0,a,b\n1,0\n2,nan,0\n");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[3].where.line, 4);
}

TEST_F(LoadTable, RefusesBinaryAndStopsReportingInTime) {
  std::string binary;
  for (int k = 0; k < 100000; ++k) binary += static_cast<char>((k * 7919) % 256);
  EXPECT_FALSE(faults(binary).empty());
  EXPECT_LE(faults("t,phi_1,phi_2\n" + binary).size(), 20U);
}

TEST_F(LoadTable, RefusesAFileThatIsMissingOrAFolder) {
  EXPECT_THROW(load_table(folder_ / "none.csv", 2), InputError);
  EXPECT_THROW(load_table(folder_, 2), InputError);
}

}  // namespace load_table_test
}  // namespace coluber::gait
