#pragma once

// The peers' scene on the floor, in one place for every engine: N links in a row on a plane, yaw
// servos that follow a travelling wave, Coulomb friction under the two spheres of each link.
// Nothing here belongs to an engine.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include <time.h>

namespace peers {

inline constexpr double degree = std::numbers::pi / 180.0;

// a link: Aiko's
inline constexpr double mass = 0.682;            // kg
inline constexpr double length = 0.122;          // m, joint to joint
inline constexpr double inertia = 1.32e-3;       // kg m², about both transverse axes
inline constexpr double inertia_axial = 9.4e-4;  // kg m², for the engines in three dimensions
inline constexpr double radius = 0.0525;         // m, of the two spheres …
inline constexpr double half_core = 0.0393;      // m, … this far before and behind the centre

inline constexpr double gravity = 9.81;  // m/s²
inline constexpr double friction = 0.3;
inline constexpr double k_P = 60.0;  // N m/rad
inline constexpr double k_D = 0.4;   // N m s/rad
inline constexpr double dt = 1e-3;   // s

// references phi_i = A sin(omega t + (i - 1) delta), i = 1 … N-1
inline constexpr double amplitude = 40.0 * degree;
inline constexpr double omega = 80.0 * degree;  // rad/s
inline constexpr double delta = -50.0 * degree;

// slopes: one that must hold (tan 10° = 0.176 < 0.3), one that must not (tan 25° = 0.466)
inline constexpr double slope_held = 10.0 * degree;
inline constexpr double slope_slid = 25.0 * degree;

enum class Task {
  gait,   // on the level
  creep,  // straight on the slope that must hold, servos hold the joints
  slide,  // straight on the slope that must not hold
};

/// What one process measures.
struct Job {
  Task task = Task::gait;
  int n = 10;
  double turned = 0.0;    // robot and slope together, about the vertical (rad)
  double duration = 5.0;  // s
  int repeat = 1;         // timed runs, the fastest counts
  bool watch = true;      // a run before them that looks at every step
  [[nodiscard]] int steps() const { return static_cast<int>(std::lround(duration / dt)); }
  [[nodiscard]] double slope() const {
    return task == Task::gait ? 0.0 : task == Task::creep ? slope_held : slope_slid;
  }
};

/// References of every step's end, made before the clock starts: all engines are handed the same.
class References {
 public:
  References(const Job& job) : joints_(static_cast<std::size_t>(job.n - 1)) {
    const auto size = joints_ * static_cast<std::size_t>(job.steps() + 1);
    phi_.resize(size, 0.0);
    rate_.resize(size, 0.0);
    if (job.task != Task::gait) return;
    for (int k = 0; k <= job.steps(); ++k) {
      for (std::size_t i = 0; i < joints_; ++i) {
        const double phase = omega * k * dt + static_cast<double>(i) * delta;
        phi_[static_cast<std::size_t>(k) * joints_ + i] = amplitude * std::sin(phase);
        rate_[static_cast<std::size_t>(k) * joints_ + i] = amplitude * omega * std::cos(phase);
      }
    }
  }
  /// phi_d and its rate at t = k dt, N-1 each.
  [[nodiscard]] const double* phi(int k) const {
    return phi_.data() + static_cast<std::size_t>(k) * joints_;
  }
  [[nodiscard]] const double* rate(int k) const {
    return rate_.data() + static_cast<std::size_t>(k) * joints_;
  }

 private:
  std::size_t joints_;
  std::vector<double> phi_, rate_;
};

/// Rms over all joints after 1 s.
class Tracking {
 public:
  void add(double error, double t) {
    if (t <= 1.0) return;
    sum_ += error * error;
    ++count_;
  }
  [[nodiscard]] double rms() const {
    return count_ > 0 ? std::sqrt(sum_ / static_cast<double>(count_)) : 0.0;
  }

 private:
  double sum_ = 0.0;
  long count_ = 0;
};

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Takes --task, --n, --turned (degrees), --duration, --repeat, --watch; false for any other word.
inline bool take(Job& job, const char* word, const char* value) {
  const auto is = [&](const char* name) { return std::strcmp(word, name) == 0; };
  if (is("--task")) {
    job.task = std::strcmp(value, "gait") == 0    ? Task::gait
               : std::strcmp(value, "creep") == 0 ? Task::creep
                                                  : Task::slide;
  } else if (is("--n")) {
    job.n = std::atoi(value);
  } else if (is("--turned")) {
    job.turned = std::atof(value) * degree;
  } else if (is("--duration")) {
    job.duration = std::atof(value);
  } else if (is("--repeat")) {
    job.repeat = std::atoi(value);
  } else if (is("--watch")) {
    job.watch = std::atoi(value) != 0;
  } else {
    return false;
  }
  return true;
}

/// What a process prints. What was not looked at is null.
struct Result {
  std::string engine;
  double us_per_step = NAN;
  double x = NAN, y = NAN;            // displacement of the mean of the link centres (m)
  double late_x = NAN, late_y = NAN;  // the part of it in the second half of the run (m)
  double tracking = NAN;              // rad, rms over all joints after 1 s
  double residual = NAN;              // the solver's own law, largest, scaled (coluber)
  double law = NAN;                   // Coulomb's law as it stands, largest after 1 s, over m g dt
  double penetration = NAN;           // m, deepest after 1 s
  double iterations = NAN, iterations_max = NAN, failed = NAN;
};

inline void print(const Job& job, const Result& result) {
  std::printf("{\"engine\": \"%s\", \"n\": %d", result.engine.c_str(), job.n);
  const auto item = [](const char* name, double value) {
    if (std::isfinite(value)) {
      std::printf(", \"%s\": %.17g", name, value);
    } else {
      std::printf(", \"%s\": null", name);
    }
  };
  item("us_per_step", result.us_per_step);
  item("x", result.x);
  item("y", result.y);
  item("late_x", result.late_x);
  item("late_y", result.late_y);
  item("tracking", result.tracking);
  item("residual", result.residual);
  item("law", result.law);
  item("penetration", result.penetration);
  item("iterations", result.iterations);
  item("iterations_max", result.iterations_max);
  item("failed", result.failed);
  std::printf("}\n");
}

}  // namespace peers
