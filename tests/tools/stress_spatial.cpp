// Random spatial scenes by the million, each with both laws:
//   stress_spatial STEPS [--first SEED] [--law anchored|rigid] [--limits] [--log FILE] [--save
//   FOLDER]
// runs scenes from SEED (0) on until STEPS steps are done and prints a table by law, friction,
// surroundings and rolling friction. Problems that were not solved are saved in FOLDER. FILE gets a
// line a scene; scenes that it has already are not run again, but count: a run that was stopped
// goes on. The exit code is 1 if a step failed that should not have: any with the anchored law, up
// to mu 0.63 with the rigid one.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "coluber/nonsmooth/problem_file.hpp"

#include "sample/spatial_stress.hpp"

using namespace coluber;
namespace sample = spatial::sample;
using nonsmooth::Law;

namespace {

constexpr double kLowFriction = 0.63;
constexpr double kSceneDuration = 2.0;  // s

/// One scene with one law, as a line of the log.
struct Line {
  std::uint64_t seed = 0;
  Law law = Law::anchored;
  int n = 0, axes = 0;
  double dt = 0.0, mu = 0.0, ratio = 1.0, mu_V = 0.0, mu_H = 0.0;
  int surroundings = 0;
  bool limited = false;
  double cpu = 0.0;  // s
  sample::StressTally tally;
};

const char* name_of(Law law) { return law == Law::rigid ? "rigid" : "anchored"; }

constexpr const char* kHeader =
    "seed,law,n,axes,dt,mu,ratio,mu_V,mu_H,surroundings,limited,cpu_s,steps,failed,fallback,sweeps,"
    "touched,in_flight,residual_law,residual_momentum,rigid_residual,gap";

std::string to_text(const Line& line) {
  std::ostringstream out;
  out.precision(9);
  const sample::StressTally& t = line.tally;
  out << line.seed << ',' << name_of(line.law) << ',' << line.n << ',' << line.axes << ','
      << line.dt << ',' << line.mu << ',' << line.ratio << ',' << line.mu_V << ',' << line.mu_H
      << ',' << line.surroundings << ',' << line.limited << ',' << line.cpu << ',' << t.steps << ','
      << t.failed << ',' << t.fallback << ',' << t.sweeps << ',' << t.touched << ',' << t.in_flight
      << ',' << t.law << ',' << t.momentum << ',' << t.rigid_law << ',' << t.gap;
  return out.str();
}

bool from_text(const std::string& text, Line& line) {
  std::string words = text;
  std::replace(words.begin(), words.end(), ',', ' ');
  std::istringstream in(words);
  std::string law;
  sample::StressTally& t = line.tally;
  in >> line.seed >> law >> line.n >> line.axes >> line.dt >> line.mu >> line.ratio >> line.mu_V >>
      line.mu_H >> line.surroundings >> line.limited >> line.cpu >> t.steps >> t.failed >>
      t.fallback >> t.sweeps >> t.touched >> t.in_flight >> t.law >> t.momentum >> t.rigid_law >>
      t.gap;
  line.law = law == "rigid" ? Law::rigid : Law::anchored;
  t.scenes = 1;
  return !in.fail();
}

/// Rows of the table, in its order.
struct Class {
  Law law;
  bool high;
  int surroundings;
  bool rolling;
  auto operator<=>(const Class&) const = default;
};

struct Total {
  sample::StressTally tally;
  double cpu = 0.0;
};

void print_row(const char* law, const char* mu, const char* around, const char* rolling,
               const Total& total) {
  const sample::StressTally& t = total.tally;
  const double steps = static_cast<double>(std::max(1L, t.steps));
  std::printf(
      "%-8s %-9s %-6s %-7s %6ld %9ld %6ld %7.3f %8.4f%% %6.1f %5.2f %5.2f %8.1e %8.1e %8.1e "
      "%8.1e\n",
      law, mu, around, rolling, t.scenes, t.steps, t.failed, static_cast<double>(t.sweeps) / steps,
      100.0 * static_cast<double>(t.fallback) / steps, 1e6 * total.cpu / steps,
      static_cast<double>(t.touched) / steps, static_cast<double>(t.in_flight) / steps, t.law,
      t.momentum, t.rigid_law, t.gap);
}

void print_table(const std::vector<Line>& lines) {
  std::map<Class, Total> classes;
  std::map<std::pair<Law, bool>, Total> sums;
  for (const Line& line : lines) {
    const bool high = std::max(line.mu, line.mu_H) > kLowFriction;
    for (Total* total : {&classes[{line.law, high, line.surroundings, line.mu_V > 0.0}],
                         &sums[{line.law, high}]}) {
      total->tally += line.tally;
      total->cpu += line.cpu;
    }
  }
  constexpr std::array kAround{"none", "smooth", "rough"};
  const auto mu_name = [](bool high) { return high ? "0.63-1.2" : "0.01-0.63"; };
  std::printf("%-8s %-9s %-6s %-7s %6s %9s %6s %7s %9s %6s %5s %5s %8s %8s %8s %8s\n", "law", "mu",
              "cylin.", "rolling", "scenes", "steps", "failed", "sweeps", "fallback", "us", "touch",
              "fly", "law", "momentum", "rigid", "gap");
  for (const auto& [kind, total] : classes) {
    print_row(name_of(kind.law), mu_name(kind.high),
              kAround[static_cast<std::size_t>(kind.surroundings)], kind.rolling ? "yes" : "no",
              total);
  }
  for (const auto& [kind, total] : sums) {
    print_row(name_of(kind.first), mu_name(kind.second), "all", "all", total);
  }
}

}  // namespace

