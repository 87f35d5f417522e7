#include "cvode_integrator.hpp"

#include "coluber/core/error.hpp"

#ifdef COLUBER_HAS_CVODE

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include <Eigen/LU>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "coluber/core/assert.hpp"

namespace coluber::math {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

constexpr double kCvodeMinStep = 1e-15;  // s; without one CVODE creeps up to a wall for ever

}  // namespace

/// Factors Newton's matrix and solves with it, for CVODE.
class NewtonSolver {
 public:
  NewtonSolver() = default;
  NewtonSolver(const NewtonSolver&) = delete;
  NewtonSolver& operator=(const NewtonSolver&) = delete;
  virtual ~NewtonSolver() = default;

  /// Null if there is no memory.
  SUNLinearSolver attach(SUNContext context) {
    SUNLinearSolver solver = SUNLinSolNewEmpty(context);
    if (solver == nullptr) return nullptr;
    solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    solver->ops->initialize = [](SUNLinearSolver) { return SUNLS_SUCCESS; };
    solver->ops->setup = [](SUNLinearSolver self, SUNMatrix A) {
      return of(self).setup(SUNDenseMatrix_Data(A)) ? SUNLS_SUCCESS : 1;
    };
    solver->ops->solve = [](SUNLinearSolver self, SUNMatrix /*A*/, N_Vector x, N_Vector b,
                            double /*tolerance*/) {
      of(self).solve(N_VGetArrayPointer(x), N_VGetArrayPointer(b));
      return SUNLS_SUCCESS;
    };
    solver->content = this;
    return solver;
  }

 private:
  static NewtonSolver& of(SUNLinearSolver solver) {
    return *static_cast<NewtonSolver*>(solver->content);
  }
  /// False: singular; CVODE tries a shorter step.
  virtual bool setup(const double* values) = 0;
  virtual void solve(double* x, const double* b) = 0;
};

static bool is_regular(const Eigen::PartialPivLU<Eigen::MatrixXd>& lu) {
  return lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
}

class DenseSolver final : public NewtonSolver {
 public:
  explicit DenseSolver(Eigen::Index size) : size_(size), lu_(size), x_(size) {}

 private:
  bool setup(const double* values) override {
    lu_.compute(Eigen::Map<const Eigen::MatrixXd>(values, size_, size_));
    return is_regular(lu_);
  }
  void solve(double* x, const double* b) override {
    x_.noalias() = lu_.solve(Eigen::Map<const Eigen::VectorXd>(b, size_));
    Map(x, size_) = x_;
  }

  Eigen::Index size_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd x_;
};

/// Newton's matrix of a system of second order, y = (q, v) with dq/dt = v, halved before it is
/// factored:
///   [ I      -gamma I ] (x_q)   (b_q)       x_q = b_q + gamma x_v
///   [ A_vq    A_vv    ] (x_v) = (b_v),      (A_vv + gamma A_vq) x_v = b_v - A_vq b_q.
class HalvedSolver final : public NewtonSolver {
 public:
  explicit HalvedSolver(Eigen::Index half)
      : half_(half), A_vq_(half, half), A_(half, half), lu_(half), x_(half), b_(half) {}

 private:
  bool setup(const double* values) override {
    const Eigen::Map<const Eigen::MatrixXd> A(values, 2 * half_, 2 * half_);
    gamma_ = -A(0, half_);
    A_vq_ = A.bottomLeftCorner(half_, half_);
    A_ = A.bottomRightCorner(half_, half_);
    A_ += gamma_ * A_vq_;
    lu_.compute(A_);
    return is_regular(lu_);
  }

  void solve(double* x, const double* b) override {
    const Eigen::Map<const Eigen::VectorXd> b_q(b, half_);
    const Eigen::Map<const Eigen::VectorXd> b_v(b + half_, half_);
    b_ = b_v;
    b_.noalias() -= A_vq_ * b_q;
    x_.noalias() = lu_.solve(b_);
    Map(x, half_) = b_q + gamma_ * x_;
    Map(x + half_, half_) = x_;
  }

  Eigen::Index half_;
  double gamma_ = 0.0;
  Eigen::MatrixXd A_vq_, A_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd x_, b_;
};

static std::unique_ptr<NewtonSolver> make_solver(Structure structure, Eigen::Index size) {
  if (structure == Structure::second_order) {
    COLUBER_ASSERT(size % 2 == 0, size);
    return std::make_unique<HalvedSolver>(size / 2);
  }
  return std::make_unique<DenseSolver>(size);
}

struct CvodeIntegrator::Memory {
  Ode& ode;
  Eigen::Index size;
  SUNContext context = nullptr;
  void* cvode = nullptr;
  N_Vector y = nullptr, between = nullptr;
  SUNMatrix matrix = nullptr;
  std::unique_ptr<NewtonSolver> newton;
  SUNLinearSolver solver = nullptr;
  std::int64_t* evaluations = nullptr;
  std::exception_ptr thrown;  // by the equations: not to pass through a C library

