#include "collide/motion.h"

#include <algorithm>
#include <cmath>

#include "collide/key_curve.h"

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

// The first key after t.
std::size_t next_key(const std::vector<PoseKey>& keys, double t) {
  const auto next = std::upper_bound(keys.begin(), keys.end(), t, [](double s, const PoseKey& k) { return s < k.t; });
  return static_cast<std::size_t>(next - keys.begin());
}

}  // namespace

Pose RigidMotion::at(double t) const {
  if (!keys.empty()) {
    const std::size_t next = next_key(keys, t);
    if (next > 0 && next < keys.size()) return KeyCurve(keys, next - 1, smooth).at(t, origin);
    const PoseKey& key = next == 0 ? keys.front() : keys.back();
    return {key.position - origin, key.rotation, {0, 0, 0}, {0, 0, 0}};
  }
  const Quat turn = from_rotation_vector(t * spin);
  const Vec<double, 3> arm = to_matrix(turn) * origin_from_pivot;
  return {t * velocity + arm - origin_from_pivot, normalized(turn * rest_rotation), velocity + cross(spin, arm), spin};
}

Speeds RigidMotion::fastest(double begin, double end) const {
  if (keys.empty()) return {norm(velocity) + norm(spin) * norm(origin_from_pivot), norm(spin)};
  Speeds most;
  for (std::size_t next = std::max<std::size_t>(next_key(keys, begin), 1); next < keys.size() && keys[next - 1].t <= end; ++next) {
    const Speeds own = KeyCurve(keys, next - 1, smooth).fastest();
    most = {std::max(most.origin, own.origin), std::max(most.spin, own.spin)};
  }
  return most;
}

}  // namespace firn
