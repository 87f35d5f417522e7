#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <time.h>

#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "bench_row.hpp"
#include "bench_scenes.hpp"
#include "command.hpp"
#include "data_dir.hpp"
#include "profile_table.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

using Json = nlohmann::ordered_json;

struct BenchArguments {
  std::vector<std::string> names;
  std::vector<int> n;  // empty: each scene's own
  int repeat = 5;
  bool json = false;
  std::filesystem::path scenes;  // empty: those of Coluber
};

// Mean of the links' centres seen from above, in a frame of the system.
Eigen::Vector2d compute_centre(const Shown& shown, std::span<const double> values) {
  std::size_t at = 0;
  for (const Observable& observable : shown.observables()) {
    if (observable.name == "link_position" && observable.shape.size() == 2 &&
        observable.shape[0] > 0 && observable.shape[1] >= 2) {
      const auto axes = static_cast<std::size_t>(observable.shape.at(1));
      const auto links = static_cast<std::size_t>(observable.shape.at(0));
      Eigen::Vector2d sum = Eigen::Vector2d::Zero();
      for (std::size_t i = 0; i < links; ++i) {
        sum += Eigen::Vector2d(values[at + i * axes], values[at + i * axes + 1]);
      }
      return sum / static_cast<double>(links);
    }
    at += static_cast<std::size_t>(observable.size());
  }
  return Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN());
}

// Counts the contacts of every step: those the system shows, and the points on the ground that a
// model has without showing them. Sees how far the robot came.
class ContactCounter final : public simulation::FrameSink {
 public:
  // `watched`: a dataset whose largest size is wanted; "": none.
  ContactCounter(int ground_points, std::string watched)
      : ground_points_(ground_points), watched_(std::move(watched)) {}
  void frame(double t, const Shown& shown, std::span<const double> values) override {
    end_ = compute_centre(shown, values);
    watch(shown, values);
    if (t == 0.0) {
      start_ = end_;
      return;
    }
    const std::vector<ArrowFamily>& families = shown.arrows();
    for (std::size_t f = 0; f < families.size(); ++f) {
      slots_.resize(families[f].bodies.size() * static_cast<std::size_t>(families[f].slots));
      shown.contacts(f, slots_);
      for (const ContactSlot& slot : slots_) contacts_ += std::isnan(slot.point.x()) ? 0 : 1;
    }
    contacts_ += ground_points_;
    counts_ = counts_ || !families.empty() || ground_points_ > 0;
    ++steps_;
  }
  // Contacts per step; NaN of a model that has none.
  [[nodiscard]] double mean() const {
    if (!counts_) return std::numeric_limits<double>::quiet_NaN();
    return steps_ > 0 ? static_cast<double>(contacts_) / static_cast<double>(steps_) : 0.0;
  }
  [[nodiscard]] Eigen::Vector2d displacement() const { return end_ - start_; }
  // Largest size of the dataset; NaN if there is none.
  [[nodiscard]] double largest() const { return largest_; }

 private:
  void watch(const Shown& shown, std::span<const double> values) {
    std::size_t at = 0;
    for (const Observable& observable : shown.observables()) {
      const auto size = static_cast<std::size_t>(observable.size());
      if (observable.name == watched_) {
        for (const double value : values.subspan(at, size)) {
          largest_ = std::fmax(largest_, std::abs(value));
        }
      }
      at += size;
    }
  }