  Memory(Ode& equations, Eigen::Index length, double rtol, double atol, Structure structure)
      : ode(equations), size(length), newton(make_solver(structure, length)) {
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(size, context);
    between = N_VNew_Serial(size, context);
    if (y != nullptr) N_VConst(0.0, y);
    cvode = CVodeCreate(CV_BDF, context);
    matrix = SUNDenseMatrix(size, size, context);
    solver = newton->attach(context);
    const bool good = context != nullptr && y != nullptr && between != nullptr &&
                      cvode != nullptr && matrix != nullptr && solver != nullptr &&
                      CVodeSetErrHandlerFn(cvode, silence, nullptr) == CV_SUCCESS &&
                      CVodeInit(cvode, rate, 0.0, y) == CV_SUCCESS &&
                      CVodeSetUserData(cvode, this) == CV_SUCCESS &&
                      CVodeSStolerances(cvode, rtol, atol) == CV_SUCCESS &&
                      CVodeSetMinStep(cvode, kCvodeMinStep) == CV_SUCCESS &&
                      CVodeSetLinearSolver(cvode, solver, matrix) == CV_SUCCESS &&
                      CVodeSetJacFn(cvode, jacobian) == CV_SUCCESS;
    if (!good) {
      release();
      throw Error("CVODE could not be set up");
    }
  }
  ~Memory() { release(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void release() {
    if (cvode != nullptr) CVodeFree(&cvode);
    if (solver != nullptr) SUNLinSolFreeEmpty(solver);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    if (between != nullptr) N_VDestroy(between);
    if (y != nullptr) N_VDestroy(y);
    if (context != nullptr) SUNContext_Free(&context);
  }

  [[nodiscard]] Map values(N_Vector vector) const { return {N_VGetArrayPointer(vector), size}; }

  static int rate(double t, N_Vector y, N_Vector ydot, void* self) {
    auto& memory = *static_cast<Memory*>(self);
    ++*memory.evaluations;
    try {
      return memory.ode.compute_rate(t, memory.values(y), memory.values(ydot)) ? 0 : 1;
    } catch (...) {
      memory.thrown = std::current_exception();
      return -1;
    }
  }
  static int jacobian(double t, N_Vector y, N_Vector ydot, SUNMatrix J, void* self,
                      N_Vector /*scratch*/, N_Vector /*scratch*/, N_Vector /*scratch*/) {
    auto& memory = *static_cast<Memory*>(self);
    *memory.evaluations += memory.size;
    try {
      const Eigen::Map<Eigen::MatrixXd> columns(SUNDenseMatrix_Data(J), memory.size, memory.size);
      return memory.ode.compute_jacobian(t, memory.values(y), memory.values(ydot), columns) ? 0 : 1;
    } catch (...) {
      memory.thrown = std::current_exception();
      return -1;
    }
  }
  static void silence(int /*code*/, const char* /*module*/, const char* /*function*/,
                      char* /*message*/, void* /*data*/) {}
};

CvodeIntegrator::CvodeIntegrator(Ode& ode, Eigen::Index size, double rtol, double atol,
                                 Structure structure)
    : memory_(std::make_unique<Memory>(ode, size, rtol, atol, structure)) {
  memory_->evaluations = &evaluations_;
}

CvodeIntegrator::~CvodeIntegrator() = default;

bool CvodeIntegrator::is_built() { return true; }

void CvodeIntegrator::restart(double t, const Eigen::Ref<const Eigen::VectorXd>& y) {
  memory_->values(memory_->y) = y;
  CVodeReInit(memory_->cvode, t, memory_->y);
  t_ = t;
  started_ = false;
  ++restarts_;
}

Advance CvodeIntegrator::advance(double t_stop) {
  // A stop once set cannot be taken back: one that is never reached stands for none. The target
  // gives the direction, and bounds the first step.
  constexpr double never = 1e300;
  CVodeSetStopTime(memory_->cvode, std::min(t_stop, never));
  double t = t_;
  const int flag = CVode(memory_->cvode, std::min(t_stop, t_ + 1.0), memory_->y, &t, CV_ONE_STEP);
  if (memory_->thrown) {
    const std::exception_ptr thrown = std::exchange(memory_->thrown, nullptr);
    std::rethrow_exception(thrown);
  }
  switch (flag) {
    case CV_SUCCESS:
    case CV_TSTOP_RETURN:
      t_ = flag == CV_TSTOP_RETURN ? t_stop : t;
      started_ = true;
      ++steps_;
      return Advance::ok;
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_RHSFUNC_FAIL:
      return Advance::non_finite;
    case CV_ERR_FAILURE:
      return Advance::error_test;
    case CV_CONV_FAILURE:
      return Advance::newton;
    default:
      return Advance::other;
  }
}

void CvodeIntegrator::interpolate(double t, Eigen::Ref<Eigen::VectorXd> y) const {
  if (!started_ || t == t_) {
    y = memory_->values(memory_->y);
    return;
  }
  const int flag = CVodeGetDky(memory_->cvode, t, 0, memory_->between);
  COLUBER_ASSERT(flag == CV_SUCCESS, flag, t, t_);
  static_cast<void>(flag);
  y = memory_->values(memory_->between);
}

}  // namespace coluber::math

#else

namespace coluber::math {

struct CvodeIntegrator::Memory {};

CvodeIntegrator::CvodeIntegrator(Ode& /*ode*/, Eigen::Index /*size*/, double /*rtol*/,
                                 double /*atol*/, Structure /*structure*/) {
  throw Error("this integration needs CVODE, which this build of Coluber does not have");
}
CvodeIntegrator::~CvodeIntegrator() = default;
bool CvodeIntegrator::is_built() { return false; }
void CvodeIntegrator::restart(double t, const Eigen::Ref<const Eigen::VectorXd>& /*y*/) {
  t_ = t;
  started_ = false;
}
Advance CvodeIntegrator::advance(double /*t_stop*/) { return Advance::other; }
void CvodeIntegrator::interpolate(double /*t*/, Eigen::Ref<Eigen::VectorXd> /*y*/) const {}

}  // namespace coluber::math

#endif
