// What a grid node may still do after its collisions of step 5: the projection of the semi-implicit solve.
#pragma once

#include "collide/body.h"

namespace firn {

template <class T, int D>
struct Constraint {
  bool stuck = false;
  int count = 0;          // of directions the node may not change its velocity in
  Vec<T, D> normal[D - 1];  // orthonormal

  bool free() const { return !stuck && count == 0; }

  void stick() { stuck = true; }

  // Adds a sliding contact. As many independent ones as dimensions leave no direction free.
  void slide(Vec<T, D> n) {
    n = without_held(n);
    const T length = norm(n);
    constexpr T kSameDirection = T(1e-3);
    if (length < kSameDirection) return;
    if (count == D - 1) {
      stuck = true;
      return;
    }
    // Once more: of nearly parallel contacts the first time leaves rounding, and the projection must be symmetric.
    n = without_held((T(1) / length) * n);
    normal[count++] = (T(1) / norm(n)) * n;
  }

  Vec<T, D> project(const Vec<T, D>& u) const { return stuck ? Vec<T, D>::zero() : without_held(u); }

  Vec<T, D> without_held(Vec<T, D> u) const {
    for (int k = 0; k < count; ++k) u -= dot(u, normal[k]) * normal[k];
    return u;
  }
};

// Step 5 at one point: all bodies in order; records what they leave free.
template <class T, int D>
inline Vec<T, D> collide(const std::vector<Body<T, D>>& bodies, const LatticePoint<T, D>& x, Vec<T, D> v, T h,
                         Constraint<T, D>* constraint) {
  for (const Body<T, D>& body : bodies) {
    const BodyContact<T, D> c = probe(body, x.cell, x.offset, h);
    if (c.phi > T(0)) continue;
    const Response<T, D> response = respond(v, c.n, c.v_co, body.friction, body.sticky);
    v = response.v;
    if (constraint && response.contact == Contact::kStuck) constraint->stick();
    if (constraint && response.contact == Contact::kSliding) constraint->slide(c.n);
  }
  return v;
}

}  // namespace firn
