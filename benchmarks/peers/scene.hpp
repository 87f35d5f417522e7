#pragma once

// The peers' scene, in one place for every engine: N links in a row on a plane, yaw servos that
// follow a travelling wave, Coulomb friction under the two spheres of each link, with or without 20
// fixed vertical cylinders. Nothing here belongs to an engine. An engine hands out where its links
// are (`Poses`); `run` measures everything else from that, for all of them with the same ruler.
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
  std::string cylinders;  // file of x,y,radius; none: the bare floor
  std::string
      poses;  // file for the poses of every step of one more, untimed run; none: no such run
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

/// A link's centre and its long axis, towards the next link.
struct LinkPose {
  double x = 0.0, y = 0.0, z = 0.0;
  double e_x = 1.0, e_y = 0.0, e_z = 0.0;
};

/// Where the links start, at rest: link 1 has its rear end at the origin and points along +x,
/// turned with the scene, the others follow the references at t = 0; all at the spheres' height.
inline std::vector<LinkPose> start_poses(const Job& job) {
  const References references(job);
  std::vector<LinkPose> poses;
  double x = 0.0, y = 0.0, theta = job.turned;
  for (int i = 0; i < job.n; ++i) {
    const double c = std::cos(theta), s = std::sin(theta);
    poses.push_back({x + length / 2 * c, y + length / 2 * s, radius, c, s, 0.0});
    x += length * c;
    y += length * s;
    if (i + 1 < job.n) theta += references.phi(0)[i];
  }
  return poses;
}

struct Cylinder {
  double x = 0.0, y = 0.0, radius = 0.0;
};

/// The cylinders of the job, turned with the scene.
inline std::vector<Cylinder> load_cylinders(const Job& job) {
  std::vector<Cylinder> cylinders;
  if (job.cylinders.empty()) return cylinders;
  std::FILE* file = std::fopen(job.cylinders.c_str(), "r");
  if (file == nullptr || std::fscanf(file, "%*[^\n]\n") != 0) {
    std::fprintf(stderr, "%s: cannot be read\n", job.cylinders.c_str());
    std::exit(2);
  }
  double x = 0.0, y = 0.0, r = 0.0;
  const double c = std::cos(job.turned), s = std::sin(job.turned);
  while (std::fscanf(file, "%lf,%lf,%lf", &x, &y, &r) == 3) {
    cylinders.push_back({c * x - s * y, s * x + c * y, r});
  }
  std::fclose(file);
  return cylinders;
}

/// Gravity in the scene's axes: the ground stays the plane z = 0.
struct Gravity {
  double x = 0.0, y = 0.0, z = 0.0;
};
inline Gravity scene_gravity(const Job& job) {
  const double along = gravity * std::sin(job.slope());
  return {along * std::cos(job.turned), along * std::sin(job.turned),
          -gravity * std::cos(job.slope())};
}

/// Writes the poses of t = 0, dt, 2 dt, …: for every link x, y, z, e_x, e_y, e_z as doubles.
class Poses {
 public:
  explicit Poses(const Job& job) : file_(std::fopen(job.poses.c_str(), "wb")) {
    if (file_ == nullptr) {
      std::fprintf(stderr, "%s: cannot be written\n", job.poses.c_str());
      std::exit(2);
    }
  }
  Poses(const Poses&) = delete;
  Poses& operator=(const Poses&) = delete;
  ~Poses() { std::fclose(file_); }
  void add(const std::vector<LinkPose>& poses) {
    if (std::fwrite(poses.data(), sizeof(LinkPose), poses.size(), file_) != poses.size()) {
      std::fprintf(stderr, "poses: cannot be written\n");
      std::exit(2);
    }
  }

 private:
  std::FILE* file_;
};
static_assert(sizeof(LinkPose) == 6 * sizeof(double));

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Takes --task, --n, --turned (degrees), --duration, --repeat, --cylinders, --poses; false for any
/// other word.
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
  } else if (is("--cylinders")) {
    job.cylinders = value;
  } else if (is("--poses")) {
    job.poses = value;
  } else {
    return false;
  }
  return true;
}

/// What a process prints. What was not looked at is null.
struct Result {
  std::string engine;  // with its version
  double us_per_step = NAN;
  double contacts = NAN;  // in the engine's problem, mean over the steps of the run with poses
  double residual = NAN;  // Coluber: the solver's own law, largest, scaled
  double law = NAN;       // Coulomb's law as it stands, largest after 1 s, over m g dt
  double iterations = NAN, iterations_max = NAN;
  double failed = NAN;  // steps the engine itself calls failed, or with a non-finite pose
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
  item("contacts", result.contacts);
  item("residual", result.residual);
  item("law", result.law);
  item("iterations", result.iterations);
  item("iterations_max", result.iterations_max);
  item("failed", result.failed);
  std::printf("}\n");
}

}  // namespace peers
