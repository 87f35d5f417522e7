// The peers' scene in MuJoCo, stepped through its C interface. Prints one JSON object.
// The servos are MuJoCo's own affine actuators, torque = k_P (phi_d - phi) + k_D (phidot_d -
// phidot).
//   --setting NAME=VALUE, repeated. None: MuJoCo's own defaults throughout.
//     root=middle          the free joint on the middle link instead of link 1
//     contacts=pairs       the pairs that can touch are listed, none are looked for
//     contacts=floor       the pairs with the floor are listed, those with cylinders looked for
//     damping=joint        k_D as the joint's damping, which Euler treats implicitly by default
//     and options of the solver and of the contacts: see `apply`
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "scene.hpp"

namespace {

using peers::Job;
using peers::Task;

struct Settings {
  bool middle = false;  // free joint on the middle link instead of link 1
  bool floor_pairs = false;
  bool cylinder_pairs = false;
  bool damper = false;
  std::vector<std::pair<std::string, std::string>> options;
};

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

// The chain hangs on the root outwards in both directions; a body's frame is at its link's centre.
std::string body(const Settings& settings, int n, int i, int parent) {
  const bool root = parent < 0;
  const bool ahead = i > parent;
  const std::string id = std::to_string(i + 1);
  std::string out = "<body name='link" + id + "' pos='" +
                    (root ? "0" : number(ahead ? peers::length : -peers::length)) + " 0 " +
                    (root ? number(peers::radius) : "0") + "'>";
  if (root) {
    out += "<freejoint/>";
  } else {
    // phi_i = theta_(i+1) - theta_i: a link that hangs on the next one turns the other way
    const int joint = ahead ? i : i + 1;
    out += "<joint name='phi" + std::to_string(joint) + "' type='hinge' axis='0 0 " +
           (ahead ? "1" : "-1") + "' pos='" +
           number(ahead ? -peers::length / 2 : peers::length / 2) + " 0 0'" +
           (settings.damper ? " damping='" + number(peers::k_D) + "'" : "") + "/>";
  }
  out += "<inertial pos='0 0 0' mass='" + number(peers::mass) + "' diaginertia='" +
         number(peers::inertia_axial) + " " + number(peers::inertia) + " " +
         number(peers::inertia) + "'/>";
  for (const int side : {-1, 1}) {
    // spheres look for the world, not for each other
    out += "<geom name='sphere" + id + (side < 0 ? "a" : "b") + "' type='sphere' size='" +
           number(peers::radius) + "' pos='" + number(side * peers::half_core) +
           " 0 0' friction='" + number(peers::friction) +
           " 0.005 0.0001' contype='1' conaffinity='0'/>";
  }
  if (i + 1 < n && (root || ahead)) out += body(settings, n, i + 1, i);
  if (i > 0 && (root || !ahead)) out += body(settings, n, i - 1, i);
  return out + "</body>";
}

std::string make_scene(const Job& job, const Settings& settings) {
  const peers::Gravity g = peers::scene_gravity(job);
  std::string xml = "<mujoco><option timestep='" + number(peers::dt) + "' gravity='" + number(g.x) +
                    " " + number(g.y) + " " + number(g.z) + "'/>";
  const auto fixed = [&](const std::string& what, bool listed) {
    xml += "<geom " + what + " friction='" + number(peers::friction) +
           " 0.005 0.0001' contype='0' conaffinity='" + (listed ? "0" : "1") + "'/>";
  };
  xml += "<worldbody>";
  fixed("name='floor' type='plane' size='0 0 1'", settings.floor_pairs);
  const std::vector<peers::Cylinder> cylinders = peers::load_cylinders(job);
  for (std::size_t c = 0; c < cylinders.size(); ++c) {
    fixed("name='cylinder" + std::to_string(c) + "' type='cylinder' size='" +
              number(cylinders[c].radius) + " 0.5' pos='" + number(cylinders[c].x) + " " +
              number(cylinders[c].y) + " 0.5'",
          settings.cylinder_pairs);
  }
  xml += body(settings, job.n, settings.middle ? (job.n - 1) / 2 : 0, -1);
  xml += "</worldbody><actuator>";
  // torque = ctrl - k_P phi - k_D phidot, ctrl = k_P phi_d + k_D phidot_d
  for (int i = 1; i < job.n; ++i) {
    xml += "<general joint='phi" + std::to_string(i) +
           "' gaintype='fixed' gainprm='1' biastype='affine' biasprm='0 " + number(-peers::k_P) +
           " " + number(settings.damper ? 0.0 : -peers::k_D) + "'/>";
  }
  xml += "</actuator>";
  const auto pair = [&](const std::string& what, const std::string& sphere) {
    xml += "<pair geom1='" + what + "' geom2='" + sphere + "' condim='3' friction='" +
           number(peers::friction) + " " + number(peers::friction) + " 0.005 0.0001 0.0001'/>";
  };
  xml += "<contact>";
  for (int i = 1; i <= job.n; ++i) {
    for (const char* side : {"a", "b"}) {
      const std::string sphere = "sphere" + std::to_string(i) + side;
      if (settings.floor_pairs) pair("floor", sphere);
      for (std::size_t c = 0; settings.cylinder_pairs && c < cylinders.size(); ++c) {
        pair("cylinder" + std::to_string(c), sphere);
      }
    }
  }
  xml += "</contact>";
  return xml + "</mujoco>";
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "mujoco: %s\n", what.c_str());
  std::exit(2);
}

