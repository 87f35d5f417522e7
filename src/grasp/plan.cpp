#include "coluber/grasp/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"
#include "coluber/world/capsules.hpp"
#include "coluber/world/prism.hpp"

#include "math/degree.hpp"

namespace coluber::grasp {

namespace {

using Eigen::Vector2d;

/// How far `swing` goes the other way (rad), and its share of the time.
constexpr double kSway = 20.0 * math::degree;
constexpr double kSwayShare = 0.3;

/// From 0 to 1 with rates and accelerations zero at both ends.
struct Course {
  double s = 0.0, rate = 0.0;
};
Course quintic(double t, double duration) {
  if (t <= 0.0) return {};
  if (t >= duration) return {1.0, 0.0};
  const double x = t / duration;
  return {x * x * x * (10.0 + x * (-15.0 + 6.0 * x)),
          30.0 * x * x * (1.0 - x) * (1.0 - x) / duration};
}

Vector2d turned(const Vector2d& v, double angle) {
  double s = 0.0;
  double c = 1.0;
  math::sincos(angle, s, c);
  return {c * v.x() - s * v.y(), s * v.x() + c * v.y()};
}

/// v turned left by a quarter.
Vector2d across(const Vector2d& v) { return {-v.y(), v.x()}; }

double nearest_turn(double angle, double to) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((to - angle) / turn);
}

}  // namespace

Vector2d Place::at(const Vector2d& local) const { return p + turned(local, yaw); }
Vector2d Place::local(const Vector2d& point) const { return turned(point - p, -yaw); }

std::vector<Phase> make_phases(const std::vector<TaskKeys>& tasks, double duration) {
  std::vector<Phase> phases;
  double t = 0.0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskKeys& task = tasks[i];
    const auto add = [&](double length, int lays) {
      phases.push_back({t, t + length, static_cast<int>(i), task.kind, lays});
      t += length;
    };
    if (task.kind != TaskKind::lasso) {
      add(task.duration.value_or(0.0), -1);
      continue;
    }
    const int first = task.first_link.value_or(1) - 1;
    for (int k = 1; k < task.contacts.count; ++k) add(task.link_time, first - k);
    if (task.contacts.count <= 1) add(task.link_time, -1);
  }
  phases.push_back({t, std::max(t, duration) + 1e9, -1, TaskKind::hold, -1});
  return phases;
}

void begin_hold(const Model& model, const Configuration& q, const Chain& chain, double t,
                Wish& wish) {
  wish.begin = t;
  wish.motion = 0.0;
  wish.head << q.P0.x(), q.P0.y(), q.pitch(0), q.yaw(0);
  wish.head_wished = wish.head;
  for (int i = 1; i < model.links; ++i) wish.rises(i - 1) = chain.mid(2, i) - q.P0.z();
  wish.rises_wished = wish.rises;
  wish.offset.setZero();
  wish.anchor.setZero();
  for (int c = 0; c < wish.layout.holds; ++c) {
    const Vector2d point = chain.mid.col(wish.layout.held[static_cast<std::size_t>(c)]).head<2>();
    wish.anchor.col(c) = point;
    wish.offset.col(c) = point - q.P0.head<2>();
  }
  wish.fixed = false;
  wish.pivot = q.P0.head<2>();
  wish.shift.setZero();
  wish.turn = wish.sway = 0.0;
  wish.closing = 0;
  wish.carries = false;
  wish.psi = wish.psi_size = wish.psi_omega = 0.0;
}

