// The peers' scene with Siconos' numerics. Siconos solves contact problems; the robot around it is
// this file's, as in the codes of those who work with it: joint coordinates (link 1 free, then the
// yaw angles), the mass matrix of composite bodies, dense matrices, Moreau's time stepping. A step
// is timed in full. Double precision.
//
// Every step Siconos is given the friction-contact problem of that step, normal first,
//   gamma = W P + q,  W = J (M + D)^-1 J^T,  0 <= gamma_N + g/dt  perpendicular to  P_N >= 0,
//   Coulomb's law with the disc of radius mu P_N,
// over the points that are nearer than 5 mm, and the impulses of the last step to start from. The
// servos are implicit: D = dt (k_D + dt k_P) on the joints' diagonal, torques at the step's end.
// A step has failed if Siconos says so.
//
// The loads of a rigid robot on a rigid floor are not determined, and where the robot goes depends
// on them: Gauss-Seidel that starts from the last impulses lets the weight wander to few points,
// and the robot with it. With a small compliance c, gamma_N + g/dt + c P_N in place of gamma_N +
// g/dt, they are shared evenly: an independent answer to what Coluber computes.
//
// Settings:
//   solver=nsgs|nsn|admm|global  block Gauss-Seidel (default), Alart-Curnier's Newton method, ADMM;
//                     global: ADMM for the problem with M and J as they are (GFC3D)
//   tolerance=        relative to |q|; as Siconos has it: 1e-4 for nsgs
//   iterations=       at most so many; as Siconos has it: 1000 for nsgs
//   local=hybrid|newton  the solver of one contact in nsgs: Siconos' default, or plain Newton steps
//                     (SICONOS_FRICTION_3D_ONECONTACT_NSN)
//   compliance=0      c, 1/kg
#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/GlobalFrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>

#include "driver.hpp"

#ifndef SICONOS_VERSION  // in no header; the build says " 4.4.0"
#define SICONOS_VERSION ""
#endif

// of OpenBLAS, if that is the BLAS behind Siconos
extern "C" __attribute__((weak)) void openblas_set_num_threads(int count);

