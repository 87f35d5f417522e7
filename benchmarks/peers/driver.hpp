#pragma once

// What a driver program in C++ does beside its engine: reads the words, times the runs, writes the
// poses of one more. An engine is a class `World`:
//   World(const Job&, const References&, Settings&)  at rest in start_poses(), ready to step
//   void step(int k)                                 from t = (k-1) dt to k dt, servos included
//   std::vector<LinkPose> poses() const
//   int contacts() const, int iterations() const     of the last step; -1 where it cannot say
//   bool failed() const                              the engine itself says the last step failed
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scene.hpp"

namespace peers {

/// The words NAME=VALUE given by --setting. A world takes those it knows; any other is an error.
class Settings {
 public:
  void add(const std::string& word) {
    const auto cut = word.find('=');
    if (cut == std::string::npos) fail("--setting wants NAME=VALUE, got " + word);
    given_.push_back({word.substr(0, cut), word.substr(cut + 1), false});
  }
  [[nodiscard]] std::string word(const std::string& name, const std::string& otherwise,
                                 std::initializer_list<const char*> allowed) {
    const std::string value = find(name, otherwise);
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
      fail("setting " + name + ": unknown value " + value);
    }
    return value;
  }
  [[nodiscard]] double number(const std::string& name, double otherwise) {
    const std::string value = find(name, "");
    return value.empty() ? otherwise : std::atof(value.c_str());
  }
  void check_all_known() const {
    for (const Given& given : given_) {
      if (!given.known) fail("unknown setting " + given.name);
    }
  }

 private:
  struct Given {
    std::string name, value;
    bool known;
  };
  std::vector<Given> given_;

  [[noreturn]] static void fail(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(2);
  }
  std::string find(const std::string& name, const std::string& otherwise) {
    std::string value = otherwise;
    for (Given& given : given_) {
      if (given.name == name) {
        given.known = true;
        value = given.value;
      }
    }
    return value;
  }
};

inline bool finite(const std::vector<LinkPose>& poses) {
  return std::all_of(poses.begin(), poses.end(), [](const LinkPose& p) {
    return std::isfinite(p.x + p.y + p.z + p.e_x + p.e_y + p.e_z);
  });
}

/// `repeat` timed runs, each in a new world; then, with --poses, one that is looked at.
template <typename World>
int drive(const std::string& engine, int argc, char** argv) {
  Job job;
  Settings settings;
  for (int a = 1; a < argc; a += 2) {
    if (a + 1 == argc) {
      std::fprintf(stderr, "%s: wants a value\n", argv[a]);
      return 2;
    }
    if (take(job, argv[a], argv[a + 1])) continue;
    if (std::strcmp(argv[a], "--setting") != 0) {
      std::fprintf(stderr, "unknown word %s\n", argv[a]);
      return 2;
    }
    settings.add(argv[a + 1]);
  }
  const References references(job);
  Result result;
  result.engine = engine;

  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < job.repeat; ++r) {
    const auto world = std::make_unique<World>(job, references, settings);
    settings.check_all_known();
    const double begin = cpu_seconds();
    for (int k = 1; k <= job.steps(); ++k) world->step(k);
    best = std::min(best, (cpu_seconds() - begin) / job.steps());
  }
  result.us_per_step = 1e6 * best;

  if (!job.poses.empty()) {
    const auto world = std::make_unique<World>(job, references, settings);
    settings.check_all_known();
    Poses poses(job);
    poses.add(world->poses());
    double contacts = 0.0, iterations = 0.0;
    int most = 0, failed = 0;
    for (int k = 1; k <= job.steps(); ++k) {
      world->step(k);
      const auto now = world->poses();
      poses.add(now);
      contacts += world->contacts();
      iterations += world->iterations();
      most = std::max(most, world->iterations());
      failed += world->failed() || !finite(now) ? 1 : 0;
    }
    if (world->contacts() >= 0) result.contacts = contacts / job.steps();
    if (world->iterations() >= 0) {
      result.iterations = iterations / job.steps();
      result.iterations_max = most;
    }
    result.failed = failed;
  }
  print(job, result);
  return 0;
}

}  // namespace peers
