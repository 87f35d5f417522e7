#include "coluber/scenario/catalogue.hpp"

namespace coluber::scenario {

const std::vector<CatalogueRobot>& robots() {
  // Transeth, Table 7.1. Its 0.682 kg is the print of 7.5 kg over 11 links.
  static const std::vector<CatalogueRobot> catalogue{
      {.name = "aiko",
       .doc = "Aiko, 11 links, 7.5 kg, 1.34 m (Transeth 2007, Table 7.1)",
       .links = 11,
       .link = {.mass = 7.5 / 11.0,
                .inertia = 1.32e-3,
                .length = 0.122,
                .half_core = 0.0393,
                .radius = 0.0525,
                .cg_offset = 0.0,
                .inertia_axial = 9.40e-4}},
  };
  return catalogue;
}

const CatalogueRobot* find_robot(std::string_view name) {
  for (const CatalogueRobot& robot : robots()) {
    if (robot.name == name) return &robot;
  }
  return nullptr;
}

}  // namespace coluber::scenario