namespace {

using Eigen::Index;
using Eigen::Matrix;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using peers::Job;
using Vector6d = Matrix<double, 6, 1>;

constexpr double near = 5e-3;  // m

Matrix3d cross(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

class World {
 public:
  World(const Job& job, const peers::References& references, peers::Settings& settings)
      : references_(references),
        cylinders_(peers::load_cylinders(job)),
        n_(job.n),
        dofs_(job.n + 5) {
    const auto solver = settings.word("solver", "nsgs", {"nsgs", "nsn", "admm", "global"});
    const double tolerance = settings.number("tolerance", 0.0);
    const int iterations = static_cast<int>(settings.number("iterations", 0));
    const bool newton = settings.word("local", "hybrid", {"hybrid", "newton"}) == "newton";
    compliance_ = settings.number("compliance", 0.0);
    global_ = solver == "global";
    options_ = solver_options_create(solver == "nsgs"   ? SICONOS_FRICTION_3D_NSGS
                                     : solver == "nsn"  ? SICONOS_FRICTION_3D_NSN_AC
                                     : solver == "admm" ? SICONOS_FRICTION_3D_ADMM
                                                        : SICONOS_GLOBAL_FRICTION_3D_ADMM);
    if (tolerance > 0) options_->dparam[SICONOS_DPARAM_TOL] = tolerance;
    if (iterations > 0) options_->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    if (newton) solver_options_update_internal(options_, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN);

    const auto g = peers::scene_gravity(job);
    gravity_ = Vector3d(g.x, g.y, g.z);
    const peers::LinkPose first = peers::start_poses(job).front();
    r_0_ = Vector3d(first.x, first.y, first.z);
    R_0_ = Eigen::AngleAxisd(job.turned, Vector3d::UnitZ()).toRotationMatrix();
    phi_ = VectorXd::Zero(n_ - 1);
    for (Index i = 0; i + 1 < n_; ++i) phi_(i) = references.phi(0)[i];
    u_ = VectorXd::Zero(dofs_);
    links_.resize(static_cast<std::size_t>(n_));
    memory_.assign(static_cast<std::size_t>(2 * n_) * (1 + cylinders_.size()), Vector3d::Zero());
    M_ = MatrixXd::Zero(dofs_, dofs_);
    h_ = VectorXd::Zero(dofs_);
    update_links();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() { solver_options_delete(options_); }

  void step(int k) {
    compute_mass_matrix();
    compute_bias();
    find_contacts();

    // free motion: (M + D) u = M u_A + dt (k_P (phi_d - phi) + k_D phi_d' - h)
    VectorXd& f = right_;
    f.noalias() = M_ * u_ - peers::dt * h_;
    for (Index i = 0; i + 1 < n_; ++i) {
      f(6 + i) += peers::dt * (peers::k_P * (references_.phi(k)[i] - phi_(i)) +
                               peers::k_D * references_.rate(k)[i]);
      M_(6 + i, 6 + i) += peers::dt * (peers::k_D + peers::dt * peers::k_P);
    }
    failed_ = false;
    iterations_ = 0;
    if (contacts_.empty()) {
      factor_.compute(M_);
      u_ = factor_.solve(f);
    } else {
      compute_jacobian();
      global_ ? solve_global() : solve_reduced();
      for (std::size_t c = 0; c < contacts_.size(); ++c) {
        memory_[contacts_[c].key] = P_.segment<3>(static_cast<Index>(3 * c));
      }
    }

    r_0_ += peers::dt * u_.head<3>();
    const Vector3d turn = peers::dt * u_.segment<3>(3);
    if (turn.norm() > 0) {
      R_0_ = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() * R_0_;
    }
    phi_ += peers::dt * u_.tail(n_ - 1);
    update_links();
  }

  [[nodiscard]] std::vector<peers::LinkPose> poses() const {
    std::vector<peers::LinkPose> poses;
    for (const Link& link : links_) {
      const Vector3d e = link.R.col(0);
      poses.push_back({link.r.x(), link.r.y(), link.r.z(), e.x(), e.y(), e.z()});
    }
    return poses;
  }
  [[nodiscard]] int contacts() const { return static_cast<int>(contacts_.size()); }
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  struct Link {
    Vector3d r;      // centre
    Matrix3d R;      // columns are its axes; the third is its joint's axis
    Vector3d joint;  // where it hangs on the link before
  };
  struct Contact {
    std::size_t link, key;
    Vector3d point, normal;
    double gap;
  };

  void update_links() {
    Link& first = links_.front();
    first.r = r_0_;
    first.R = R_0_;
    first.joint = r_0_;
    for (std::size_t i = 1; i < links_.size(); ++i) {
      const Link& before = links_[i - 1];
      Link& link = links_[i];
      const double c = std::cos(phi_(static_cast<Index>(i - 1)));
      const double s = std::sin(phi_(static_cast<Index>(i - 1)));
      link.R.col(0) = c * before.R.col(0) + s * before.R.col(1);
      link.R.col(1) = c * before.R.col(1) - s * before.R.col(0);
      link.R.col(2) = before.R.col(2);
      link.joint = before.r + peers::length / 2 * before.R.col(0);
      link.r = link.joint + peers::length / 2 * link.R.col(0);
    }
  }

  [[nodiscard]] static Matrix3d inertia(const Link& link) {
    const Vector3d e = link.R.col(0);
    return peers::inertia * Matrix3d::Identity() +
           (peers::inertia_axial - peers::inertia) * e * e.transpose();
  }

  // Composite bodies, everything about the centre of link 1 in the scene's axes: the momentum of
  // all links from i on when joint i turns at rate 1, projected on the joints before.
  void compute_mass_matrix() {
    const Vector3d o = r_0_;
    double mass = 0.0;
    Vector3d first = Vector3d::Zero();   // sum m c
    Matrix3d second = Matrix3d::Zero();  // inertia about o
    for (Index i = n_ - 1; i >= 0; --i) {
      const Link& link = links_[static_cast<std::size_t>(i)];
      const Vector3d c = link.r - o;
      mass += peers::mass;
      first += peers::mass * c;
      second += inertia(link) +
                peers::mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
      if (i == 0) break;
      const Vector3d a = link.R.col(2);
      const Vector3d v = (link.joint - o).cross(a);  // velocity at o
      const Vector3d momentum = mass * v + a.cross(first);
      const Vector3d spin = second * a + first.cross(v);
      M_.block<3, 1>(0, 5 + i) = momentum;
      M_.block<3, 1>(3, 5 + i) = spin;
      for (Index j = 1; j <= i; ++j) {
        const Link& other = links_[static_cast<std::size_t>(j)];
        const Vector3d b = other.R.col(2);
        M_(5 + j, 5 + i) = b.dot(spin) + momentum.dot((other.joint - o).cross(b));
      }
    }
    M_.topLeftCorner<3, 3>() = mass * Matrix3d::Identity();
    M_.block<3, 3>(0, 3) = -cross(first);
    M_.block<3, 3>(3, 3) = second;
    M_.triangularView<Eigen::StrictlyLower>() = M_.transpose();
  }

  // h: what the links' accelerations at unchanged u, and gravity, demand.
  void compute_bias() {
    std::vector<Vector3d>& force = force_;
    std::vector<Vector3d>& moment = moment_;
    force.resize(links_.size());
    moment.resize(links_.size());
    Vector3d w = u_.segment<3>(3), alpha = Vector3d::Zero(), a = -gravity_;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Link& link = links_[i];
      if (i > 0) {
        const Vector3d to_joint = link.joint - links_[i - 1].r;
        a += alpha.cross(to_joint) + w.cross(w.cross(to_joint));
        const Vector3d turn = u_(5 + static_cast<Index>(i)) * link.R.col(2);
        alpha += w.cross(turn);
        w += turn;
        const Vector3d to_centre = link.r - link.joint;
        a += alpha.cross(to_centre) + w.cross(w.cross(to_centre));
      }
      const Matrix3d I = inertia(link);
      force[i] = peers::mass * a;
      moment[i] = I * alpha + w.cross(I * w);
    }
    Vector3d F = Vector3d::Zero(), N = Vector3d::Zero();  // N about the centre of link 1
    for (std::size_t i = links_.size(); i-- > 0;) {
      const Link& link = links_[i];
      F += force[i];
      N += moment[i] + (link.r - r_0_).cross(force[i]);
      if (i > 0) {
        h_(5 + static_cast<Index>(i)) = link.R.col(2).dot(N - (link.joint - r_0_).cross(F));
      }
    }
    h_.head<3>() = F;
    h_.segment<3>(3) = N;
  }

  void find_contacts() {
    contacts_.clear();
    const std::size_t keys = 1 + cylinders_.size();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      for (const std::size_t side : {0U, 1U}) {
        const Vector3d centre =
            links_[i].r + (side == 0 ? -1 : 1) * peers::half_core * links_[i].R.col(0);
        const std::size_t key = (2 * i + side) * keys;
        const auto add = [&](std::size_t which, const Vector3d& normal, double gap) {
          contacts_.push_back({i, key + which, centre - peers::radius * normal, normal, gap});
        };
        if (centre.z() - peers::radius < near) {
          add(0, Vector3d::UnitZ(), centre.z() - peers::radius);
        } else {
          memory_[key].setZero();
        }
        for (std::size_t c = 0; c < cylinders_.size(); ++c) {
          const Vector3d d(centre.x() - cylinders_[c].x, centre.y() - cylinders_[c].y, 0);
          const double reach = peers::radius + cylinders_[c].radius;
          if (d.squaredNorm() < (reach + near) * (reach + near)) {
            add(1 + c, d.normalized(), d.norm() - reach);
          } else {
            memory_[key + 1 + c].setZero();
          }
        }
      }
    }
  }

  // Columns of J^T: what an impulse along the normal and the two tangents does to each velocity.
  void compute_jacobian() {
    const auto rows = static_cast<Index>(3 * contacts_.size());
    H_.setZero(dofs_, rows);
    P_.resize(rows);
    gap_.setZero(rows);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const Contact& contact = contacts_[c];
      Matrix3d axes;
      axes.col(0) = contact.normal;
      axes.col(1) = std::abs(contact.normal.z()) > 0.5 ? Vector3d(Vector3d::UnitX())
                                                       : Vector3d(Vector3d::UnitZ());
      axes.col(2) = axes.col(0).cross(axes.col(1));
      const auto at = static_cast<Index>(3 * c);
      H_.block<3, 3>(0, at) = axes;
      H_.block<3, 3>(3, at) = cross(contact.point - r_0_) * axes;
      for (std::size_t j = 1; j <= contact.link; ++j) {
        const Vector3d v = links_[j].R.col(2).cross(contact.point - links_[j].joint);
        H_.block<1, 3>(5 + static_cast<Index>(j), at) = v.transpose() * axes;
      }
      P_.segment<3>(at) = memory_[contact.key];
      gap_(at) = contact.gap / peers::dt;
    }
    mu_.assign(contacts_.size(), peers::friction);
    gamma_.resize(rows);
  }

