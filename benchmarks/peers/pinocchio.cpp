// Pinocchio's inverse dynamics (RNEA) and joint-space inertia (CRBA) on the free-floating chain of
// benchmarks/multibody.cpp: what a locomotion problem takes there at the least, without the solve.
// Prints n, microseconds of both, and of each. Built by hand: it takes minutes
// (docs/benchmarks.md).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>
#include <time.h>

namespace {

/// Bodies of 0.1 m and 0.2 kg; every other joint's axis is turned by 90 degrees about the chain.
pinocchio::Model make_chain(int n) {
  pinocchio::Model model;
  const pinocchio::Inertia inertia(0.2, Eigen::Vector3d(0.05, 0.0, 0.0),
                                   Eigen::Vector3d(2e-5, 1.7e-4, 1.7e-4).asDiagonal());
  pinocchio::JointIndex last =
      model.addJoint(0, pinocchio::JointModelFreeFlyer(), pinocchio::SE3::Identity(), "root");
  model.appendBodyToJoint(last, inertia, pinocchio::SE3::Identity());
  for (int j = 1; j < n; ++j) {
    const double angle = (j % 2 == 1 ? 0.5 : -0.5) * std::numbers::pi;
    const pinocchio::SE3 place(
        Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix(),
        Eigen::Vector3d(0.1, 0.0, 0.0));
    last = model.addJoint(last, pinocchio::JointModelRZ(), place, "joint_" + std::to_string(j));
    model.appendBodyToJoint(last, inertia, pinocchio::SE3::Identity());
  }
  return model;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Fastest of five rounds, in microseconds of CPU time.
template <typename Work>
double time_of(int repeat, const Work& work) {
  double best = 1e300;
  for (int round = 0; round < 5; ++round) {
    const double begin = cpu_seconds();
    for (int k = 0; k < repeat; ++k) work();
    best = std::min(best, 1e6 * (cpu_seconds() - begin) / repeat);
  }
  return best;
}

}  // namespace

int main() {
  for (const int n : {20, 100}) {
    const pinocchio::Model model = make_chain(n);
    pinocchio::Data data(model);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(model.nq);
    Eigen::VectorXd v(model.nv), a(model.nv);
    for (Eigen::Index k = 0; k < model.nv; ++k) {
      v(k) = 0.3 * std::cos(0.7 * static_cast<double>(k));
      a(k) = 0.2 * std::sin(1.3 * static_cast<double>(k));
    }
    q(6) = 1.0;  // quaternion's w
    for (Eigen::Index k = 7; k < model.nq; ++k) q(k) = 0.4 * std::sin(0.5 * static_cast<double>(k));
    const int repeat = 400000 / n;
    const double both = time_of(repeat, [&] {
      pinocchio::rnea(model, data, q, v, a);
      pinocchio::crba(model, data, q, pinocchio::Convention::LOCAL);
    });
    const double rnea = time_of(repeat, [&] { pinocchio::rnea(model, data, q, v, a); });
    const double crba =
        time_of(repeat, [&] { pinocchio::crba(model, data, q, pinocchio::Convention::LOCAL); });
    const double world =
        time_of(repeat, [&] { pinocchio::crba(model, data, q, pinocchio::Convention::WORLD); });
    std::printf("%5d  both %.3f  rnea %.3f  crba %.3f (in world's axes %.3f)\n", n, both, rnea,
                crba, world);
  }
  return 0;
}
