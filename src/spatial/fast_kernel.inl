// Kernels of the step in space, compiled once for every instruction set (math/lanes.inl). Nothing
// may be included here that defines inline functions with external linkage.

#include "fast_kernel.hpp"
#include "math/lanes.inl"
#include "nonsmooth/constants.hpp"

namespace coluber::spatial {
namespace COLUBER_PATH {
namespace {

using namespace lanes::COLUBER_PATH;
using nonsmooth::kProxR;

#include "math/sincos_kernel.inl"
#include "nonsmooth/disc_law.inl"

constexpr int kTwist = 12;  // doubles of a joint twist of both halves
constexpr int kBlock = 84;  // doubles of a block with its right side, both halves

inline double mu_max(const FastArrays& k) { return k.mu_1 > k.mu_2 ? k.mu_1 : k.mu_2; }

/// Three vectors of lanes: a vector in world axes for every slot.
struct Vector {
  Lanes x, y, z;
};
inline Vector load_vector(const double from[3][kGroup], int h) {
  return {load<Lanes>(from[0] + h), load<Lanes>(from[1] + h), load<Lanes>(from[2] + h)};
}
inline void store_vector(double to[3][kGroup], int h, const Vector& value) {
  store(to[0] + h, value.x);
  store(to[1] + h, value.y);
  store(to[2] + h, value.z);
}
/// Where a vector of lanes or a pair begins in its group.
inline int place_of(int i) { return kLanes == kGroup ? 0 : i % kGroup; }
inline int place_of_pair(int pair) { return 2 * pair % kGroup; }
inline Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector operator*(Lanes a, const Vector& b) { return {a * b.x, a * b.y, a * b.z}; }
inline Lanes dot(const Vector& a, const Vector& b) {
  return mul_add(a.z, b.z, mul_add(a.y, b.y, a.x * b.x));
}
/// a b + c d + e f
template <typename V>
inline V three(V a, V b, V c, V d, V e, V f) {
  return mul_add(e, f, mul_add(c, d, a * b));
}
/// a b - c d
template <typename V>
inline V difference(V a, V b, V c, V d) {
  return sub_mul(a * b, c, d);
}
/// a b + c d
template <typename V>
inline V sum(V a, V b, V c, V d) {
  return mul_add(c, d, a * b);
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {difference(a.y, b.z, a.z, b.y), difference(a.z, b.x, a.x, b.z),
          difference(a.x, b.y, a.y, b.x)};
}
/// a + b x c
inline Vector add_cross(const Vector& a, const Vector& b, const Vector& c) {
  return {sub_mul(mul_add(b.y, c.z, a.x), b.z, c.y), sub_mul(mul_add(b.z, c.x, a.y), b.x, c.z),
          sub_mul(mul_add(b.x, c.y, a.z), b.y, c.x)};
}
/// a + b c
inline Vector add_scaled(const Vector& a, Lanes b, const Vector& c) {
  return {mul_add(b, c.x, a.x), mul_add(b, c.y, a.y), mul_add(b, c.z, a.z)};
}

// clang-format off
#include "fast_pose.inl"
#include "fast_laws.inl"
#include "fast_sweep.inl"
#include "fast_judge.inl"
#include "fast_exchange.inl"
// clang-format on

}  // namespace
}  // namespace COLUBER_PATH

#define COLUBER_JOIN(a, b) a##b
#define COLUBER_NAME(path) COLUBER_JOIN(path, _fast_kernels)
#define COLUBER_QUOTE(a) #a
#define COLUBER_TEXT(a) COLUBER_QUOTE(a)
FastKernels COLUBER_NAME(COLUBER_PATH)() {
  using namespace COLUBER_PATH;
  return {COLUBER_TEXT(COLUBER_PATH),
          lanes::COLUBER_PATH::kLanes,
          place,
          find_ground,
          load_motion,
          recall,
          solve,
          gap,
          move_anchors,
          finish,
          remember};
}

}  // namespace coluber::spatial