  void note(int info) {
    failed_ = info != 0;
    iterations_ = options_->iparam[SICONOS_IPARAM_ITER_DONE];
  }

  void solve_reduced() {
    factor_.compute(M_);
    X_ = H_;
    factor_.matrixL().solveInPlace(X_);
    W_.noalias() = X_.transpose() * X_;
    for (Index c = 0; c < W_.rows(); c += 3) W_(c, c) += compliance_;
    y_ = right_;
    factor_.matrixL().solveInPlace(y_);
    q_.noalias() = X_.transpose() * y_ + gap_;

    const auto rows = static_cast<int>(q_.size());
    NumericsMatrix* W = NM_create_from_data(NM_DENSE, rows, rows, W_.data());
    FrictionContactProblem problem{};
    problem.dimension = 3;
    problem.numberOfContacts = static_cast<int>(contacts_.size());
    problem.M = W;
    problem.q = q_.data();
    problem.mu = mu_.data();
    note(fc3d_driver(&problem, P_.data(), gamma_.data(), options_));
    NM_clear_not_dense(W);
    std::free(W);

    y_.noalias() += X_ * P_;
    factor_.matrixU().solveInPlace(y_);
    u_ = y_;
  }

  // M v = q + H P,  gamma = H^T v + b
  void solve_global() {
    const auto size = static_cast<int>(dofs_), rows = static_cast<int>(P_.size());
    const auto sparse = [](const MatrixXd& matrix) {
      NumericsMatrix* to =
          NM_create(NM_SPARSE, static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()));
      NM_triplet_alloc(to, matrix.size());
      for (Index j = 0; j < matrix.cols(); ++j) {
        for (Index i = 0; i < matrix.rows(); ++i) {
          if (matrix(i, j) != 0) {
            NM_entry(to, static_cast<int>(i), static_cast<int>(j), matrix(i, j));
          }
        }
      }
      return to;
    };
    GlobalFrictionContactProblem problem{};
    problem.dimension = 3;
    problem.numberOfContacts = static_cast<int>(contacts_.size());
    problem.M = sparse(M_);
    problem.H = sparse(H_);
    problem.q = right_.data();
    problem.b = gap_.data();
    problem.norm_q = right_.norm();
    problem.norm_b = gap_.norm();
    problem.mu = mu_.data();
    y_.resize(size);
    y_ = u_;
    gamma_.resize(rows);
    note(gfc3d_driver(&problem, P_.data(), gamma_.data(), y_.data(), options_));
    NM_clear(problem.M);
    NM_clear(problem.H);
    std::free(problem.M);
    std::free(problem.H);
    u_ = y_;
  }

  const peers::References& references_;
  std::vector<peers::Cylinder> cylinders_;
  Index n_, dofs_;
  bool global_ = false, failed_ = false;
  int iterations_ = 0;
  double compliance_ = 0.0;
  SolverOptions* options_ = nullptr;
  Vector3d gravity_;

  Vector3d r_0_;  // link 1
  Matrix3d R_0_;
  VectorXd phi_, u_;  // angles; velocity and spin of link 1, then the angles' rates
  std::vector<Link> links_;
  std::vector<Vector3d> memory_;  // impulses of the last step

  std::vector<Contact> contacts_;
  std::vector<Vector3d> force_, moment_;
  std::vector<double> mu_;
  MatrixXd M_, H_, X_, W_;
  VectorXd h_, right_, y_, q_, P_, gamma_, gap_;
  Eigen::LLT<MatrixXd> factor_;
};

}  // namespace

int main(int argc, char** argv) {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  return peers::drive<World>("Siconos numerics" SICONOS_VERSION, argc, argv);
}
