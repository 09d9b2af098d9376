// The collision rule (M19), the same for grid nodes and particles.
#pragma once

#include "math/vec.h"

namespace firn {

enum class Contact : unsigned char { kNone, kSliding, kStuck };

template <class T, int D>
struct Response {
  Vec<T, D> v;
  Contact contact;
};

// v: velocity of a point with phi <= 0; n: outward normal; v_co: the body's velocity there.
template <class T, int D>
FIRN_HD inline Response<T, D> respond(const Vec<T, D>& v, const Vec<T, D>& n, const Vec<T, D>& v_co, T friction, bool sticky) {
  if (sticky) return {v_co, Contact::kStuck};
  const Vec<T, D> v_rel = v - v_co;
  const T v_n = dot(v_rel, n);
  if (v_n >= T(0)) return {v, Contact::kNone};
  const Vec<T, D> v_t = v_rel - v_n * n;
  const T speed = norm(v_t);
  // Without friction nothing holds the point along the surface, even when it happens not to slide.
  if (friction > T(0) && speed <= -friction * v_n) return {v_co, Contact::kStuck};
  const T kept = speed > T(0) ? T(1) + friction * v_n / speed : T(0);
  return {kept * v_t + v_co, Contact::kSliding};  // (M19)
}

}  // namespace firn
