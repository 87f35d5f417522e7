#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace coluber::app {

/// A key that has not the same value in all of several scenarios.
struct KeyDifference {
  std::string key;                  ///< dotted: gait.amplitude_deg
  std::vector<std::string> values;  ///< one a scenario, as one writes them; "–" where it is not set
  bool counted = false;             ///< the values say what they are: "9 obstacles"
};

/// The keys in which resolved scenarios (`scenario.resolved` of run.json) differ, `title` apart,
/// which is said elsewhere. Lists of tables are counted.
std::vector<KeyDifference> differing_keys(const std::vector<nlohmann::ordered_json>& scenarios);

/// "one: gait.amplitude_deg = 40, solver.dt = 0.001" of one of them, for a legend of a picture of
/// this width; as many as fit, then an ellipsis; `whole` becomes false where some are left out.
std::string run_label(const std::string& name, const std::vector<KeyDifference>& differences,
                      std::size_t scenario, double width_cm, bool& whole);

}  // namespace coluber::app
