#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/bytes.hpp"
#include "coluber/core/export.hpp"
#include "coluber/planar/force_map.hpp"
#include "coluber/qp/qp.hpp"

/// Joint torques of least effort that give a robot among obstacles the accelerations wished for.
/// Holden, Stavdahl, Gravdahl: Optimization Problem 1, (53)-(56), with planar/force_map.hpp.
namespace coluber::control {

/// Accelerations up to this are told from limits and signs (m/s², rad/s²).
inline constexpr double kMostWished = 1e6;

/// Accelerations wished for.
struct Wish {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();  ///< of p (m/s²)
  std::vector<int> links;   ///< whose angles are controlled, counted from 0, distinct
  Eigen::VectorXd angular;  ///< theirs (rad/s²)
};

/// The low-level laws, Holden (47)-(49): acceleration - k_p error - k_d its rate.
struct WishLaw {
  std::optional<Eigen::Vector2d> position{};               ///< of p (m); none: where it is
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();      ///< m/s
  Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();  ///< m/s²
  std::vector<int> links{};                                ///< controlled, counted from 0
  Eigen::VectorXd angle{};                                 ///< theirs (rad); empty: as they are
  Eigen::VectorXd rate{};                                  ///< rad/s; empty: 0
  Eigen::VectorXd angular_acceleration{};                  ///< rad/s²; empty: 0
  double kp = 1.0;                                         ///< of p (1/s²)
  double kd = 1.0;                                         ///< 1/s
  double kp_angle = 1.0;                                   ///< of angles (1/s²)
  double kd_angle = 1.0;                                   ///< 1/s
};

/// What the laws ask for at this instant.
COLUBER_EXPORT Wish compute_wish(const WishLaw& law, const planar::Instant& instant);

/// The links of the default wish: the rearmost, those in contact, and the neighbour of each towards
/// the leading end. Counted from 0, ascending.
COLUBER_EXPORT std::vector<int> links_at_contacts(std::span<const planar::LinkContact> contacts,
                                                  int n, bool last_leads);

/// How torques are chosen.
struct ForceMappingOptions {
  planar::Kinematics kinematics = planar::Kinematics::centre_of_mass;
  planar::ContactAcceleration form = planar::ContactAcceleration::point;
  double u_max = std::numeric_limits<double>::infinity();    ///< N m, > 0
  Eigen::VectorXd weight_torque = Eigen::VectorXd::Ones(1);  ///< Q_u, > 0: one, or one per joint
  Eigen::Vector2d weight_slack{1e12, 1e12};  ///< Q_z, > 0: of p (1/N²), of angles (s⁴/rad²)
  double blend = 0.0;  ///< m/s, friction of contacts grows linearly up to this sliding speed
  qp::Options qp{};
};

/// What came out.
enum class MapStatus : std::uint8_t {
  optimal,     ///< the wish is met
  slack,       ///< it cannot be met; `z` is what is missing
  infeasible,  ///< no torques within the limits press every contact onto its obstacle
  failed,      ///< the solver found no answer that meets its own test, or the contacts' signs
  singular,    ///< the contacts do not determine their forces: `dependent`
};
/// In words, as in JSON.
COLUBER_EXPORT std::string_view to_string(MapStatus status);
/// As `qp_status` of the record has it; 3 there is a map that was not asked.
COLUBER_EXPORT int status_number(MapStatus status);

/// The answer at one instant. Where there is none, numbers are NaN.
struct MapResult {
  MapStatus status = MapStatus::failed;
  Eigen::VectorXd u;    ///< N m, Holden's sign: `joint_torque` of the record is -u
  Eigen::VectorXd f_C;  ///< N, signed
  /// Slack, with the paper's signs: m_T (p'' - wish) in N, then wish - theta'' in rad/s².
  Eigen::VectorXd z;
  std::vector<int> active;                           ///< joints at their limit, counted from 0
  planar::Columns force;                             ///< on the link, by contact (N), (22)
  planar::Columns constraint;                        ///< without friction, (17)
  Eigen::VectorXd power;                             ///< of the contacts' friction on the robot (W)
  Eigen::VectorXd theta_ddot;                        ///< predicted, of all links (rad/s²)
  Eigen::Vector2d p_ddot = Eigen::Vector2d::Zero();  ///< predicted (m/s²)
  Eigen::VectorXd slack_weight;                      ///< used, one per row
  double effort = 0.0;                               ///< u^T u (N² m²)
  double kkt = 0.0;                                  ///< of the QP, see qp::kkt_residual()
  bool solvable = false;       ///< A_e u = b_e has a solution, whatever limits and signs
  std::vector<int> dependent;  ///< links of contacts that depend on each other, from 0
  int at_rest = 0;             ///< contacts that do not slide, taken as without friction
};

/// Condition numbers and the rank of the wish, for a report.
struct MapCondition {
  double M_theta = 1.0;
  double A_f = 1.0;
  double A_e = 1.0;           ///< NaN where its rows depend on each other
  std::optional<int> rank{};  ///< of A_e, rows scaled to unit length; none where there is no A_e
};

/// Finds torques, instant after instant, for one robot. Nothing is allocated while the numbers of
/// contacts and of controlled links stay the same.
class COLUBER_EXPORT ForceMapping {
 public:
  /// Throws Error for limits and weights that are not positive, or one too many.
  ForceMapping(const std::vector<planar::Link>& links, ForceMappingOptions options);

  /// Links of contacts are distinct, as are controlled links; all are links of the robot, and
  /// contacts within theirs. Throws Error where that is not so, where sizes do not fit or a number
  /// is not finite. With `warm` the search starts from what was active the last time.
  const MapResult& solve(const planar::Instant& instant,
                         std::span<const planar::LinkContact> contacts, const Wish& wish,
                         const planar::GroundLoad& ground, bool warm = false);

  /// Where the next warm start begins: what was active, of joints and of the contacts by link.
  void save_state(ByteWriter& bytes) const;
  /// Takes back what `save_state` wrote. May throw FileError.
  void restore_state(ByteReader& bytes);

  /// Of the last instant: the largest t (N) for which torques within their limits meet the wish and
  /// press every contact with t or more; negative: by how much some contact would have to pull.
  /// To 1e-3 N. None where no torques within the limits meet the wish, where there is no contact,
  /// or no limit.
  [[nodiscard]] std::optional<double> margin();

  /// Of the last instant.
  [[nodiscard]] MapCondition condition() const;

  /// The robot.
  [[nodiscard]] const planar::ForceMapModel& model() const { return model_; }
  /// How torques are chosen.
  [[nodiscard]] const ForceMappingOptions& options() const { return options_; }
  /// The last instant's quadratic program, (53)-(56).
  [[nodiscard]] const qp::Problem& problem() const { return problem_; }
  /// The last instant's map.
  [[nodiscard]] const planar::ForceMap& map() const { return map_; }
  /// The last answer.
  [[nodiscard]] const MapResult& result() const { return result_; }

 private:
  void require_valid(const planar::Instant& instant, std::span<const planar::LinkContact> contacts,
                     const Wish& wish, const planar::GroundLoad& ground) const;
  void clear_result();
  void carry_over(std::span<const planar::LinkContact> contacts);

  planar::ForceMapModel model_;
  ForceMappingOptions options_;
  planar::ForceMap map_;
  qp::Problem problem_;
  qp::Solver solver_;
  qp::Solution solution_;
  MapResult result_;
  std::vector<int> touched_;  // links of the contacts that the solver last saw
  std::vector<int> was_;      // scratch: their numbers, of the contacts to come
};

}  // namespace coluber::control