int choose(const std::string& value, std::initializer_list<std::pair<const char*, int>> words) {
  for (const auto& [word, code] : words) {
    if (value == word) return code;
  }
  fail("unknown value " + value);
}

void apply(mjModel& model, const std::string& name, const std::string& value) {
  mjOption& opt = model.opt;
  if (name == "solver") {
    opt.solver = choose(value, {{"newton", mjSOL_NEWTON}, {"cg", mjSOL_CG}, {"pgs", mjSOL_PGS}});
  } else if (name == "cone") {
    opt.cone = choose(value, {{"pyramidal", mjCONE_PYRAMIDAL}, {"elliptic", mjCONE_ELLIPTIC}});
  } else if (name == "jacobian") {
    opt.jacobian = choose(value, {{"dense", mjJAC_DENSE}, {"sparse", mjJAC_SPARSE}});
  } else if (name == "integrator") {
    opt.integrator = choose(value, {{"euler", mjINT_EULER},
                                    {"implicitfast", mjINT_IMPLICITFAST},
                                    {"implicit", mjINT_IMPLICIT},
                                    {"discrete", mjINT_DISCRETE},
                                    {"rk4", mjINT_RK4}});
  } else if (name == "iterations") {
    opt.iterations = std::atoi(value.c_str());
  } else if (name == "ls_iterations") {
    opt.ls_iterations = std::atoi(value.c_str());
  } else if (name == "noslip_iterations") {
    opt.noslip_iterations = std::atoi(value.c_str());
  } else if (name == "tolerance") {
    opt.tolerance = std::atof(value.c_str());
  } else if (name == "ls_tolerance") {
    opt.ls_tolerance = std::atof(value.c_str());
  } else if (name == "impratio") {
    opt.impratio = std::atof(value.c_str());
  } else if (name == "off") {
    opt.disableflags |= choose(value, {{"island", mjDSBL_ISLAND},
                                       {"warmstart", mjDSBL_WARMSTART},
                                       {"eulerdamp", mjDSBL_EULERDAMP},
                                       {"midphase", mjDSBL_MIDPHASE},
                                       {"sensor", mjDSBL_SENSOR},
                                       {"limit", mjDSBL_LIMIT},
                                       {"equality", mjDSBL_EQUALITY},
                                       {"frictionloss", mjDSBL_FRICTIONLOSS},
                                       {"spring", mjDSBL_SPRING},
                                       {"clampctrl", mjDSBL_CLAMPCTRL},
                                       {"refsafe", mjDSBL_REFSAFE},
                                       {"autoreset", mjDSBL_AUTORESET}});
  } else if (name == "timeconst") {  // of the contact's spring, defaults 0.02 s, damping ratio 1
    for (int g = 0; g < model.ngeom; ++g) model.geom_solref[mjNREF * g] = std::atof(value.c_str());
    for (int p = 0; p < model.npair; ++p) model.pair_solref[mjNREF * p] = std::atof(value.c_str());
  } else if (name == "impedance") {  // d_0 = d_width, defaults 0.9, 0.95
    for (int g = 0; g < model.ngeom; ++g) {
      model.geom_solimp[mjNIMP * g] = model.geom_solimp[mjNIMP * g + 1] = std::atof(value.c_str());
    }
    for (int p = 0; p < model.npair; ++p) {
      model.pair_solimp[mjNIMP * p] = model.pair_solimp[mjNIMP * p + 1] = std::atof(value.c_str());
    }
  } else {
    fail("unknown setting " + name);
  }
}

