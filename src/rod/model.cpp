#include "coluber/rod/model.hpp"

#include <cmath>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

namespace coluber::rod {

const char* to_string(Group group) {
  static constexpr std::array words{"R", "SE2", "SE3"};
  return words[static_cast<std::size_t>(group)];
}

const std::vector<int>& components_of(Group group) {
  static const std::array<std::vector<int>, 3> lists{
      std::vector<int>{0}, {0, 1, 5}, {0, 1, 2, 3, 4, 5}};
  return lists[static_cast<std::size_t>(group)];
}

StrainMask strains_of(Beam beam) {
  switch (beam) {
    case Beam::B1:
      return {true, true, true, true, true, true};
    case Beam::B2:
      return {true, false, false, true, true, true};
    case Beam::B3:
      return {false, false, false, true, true, true};
    case Beam::B4:
      return {false, false, false, false, true, true};
    case Beam::B5:
      return {false, false, false, false, false, true};
    case Beam::B6:
      return {false, true, false, false, false, true};
    case Beam::B7:
      return {true, false, false, false, false, false};
  }
  return {};
}

StrainMask strains_of(Group group) {
  StrainMask mask{};
  for (int each : components_of(group)) mask[static_cast<std::size_t>(each)] = true;
  return mask;
}

const char* strain_name(int component) {
  static constexpr std::array names{"Gamma_X", "Gamma_Y", "Gamma_Z", "K_X", "K_Y", "K_Z"};
  return names[static_cast<std::size_t>(component)];
}

Vector6d Model::uniform_section(double m, double r) {
  const double J = 0.25 * m * r * r;
  Vector6d M;
  M << m, m, m, 2.0 * J, J, J;
  return M;
}

void Model::check() const {
  const auto need = [](bool good, const char* what, double value) {
    if (!good) throw Error(fmt::format("{} must be positive, it is {}", what, value));
  };
  need(l > 0.0 && std::isfinite(l), "the length of a rod", l);
  need(m > 0.0 && std::isfinite(m), "the mass per length of a rod", m);
  need(M.minCoeff() > 0.0 && M.allFinite(), "the inertia of a section", M.minCoeff());
  need(elements > 0, "the number of elements", elements);
}

}  // namespace coluber::rod