  int ground_points_;
  std::string watched_;
  double largest_ = std::numeric_limits<double>::quiet_NaN();
  Eigen::Vector2d start_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d end_ = Eigen::Vector2d::Zero();
  std::vector<ContactSlot> slots_;
  bool counts_ = false;  // the model has contacts
  std::int64_t contacts_ = 0;
  std::int64_t steps_ = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double find_item(const simulation::RunOutcome& outcome, std::string_view name) {
  for (const SummaryItem& item : outcome.summary) {
    if (item.name == name) return item.number();
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// A scene must have the obstacles that it was laid out with.
void check_obstacles(const BenchScene& scene, int n, const System& system) {
  if (scene.obstacles < 0) return;
  const auto found = std::ranges::count_if(
      system.bodies(), [](const Body& body) { return body.name.starts_with("obstacle_"); });
  if (found == scene.obstacles) return;
  throw Error(fmt::format("{}, n = {}: expected {} obstacles, got {} from {}", scene.name, n,
                          scene.obstacles, found, fmt::join(scene.changes(n), ", ")));
}

// Law and solver as the scene or, if it says nothing, the scenario names them; a model that is only
// integrated has its integrator.
void name_method(const BenchScene& scene, const scenario::Scenario& scenario, BenchRow& out) {
  const Json keys = Json::parse(scenario.resolved);
  const auto named = [&](const std::string& word, std::initializer_list<const char*> places) {
    if (!word.empty()) return Json(word);
    for (const char* key : places) {
      const Json::json_pointer place(key);
      if (keys.contains(place)) return keys[place];
    }
    return Json();
  };
  out.law = named(scene.law, {"/solver/law"});
  out.solver = named(scene.solver, {"/solver/name", "/solver/integrator"});
}

// The largest residual: the summary's, or what the scene names in the summary, among the figures of
// the steps or among the datasets. NaN of a model that has none.
double find_residual(const BenchScene& scene, int n, const simulation::RunOutcome& seen,
                     double largest_of_dataset) {
  if (scene.residual.empty()) return find_item(seen, "residual_max");
  if (const double item = find_item(seen, scene.residual); !std::isnan(item)) return item;
  for (const auto& figure : seen.step_figures) {
    if (figure.name == scene.residual) return figure.largest;
  }
  if (!std::isnan(largest_of_dataset)) return largest_of_dataset;
  throw Error(fmt::format("{}, n = {}: neither summary, steps nor datasets have a {}", scene.name,
                          n, scene.residual));
}

// A run that looks at every step warms up; then the fastest of several plain ones counts.
BenchRow measure(const BenchScene& scene, int n, int repeat) {
  if (!scene.command.empty()) return measure_study(scene, n, repeat);
  const scenario::Scenario scenario = scenario::load(scene.scenario, scene.changes(n));
  BenchRow out;
  out.name = scene.name;
  out.n = n;
  out.dt = simulation::make_simulation(scenario).system->dt();
  name_method(scene, scenario, out);

  simulation::Simulation warm_up = simulation::make_simulation(scenario);
  warm_up.scenario.record.rate_hz = 1.0 / out.dt;  // every step is looked at, none is kept
  check_obstacles(scene, n, *warm_up.system);
  ContactCounter counter(n * scene.ground_points, scene.residual);
  simulation::FrameSink* const sinks[] = {&counter};
  const simulation::RunOutcome seen = simulation::run(warm_up, sinks);
  if (seen.status != simulation::RunStatus::completed) {
    throw Error(fmt::format("{}, n = {}: {}", scene.name, n, seen.message));
  }
  out.contacts_mean = counter.mean();
  out.displacement = counter.displacement();
  out.residual_max = find_residual(scene, n, seen, counter.largest());
  out.failed_steps = find_item(seen, "failed_steps");
  for (const auto& [name, mean, largest] : seen.step_figures) {
    if (name != "iterations") continue;
    out.iterations_mean = mean;
    out.iterations_max = largest;
  }

  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeat; ++k) {
    simulation::Simulation simulation = simulation::make_simulation(scenario);
    const double begin = cpu_seconds();
    const simulation::RunOutcome outcome = simulation::run(simulation, {});
    best = std::min(best, (cpu_seconds() - begin) / find_item(outcome, "steps"));
  }
  out.us_per_step = 1e6 * best;

  // Where the time goes, in runs of their own: the clock's readings cost a little, and it also
  // counts what other processes take. Of each phase the fastest counts.
  std::vector<Profile::Share> phases;
  double steps = 0.0;
  for (int k = 0; k < repeat; ++k) {
    Profile profile;
    simulation::RunOptions options;
    options.profile = &profile;
    simulation::Simulation simulation = simulation::make_simulation(scenario);
    steps = find_item(simulation::run(simulation, {}, options), "steps");
    const std::vector<Profile::Share> now = profile.shares();
    if (phases.empty()) phases = now;
    for (std::size_t p = 0; p < now.size(); ++p) {
      phases[p].seconds = std::min(phases[p].seconds, now[p].seconds);
    }
  }
  double total = 0.0;
  for (const Profile::Share& part : phases) total += part.seconds;
  for (Profile::Share& part : phases) part.share = total > 0.0 ? part.seconds / total : 0.0;
  out.phases = profile_json(phases, static_cast<std::int64_t>(steps));
  return out;
}

// Least-squares slope of log time over log n.
double compute_growth(const std::vector<BenchRow>& rows) {
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  const auto count = static_cast<double>(rows.size());
  for (const BenchRow& row : rows) {
    const double a = std::log(row.n);
    const double b = std::log(row.us_per_step);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

// null for what has no meaning
Json number(double value) { return std::isnan(value) ? Json() : Json(value); }
Json whole(double value) {
  return std::isnan(value) ? Json() : Json(static_cast<std::int64_t>(value));
}

Json to_json(const BenchRow& row) {
  return {{"name", row.name},
          {"n", row.n},
          {"dt", number(row.dt)},
          {"law", row.law},
          {"solver", row.solver},
          {"flags", build_info().flags},
          {"us_per_step", row.us_per_step},
          {"real_time_factor", number(1e6 * row.dt / row.us_per_step)},
          {"residual_max", number(row.residual_max)},
          {"iterations_mean", number(row.iterations_mean)},
          {"iterations_max", whole(row.iterations_max)},
          {"contacts_mean", number(row.contacts_mean)},
          {"displacement", {number(row.displacement.x()), number(row.displacement.y())}},
          {"failed_steps", whole(row.failed_steps)},
          {"phases", row.phases},
          {"assembly_us", number(row.assembly_us)},
          {"qp_us", number(row.qp_us)},
          {"qp_warm_us", number(row.qp_warm_us)}};
}

// "-" for what has no meaning
std::string shown(double value, const char* format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

void print_row(const BenchRow& row) {
  fmt::print("{:<22} {:>5} {:>11.3f} {:>12} {:>10} {:>6} /{:>3} {:>9} {:>7}\n", row.name, row.n,
             row.us_per_step, shown(1e6 * row.dt / row.us_per_step, "{:.1f}"),
             shown(row.residual_max, "{:.1e}"), shown(row.iterations_mean, "{:.2f}"),
             shown(row.iterations_max, "{:.0f}"), shown(row.contacts_mean, "{:.2f}"),
             shown(row.failed_steps, "{:.0f}"));
  if (!std::isnan(row.assembly_us)) {
    fmt::print("{:<28} assembly {:.3f}, QP {:.3f} from cold, {:.3f} warm\n", "", row.assembly_us,
               row.qp_us, row.qp_warm_us);
  }
  std::fflush(stdout);
}

// The scenes of these names; all if there are none. None, with the reason told, if one is unknown
// or does not have a size that is asked for.
std::vector<const BenchScene*> choose(const std::vector<BenchScene>& scenes,
                                      const BenchArguments& arguments) {
  std::vector<const BenchScene*> chosen;
  for (const BenchScene& scene : scenes) {
    if (arguments.names.empty()) chosen.push_back(&scene);
  }
  for (const std::string& name : arguments.names) {
    const auto found = std::ranges::find(scenes, name, &BenchScene::name);
    if (found == scenes.end()) {
      std::vector<std::string_view> known;
      for (const BenchScene& scene : scenes) known.push_back(scene.name);
      print_error(
          fmt::format("error: there is no scene \"{}\"\n  hint: {}", name, fmt::join(known, ", ")));
      return {};
    }
    chosen.push_back(&*found);
  }
  for (const BenchScene* scene : chosen) {
    if (scene->other_n != OtherSizes::refused) continue;
    for (const int n : arguments.n) {
      if (std::ranges::find(scene->n, n) != scene->n.end()) continue;
      print_error(fmt::format("error: {} is not laid out for {} {}\n  hint: --n takes {}",
                              scene->name, n, scene->unit, fmt::join(scene->n, ", ")));
      return {};
    }
  }
  return chosen;
}

int bench(const BenchArguments& arguments) {
  const std::vector<BenchScene> scenes = load_scenes(
      arguments.scenes.empty() ? find_data("benchmarks/scenes.toml") : arguments.scenes);
  const std::vector<const BenchScene*> chosen = choose(scenes, arguments);
  if (chosen.empty()) return 2;

  Json out{{"scenes", Json::array()}, {"growth", Json::object()}};
  if (!arguments.json) {
    fmt::print("{:<22} {:>5} {:>11} {:>12} {:>10} {:>11} {:>9} {:>7}\n", "scene", "n",
               "us per step", "x real time", "residual", "iterations", "contacts", "failed");
  }
  for (const BenchScene* scene : chosen) {
    const bool own = arguments.n.empty() || scene->other_n == OtherSizes::ignored;
    std::vector<BenchRow> rows;
    for (const int n : own ? scene->n : arguments.n) {
      const BenchRow& row = rows.emplace_back(measure(*scene, n, arguments.repeat));
      out["scenes"].push_back(to_json(row));
      if (!arguments.json) print_row(row);
    }
    if (rows.size() < 2) continue;
    const double growth = compute_growth(rows);
    out["growth"][scene->name] = growth;
    if (!arguments.json) fmt::print("{:<22} time grows as n^{:.2f}\n", scene->name, growth);
  }
  if (arguments.json) {
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}; CPU time, fastest of {} runs; iterations: mean / largest\n", build_info().flags,
               arguments.repeat);
  }
  return 0;
}

// "a, b, c": the scenes that come with Coluber; "" where they cannot be read.
std::string scene_names() {
  try {
    std::vector<std::string> names;
    for (const auto& scene : load_scenes(find_data("benchmarks/scenes.toml"))) {
      names.push_back(scene.name);
    }
    return fmt::format("{} ", fmt::join(names, ", "));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "time named scenes from end to end");
  CLI::Option* names = command->add_option("names", arguments->names, "scenes")->type_name("NAME");
  // read when the subcommand is called, not whenever the program starts
  command->preparse_callback(
      [names](std::size_t) { names->description(scene_names() + "(default: all)"); });
  command->add_option("--n", arguments->n, "sizes, e.g. 10,20,40 links (default: each scene's own)")
      ->delimiter(',')
      ->check(CLI::Range(1, 100000))
      ->type_name("LIST");
  command->add_option("--repeat", arguments->repeat, "timed runs of each, the fastest counts (5)")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  command->add_option("--scenes", arguments->scenes, "file of scenes (default: those of Coluber)")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json, "as JSON");
  command->callback([arguments, &action] { action = [arguments] { return bench(*arguments); }; });
}

}  // namespace coluber::app
