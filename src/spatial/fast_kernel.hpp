#pragma once

// Nothing but plain data: this header is compiled for several instruction sets at once.

namespace coluber::spatial {

/// Contact with a vertical cylinder in the fast step. Its frame is (n, t, e_z), horizontal normal
/// and tangent t = e_z x n, then the vertical.
struct FastContact {
  int slot = 0;
  int next = -1;                           ///< another one in the same pair of slots
  double a_x = 0.0, a_y = 0.0, a_z = 0.0;  ///< where it touches, from the root's centre (m)
  double n_x = 1.0, n_y = 0.0;
  double mu = 0.0;
  double b = 0.0, c = 0.0;  ///< normal law
  double c_t = 0.0;         ///< c_T mu² of the law
  double A_1 = 0.0, A_2 = 0.0;
  double N = 0.0, T_1 = 0.0, T_2 = 0.0;  ///< impulse, scaled (N s)
  // laws, linearised: P+ = q - K dgamma (nonsmooth/contact_law.hpp)
  double q_N = 0.0, k_N = 0.0, q_1 = 0.0, q_2 = 0.0, n_1 = 0.0, n_2 = 0.0;
  double k_11 = 0.0, k_12 = 0.0, k_22 = 0.0;
};

/// b of a point that is not in the problem (m/s).
inline constexpr double kFar = 1e30;

/// Slots that are stored together.
inline constexpr int kGroup = 8;

/// What a disc-shaped law of two components keeps: impulse, anchor, linearisation.
struct FastDisc {
  double T_1[kGroup], T_2[kGroup];  ///< impulse, scaled
  double A_1[kGroup], A_2[kGroup];
  double q_1[kGroup], q_2[kGroup], n_1[kGroup], n_2[kGroup], k_11[kGroup], k_12[kGroup],
      k_22[kGroup];
};

/// One end sphere on the ground.
struct FastPoint {
  double s[kGroup];                 ///< from the centre along the link (m)
  double b[kGroup];                 ///< b of the normal law (m/s); kFar: not near
  double N[kGroup];                 ///< impulse (N s)
  double q_N[kGroup], k_N[kGroup];  ///< normal law, linearised
  FastDisc sliding;
};

/// Eight slots of the chain, every quantity eight times (letters as in spatial/snake.hpp). What is
/// used together lies together: a step reads a group from front to back.
struct alignas(64) FastGroup {
  double e[3][kGroup], r[3][kGroup];  ///< long axis; centre, from the root's
  double f_c[kGroup], f_s[kGroup];    ///< horizontal direction of the link
  double w[3][kGroup], v[3][kGroup];  ///< twist
  double L_SC[kGroup];
  double c[kGroup], inverse_c[kGroup];  ///< of the normal law
  FastPoint point[2];                   ///< rear, front
  double m[kGroup], Theta_psi[kGroup];
  double Theta_d[kGroup];                                 ///< Theta_rho - Theta_psi
  double u_v[3][kGroup], u_l[3][kGroup], u_w[3][kGroup];  ///< v, l, omega at A
  /// Increments of the twist; later the defect of the link's momentum; in the end, d_w is the
  /// impulse of the ground on the link.
  double d_w[3][kGroup], d_v[3][kGroup];
  // joints, by axis
  double sd[2][kGroup], sr[2][kGroup], rate[2][kGroup], limit[2][kGroup];
  double e_joint[2][kGroup];
  double sd_used[2][kGroup], sr_used[2][kGroup];
  double arm[kGroup];  ///< from the centre to the joint towards the root (m)
  double out[kGroup];  ///< from the centre to the other joint (m)
  // rolling friction
  double arm_V[kGroup];                     ///< mu_V L_SC
  double mu_V[kGroup];                      ///< scale of the law, squared
  double c_V[kGroup], inverse_c_V[kGroup];  ///< c_T mu_V of the law
  FastDisc rolling[2];
};

/// The snake in space as groups of slots. The two halves of the chain run side by side: slot 2
/// j is a link of the front half, slot 2 j + 1 one of the rear half, j = 0 the tips; the middle
/// link, the root, comes last. The shorter half begins with a massless link, and the last group is
/// padded with such.
///
/// Twists are taken at the root's centre, in world axes. A joint with two axes has number 0 on the
/// side of its link, number 1 on the side of the root; of a joint with one axis that is number 0.
struct FastArrays {
  int n = 0, base = 0;  ///< links; the middle one
  int pairs = 0;        ///< slots 0 … 2 pairs - 1 have joints
  int root = 0;         ///< slot of the middle link
  int slots = 0;        ///< with padding
  int axes = 1;
  bool sliding = false;  ///< the ground has friction
  bool rolling = false;  ///< and resists rolling
  double mu_1 = 0.0, mu_2 = 0.0;
  double length = 1.0;      ///< of the robot (m)
  double root_out[2] = {};  ///< from the root's centre to its two joints (m)
  double share_T = 1.0;     ///< c_T max(mu)² of the law over c, sliding