struct Robot {
  const mjModel& model;
  std::vector<int> link, qpos, dof;  // ids of bodies; addresses of the joint angles and rates

  explicit Robot(const mjModel& m, int n) : model(m) {
    for (int i = 1; i <= n; ++i) {
      link.push_back(mj_name2id(&m, mjOBJ_BODY, ("link" + std::to_string(i)).c_str()));
      if (i == n) break;
      const int id = mj_name2id(&m, mjOBJ_JOINT, ("phi" + std::to_string(i)).c_str());
      qpos.push_back(m.jnt_qposadr[id]);
      dof.push_back(m.jnt_dofadr[id]);
    }
  }

  // Link 1 along +x with its rear end at the origin; the others follow the references.
  void start(mjData& data, const Job& job, const peers::References& references,
             const Settings& settings) const {
    mj_resetData(&model, &data);
    const double* phi = references.phi(0);
    for (std::size_t i = 0; i < qpos.size(); ++i) data.qpos[qpos[i]] = phi[i];
    double theta = job.turned;
    double x = peers::length / 2 * std::cos(theta);
    double y = peers::length / 2 * std::sin(theta);
    for (int i = 0; settings.middle && i < (job.n - 1) / 2; ++i) {
      x += peers::length / 2 * std::cos(theta);
      y += peers::length / 2 * std::sin(theta);
      theta += phi[i];
      x += peers::length / 2 * std::cos(theta);
      y += peers::length / 2 * std::sin(theta);
    }
    data.qpos[0] = x;
    data.qpos[1] = y;
    data.qpos[2] = peers::radius;
    data.qpos[3] = std::cos(theta / 2);
    data.qpos[6] = std::sin(theta / 2);
  }

  void command(mjData& data, const peers::References& references, int k) const {
    const double* phi = references.phi(k);
    const double* rate = references.rate(k);
    for (int i = 0; i < model.nu; ++i) data.ctrl[i] = peers::k_P * phi[i] + peers::k_D * rate[i];
  }

  void poses(mjData& data, std::vector<peers::LinkPose>& out) const {
    mj_kinematics(&model, &data);
    for (std::size_t i = 0; i < link.size(); ++i) {
      const mjtNum* r = data.xpos + 3 * link[i];
      const mjtNum* R = data.xmat + 9 * link[i];  // by rows
      out[i] = {r[0], r[1], r[2], R[0], R[3], R[6]};
    }
  }
};

// By how much the friction impulse of a step is not the one of Coulomb's law at the velocity the
// step ends with: |P - nearest point of the disc to (P - r gamma)|, r = 0.3 kg, over m g dt. The
// normal impulse is taken as it is.
double law_residual(const mjModel& model, const mjData& data, std::vector<double>& jacobian) {
  const int nv = static_cast<int>(model.nv);
  jacobian.resize(static_cast<std::size_t>(3 * nv));
  double worst = 0.0;
  for (int c = 0; c < data.ncon; ++c) {
    const mjContact& contact = data.contact[c];
    if (contact.efc_address < 0) continue;
    mjtNum force[6];
    mj_contactForce(&model, &data, c, force);
    // the velocity of the second body of the pair relative to the first; one of them is the world
    const int second = model.geom_bodyid[contact.geom[1]];
    const int moving = second == 0 ? model.geom_bodyid[contact.geom[0]] : second;
    const double sign = second == 0 ? -1.0 : 1.0;
    mj_jac(&model, &data, jacobian.data(), nullptr, contact.pos, moving);
    double v[3] = {0.0, 0.0, 0.0};
    for (int row = 0; row < 3; ++row) {
      for (int j = 0; j < nv; ++j) {
        v[row] += jacobian[static_cast<std::size_t>(row * nv + j)] * data.qvel[j];
      }
    }
    double s[2];
    double P[2];
    for (int t = 0; t < 2; ++t) {
      const mjtNum* axis = contact.frame + 3 * (t + 1);
      const double gamma = sign * (axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]);
      P[t] = force[t + 1] * peers::dt;
      s[t] = P[t] - 0.3 * gamma;
    }
    const double length = std::hypot(s[0], s[1]);
    const double limit = peers::friction * force[0] * peers::dt;
    const double scale = length > limit ? limit / length : 1.0;
    worst = std::max(worst, std::hypot(P[0] - scale * s[0], P[1] - scale * s[1]));
  }
  return worst / (peers::mass * peers::gravity * peers::dt);
}

