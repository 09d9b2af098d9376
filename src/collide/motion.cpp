#include "collide/motion.h"

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

// The shorter way round.
Vec<double, 3> turn_between(const PoseKey& a, const PoseKey& b) {
  return to_rotation_vector(normalized(b.rotation * conjugate(a.rotation)));
}

struct Tangent {
  Vec<double, 3> velocity, spin;
};

Tangent straight(const PoseKey& a, const PoseKey& b) {
  const double rate = 1 / (b.t - a.t);
  return {rate * (b.position - a.position), rate * turn_between(a, b)};
}

// At the first and the last key the body is at rest, as it is before and after them.
Tangent smooth_at(const std::vector<PoseKey>& keys, std::size_t k) {
  if (k == 0 || k + 1 == keys.size()) return {{0, 0, 0}, {0, 0, 0}};
  const PoseKey &before = keys[k - 1], &after = keys[k + 1];
  const double rate = 1 / (after.t - before.t);
  return {rate * (after.position - before.position), rate * (turn_between(before, keys[k]) + turn_between(keys[k], after))};
}

}  // namespace

KeyCurve::KeyCurve(const std::vector<PoseKey>& keys, std::size_t k, bool smooth) : from_(keys[k]) {
  const PoseKey& to = keys[k + 1];
  span_ = to.t - from_.t;
  travel_ = to.position - from_.position;
  const Tangent begin = smooth ? smooth_at(keys, k) : straight(from_, to);
  const Tangent end = smooth ? smooth_at(keys, k + 1) : begin;
  begin_velocity_ = begin.velocity;
  end_velocity_ = end.velocity;
  turns_[0] = (span_ / 3) * begin.spin;
  turns_[2] = (span_ / 3) * end.spin;
  // What is left for the middle, so that the curve ends at the next key.
  turns_[1] = to_rotation_vector(
      normalized(from_rotation_vector(-turns_[2]) * to.rotation * conjugate(from_.rotation) * from_rotation_vector(-turns_[0])));
}

Pose KeyCurve::at(double t, const Vec<double, 3>& origin) const {
  const double u = (t - from_.t) / span_, v = 1 - u;
  Pose pose;
  pose.displacement =
      from_.position - origin + (u * u * (3 - 2 * u)) * travel_ + span_ * ((u * v * v) * begin_velocity_ - (u * u * v) * end_velocity_);
  pose.velocity = (6 * u * v / span_) * travel_ + (v * (1 - 3 * u)) * begin_velocity_ + (u * (3 * u - 2)) * end_velocity_;
  // The cumulative Bernstein polynomials and, per second, their slopes.
  const double basis[3] = {u * (3 - 3 * u + u * u), u * u * (3 - 2 * u), u * u * u};
  const double slope[3] = {3 * v * v / span_, 6 * u * v / span_, 3 * u * u / span_};
  pose.rotation = from_.rotation;
  pose.spin = {0, 0, 0};
  for (int i = 0; i < 3; ++i) {  // a later turn carries the earlier ones with it
    const Quat turn = from_rotation_vector(basis[i] * turns_[i]);
    pose.rotation = turn * pose.rotation;
    pose.spin = to_matrix(turn) * pose.spin + slope[i] * turns_[i];
  }
  pose.rotation = normalized(pose.rotation);
  return pose;
}

// The velocity is a mixture of three vectors with weights that add up to 1 (a quadratic Bézier curve), so none of its values is longer than
// the longest of them. The spin is such a mixture of 3/span times the turns, turned.
Speeds KeyCurve::fastest() const {
  const Vec<double, 3> middle = (3 / span_) * travel_ - begin_velocity_ - end_velocity_;
  const double turn = std::max({norm(turns_[0]), norm(turns_[1]), norm(turns_[2])});
  return {std::max({norm(begin_velocity_), norm(middle), norm(end_velocity_)}), 3 / span_ * turn};
}

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
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
           2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
           2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

bool RigidMotion::moves() const { return keys.size() > 1 || dot(velocity, velocity) > 0 || dot(spin, spin) > 0; }

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