  // the step
  double dt = 0.0;
  double near = 0.0;                  ///< points closer than this are in the problem (m)
  double beta = 0.0, push_out = 0.0;  ///< of the landing rule (–, m/s)
  double upright = 0.0;               ///< horizontal part of a link that has no direction (–)
  double origin_z = 0.0;              ///< height of the root's centre (m)
  double pull[3] = {};                ///< dt times the weight (N s/kg)
  double root_axes[9] = {};
  bool limited = false;  ///< some servo has a limit
  FastContact* contacts = nullptr;
  int contact_count = 0;
  int* first_contact = nullptr;  ///< by pair; -1: none

  double root_twist[6] = {};  ///< the answer, with the groups' rates and impulses
  FastGroup* groups = nullptr;
  const int* memory_at = nullptr;  ///< by slot, where its points' memory is (bytes); -1: no link
  double *sine = nullptr, *cosine = nullptr;  ///< of the joint angles, in their order
  double* by_angle[4] = {};                   ///< sd, sr, limit and rate in the same order
  // By pair and axis, both halves and both kinds of rows: torque front, torque rear, force front,
  // force rear.
  double* s = nullptr;  ///< joint twists, 3 × 4
  double* V = nullptr;  ///< pivot columns, as s
};

/// Where the state, the command and the results keep what the arrays are filled from and emptied
/// into: three numbers a link, one a joint angle.
struct FastState {
  double *v, *omega, *l, *ground_impulse;
  const double *phi, *tau, *k_P, *phi_d, *k_D, *phidot_d, *tau_max;
  double *phidot, *phidot_2, *phidot_3;
  double* torque;
  bool three;             ///< steps of history
  double Theta_min;       ///< as chain::StepData's
  unsigned char* memory;  ///< of 2 n ground points, as FastMemory says
};

/// Where a ContactMemory has what (bytes); fast_step.cpp asserts it.
struct FastMemory {
  static constexpr int size = 176;
  static constexpr int last_active = 8, sliding = 16, rolling = 96;
  static constexpr int impulse = 24, closed = 72;  ///< in `sliding` and `rolling`
};

// What the kernels return has no initialisers: a constructor would be a function with external
// linkage, compiled for every instruction set, of which the linker keeps any one. fast_step.cpp
// asserts that there is none.

/// As nonsmooth::Residual (N s).
struct FastResidual {
  double law, rigid_law, momentum;
};

struct FastSolve {
  FastResidual residual;  ///< of the answer, from nothing the sweeps keep
  int sweeps;
  bool settled;
};

/// Energies and works of a step (J).
struct FastWork {
  double T_A, T_E, friction, contact, gravity, servo, positive;
};

/// Ground points of all links.
struct FastGround {
  double deepest;  ///< penetration (m)
  bool all_near;
};

struct FastKernels {
  const char* name;
  int lanes;
  /// Poses and joint twists from the root's axes and the angles. False if an angle is too large for
  /// its sine.
  bool (*place)(FastArrays&, const FastState&);
  /// Gaps and frames of the ground points.
  FastGround (*find_ground)(FastArrays&);
  /// Velocities at A, servos and the guess of the rates.
  void (*load_motion)(FastArrays&, const FastState&);
  /// Guess and anchors of the ground points, if all of them are near and were.
  void (*recall)(FastArrays&, const FastState&);
  /// Newton from the guess in rate, root_twist and the impulses, at most `max_sweeps`, until the
  /// laws hold to `tolerance` and the momentum to `good` (N s).
  FastSolve (*solve)(FastArrays&, double tolerance, double good, int max_sweeps);
  /// r c_T |P_T - A| (N s) of sliding and rolling; the largest over closed points.
  double (*gap)(const FastArrays&);
  /// A <- T
  void (*move_anchors)(FastArrays&);
  /// Velocities at E from the twists, impulses on the links, torques, works; the older rates move
  /// down.
  FastWork (*finish)(FastArrays&, const FastState&);
  /// Impulses to the memory of the ground points, as `recall`. Returns how many points are closed.
  int (*remember)(const FastArrays&, const FastState&);
};

FastKernels portable_fast_kernels();
#if defined(__x86_64__)
FastKernels avx2_fast_kernels();
/// With four lanes and 32 registers, and with eight lanes.
FastKernels avx512vl_fast_kernels();
FastKernels avx512_fast_kernels();
#endif

}  // namespace coluber::spatial