int main(int argc, char** argv) {
  long wanted = 100000;
  std::uint64_t seed = 0;
  std::filesystem::path folder;
  std::filesystem::path log;
  std::vector<Law> laws{Law::anchored, Law::rigid};
  sample::StressRange range;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--first") {
      seed = std::strtoull(value().c_str(), nullptr, 10);
    } else if (word == "--law") {
      laws = {value() == "rigid" ? Law::rigid : Law::anchored};
    } else if (word == "--limits") {
      range.limits = true;
    } else if (word == "--log") {
      log = value();
    } else if (word == "--save") {
      folder = value();
      std::filesystem::create_directories(folder);
    } else if (const long steps = std::atol(argv[i]); steps > 0) {
      wanted = steps;
    } else {
      std::fprintf(stderr, "stress_spatial: what is %s?\n", argv[i]);
      return 2;
    }
  }

  std::vector<Line> lines;
  std::set<std::pair<std::uint64_t, Law>> done;
  long steps = 0;
  if (!log.empty()) {
    std::ifstream in(log);
    for (std::string text; std::getline(in, text);) {
      Line line;
      if (!from_text(text, line)) continue;  // the header, or a line cut short
      lines.push_back(line);
      done.insert({line.seed, line.law});
      steps += line.tally.steps;
    }
  }
  std::ofstream out;
  if (!log.empty()) {
    out.open(log, std::ios::app);
    out << (lines.empty() ? kHeader : "") << '\n';
  }

  long failures = 0;
  for (; steps < wanted; ++seed) {
    for (const Law law : laws) {
      if (done.count({seed, law}) > 0) continue;
      range.law = law;
      const sample::StressScene scene = sample::make_stress_scene(seed, range);
      const spatial::Model& model = scene.model;
      Line line;
      line.seed = seed;
      line.law = law;
      line.n = model.n();
      line.axes = model.axes();
      line.dt = scene.options.dt;
      line.mu = model.mu_T.maxCoeff();
      line.ratio = line.mu / model.mu_T.minCoeff();
      line.mu_V = model.mu_V;
      line.mu_H = model.obstacles.empty() ? 0.0 : model.obstacles.front().mu;
      line.surroundings = static_cast<int>(scene.surroundings);
      line.limited = std::isfinite(scene.torque_limit);
      const std::clock_t start = std::clock();
      sample::run_stress(
          scene, kSceneDuration, line.tally,
          [&](const spatial::State& state, const JointCommand& command,
              const nonsmooth::ContactStepInfo& info) {
            std::fprintf(
                stderr,
                "%s seed %llu n %d axes %d dt %g mu %.3f (1:%.1f) mu_V %.3f mu_H %.3f step %lld: "
                "law %.1e momentum %.1e gap %.1e\n",
                name_of(law), static_cast<unsigned long long>(seed), line.n, line.axes, line.dt,
                line.mu, line.ratio, line.mu_V, line.mu_H, static_cast<long long>(state.k),
                info.residual_law, info.residual_momentum, info.gap);
            if (folder.empty()) return;
            spatial::Data data(model);
            make_problem(model, state, command, scene.options, data);
            data.previous.impulse = data.solution.impulse;
            const std::string name = std::string("spatial_") + name_of(law) + "_" +
                                     std::to_string(seed) + "_" + std::to_string(state.k) + ".json";
            nonsmooth::save_problem<6>(folder / name, {data.problem, data.previous});
          });
      line.cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      steps += line.tally.steps;
      lines.push_back(line);
      if (out.is_open()) out << to_text(line) << std::endl;
    }
  }
  for (const Line& line : lines) {
    const bool meant_to_hold =
        line.law == Law::anchored || std::max(line.mu, line.mu_H) <= kLowFriction;
    if (meant_to_hold) failures += line.tally.failed;
  }
  print_table(lines);
  std::printf("%ld steps, seeds up to %llu\n", steps, static_cast<unsigned long long>(seed) - 1);
  return failures == 0 ? 0 : 1;
}
