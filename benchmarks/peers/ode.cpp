// The peers' scene in ODE: a body a link and a hinge a joint (maximal coordinates), contacts as
// joints made anew every step. Debian's library is built in double precision.
//
// Friction is ODE's dContactApprox1: a pyramid along the contact's axes with |T| <= mu N for each
// of the two, hence up to sqrt(2) mu N on the diagonal; the axes are ODE's own choice (the scene's
// x and y on the floor). Bodies never sleep (auto-disable is off, ODE's default).
//
// Settings:
//   step=quick|exact      dWorldQuickStep (SOR, default) or dWorldStep (Dantzig's pivoting)
//   iterations=20         of quickstep; 20 is ODE's default
//   contacts=space|list   space: dSpaceCollide in a hash space, then dCollide of each pair near, as
//                         in ODE's examples (default); list: spheres against the floor and the
//                         cylinders in a plain loop, their contact points written down directly
//   servo=torque|stop     torque: k_P (phi_d - phi) + k_D (phi_d' - phi') at the step's beginning
//                         (default); stop: the same law at the step's end, as the hinge's two stops
//                         at phi_d + (k_D/k_P) phi_d', with ERP and CFM of this spring and damper
//   gyro=on|off           ODE's gyroscopic term (default on)
#include <array>

#include <ode/ode.h>
#include <ode/version.h>

#include "driver.hpp"

