// Nothing allocates while contacts and controlled links stay the same in number.

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/control/force_mapping.hpp"

#include "sample/holden.hpp"
#include "support/allocations.hpp"
#include "support/needs_daqp.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::control::allocation_test {
namespace {

/// Instants of a moving wave with contacts on every fourth link, left and right in turn.
struct Scene {
  planar::Model robot;
  ForceMapping mapping;
  std::vector<planar::LinkContact> contacts;
  std::vector<planar::Instant> instants;
  std::vector<planar::GroundLoad> grounds;
  std::vector<Wish> wishes;

  explicit Scene(int n) : robot(sample::table_i(n)), mapping(robot.links, {.u_max = 10.0}) {
    constexpr std::size_t count = 20;
    for (int i = 2; i < n; i += 4) contacts.push_back({i, 0.0, i % 8 == 2 ? -1 : 1, 0.3});
    const WishLaw law{.links = links_at_contacts(contacts, n, true)};
    grounds.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      planar::Instant instant;
      instant.theta.resize(n);
      instant.theta_dot.resize(n);
      for (int i = 0; i < n; ++i) {
        const double phase = 0.7 * i + 0.05 * static_cast<double>(k);
        instant.theta(i) = std::cos(phase);
        instant.theta_dot(i) = -0.1 * static_cast<double>(k) * std::sin(phase);
      }
      instant.p_dot << 0.16, 0.02;
      planar::Columns v;
      planar::compute_link_velocities(mapping.model(), instant, v);
      planar::compute_ground_load(robot, instant, v, grounds[k]);
      wishes.push_back(compute_wish(law, instant));
      if (k % 4 == 3) wishes.back().centre.x() += 100.0;  // needs slack
      instants.push_back(std::move(instant));
    }
  }
  int solve(std::size_t k, bool warm) {
    const MapResult& result = mapping.solve(instants[k], contacts, wishes[k], grounds[k], warm);
    return result.status == MapStatus::slack ? 1 : 0;
  }
};

TEST(ForceMapping, AllocatesNothingWhileContactsAndLinksStayTheSame) {
  NEEDS_DAQP();
  for (const int n : {10, 20, 40, 80, 160}) {
    Scene scene(n);
    scene.solve(0, false);
    scene.solve(3, false);
    const long before = allocations.load();
    ASSERT_GT(before, 0) << "the counter must count";
    int slack = 0;
    for (const bool warm : {false, true}) {
      for (std::size_t k = 0; k < scene.instants.size(); ++k) slack += scene.solve(k, warm);
    }
    EXPECT_EQ(allocations.load() - before, 0) << n << " links";
    EXPECT_GT(slack, 0) << n << " links";
  }
}

}  // namespace
}  // namespace coluber::control::allocation_test

#endif
