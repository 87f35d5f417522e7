#include "world/obstacle_table.hpp"

#include <utility>

#include <fmt/format.h>

#include "coluber/keys/registry.hpp"

#include "keys/limits.hpp"
#include "keys/number_table.hpp"

namespace coluber::world {

namespace limits = keys::limits;

ObstacleTable load_obstacle_table(const std::filesystem::path& file, std::size_t most) {
  keys::NumberTableFormat format{
      .key = "world.obstacle_table",
      .required = 3,
      .header_hint = "the first line is  x,y,radius  or  x,y,radius,friction",
      .file_hint = "name a CSV file: x,y,radius in m",
      .range_hint = "in m; friction is a pure number",
      .most = most,
      .many = fmt::format("more than {} obstacles, with the {} of the scenario itself",
                          limits::obstacles, limits::obstacles - most),
      .fewer_hint = "leave out those the robot never reaches"};
  for (const char* name : {"x", "y", "radius", "friction"}) {
    format.columns.push_back({name, *keys::find_key(fmt::format("world.obstacle.{}", name))});
  }
  keys::NumberTable table = keys::load_number_table(file, format);
  ObstacleTable found;
  for (const std::vector<double>& row : table.rows) {
    ObstacleKeys obstacle;
    obstacle.x = row[0];
    obstacle.y = row[1];
    obstacle.radius = row[2];
    if (row.size() > 3) obstacle.friction = row[3];
    found.obstacles.push_back(obstacle);
  }
  found.lines = std::move(table.lines);
  found.faults = std::move(table.faults);
  return found;
}

}  // namespace coluber::world
