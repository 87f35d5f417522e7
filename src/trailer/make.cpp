#include "make.hpp"

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/robot.hpp"
#include "coluber/chain/wheel_keys.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/trailer/system.hpp"

#include "math/direction.hpp"

namespace coluber::trailer {

std::unique_ptr<System> make_n_trailer(const drive::Build& build) {
  const auto& links = build.get<chain::Robot>().link;
  const auto& wheels = build.get<chain::WheelKeys>().link;
  std::vector<Module> modules;
  for (std::size_t i = 0; i < links.size(); ++i) {
    modules.push_back({links[i].length, links[i].half_core, links[i].radius, links[i].cg_offset,
                       wheels[i].axle_offset, wheels[i].wheel_radius, wheels[i].half_track,
                       links[i].mass});
  }
  const path::PathPoint at = path::make_path(build.get<path::PathKeys>())->at(0.0);
  const Eigen::Vector2d forward = math::direction(at.theta);
  const Eigen::Vector2d left{-forward.y(), forward.x()};
  const double half = 0.5 * links.front().length;
  const double offset = wheels.front().axle_offset;
  return std::make_unique<TrailerSystem>(std::move(modules), Lengths{half + offset, half - offset},
                                         at.r + build.get<chain::WheelStart>().offset * left,
                                         at.theta, build.get<drive::Stepping>().dt);
}

}  // namespace coluber::trailer
