#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/world/candidates.hpp"
#include "coluber/world/obstacle_grid.hpp"

/// What a robot in space can touch. A surface says where the links come near it; it knows no robot
/// and no step. Plane and vertical cylinders are here; stairs, height fields and things that move
/// join by deriving from `Surface`.
namespace coluber::world {

/// A link as surfaces see it: a capsule, or only the spheres at the ends of its core.
struct PlacedLink {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of gravity (m)
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< unit vector towards the next link
  double rear = 0.0, front = 0.0;  ///< ends of the core, from the centre along the axis (m)
  double radius = 0.0;             ///< m
  bool spheres = false;            ///< nothing between the two end spheres
};

/// Where a link comes near a surface.
struct SurfacePoint {
  int link = 0;
  int key = 0;                                        ///< tells the points of one link apart
  double g = 0.0;                                     ///< distance, negative inside (m)
  double s = 0.0;                                     ///< on the core, from the centre (m)
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< from the surface to the link
  int body = 0;                                       ///< which part of the surface is touched
};

/// Points of all links, ordered by link and key.
struct SurfacePoints {
  std::vector<int> first;  ///< by link: points[first[i] … first[i+1])
  std::vector<SurfacePoint> points;
};

/// Something that does not move and can be touched.
class COLUBER_EXPORT Surface {
 public:
  Surface() = default;
  virtual ~Surface() = default;

  /// Every point closer than `near` (m). Called once a step; allocates only while `found` grows.
  virtual void find(std::span<const PlacedLink> links, double near, SurfacePoints& found) = 0;
  /// The point that `find` gave this key, where it is now, however far away.
  [[nodiscard]] virtual SurfacePoint locate(const PlacedLink& link, int key) const = 0;
  /// Room for a robot of so many links, so that no later search allocates in a sane scene.
  virtual void reserve(std::size_t links) = 0;
  /// Most points a link can have near this surface at once in a sane scene: room to reserve.
  [[nodiscard]] virtual std::size_t points_a_link() const = 0;

 protected:
  Surface(const Surface&) = default;
  Surface(Surface&&) = default;
  Surface& operator=(const Surface&) = default;
  Surface& operator=(Surface&&) = default;
};

/// The ground z = 0. Each link has two points, the lowest ones of its end spheres; the cylinder
/// between them never touches first.  Transeth (4.8)
class COLUBER_EXPORT Plane final : public Surface {
 public:
  void find(std::span<const PlacedLink> links, double near, SurfacePoints& found) override;
  [[nodiscard]] SurfacePoint locate(const PlacedLink& link, int key) const override;
  void reserve(std::size_t /*links*/) override {}
  [[nodiscard]] std::size_t points_a_link() const override { return 2; }
};

/// Where a link is nearest to the cylinder of `key` among these.
COLUBER_EXPORT SurfacePoint locate_on_cylinder(const PlacedLink& link,
                                               std::span<const Obstacle> obstacles, int key);

/// Vertical cylinders of any height. One point for a capsule and a cylinder: where their axes come
/// nearest, cylinder on cylinder or end sphere on cylinder by the same formula; two points for a
/// link of two spheres.  Transeth (4.10)-(4.15)
class COLUBER_EXPORT Cylinders final : public Surface {
 public:
  /// The obstacles need not outlive it.
  explicit Cylinders(std::vector<Obstacle> obstacles);

  void find(std::span<const PlacedLink> links, double near, SurfacePoints& found) override;
  [[nodiscard]] SurfacePoint locate(const PlacedLink& link, int key) const override;
  void reserve(std::size_t links) override;
  [[nodiscard]] std::size_t points_a_link() const override;

  /// Adds points that are not near by distance, but met on the way; ordered like those of `find`,
  /// and none of them among these.
  static void insert(std::span<const SurfacePoint> points, SurfacePoints& found);

  /// By place.
  [[nodiscard]] const ObstacleGrid& grid() const { return grid_; }
  /// In the order of `SurfacePoint::body`.
  [[nodiscard]] const std::vector<Obstacle>& obstacles() const { return obstacles_; }

 private:
  std::vector<Obstacle> obstacles_;
  ObstacleGrid grid_;
  Candidates candidates_;
};

}  // namespace coluber::world
