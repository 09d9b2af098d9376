#include "collide/motion.h"

#include <algorithm>
#include <cmath>

namespace firn {

Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Quat conjugate(const Quat& q) { return {q.w, -q.x, -q.y, -q.z}; }

Quat normalized(const Quat& q) {
  const double s = 1 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}

Quat from_rotation_vector(const Vec<double, 3>& r) {
  const double angle = norm(r);
  const double s = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
  return {std::cos(angle / 2), s * r[0], s * r[1], s * r[2]};
}

Vec<double, 3> to_rotation_vector(const Quat& q) {
  const double sign = q.w < 0 ? -1 : 1;
  const Vec<double, 3> v{sign * q.x, sign * q.y, sign * q.z};
  const double s = norm(v);
  const double scale = s > 0 ? 2 * std::atan2(s, sign * q.w) / s : 2;
  return scale * v;
}

Mat<double, 3> to_matrix(const Quat& q) {
  const double w = q.w, x = q.x, y = q.y, z = q.z;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),      //
           2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),      //
           2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

bool RigidMotion::moves() const {
  return keys.size() > 1 || dot(velocity, velocity) > 0 || dot(spin, spin) > 0;
}

namespace {

// Between keys the position moves straight and the rotation turns evenly, so velocity and spin are constant there.
Pose interpolate(const std::vector<PoseKey>& keys, double t, const Vec<double, 3>& origin) {
  const Vec<double, 3> still{0, 0, 0};
  const auto next = std::upper_bound(keys.begin(), keys.end(), t, [](double s, const PoseKey& k) { return s < k.t; });
  if (next == keys.begin()) return {next->position - origin, next->rotation, still, still};
  const PoseKey& from = *(next - 1);
  if (next == keys.end()) return {from.position - origin, from.rotation, still, still};
  const double span = next->t - from.t;
  const double gamma = (t - from.t) / span;
  const Vec<double, 3> turn = to_rotation_vector(normalized(next->rotation * conjugate(from.rotation)));
  const Vec<double, 3> travel = next->position - from.position;
  return {from.position - origin + gamma * travel, normalized(from_rotation_vector(gamma * turn) * from.rotation), (1 / span) * travel,
          (1 / span) * turn};
}

}  // namespace

Pose RigidMotion::at(double t) const {
  if (!keys.empty()) return interpolate(keys, t, origin);
  const Quat turn = from_rotation_vector(t * spin);
  const Vec<double, 3> arm = to_matrix(turn) * origin_from_pivot;
  return {t * velocity + arm - origin_from_pivot, normalized(turn * rest_rotation), velocity + cross(spin, arm), spin};
}

}  // namespace firn
