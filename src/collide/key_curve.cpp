#include "collide/key_curve.h"

#include <algorithm>

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
  turns_[1] = to_rotation_vector(normalized(from_rotation_vector(-turns_[2]) * to.rotation * conjugate(from_.rotation) *
                                            from_rotation_vector(-turns_[0])));
}

Pose KeyCurve::at(double t, const Vec<double, 3>& origin) const {
  const double u = (t - from_.t) / span_, v = 1 - u;
  Pose pose;
  pose.displacement = from_.position - origin + (u * u * (3 - 2 * u)) * travel_ +
                      span_ * ((u * v * v) * begin_velocity_ - (u * u * v) * end_velocity_);
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

}  // namespace firn
