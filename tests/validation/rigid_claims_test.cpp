// The set-valued law on the runs behind the claims of reproduce/transeth: every step of every run
// is judged, from the problem at its start and the velocities and impulses at its end.

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include "coluber/planar/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "planar/fast_step.hpp"

namespace coluber {
namespace rigid_claims_test {

using planar::PlanarSystem;

const std::string kFolder = std::string(COLUBER_SOURCE_DIR) + "/reproduce/transeth/";

std::vector<std::string> strings(const toml::node_view<const toml::node>& list) {
  std::vector<std::string> values;
  if (const toml::array* array = list.as_array()) {
    for (const toml::node& value : *array) values.push_back(value.value_or<std::string>(""));
  }
  return values;
}

struct ClaimedRun {
  std::string name;
  std::string scenario;
  std::vector<std::string> set;
};

/// All runs that claims are computed from, negative controls included, in the way the project runs
/// by default.
std::vector<ClaimedRun> claimed_runs() {
  const toml::table file = toml::parse_file(std::string_view(kFolder + "planar.toml"));
  std::vector<std::string> way;
  for (const toml::node& entry : *file["way"].as_array()) {
    const toml::table& table = *entry.as_table();
    if (table["name"].value_or<std::string>("") == "default") way = strings(table["set"]);
  }
  std::vector<ClaimedRun> runs;
  for (const toml::node& entry : *file["run"].as_array()) {
    const toml::table& table = *entry.as_table();
    ClaimedRun run{table["name"].value_or<std::string>(""),
                   table["scenario"].value_or<std::string>(""), way};
    for (const std::string& word : strings(table["set"])) run.set.push_back(word);
    runs.push_back(std::move(run));
  }
  return runs;
}

struct Judgement {
  long steps = 0;
  long fast = 0;      ///< steps done in the fast step
  long touching = 0;  ///< steps in which an obstacle pressed
  double law = 0.0, momentum = 0.0, gap = 0.0, rigid_law = 0.0;  ///< largest
};

/// Stands in front of the controller: sees the system before every step, and so after every step
/// but the last.
class Judge final : public control::Controller {
 public:
  Judge(std::unique_ptr<control::Controller> inner, const PlanarSystem& system)
      : inner_(std::move(inner)), system_(system), data_(system.model()) {}

  void update(const control::ControlInput& input, JointCommand& command) override {
    judge();
    inner_->update(input, command);
    before_ = system_.state();
    command_ = command;
  }

  /// Judges the step since the last update; once more after the last step.
  void judge() {
    if (system_.state().k == before_.k) return;  // no step yet
    ASSERT_EQ(system_.state().k, before_.k + 1);
    const planar::Model& model = system_.model();
    const planar::State& after = system_.state();
    make_problem(model, before_, command_, system_.options(), data_);
    const auto& problem = data_.problem;
    nonsmooth::Solution<3> answer;
    answer.resize(problem.nodes.size(), problem.contacts.size());
    answer.proximal.resize(problem.contacts.size());
    answer.root = after.twist;
    const bool fast = done_fast();
    for (std::size_t node = 0; node < problem.nodes.size(); ++node) {
      const int i = data_.link_of_node[node];
      if (node + 1 < problem.nodes.size()) {
        answer.rate[node] = after.phidot(i > model.base() ? i - 1 : i);
      }
      const int first = problem.nodes[node].first_contact;
      for (int c = first; c < first + problem.nodes[node].contact_count; ++c) {
        const auto index = static_cast<std::size_t>(c);
        const int near = data_.near_of_contact[index];
        if (near >= 0) {
          ASSERT_EQ(after.near[static_cast<std::size_t>(near)].obstacle,
                    data_.next_near[static_cast<std::size_t>(near)].obstacle);
          answer.impulse[index] = after.near[static_cast<std::size_t>(near)].point.x_1;
        } else {
          const int point = i * model.friction_points + (-1 - near);
          answer.impulse[index] = after.ground[static_cast<std::size_t>(point)].x_1;
        }
        answer.proximal[index] =
            fast ? fast_term(i, near) : system_.data().solution.proximal[index];
      }
    }
    const nonsmooth::Residual residual =
        compute_residual(problem, answer, scratch_, nonsmooth::Law::rigid);
    const auto raise = [](double& worst, double value) {
      if (!(value <= worst)) worst = value;  // a NaN stays: nothing is <= it
    };
    raise(seen.law, residual.law);
    raise(seen.momentum, residual.momentum);
    raise(seen.gap, residual.gap);
    raise(seen.rigid_law, residual.rigid_law);
    ++seen.steps;
    seen.fast += fast ? 1 : 0;
    seen.touching += system_.data().obstacle_impulse.norm() > 0.0 ? 1 : 0;
  }

