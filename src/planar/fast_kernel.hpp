#pragma once

// Nothing but plain data: this header is compiled for several instruction sets at once.

namespace coluber::planar {

/// Obstacle contact of the fast step: frictionless.
struct FastContact {
  int slot = 0;
  double w_0 = 0.0, w_1 = 0.0, w_2 = 0.0;  ///< its column of W
  double b = 0.0, c = 0.0;                 ///< normal law
  double P = 0.0;                          ///< impulse (N s)
  double q = 0.0, k = 0.0;                 ///< law, linearised: P+ = q - k dgamma
};

/// The planar snake as one array a quantity (letters as in planar/snake.hpp). The two halves of the
/// chain run side by side: slot 2 j is a link of the front half, slot 2 j + 1 one of the rear half,
/// j = 0 the tips; the middle link, the root, comes last. The shorter half begins with a massless
/// link, and all arrays are padded with such to whole groups of four.
///
/// In a slot the joint turns its link against the root: its rate is phidot in the front half,
/// -phidot in the rear half, and its twist is (1, s_1, s_2) in both.
///
/// With wheels (planar/wheels.hpp) the friction points are the wheels of a link's shaft, which is
/// eliminated with the link's own block: it touches nothing else.
struct FastArrays {
  int pairs = 0;   ///< slots 0 … 2 pairs - 1 have joints
  int root = 0;    ///< slot of the middle link
  int slots = 0;   ///< with padding
  int points = 0;  ///< friction points a link, 0 to 2
  double mu_1 = 0.0, mu_2 = 0.0;
  double length = 1.0;  ///< of the robot (m)

  // the robot
  double *m = nullptr, *Theta = nullptr;
  double* arm = nullptr;  ///< from the centre to the joint towards the root (m)
  double* a[2] = {};      ///< from the centre to the friction points (m)
  double* b[2] = {};      ///< from the link's axis to the wheels, left positive (m)
  double* J = nullptr;    ///< inertia of the shaft at the rim (kg)
  double *c_t = nullptr, *inverse_c_t = nullptr;  ///< c_T max(mu)² of the law

  // the step
  double *c = nullptr, *s = nullptr, *x = nullptr, *y = nullptr;  ///< pose, from the root's centre
  double *s_1 = nullptr, *s_2 = nullptr;
  double *t_1 = nullptr, *t_2 = nullptr;  ///< arms of the link's axes about the root's centre
  double *u_x = nullptr, *u_y = nullptr, *u_w = nullptr;  ///< velocity at A, then at E
  double *p_0 = nullptr, *p_1 = nullptr, *p_2 = nullptr;  ///< momentum at A, with known impulses
  double *eta_0 = nullptr, *eta_1 = nullptr, *eta_2 = nullptr;  ///< dt times Data::viscosity
  bool viscous = false;                                         ///< they are not all zero
  double *sd = nullptr, *sr = nullptr, *limit = nullptr;
  bool limited = false;                                               ///< some limit is finite
  double *rim_sd = nullptr, *rim_sr = nullptr, *rim_limit = nullptr;  ///< of the shafts
  double* rim_A = nullptr;    ///< speed of the rim at A (m/s)
  bool rims_limited = false;  ///< some rim_limit is finite
  double* R[2] = {};          ///< load (N s)
  double *A_1[2] = {}, *A_2[2] = {};
  double pull_x = 0.0, pull_y = 0.0;  ///< dt times the weight along the slope (N s/kg)
  FastContact* contacts = nullptr;
  int contact_count = 0;

  // the answer
  double root_w = 0.0, root_x = 0.0, root_y = 0.0;
  double* rate = nullptr;
  double* rim = nullptr;  ///< speed of the rim at E (m/s)
  double *T_1[2] = {}, *T_2[2] = {};
  double *w = nullptr, *v_x = nullptr, *v_y = nullptr;  ///< twists at the root's centre
  double *f_x = nullptr, *f_y = nullptr;                ///< impulse of the ground on the link

  // scratch
  double *q_1[2] = {}, *q_2[2] = {}, *k_11[2] = {}, *k_12[2] = {}, *k_22[2] = {};
  double *G_00 = nullptr, *G_01 = nullptr, *G_02 = nullptr;
  double *G_11 = nullptr, *G_12 = nullptr, *G_22 = nullptr;
  double *r_0 = nullptr, *r_1 = nullptr, *r_2 = nullptr;
  double *sd_used = nullptr, *sr_used = nullptr;
  double *V_0 = nullptr, *V_1 = nullptr, *V_2 = nullptr, *e = nullptr;
  double *d_0 = nullptr, *d_1 = nullptr, *d_2 = nullptr;
  double *Z_0 = nullptr, *Z_1 = nullptr, *Z_2 = nullptr;  ///< of the shafts: column over pivot
  double *rim_e = nullptr, *rim_sd_used = nullptr, *rim_sr_used = nullptr;
};

// What the kernels return has no initialisers: a constructor would be a function with external
// linkage, compiled for every instruction set, of which the linker keeps any one. fast_step.cpp
// asserts that there is none.

struct FastSolve {
  double residual;  ///< N s; not finite if a pivot was not positive
  int sweeps;
  bool settled;  ///< within the tolerance, or at the rounding of the laws
};

/// As nonsmooth::Residual (N s).
struct FastResidual {
  double law, rigid_law, momentum;
};

/// As nonsmooth::Rounding (N s).
struct FastRounding {
  double law, momentum;
};

/// Energies and works of a step (J).
struct FastWork {
  double T_A, T_E, friction, gravity;
};

struct FastKernels {
  const char* name;
  /// Joint twists, arms and momenta from pose and velocities.
  void (*prepare)(FastArrays&);
  /// Newton from the guess in rate, root and T, at most `max_sweeps`, to `tolerance` (N s), or to
  /// the rounding of the laws if that is below `lost` (N s).
  FastSolve (*solve)(FastArrays&, double tolerance, double lost, int max_sweeps);
  /// r c_T |P_T - A| (N s); the largest.
  double (*gap)(const FastArrays&);
  /// A <- T
  void (*move_anchors)(FastArrays&);
  /// Of the answer, from nothing the solver keeps.
  FastResidual (*residual)(FastArrays&);
  /// What rounding alone can make of `residual`, which goes before it.
  FastRounding (*rounding)(FastArrays&);
  /// Velocities at E from the twists, impulses on the links, works.
  FastWork (*finish)(FastArrays&);
};

/// For links with wheels, or without.
FastKernels portable_fast_kernels(bool wheels);
#if defined(__x86_64__)
FastKernels avx2_fast_kernels(bool wheels);
#endif

}  // namespace coluber::planar
