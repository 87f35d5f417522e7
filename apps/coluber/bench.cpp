#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
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

#include "command.hpp"
#include "data_dir.hpp"
#include "profile_table.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

using Json = nlohmann::ordered_json;

// The numbers of links that benchmarks/data has circles for, and how many.
constexpr std::array peg_sizes{10, 20, 40, 80, 160};
constexpr int peg_count = 20;

struct BenchArguments {
  std::vector<std::string> names;
  std::vector<int> n{peg_sizes.begin(), peg_sizes.end()};
  int repeat = 5;
  bool json = false;
};

// Aiko's links with gait (7.3) and the servo of Table 7.2, 3 s at 1 ms, one friction point.
constexpr std::string_view robot = R"(
schema = 1
duration = 3.0
[robot]
model = "planar"
name = "aiko"
links = {}
friction_points = 1
[world]
friction = [0.2, 0.2]
[gait]
name = "lateral_undulation"
amplitude_deg = 40.0
omega_deg = 80.0
phase_deg = -50.0
[controller]
kp = 800.0
kd = 2.0
[solver]
dt = 1e-3
on_failure = "warn"
)";

std::string make_floor(int n) { return fmt::format(robot, n); }

// Whether text is a number and nothing else.
bool is_number(std::string_view text, double least) {
  double value = 0.0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc{} && end == text.data() + text.size() && std::isfinite(value) &&
         value > least;
}

// Link 1 begins at the origin and points along +x, the others follow the gait's angles at t = 0.
constexpr std::string_view peers_start = R"(
[start]
shape = "gait"
link = 1
position = [0.061, 0.0]
heading_deg = -42.8901
)";

// The 20 circles laid out for this n.
std::string make_obstacles(int n, double friction) {
  std::string text;
  const auto file = find_data(fmt::format("benchmarks/data/peers-scene-cylinders-{}.csv", n));
  std::ifstream in(file);
  if (!in) throw FileError(fmt::format("{}: cannot read it", file.string()));
  std::string line;
  std::getline(in, line);  // x_m,y_m,radius_m
  int rows = 0;
  while (std::getline(in, line)) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    const bool split = first != std::string::npos && second != std::string::npos;
    const std::string x = line.substr(0, first);
    const std::string y = split ? line.substr(first + 1, second - first - 1) : "";
    const std::string radius = split ? line.substr(second + 1) : "";
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    if (!is_number(x, lowest) || !is_number(y, lowest) || !is_number(radius, 0.0)) {
      throw FileError(fmt::format("{}: expected x,y,radius, got \"{}\"", file.string(), line));
    }
    text += fmt::format("[[world.obstacle]]\nx = {}\ny = {}\nradius = {}\nfriction = {}\n", x, y,
                        radius, friction);
    ++rows;
  }
  if (rows != peg_count) {
    throw FileError(fmt::format("{}: expected {} circles, got {}", file.string(), peg_count, rows));
  }
  return text;
}

std::string make_pegs(int n) {
  return make_floor(n) + std::string(peers_start) + make_obstacles(n, 0.0);
}

// The peers' scene (benchmarks/peers): a chain of yaw joints whose links touch with two spheres.
constexpr std::string_view peers_robot = R"(
schema = 1
duration = 3.0
[robot]
model = "spatial"
joint = "yaw"
links = {}
[robot.link]
mass = 0.682
inertia = 1.32e-3
inertia_axial = 9.40e-4
length = 0.122
half_core = 0.0393
radius = 0.0525
shape = "spheres"
[world]
friction = [0.3, 0.3]
rolling_friction = 0.0
[gait]
name = "lateral_undulation"
amplitude_deg = 40.0
omega_deg = 80.0
phase_deg = -50.0
[controller]
kp = 60.0
kd = 0.4
[solver]
dt = 1e-3
on_failure = "warn"
)";

std::string make_spatial_floor(int n) {
  return fmt::format(peers_robot, n) + std::string(peers_start);
}

std::string make_cylinders(int n) { return make_spatial_floor(n) + make_obstacles(n, 0.3); }