void Wish::at(const Model& model, double t, Eigen::Ref<Eigen::VectorXd> w,
              Eigen::Ref<Eigen::VectorXd> wdot) const {
  const int joints = model.joints();
  wdot.setZero();
  w.segment(4, joints) = rises_wished;
  if (layout.oscillating > 0) {
    double s = 0.0;
    double c = 1.0;
    math::sincos(psi_omega * (t - begin), s, c);
    w(4 + joints + 2 * layout.holds) = psi + psi_size * s;
    wdot(4 + joints + 2 * layout.holds) = psi_size * psi_omega * c;
  }
  if (motion <= 0.0) {
    w.head<4>() = head_wished;
    for (int c = 0; c < layout.holds; ++c) {
      w(4 + joints + c) = offset(0, c);
      w(4 + joints + layout.holds + c) = offset(1, c);
    }
    return;
  }
  const double since = t - begin;
  Course course = quintic(since, motion);
  double angle = turn * course.s;
  double rate = turn * course.rate;
  if (sway != 0.0) {  // there, then to the end
    const double there = kSwayShare * motion;
    const Course out = quintic(since, there);
    course = quintic(since - there, motion - there);
    angle = sway * out.s + (turn - sway) * course.s;
    rate = sway * out.rate + (turn - sway) * course.rate;
  }
  const Vector2d arm = turned(head.head<2>() - pivot, angle);
  const Vector2d P = pivot + course.s * shift + arm;
  const Vector2d Pdot = course.rate * shift + rate * across(arm);
  w.head<4>() << P.x(), P.y(), head(2), head(3) + angle;
  wdot.head<4>() << Pdot.x(), Pdot.y(), 0.0, rate;
  for (int c = 0; c < layout.holds; ++c) {
    const Vector2d S = fixed ? Vector2d(anchor.col(c) - P) : turned(offset.col(c), angle);
    const Vector2d Sdot = fixed ? Vector2d(-Pdot) : Vector2d(rate * across(S));
    w(4 + joints + c) = S.x();
    w(4 + joints + layout.holds + c) = S.y();
    wdot(4 + joints + c) = Sdot.x();
    wdot(4 + joints + layout.holds + c) = Sdot.y();
  }
}

LayFault begin_lay(const Model& model, const Chain& chain, const Object& object, const Place& place,
                   int link, Route route, Wish& wish) {
  const Vector2d J = chain.joint.col(link + 1).head<2>();
  const Vector2d v = place.p - J;
  const double far = v.norm();
  if (far <= object.rho) return LayFault::inside;
  const double tangent = std::sqrt(far * far - object.rho * object.rho);
  if (tangent > model.length) return LayFault::beyond;
  // The link lies from J backwards; from there the centre is on its left.
  const double beta = math::atan2(object.rho, tangent);
  const double along = math::atan2(-v.y(), -v.x());
  const Vector2d l = chain.along.col(link).head<2>();
  const double now = math::atan2(l.y(), l.x());
  const double turn = nearest_turn(along + beta - now, 0.0);
  wish.fixed = true;
  wish.pivot = J;
  wish.turn = turn;
  wish.sway = route == Route::swing ? std::copysign(kSway, -turn) : 0.0;
  wish.closing = link + 1;
  return LayFault::none;
}

double compute_clearance(const Model& model, const Chain& chain, const Object& object,
                         const Place& place, int link) {
  const Eigen::Vector3d a = chain.joint.col(link);
  const Eigen::Vector3d b = chain.joint.col(link + 1);
  if (object.is_prism()) {
    return world::locate_on_prism(object.corners, place.local(a.head<2>()),
                                  place.local(b.head<2>()))
               .g -
           model.radius;
  }
  const Eigen::Vector3d foot(place.p.x(), place.p.y(), 0.0);
  const world::Capsule axis{foot, foot + object.height * Eigen::Vector3d::UnitZ(), 0.0};
  return world::find_nearest({a, b, 0.0}, axis).distance - object.rho;
}

Place carry(const Chain& chain, const std::vector<Contact>& contacts, const Layout& layout,
            const Place& place) {
  Vector2d from = Vector2d::Zero();
  Vector2d to = Vector2d::Zero();
  int count = 0;
  const auto each = [&](auto&& use) {
    for (const Contact& contact : contacts) {
      for (int c = 0; c < layout.holds; ++c) {
        if (layout.held[static_cast<std::size_t>(c)] != contact.link) continue;
        use(contact.local, Vector2d(chain.mid.col(contact.link).head<2>()));
      }
    }
  };
  each([&](const Vector2d& local, const Vector2d& point) {
    from += local;
    to += point;
    ++count;
  });
  if (count == 0) return place;
  from /= count;
  to /= count;
  double sine = 0.0;
  double cosine = 0.0;
  each([&](const Vector2d& local, const Vector2d& point) {
    const Vector2d a = local - from;
    const Vector2d b = point - to;
    sine += a.x() * b.y() - a.y() * b.x();
    cosine += a.dot(b);
  });
  Place moved = place;
  if (count > 1) moved.yaw = nearest_turn(math::atan2(sine, cosine), place.yaw);
  moved.p = to - turned(from, moved.yaw);
  return moved;
}

}  // namespace coluber::grasp