  Judgement seen;

 private:
  /// The fast step leaves its answer in its arrays; after the plain one they differ.
  [[nodiscard]] bool done_fast() const {
    const planar::FastStep& fast = *system_.data().fast;
    const planar::State& after = system_.state();
    if (system_.options().plain || fast.law != nonsmooth::Law::rigid) return false;
    const planar::FastArrays& k = fast.arrays;
    return Eigen::Vector3d(k.root_w, k.root_x, k.root_y) == after.twist;
  }

  /// What was left of the proximal term at a point of link i.
  [[nodiscard]] nonsmooth::Proximal fast_term(int i, int near) const {
    if (near >= 0) return {};  // the fast step has no friction there
    const planar::FastStep& fast = *system_.data().fast;
    const int slot = fast.slot[static_cast<std::size_t>(i)];
    const planar::FastArrays& k = fast.arrays;
    const int p = -1 - near;
    return {k.c_t[slot], {k.A_1[p][slot], k.A_2[p][slot]}};
  }

  std::unique_ptr<control::Controller> inner_;
  const PlanarSystem& system_;
  planar::Data data_;
  planar::State before_;
  JointCommand command_{0};
  nonsmooth::ResidualData<3> scratch_;
};

class RigidLaw : public testing::TestWithParam<bool> {};

TEST_P(RigidLaw, HoldsOnEveryStepOfTheRunsOfTheClaims) {
  const bool plain = GetParam();
  std::set<std::string> pressed;
  for (const ClaimedRun& claimed : claimed_runs()) {
    SCOPED_TRACE(claimed.name);
    scenario::Overrides overrides = claimed.set;
    overrides.emplace_back("solver.law=rigid");
    auto simulation =
        simulation::make_simulation(scenario::load(kFolder + claimed.scenario, overrides));
    {
      const auto& made = dynamic_cast<const PlanarSystem&>(*simulation.system);
      ASSERT_EQ(made.options().law, nonsmooth::Law::rigid);
      planar::StepOptions options = made.options();
      options.plain = plain;
      simulation.system = std::make_unique<PlanarSystem>(made.model(), made.state(), options);
    }
    auto judge = std::make_unique<Judge>(std::move(simulation.controller),
                                         dynamic_cast<const PlanarSystem&>(*simulation.system));
    Judge& judged = *judge;
    simulation.controller = std::move(judge);
    const simulation::RunOutcome outcome = simulation::run(simulation, {});
    judged.judge();
    ASSERT_EQ(outcome.status, simulation::RunStatus::completed) << outcome.message;
    for (const SummaryItem& item : outcome.summary) {
      if (item.name == "failed_steps") {
        EXPECT_EQ(item.number(), 0.0);
      }
      if (item.name == "residual_max") {
        EXPECT_LE(item.number(), 1e-9);
      }
    }
    const Judgement& seen = judged.seen;
    EXPECT_EQ(static_cast<double>(seen.steps),
              std::round(simulation.scenario.duration / simulation.system->dt()));
    EXPECT_LE(seen.law, 1e-9);
    EXPECT_LE(seen.momentum, 1e-9);
    EXPECT_LE(seen.gap, 1e-8);
    EXPECT_LE(seen.rigid_law, 1e-9 + 1e-8) << "the law as it stands, whatever the solver keeps";
    if (plain) {
      EXPECT_EQ(seen.fast, 0);
    } else {
      EXPECT_GT(seen.fast, 9 * seen.steps / 10) << "what a user's run takes";
    }
    if (seen.touching > seen.steps / 10) pressed.insert(claimed.name);
  }
  EXPECT_EQ(pressed.size(), 5U) << "the runs with pegs were meant to press against them";
}

TEST(RigidLawRuns, AreThoseOfAllClaimsFromA1ToA6) {
  // The file the runs above are read from names them for these claims.
  const toml::table file = toml::parse_file(std::string_view(kFolder + "planar.toml"));
  std::set<std::string> there;
  for (const ClaimedRun& run : claimed_runs()) there.insert(run.name);
  std::set<std::string> claims;
  for (const toml::node& entry : *file["claim"].as_array()) {
    const toml::table& table = *entry.as_table();
    const auto id = table["id"].value_or<std::string>("");
    if (id < "transeth.A1" || id >= "transeth.A7") continue;
    claims.insert(id.substr(0, 11));
    EXPECT_EQ(there.count(table["run"].value_or<std::string>("")), 1U) << id;
  }
  EXPECT_EQ(claims.size(), 6U);
}

INSTANTIATE_TEST_SUITE_P(Layout, RigidLaw, testing::Bool(),
                         [](const auto& plain) { return plain.param ? "plain" : "fast"; });

}  // namespace rigid_claims_test
}  // namespace coluber
