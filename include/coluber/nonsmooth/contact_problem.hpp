#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

/// The non-smooth step as a value: a tree of rigid links and the contacts that act on it. Nothing
/// here knows a snake, a plane or a servo; models fill the value in, every solver takes the same
/// one.
///
// clang-format off
/// | letter | code | meaning | unit |
/// |---|---|---|---|
/// | T | `T` | size of a twist: 3 in the plane (omega, v_x, v_y), 6 in space (omega, v) | – |
/// | u_i | `twist` | velocity of link i, taken at one point common to all links | rad/s, m/s |
/// | M_i | `Node::M` | inertia of link i at that point, and dt times what damps it at the step's end | kg m², kg m, kg |
/// | – | `Node::p` | momentum at the start of the step plus the impulses of known forces | N m s, N s |
/// | s | `Node::s` | unit twist of the joint to the parent: u_i = u_parent + s phidot | – |
/// | – | `J`, `p_J` | inertia that moves with the joint alone, such as a wheel's on its shaft, and its momentum at the start | kg m², N m s |
/// | – | `held` | the joint's rate is given: its motor does what that takes | – |
/// | – | `sd`, `sr`, `limit` | servo in the step: joint impulse = sr - sd phidot_E, clamped to ± limit | N m s², N m s |
/// | W | `w_N`, `w_1`, `w_2` | directions of a contact; the tangential ones carry their friction coefficient | – |
/// | P_N | `Impulse::N` | normal impulse of the step | N s |
/// | P_T | `Impulse::T` | tangential impulse in scaled variables, P_T,i = mu_i T_i | N s |
/// | b, c | `b`, `c` | normal law 0 <= P_N _|_ gamma_N + b + c P_N >= 0; c > 0 | m/s, 1/kg |
/// | c_T, A | `c_t`, `A` | tangential law -(gamma_T + c_T (P_T - A)) in N_C(P_T), scaled; c_T > 0 | 1/kg, N s |
// clang-format on
namespace coluber::nonsmooth {

/// Velocity, momentum or impulse of a body with T freedoms.
template <int T>
using Twist = Eigen::Matrix<double, T, 1>;
/// A T × T matrix such as the inertia of a body.
template <int T>
using Block = Eigen::Matrix<double, T, T>;

/// What holds a sticking point.
enum class Law : std::uint8_t {
  anchored,  ///< a compliance c_T to its impulse of the last step: unique impulses, nanometres
  rigid,     ///< the set-valued law as it stands: -gamma_T in N_C(P_T)
};

/// One link with one joint axis towards its parent. A joint with two axes is two nodes, one
/// massless.
template <int T>
struct Node {
  Block<T> M = Block<T>::Zero();
  Twist<T> p = Twist<T>::Zero();
  Twist<T> s = Twist<T>::Zero();
  double J = 0.0;
  double p_J = 0.0;
  double sd = 0.0;
  double sr = 0.0;
  double limit = std::numeric_limits<double>::infinity();
  bool held = false;      ///< the guess of the rate is the answer; sd and sr are zero
  int parent = -1;        ///< index of the parent node, larger than this one's; -1 for the root
  int first_contact = 0;  ///< contacts of this node: [first_contact, first_contact + contact_count)
  int contact_count = 0;
};

/// Which r of the thesis' iteration an impulse takes (Transeth table 7.2). No other solver asks.
enum class ContactKind : std::uint8_t {
  ground,    ///< r_N, r_T
  rolling,   ///< r_V
  obstacle,  ///< r_H, r_T
};

/// One contact point of a link with the world. The friction set is an ellipse in the frame of (w_1,
/// w_2) with half axes mu_i P_N, which in scaled variables is the disc |T| <= P_N: the true
/// normal-cone law for any ratio.
template <int T>
struct Contact {
  Twist<T> w_N = Twist<T>::Zero();
  Twist<T> w_1 = Twist<T>::Zero();  ///< mu_1 times the direction
  Twist<T> w_2 = Twist<T>::Zero();  ///< mu_2 times the direction
  Eigen::Vector2d A = Eigen::Vector2d::Zero();
  Eigen::Vector2d mu = Eigen::Vector2d::Zero();
  double b = 0.0;
  double c = 0.0;
  double c_t = 0.0;         ///< c_T max(mu)²
  double mu_max = 0.0;      ///< 0: frictionless; else the scale of mu that residuals are judged by
  double load = 0.0;        ///< N s; the given P_N if not unilateral
  bool unilateral = false;  ///< P_N follows the normal law; else it is `load`
  /// P_N is that of the contact before it, which alone passes it on to the link: rolling friction
  /// beside sliding friction. w_N, b, c and the guess of P_N are then those of the contact before.
  bool shares_normal = false;
  ContactKind kind = ContactKind::obstacle;
};

/// Impulse of one contact over the step. Not aligned for vectors: points keep many of them.
struct Impulse {
  double N = 0.0;
  Eigen::Matrix<double, 2, 1, Eigen::DontAlign> T{0.0, 0.0};
  friend bool operator==(const Impulse&, const Impulse&) = default;
};

/// Proximal term c_t (T - A) of a contact's tangential law, scaled variables.
struct Proximal {
  double c_t = 0.0;
  Eigen::Vector2d A = Eigen::Vector2d::Zero();
  friend bool operator==(const Proximal&, const Proximal&) = default;
};

/// W P: what the impulse of a contact does to its link.
template <int T>
inline Twist<T> compute_wrench(const Contact<T>& contact, const Impulse& P) {
  const double N = contact.shares_normal ? 0.0 : P.N;
  return N * contact.w_N + P.T.x() * contact.w_1 + P.T.y() * contact.w_2;
}

/// The joint slides its node along, and does not turn it.
template <int T>
inline bool is_sliding(const Node<T>& node) {
  constexpr int kAngular = T == 3 ? 1 : 3;
  return node.s.template head<kAngular>().isZero(0.0);
}

/// Impulse (N m s) of the motor towards the parent at the joint rate `rate`.
template <int T>
inline double joint_impulse(const Node<T>& node, double rate) {
  return std::clamp(node.sr - node.sd * rate, -node.limit, node.limit);
}

/// One step's problem. Nodes stand in elimination order: children before their parent, the root
/// last.
template <int T>
struct ContactProblem {
  std::vector<Node<T>> nodes;
  std::vector<Contact<T>> contacts;  ///< grouped by node
  double impulse_scale = 1.0;        ///< m_min g dt (N s): residuals are judged against it
  double length_scale = 1.0;         ///< length of the robot (m): torques are divided by it first
};

/// What the balance of a joint is divided by to be a linear impulse (N s): a joint that turns
/// balances torques.
template <int T>
inline double joint_scale(const ContactProblem<T>& problem, const Node<T>& node) {
  return is_sliding(node) ? 1.0 : problem.length_scale;
}

/// Velocities and impulses that answer a problem (or a guess at them).
template <int T>
struct Solution {
  Twist<T> root = Twist<T>::Zero();
  std::vector<double> rate;      ///< joint rate of every node but the root (rad/s)
  std::vector<Impulse> impulse;  ///< one per contact
  std::vector<Twist<T>> twist;   ///< of every node; follows from root and rate
  /// Law `rigid` only: the terms that were left when the solver stopped, one per contact. How far
  /// they keep the answer from the set-valued law is `Residual::gap`.
  std::vector<Proximal> proximal;

  /// Room for a problem; new entries are zero.
  void resize(std::size_t nodes, std::size_t contacts) {
    rate.resize(nodes, 0.0);
    twist.resize(nodes, Twist<T>::Zero());
    impulse.resize(contacts);
  }
};

/// Fills `twist` from `root` and `rate`.
template <int T>
COLUBER_EXPORT void update_twists(const ContactProblem<T>& problem, Solution<T>& solution);

extern template void update_twists<3>(const ContactProblem<3>&, Solution<3>&);
extern template void update_twists<6>(const ContactProblem<6>&, Solution<6>&);

}  // namespace coluber::nonsmooth