// The plant of Transeth 7.3.5, as Table 7.2 has it: two friction points, viscous friction. No soft
// start: each of its releases throws a long robot about, and the smooth model's integrator with it.
constexpr std::string_view minimal = R"(
schema = 1
duration = 3.0
[robot]
model = "minimal"
name = "aiko"
links = {}
[world]
friction = [0.2, 0.5]
viscous_friction = [0.1, 0.2]
friction_law = "{}"
[gait]
name = "lateral_undulation"
amplitude_deg = 40.0
omega_deg = 80.0
phase_deg = -50.0
[controller]
name = "{}"
servo = "explicit"
kp = {}
kd = {}
[solver]
dt = 2.5e-4
on_failure = "warn"
)";

std::string make_servos(int n) {
  return fmt::format(minimal, n, "set_valued", "pd", "200.0", "1.2");
}
std::string make_linearised(int n) {
  return fmt::format(minimal, n, "set_valued", "input_output_linearisation", "4e5", "2.4e3");
}
std::string make_smooth(int n) {
  return fmt::format(minimal, n, "smooth", "input_output_linearisation", "4e5", "2.4e3");
}

struct Scene {
  std::string_view name;
  std::string (*make)(int n);
  bool pegs;          // laid out for some n alone
  bool shows_ground;  // its contacts are among those the system shows
};
constexpr Scene scenes[] = {{"planar.floor", make_floor, false, false},
                            {"planar.pegs", make_pegs, true, false},
                            {"spatial.floor", make_spatial_floor, false, true},
                            {"spatial.cylinders", make_cylinders, true, true},
                            {"minimal.pd", make_servos, false, false},
                            {"minimal.linearised", make_linearised, false, false},
                            {"minimal.smooth", make_smooth, false, false}};