// A run that is looked at after every step.
void watch(const mjModel& model, mjData& data, const Robot& robot, const Job& job,
           const Settings& settings, const peers::References& references, peers::Result& result) {
  peers::Poses out(job);
  std::vector<peers::LinkPose> poses(static_cast<std::size_t>(job.n));
  std::vector<double> jacobian;
  double iterations = 0.0;
  double contacts = 0.0;
  int iterations_max = 0;
  result.law = 0.0;
  robot.start(data, job, references, settings);
  robot.poses(data, poses);
  out.add(poses);
  for (int k = 1; k <= job.steps(); ++k) {
    robot.command(data, references, k);
    mj_step(&model, &data);
    const int islands = std::clamp(data.nisland, 1, static_cast<int>(mjNISLAND));
    const int sweeps = *std::max_element(data.solver_niter, data.solver_niter + islands);
    iterations += sweeps;
    iterations_max = std::max(iterations_max, sweeps);
    contacts += data.ncon;
    if (k * peers::dt > 1.0) {
      result.law = std::max(result.law, law_residual(model, data, jacobian));
    }
    robot.poses(data, poses);
    out.add(poses);
  }
  result.contacts = contacts / job.steps();
  result.iterations = iterations / job.steps();
  result.iterations_max = iterations_max;
  result.failed = 0.0;  // steps it warned of: singular inertia, a full buffer, a bad number
  for (const mjWarningStat& warning : data.warning) result.failed += warning.number;
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  Settings settings;
  for (int a = 1; a + 1 < argc; a += 2) {
    const std::string value = argv[a + 1];
    if (peers::take(job, argv[a], argv[a + 1])) continue;
    const std::size_t cut = value.find('=');
    if (std::string(argv[a]) != "--setting" || cut == std::string::npos)
      fail("usage: --setting NAME=VALUE");
    const std::string name = value.substr(0, cut);
    const std::string what = value.substr(cut + 1);
    if (name == "root") {
      settings.middle = what == "middle";
    } else if (name == "contacts") {
      settings.floor_pairs = what == "pairs" || what == "floor";
      settings.cylinder_pairs = what == "pairs";
    } else if (name == "damping") {
      settings.damper = what == "joint";
    } else {
      settings.options.emplace_back(name, what);
    }
  }

  std::array<char, 1000> error{};
  mjSpec* spec = mj_parseXMLString(make_scene(job, settings).c_str(), nullptr, error.data(),
                                   static_cast<int>(error.size()));
  if (spec == nullptr) fail(error.data());
  mjModel* model = mj_compile(spec, nullptr);
  if (model == nullptr) fail(mjs_getError(spec));
  for (const auto& [name, value] : settings.options) apply(*model, name, value);
  mjData* data = mj_makeData(model);
  const Robot robot(*model, job.n);
  const peers::References references(job);

  peers::Result result;
  result.engine = std::string("MuJoCo ") + mj_versionString();
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < job.repeat; ++r) {
    robot.start(*data, job, references, settings);
    const double begin = peers::cpu_seconds();
    for (int k = 1; k <= job.steps(); ++k) {
      robot.command(*data, references, k);
      mj_step(model, data);
    }
    best = std::min(best, (peers::cpu_seconds() - begin) / job.steps());
  }
  result.us_per_step = 1e6 * best;
  if (!job.poses.empty()) watch(*model, *data, robot, job, settings, references, result);
  peers::print(job, result);
  mj_deleteData(data);
  mj_deleteModel(model);
  mj_deleteSpec(spec);
}
