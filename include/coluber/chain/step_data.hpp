#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/step_work.hpp"
#include "coluber/core/profile.hpp"
#include "coluber/nonsmooth/contact_problem.hpp"
#include "coluber/nonsmooth/residual.hpp"
#include "coluber/nonsmooth/solver.hpp"

namespace coluber::chain {

/// What the steps of all chains keep: scratch and results of one thread. T as in ContactProblem.
template <int T>
struct StepData {
  nonsmooth::ContactProblem<T> problem;
  nonsmooth::Solution<T> solution, previous;
  nonsmooth::SolverData<T> solver;
  nonsmooth::ResidualData<T> residual;
  std::vector<int> link_of_node;   ///< -1: a massless node between two axes of a joint
  std::vector<int> angle_of_node;  ///< joint angle of the node's axis; -1: the root
  double weight_scale = 1.0;       ///< m_min g (N)
  double Theta_min = 0.0;          ///< least inertia of a link that a joint turns (kg m²)
  double least_mass = 0.0;         ///< contacts take no link to be lighter (kg)
  double way = 0.0;                ///< bound on the way of a link among obstacles in the step (m)
  double obstacle_give = 1.0;      ///< share of the obstacles' compliance in the step
  double load = 0.0;               ///< weight across the slope, g cos(tilt) (N/kg)

  // results of the last step
  Eigen::VectorXd tau;  ///< joint torques, mean over the step (N m)
  StepWork work;
  double kinetic_energy = 0.0;  ///< J, at the end of the step
  /// compute_residual() of the plain step's problem and the step's answer: after every plain step,
  /// and after a fast one with StepOptions::audit.
  std::optional<nonsmooth::Residual> audit;

  Profile* profile = nullptr;  ///< takes the time of a step's parts, if there is one

  /// Room for so many nodes and contacts, so that no later step allocates.
  void reserve(std::size_t nodes, std::size_t contacts) {
    problem.contacts.reserve(contacts);
    for (auto* answer : {&solution, &previous}) {
      answer->impulse.reserve(contacts);
      answer->proximal.reserve(contacts);
      answer->resize(nodes, 0);
    }
    solver.reserve(nodes, contacts);
    for (auto* twists :
         {&residual.twist, &residual.defect, &residual.twist_error, &residual.defect_error}) {
      twists->reserve(nodes);
    }
  }
};

}  // namespace coluber::chain
