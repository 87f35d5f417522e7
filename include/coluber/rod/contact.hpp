#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/rod/data.hpp"

namespace coluber::rod {

/// What determines the head's motion.  Ali, Table 5.3
enum class ContactKind : std::uint8_t {
  none,      ///< forces, (5.25)
  annular,   ///< sections slide along their own axis only, everywhere: lateral undulation
  sweeping,  ///< anchorages that run along the body and stand still in space (6.6)
  no_slip,   ///< anchorages that run along the body; the section that is there stands still
  locked,    ///< one section at a time is held, by a list over a period
  clamped,   ///< the head is held
};

/// How the resultant is split over more contacts than determine it.
enum class Distribution : std::uint8_t {
  min_norm,       ///< least norm (6.38), (6.52)
  inertia_local,  ///< each takes m V_o² K l/p across first, the rest by least norm
  equal,          ///< equal shares: anchorages
};

/// From when on within the period which section is held.
struct Clamp {
  double from = 0.0;  ///< s
  double at = 0.0;    ///< X/l
};

/// Contacts, as a user describes them.
struct COLUBER_EXPORT ContactModel {
  ContactKind kind = ContactKind::none;
  std::vector<double> abscissae{};  ///< of annular contacts that carry the load, at load_time (m)
  bool in_space = true;             ///< they stay in space and run back along the body
  double load_time = 0.0;           ///< s
  Distribution distribution = Distribution::min_norm;
  double length_scale = 1.0;                     ///< m, of a torque unknown against a force
  double cutoff = 1e-8;                          ///< of singular values, relative
  std::vector<double> prestress{};               ///< N across, one per contact; or none
  Vector6d support_velocity = Vector6d::Zero();  ///< twist of the support at the world's origin
  Vector6d support_rate = Vector6d::Zero();      ///< its rate
  double period = 2.0;                           ///< s, of the list of clamps
  std::vector<Clamp> clamps{};                   ///< ordered; the first from 0

  /// The clamp that holds at time t; at a switch, the one that begins.
  [[nodiscard]] const Clamp& clamp_at(double t) const;
  /// First switch after t; infinite if there is none.
  [[nodiscard]] double next_switch(double t) const;
};

/// Contacts that have to be on the mesh: give it to Data.
COLUBER_EXPORT int count_contacts(const Model& model, const ContactModel& contact,
                                  const StrainLaw& strain);

/// A pseudo-inverse by one-sided Jacobi rotations, without allocation.
class COLUBER_EXPORT LeastNorm {
 public:
  /// For so many unknowns and at most six equations.
  explicit LeastNorm(int unknowns);
  /// Rows of the map, row-major, before `factor`.
  [[nodiscard]] auto& map() { return A_; }
  /// Singular values of the first `rows` rows; those below `cutoff` of the largest are dropped.
  void factor(int rows, double cutoff);
  /// x of least norm with A x = F as far as it can be.
  void solve(const Eigen::Ref<const Eigen::VectorXd>& F, Eigen::Ref<Eigen::VectorXd> x) const;
  /// Singular values kept.
  [[nodiscard]] int rank() const { return rank_; }
  /// Largest over smallest singular value, dropped ones included.
  [[nodiscard]] double condition() const { return condition_; }

 private:
  using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
  Rows A_, W_;
  Eigen::Matrix<double, 6, 6, Eigen::RowMajor> G_ = Matrix6d::Identity();
  Vector6d inverse_square_ = Vector6d::Zero();
  int rows_ = 0, rank_ = 0;
  double condition_ = 1.0;
};

/// What contacts give at an instant, and room for it.
struct COLUBER_EXPORT ContactData {
  /// Sized for these contacts.
  ContactData(const Model& model, const ContactModel& contact, const StrainLaw& strain);

  /// A contact, by its number in the scenario.
  struct Reaction {
    double X = 0.0;                      ///< m
    Vector6d wrench = Vector6d::Zero();  ///< section axes
  };
  std::vector<Reaction> reactions;
  Travel travel{};             ///< of the body along its path
  double compatibility = 0.0;  ///< what of the constraints the shape cannot meet: 1/(m s), or m/s
  int rank = 0;                ///< of the map from reactions to the resultant
  double condition = 1.0;      ///< of it
  int clamp = -1;              ///< index of the clamp that holds; -1: by time