namespace {

using peers::Job;

constexpr int contacts_most = 4;  // of one pair of shapes

class World {
 public:
  World(const Job& job, const peers::References& references, peers::Settings& settings)
      : references_(references), cylinders_(peers::load_cylinders(job)) {
    exact_ = settings.word("step", "quick", {"quick", "exact"}) == "exact";
    list_ = settings.word("contacts", "space", {"space", "list"}) == "list";
    stop_ = settings.word("servo", "torque", {"torque", "stop"}) == "stop";
    const bool gyro = settings.word("gyro", "on", {"on", "off"}) == "on";
    iterations_ = static_cast<int>(settings.number("iterations", 20));

    dRandSetSeed(1);  // quickstep shuffles its rows
    world_ = dWorldCreate();
    group_ = dJointGroupCreate(0);
    space_ = dHashSpaceCreate(nullptr);
    const auto g = peers::scene_gravity(job);
    dWorldSetGravity(world_, g.x, g.y, g.z);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetQuickStepNumIterations(world_, iterations_);
    contact_.surface.mode = dContactApprox1;
    contact_.surface.mu = peers::friction;

    make_robot(job, gyro);
    if (!list_) make_shapes();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step(int k) {
    stop_ ? move_stops(k) : add_torques(k);
    contacts_ = 0;
    list_ ? touch_all() : dSpaceCollide(space_, this, &World::near);
    const int done = exact_ ? dWorldStep(world_, peers::dt) : dWorldQuickStep(world_, peers::dt);
    failed_ = done == 0;
    dJointGroupEmpty(group_);
  }

  [[nodiscard]] std::vector<peers::LinkPose> poses() const {
    std::vector<peers::LinkPose> poses;
    for (const dBodyID link : links_) {
      const dReal* r = dBodyGetPosition(link);
      const dReal* R = dBodyGetRotation(link);
      poses.push_back({r[0], r[1], r[2], R[0], R[4], R[8]});
    }
    return poses;
  }
  [[nodiscard]] int contacts() const { return contacts_; }
  [[nodiscard]] int iterations() const { return exact_ ? -1 : iterations_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  // Hinges are made on the straight robot, so that their angle is phi.
  void make_robot(const Job& job, bool gyro) {
    dMass inertia;
    dMassSetParameters(&inertia, peers::mass, 0, 0, 0, peers::inertia_axial, peers::inertia,
                       peers::inertia, 0, 0, 0);
    for (int i = 0; i < job.n; ++i) {
      const dBodyID link = dBodyCreate(world_);
      dBodySetMass(link, &inertia);
      dBodySetPosition(link, i * peers::length, 0, 0);
      dBodySetGyroscopicMode(link, gyro ? 1 : 0);
      links_.push_back(link);
      if (i == 0) continue;
      const dJointID hinge = dJointCreateHinge(world_, nullptr);
      dJointAttach(hinge, link, links_[static_cast<std::size_t>(i - 1)]);
      dJointSetHingeAnchor(hinge, (i - 0.5) * peers::length, 0, 0);
      dJointSetHingeAxis(hinge, 0, 0, 1);
      hinges_.push_back(hinge);
      if (stop_) {
        // implicit spring and damper  ODE's manual, "Joint error and CFM"
        const double h = peers::dt;
        dJointSetHingeParam(hinge, dParamStopERP, h * peers::k_P / (h * peers::k_P + peers::k_D));
        dJointSetHingeParam(hinge, dParamStopCFM, 1 / (h * peers::k_P + peers::k_D));
      }
    }
    const auto start = peers::start_poses(job);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const peers::LinkPose& p = start[i];
      dBodySetPosition(links_[i], p.x, p.y, p.z);
      const dMatrix3 R = {p.e_x, -p.e_y, 0, 0, p.e_y, p.e_x, 0, 0, 0, 0, 1, 0};
      dBodySetRotation(links_[i], R);
    }
  }

  // Robot and world in two categories: no link meets a link. A cylinder is a capsule whose ends no
  // sphere reaches.
  void make_shapes() {
    const auto categorise = [](dGeomID shape, unsigned long own, unsigned long other) {
      dGeomSetCategoryBits(shape, own);
      dGeomSetCollideBits(shape, other);
    };
    for (const dBodyID link : links_) {
      for (const int side : {-1, 1}) {
        const dGeomID sphere = dCreateSphere(space_, peers::radius);
        dGeomSetBody(sphere, link);
        dGeomSetOffsetPosition(sphere, side * peers::half_core, 0, 0);
        categorise(sphere, 1, 2);
      }
    }
    categorise(dCreatePlane(space_, 0, 0, 1, 0), 2, 1);
    for (const peers::Cylinder& cylinder : cylinders_) {
      const dGeomID shape = dCreateCapsule(space_, cylinder.radius, 1.0);
      dGeomSetPosition(shape, cylinder.x, cylinder.y, 0.25);
      categorise(shape, 2, 1);
    }
  }

  void add_torques(int k) {
    const double* phi_d = references_.phi(k);
    const double* rate_d = references_.rate(k);
    for (std::size_t i = 0; i + 1 < links_.size(); ++i) {
      const dReal* A = dBodyGetRotation(links_[i]);  // columns are the link's axes
      const dReal* B = dBodyGetRotation(links_[i + 1]);
      const double c = A[0] * B[0] + A[4] * B[4] + A[8] * B[8];
      const double s = A[1] * B[0] + A[5] * B[4] + A[9] * B[8];
      const std::array<double, 3> e = {A[2], A[6], A[10]};
      const dReal* v = dBodyGetAngularVel(links_[i]);
      const dReal* w = dBodyGetAngularVel(links_[i + 1]);
      const double rate = e[0] * (w[0] - v[0]) + e[1] * (w[1] - v[1]) + e[2] * (w[2] - v[2]);
      const double torque =
          peers::k_P * (phi_d[i] - std::atan2(s, c)) + peers::k_D * (rate_d[i] - rate);
      dBodyAddTorque(links_[i + 1], torque * e[0], torque * e[1], torque * e[2]);
      dBodyAddTorque(links_[i], -torque * e[0], -torque * e[1], -torque * e[2]);
    }
  }

  void move_stops(int k) {
    for (std::size_t i = 0; i < hinges_.size(); ++i) {
      const double at = references_.phi(k)[i] + peers::k_D / peers::k_P * references_.rate(k)[i];
      dJointSetHingeParam(hinges_[i], dParamLoStop, at);
      dJointSetHingeParam(hinges_[i], dParamHiStop, at);
      dJointSetHingeParam(hinges_[i], dParamLoStop, at);  // refused above the former high stop
    }
  }

  static void near(void* self, dGeomID a, dGeomID b) {
    auto* world = static_cast<World*>(self);
    std::array<dContactGeom, contacts_most> found;
    const int count = dCollide(a, b, contacts_most, found.data(), sizeof(dContactGeom));
    for (int c = 0; c < count; ++c) {
      world->touch(found[static_cast<std::size_t>(c)], dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  void touch(const dContactGeom& geometry, dBodyID a, dBodyID b) {
    contact_.geom = geometry;
    dJointAttach(dJointCreateContact(world_, group_, &contact_), a, b);
    ++contacts_;
  }

  void touch_all() {
    dContactGeom geometry{};
    for (const dBodyID link : links_) {
      const dReal* r = dBodyGetPosition(link);
      const dReal* R = dBodyGetRotation(link);
      for (const double side : {-peers::half_core, peers::half_core}) {
        const double x = r[0] + side * R[0], y = r[1] + side * R[4], z = r[2] + side * R[8];
        if (z <= peers::radius) {
          geometry.pos[0] = x, geometry.pos[1] = y, geometry.pos[2] = 0;
          geometry.normal[0] = 0, geometry.normal[1] = 0, geometry.normal[2] = 1;
          geometry.depth = peers::radius - z;
          touch(geometry, link, nullptr);
        }
        for (const peers::Cylinder& cylinder : cylinders_) {
          const double dx = x - cylinder.x, dy = y - cylinder.y;
          const double reach = peers::radius + cylinder.radius;
          if (dx * dx + dy * dy > reach * reach) continue;
          const double distance = std::sqrt(dx * dx + dy * dy);
          geometry.normal[0] = dx / distance, geometry.normal[1] = dy / distance;
          geometry.normal[2] = 0;
          geometry.pos[0] = cylinder.x + cylinder.radius * geometry.normal[0];
          geometry.pos[1] = cylinder.y + cylinder.radius * geometry.normal[1];
          geometry.pos[2] = z;
          geometry.depth = reach - distance;
          touch(geometry, link, nullptr);
        }
      }
    }
  }

  const peers::References& references_;
  std::vector<peers::Cylinder> cylinders_;
  bool exact_ = false, list_ = false, stop_ = false, failed_ = false;
  int iterations_ = 20, contacts_ = 0;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID group_ = nullptr;
  dContact contact_{};
  std::vector<dBodyID> links_;
  std::vector<dJointID> hinges_;
};

}  // namespace

int main(int argc, char** argv) {
  dInitODE2(0);
  if (dCheckConfiguration("ODE_double_precision") == 0) {
    std::fprintf(stderr, "ODE's library is built in single precision, its headers in double\n");
    return 2;
  }
  const int code = peers::drive<World>("ODE " dODE_VERSION, argc, argv);
  dCloseODE();
  return code;
}
