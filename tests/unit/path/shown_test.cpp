// What is drawn of a path is a polyline that lies on it, however long the path is.

#include "coluber/path/shown.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace coluber::path::shown_test {
namespace {

double length_of(const Body& body) {
  double length = 0.0;
  for (std::size_t k = 1; k < body.points.size(); ++k) {
    length += (body.points[k] - body.points[k - 1]).norm();
  }
  return length;
}

double largest_turn(const Body& body) {
  double largest = 0.0;
  for (std::size_t k = 2; k < body.points.size(); ++k) {
    const Eigen::Vector3d a = body.points[k - 1] - body.points[k - 2];
    const Eigen::Vector3d b = body.points[k] - body.points[k - 1];
    largest = std::max(largest, std::atan2(a.cross(b).norm(), a.dot(b)));
  }
  return largest;
}

TEST(PathBody, ALongCurvedPathKeepsItsLengthAndItsShape) {
  const auto path = make_serpenoid({}, 0.99, 0.765);
  const Body body = make_path_body(*path, 0.5, 82.2);
  // chords of an angle a are shorter than their arcs by a²/24 at most
  EXPECT_NEAR(length_of(body), 81.7, 81.7 * 0.05 * 0.05 / 24.0);
  EXPECT_LE(largest_turn(body), 0.0501) << "rad";
  EXPECT_LT((body.points.back().head<2>() - path->at(82.2).r).norm(), 1e-12);
}

TEST(PathBody, HasFewPointsWhereThePathIsStraightAndNoMoreThanItsMostAnywhere) {
  EXPECT_EQ(make_path_body(*make_pieces({}, {{1.0, 0.0, 0.0}}), 0.0, 1e3).points.size(), 401U);
  EXPECT_EQ(make_path_body(*make_serpenoid({}, 0.99, 0.765), 0.0, 1e6).points.size(), 20001U);
}

}  // namespace
}  // namespace coluber::path::shown_test