  // scratch
  LeastNorm map;
  Eigen::VectorXd unknown, prestress, image;
  std::vector<double> sample_X;
  std::vector<Strains> samples;
  std::vector<Slopes> slopes;
  double S_load = 0.0;
};

/// Speed along the body's path by least squares, V_o = ∫ K̇·K' / ∫ K'·K', and its rate. The residual
/// of (6.32), (6.48) goes into `contacts.compatibility`: the largest |K̇ − V_o K'|.
///
/// Differs: the source divides at the head, K̇_o/K_o', which is 0/0 twice per period.
COLUBER_EXPORT Fault compute_travel(const Model& model, const StrainLaw& strain, double t,
                                    ContactData& contacts);

/// The largest |K̇ − V K'| over the body for a given speed: what the shape breaks (6.32), (6.48) by.
COLUBER_EXPORT double compute_compatibility(const StrainLaw& strain, double t, double V,
                                            ContactData& contacts);

/// Kinematic locomotion (5.41): η_o at time t where the head is at `g_o`. With `S` the distance
/// travelled along the path, where the law does not say it.
COLUBER_EXPORT Fault update_kinematic_twist(const Model& model, const ContactModel& contact,
                                            const StrainLaw& strain, double t, const Pose& g_o,
                                            double S, ContactData& contacts, Data& data);

/// The same with η̇_o, the resultant (5.42), its split over the contacts and Λ.  Ali 5.5.3
COLUBER_EXPORT Fault evaluate_kinematic(const Model& model, const ContactModel& contact,
                                        const StrainLaw& strain, double t, const Pose& g_o,
                                        double S, ContactData& contacts, Data& data);

/// Work of the contacts where the rates of the shape jump: `before` are the twists of the sections
/// data.contacts[i] then, and the rod had the momentum `momentum`; `data` has what comes after.
///
/// Their impulses are split as their forces are, and each acts while the twist of its section goes
/// from the one to the other.
COLUBER_EXPORT double impulse_work(const Model& model, const ContactModel& contact,
                                   const StrainLaw& strain, double t, const Vector6d& momentum,
                                   const std::vector<Vector6d>& before, ContactData& contacts,
                                   Data& data);

/// Pose of the head when the section held is at `g_c`.
COLUBER_EXPORT Pose head_of_clamp(const Model& model, const Clamp& clamp, const Pose& g_c,
                                  const Data& data);

/// Pose of the section that a clamp holds.
COLUBER_EXPORT Pose clamp_pose(const Model& model, const Clamp& clamp, const Data& data);

/// Shape of a planar rod with shear (beam B6) at a section.
struct ReissnerShape {
  double K = 0.0, K_slope = 0.0;           ///< 1/m, 1/m²
  double Gamma_Y = 0.0, Gammadot_Y = 0.0;  ///< –, 1/s
  double Gammadot_Y_slope = 0.0;           ///< 1/(m s)
};

/// How such a rod has to move so that no section slides across.
struct ReissnerMotion {
  double X = 0.0;
  double V_X = 0.0;    ///< m/s
  double Omega = 0.0;  ///< rad/s
  double Kdot = 0.0;   ///< 1/(m s)
};

/// Sections i l/elements of a rod whose head moves with V_o.  Ali 6.3.6
///
/// Differs: (6.42), (6.43) leave the rate of the shear out; the complete relations are
///   Ω = K V_X − Γ̇_Y,  V_X' = −K Γ_Y V_X + Γ_Y Γ̇_Y,
///   K̇ = (K' − K² Γ_Y) V_X + K Γ_Y Γ̇_Y − Γ̇_Y'.
COLUBER_EXPORT std::vector<ReissnerMotion> compute_reissner(
    const std::function<ReissnerShape(double X)>& shape, double l, int elements, double V_o);

}  // namespace coluber::rod
