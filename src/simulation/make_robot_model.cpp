#include "coluber/simulation/make_robot_model.hpp"

#include "coluber/core/error.hpp"
#include "coluber/simulation/make_planar.hpp"

namespace coluber::simulation {

std::unique_ptr<System> make_robot_model(const scenario::Scenario& scenario,
                                         const Eigen::VectorXd& start_phi,
                                         std::vector<std::string>& warnings) {
  return make_planar(scenario, start_phi, warnings);
}

}  // namespace coluber::simulation
