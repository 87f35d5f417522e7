// Strain laws: their rates and slopes against differences, tables, beams.

#include "coluber/rod/strain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

namespace coluber::rod {
namespace strain_test {

constexpr double pi = std::numbers::pi;

Strains at(const StrainLaw& law, double t, double X) {
  Strains out;
  law.evaluate(t, {&X, 1}, {&out, 1});
  return out;
}

/// Central differences of order 4.
template <typename F>
Vector6d rate_of(F f, double x) {
  const double h = 1e-3;
  return (8.0 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12.0 * h);
}

TEST(StrainLaws, HaveTheRatesAndSlopesOfTheirValues) {
  std::vector<std::unique_ptr<StrainLaw>> laws;
  laws.push_back(make_strain(Undulation{.advance = {-0.5, 0.1}, .turn = Turn{1.0, 4.0, 2.0, 0.5}}));
  laws.push_back(make_strain(Spiral{.advance = {-0.4, 0.2}}));
  laws.push_back(make_strain(Contraction{.advance = {0.3, 0.1}}));
  laws.push_back(make_strain(OmegaBend{}));
  laws.push_back(make_strain(Swim{}));
  laws.push_back(make_strain(std::vector<Wave>{{5, 6.0, 1.0, 4.0, 0.5 * pi, 0.2, 1.0},
                                               {5, 1.0, 0.7, 2.0, 0.1},
                                               {3, 1.0, INFINITY, 2.0, 0.3}}));
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const StrainLaw& law = *laws[k];
    for (double t : {0.3, 1.7, 2.9}) {
      for (double X : {0.05, 0.41, 0.93}) {
        const Strains now = at(law, t, X);
        const auto xi = [&](double s) { return at(law, s, X).xi; };
        const auto xidot = [&](double s) { return at(law, s, X).xidot; };
        EXPECT_LE((now.xidot - rate_of(xi, t)).norm(), 2e-7 * (1.0 + now.xidot.norm())) << k;
        EXPECT_LE((now.xiddot - rate_of(xidot, t)).norm(), 2e-7 * (1.0 + now.xiddot.norm())) << k;
        Slopes slope;
        law.evaluate_slopes(t, {&X, 1}, {&slope, 1});
        const auto along = [&](double Y) { return at(law, t, Y).xi; };
        const auto rate_along = [&](double Y) { return at(law, t, Y).xidot; };
        EXPECT_LE((slope.xi - rate_of(along, X)).norm(), 2e-7 * (1.0 + slope.xi.norm())) << k;
        EXPECT_LE((slope.xidot - rate_of(rate_along, X)).norm(), 2e-7 * (1.0 + slope.xidot.norm()))
            << k;
        const StrainMask moves = law.actuated();
        for (int i = 0; i < 6; ++i) {
          if (moves[static_cast<std::size_t>(i)]) continue;
          EXPECT_EQ(now.xi(i), i == 0 ? 1.0 : 0.0);
        }
      }
    }
  }
}

// The printed pulse diverges at the edge of its window; this one and its rates vanish there.
TEST(Turn, VanishesAtTheEdgesOfItsWindow) {
  const auto law = make_strain(Undulation{.amplitude = 0.0, .turn = Turn{3.0, 4.0, 2.0}});
  EXPECT_NEAR(at(*law, 5.0, 0.0).xi(5), 2.0, 1e-15);
  for (double t : {3.0, 3.0 + 1e-9, 7.0, 7.0 - 1e-9, 0.0, 9.0}) {
    EXPECT_NEAR(at(*law, t, 0.0).xi(5), 0.0, 1e-15);
    EXPECT_NEAR(at(*law, t, 0.0).xiddot(5), 0.0, 1e-15);
  }
  // it reaches the tail 2 s later
  EXPECT_NEAR(at(*law, 7.0, 1.0).xi(5), 2.0, 1e-12);
}

std::vector<std::array<double, 8>> grid(double (*f)(double, double), int n_t, int n_X) {
  std::vector<std::array<double, 8>> rows;
  for (int i = 0; i < n_t; ++i) {
    for (int j = 0; j < n_X; ++j) {
      const double t = 2.0 * i / (n_t - 1);
      const double X = 1.0 * j / (n_X - 1);
      rows.push_back({t, X, 1.0, 0.0, 0.0, 0.0, 0.0, f(t, X)});
    }
  }
  return rows;
}

TEST(StrainTable, IsExactForCubicsAndOfOrderFourElse) {
  const auto cubic = [](double t, double X) {
    return (1.0 + t * t * t - 2.0 * t) * (X * X * X - X + 0.3);
  };
  const auto law = make_strain_table(grid(cubic, 6, 7));
  for (double t : {0.1, 0.9, 1.93}) {
    for (double X : {0.03, 0.5, 0.97}) {
      const Strains now = at(*law, t, X);
      EXPECT_NEAR(now.xi(5), cubic(t, X), 1e-12);
      EXPECT_NEAR(now.xidot(5), (3.0 * t * t - 2.0) * (X * X * X - X + 0.3), 1e-12);
      EXPECT_NEAR(now.xiddot(5), 6.0 * t * (X * X * X - X + 0.3), 1e-11);
      EXPECT_EQ(now.xi(0), 1.0);
      Slopes slope;
      law->evaluate_slopes(t, {&X, 1}, {&slope, 1});
      EXPECT_NEAR(slope.xi(5), (1.0 + t * t * t - 2.0 * t) * (3.0 * X * X - 1.0), 1e-12);
    }
  }
  const auto wave = [](double t, double X) { return std::sin(3.0 * X - 2.0 * t); };
  const auto error = [&](int n) {
    const auto table = make_strain_table(grid(wave, n, n));
    return std::abs(at(*table, 1.013, 0.471).xi(5) - wave(1.013, 0.471));
  };
  EXPECT_LE(error(33), 1e-6);
  EXPECT_TRUE(make_strain_table(grid(wave, 5, 5))->actuated()[5]);
  EXPECT_FALSE(make_strain_table(grid(wave, 5, 5))->actuated()[0]);
}

TEST(StrainTable, RefusesRowsThatAreThereTwiceOrMissing) {
  const auto f = [](double, double) { return 0.0; };
  auto rows = grid(f, 3, 3);
  rows.push_back(rows.front());
  EXPECT_THROW(make_strain_table(rows), Error);
  rows.resize(8);
  EXPECT_THROW(make_strain_table(rows), Error);
  rows.clear();
  EXPECT_THROW(make_strain_table(rows), Error);
}

TEST(Beams, HaveTheStrainsOfTheirTable) {
  const auto count = [](const StrainMask& mask) {
    return std::count(mask.begin(), mask.end(), true);
  };
  EXPECT_EQ(count(strains_of(Beam::B1)), 6);
  EXPECT_EQ(count(strains_of(Beam::B2)), 4);
  EXPECT_EQ(count(strains_of(Beam::B3)), 3);
  EXPECT_EQ(count(strains_of(Beam::B4)), 2);
  EXPECT_EQ(count(strains_of(Beam::B5)), 1);
  EXPECT_EQ(count(strains_of(Beam::B6)), 2);
  EXPECT_EQ(count(strains_of(Beam::B7)), 1);
}

}  // namespace strain_test
}  // namespace coluber::rod