// Mean of the links' centres seen from above, in a frame of the system.
Eigen::Vector2d compute_centre(const System& system, std::span<const double> values) {
  std::size_t at = 0;
  for (const Observable& observable : system.observables()) {
    if (observable.name == "link_position") {
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
  explicit ContactCounter(int ground_points) : ground_points_(ground_points) {}
  void frame(const System& system, std::span<const double> values) override {
    end_ = compute_centre(system, values);
    if (system.step_count() == 0) {
      start_ = end_;
      return;
    }
    const auto moving = static_cast<std::size_t>(
        std::ranges::count_if(system.bodies(), [](const Body& body) { return body.moving; }));
    slots_.resize(moving * static_cast<std::size_t>(system.contact_slots()));
    system.contacts(slots_);
    for (const ContactSlot& slot : slots_) contacts_ += std::isnan(slot.point.x()) ? 0 : 1;
    contacts_ += ground_points_;
    ++steps_;
  }
  [[nodiscard]] double mean() const {
    return steps_ > 0 ? static_cast<double>(contacts_) / static_cast<double>(steps_) : 0.0;
  }
  [[nodiscard]] Eigen::Vector2d displacement() const { return end_ - start_; }

 private:
  int ground_points_;
  Eigen::Vector2d start_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d end_ = Eigen::Vector2d::Zero();
  std::vector<ContactSlot> slots_;
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
    if (item.name == name) return item.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

struct Measured {
  std::string name;
  int n = 0;
  double dt = 0.0;
  std::string law;
  std::string solver;
  double us_per_step = 0.0;
  double residual_max = 0.0;
  double iterations_mean = 0.0;
  int iterations_max = 0;
  double contacts_mean = 0.0;
  Eigen::Vector2d displacement = Eigen::Vector2d::Zero();  // of the mean of the links' centres (m)
  double failed_steps = 0.0;
  Json phases;
};

// A run that looks at every step warms up; then the fastest of several plain ones counts.
Measured measure(const Scene& scene, int n, int repeat) {
  scenario::Scenario scenario =
      scenario::parse(scene.make(n), ".", {}, fmt::format("<{} {}>", scene.name, n));
  Measured out;
  out.name = scene.name;
  out.n = n;
  out.dt = scenario.solver.dt;
  const bool smooth = scenario.world.smooth_friction;
  out.law = smooth ? "smooth" : scenario.solver.law;
  out.solver = smooth ? "cvode" : scenario.solver.name;

  scenario::Scenario watched = scenario;
  watched.record.rate_hz = 1.0 / scenario.solver.dt;
  simulation::Simulation warm_up = simulation::make_simulation(watched);
  ContactCounter counter(scene.shows_ground ? 0 : n * scenario.robot.friction_points);
  simulation::FrameSink* const sinks[] = {&counter};
  const simulation::RunOutcome seen = simulation::run(warm_up, sinks);
  if (seen.status != simulation::RunStatus::completed) {
    throw Error(fmt::format("{}, n = {}: {}", scene.name, n, seen.message));
  }
  out.contacts_mean = counter.mean();
  out.displacement = counter.displacement();
  out.residual_max = find_item(seen, "residual_max");
  out.failed_steps = find_item(seen, "failed_steps");
  out.iterations_mean = seen.iterations_mean;
  out.iterations_max = seen.iterations_max;

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
double compute_growth(const std::vector<Measured>& rows) {
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  const auto count = static_cast<double>(rows.size());
  for (const Measured& row : rows) {
    const double a = std::log(row.n);
    const double b = std::log(row.us_per_step);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

Json to_json(const Measured& row) {
  return {{"name", row.name},
          {"n", row.n},
          {"dt", row.dt},
          {"law", row.law},
          {"solver", row.solver},
          {"flags", build_info().flags},
          {"us_per_step", row.us_per_step},
          {"real_time_factor", 1e6 * row.dt / row.us_per_step},
          {"residual_max", row.residual_max},
          {"iterations_mean", row.iterations_mean},
          {"iterations_max", row.iterations_max},
          {"contacts_mean", row.contacts_mean},
          {"displacement", {row.displacement.x(), row.displacement.y()}},
          {"failed_steps", static_cast<std::int64_t>(row.failed_steps)},
          {"phases", row.phases}};
}

int bench(BenchArguments arguments) {
  if (arguments.names.empty()) {
    for (const Scene& scene : scenes) arguments.names.emplace_back(scene.name);
  }
  std::string known;
  for (const Scene& scene : scenes) known += (known.empty() ? "" : ", ") + std::string(scene.name);
  std::vector<const Scene*> chosen;
  for (const std::string& name : arguments.names) {
    const auto* found =
        std::ranges::find_if(scenes, [&](const Scene& scene) { return scene.name == name; });
    if (found == std::end(scenes)) {
      print_error(fmt::format("error: there is no scene \"{}\"\n  hint: {}", name, known));
      return 2;
    }
    chosen.push_back(found);
    if (!found->pegs) continue;
    for (const int n : arguments.n) {
      if (std::ranges::find(peg_sizes, n) != peg_sizes.end()) continue;
      print_error(fmt::format("error: {} has no circles for {} links\n  hint: --n takes {}", name,
                              n, fmt::join(peg_sizes, ", ")));
      return 2;
    }
  }

  Json out{{"scenes", Json::array()}, {"growth", Json::object()}};
  if (!arguments.json) {
    fmt::print("{:<22} {:>4} {:>11} {:>12} {:>10} {:>11} {:>9} {:>7}\n", "scene", "n", "us a step",
               "x real time", "residual", "iterations", "contacts", "failed");
  }
  for (const Scene* scene : chosen) {
    std::vector<Measured> rows;
    for (const int n : arguments.n) {
      const Measured& row = rows.emplace_back(measure(*scene, n, arguments.repeat));
      out["scenes"].push_back(to_json(row));
      if (!arguments.json) {
        fmt::print("{:<22} {:>4} {:>11.3f} {:>12.1f} {:>10.1e} {:>6.2f} /{:>3} {:>9.2f} {:>7.0f}\n",
                   row.name, row.n, row.us_per_step, 1e6 * row.dt / row.us_per_step,
                   row.residual_max, row.iterations_mean, row.iterations_max, row.contacts_mean,
                   row.failed_steps);
        std::fflush(stdout);
      }
    }
    if (rows.size() < 2) continue;
    const double growth = compute_growth(rows);
    out["growth"][std::string(scene->name)] = growth;
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

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "time named scenes from end to end");
  command
      ->add_option("names", arguments->names,
                   "planar.floor, planar.pegs, spatial.floor, spatial.cylinders, minimal.pd, "
                   "minimal.linearised, minimal.smooth (default: all)")
      ->type_name("NAME");
  command->add_option("--n", arguments->n, "numbers of links (10,20,40,80,160)")
      ->delimiter(',')
      ->check(CLI::Range(2, 100000))
      ->type_name("LIST");
  command->add_option("--repeat", arguments->repeat, "timed runs of each, the fastest counts (5)")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  command->add_flag("--json", arguments->json, "as JSON");
  command->callback([arguments, &action] { action = [arguments] { return bench(*arguments); }; });
}

}  // namespace coluber::app
