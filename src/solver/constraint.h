// What a grid node may still do after its collisions of step 5, apart because it is the projection of the semi-implicit solve.
#pragma once

#include <cstdint>

#include "collide/body.h"

namespace firn {

template <class T, int D>
struct Constraint {
  bool stuck = false;
  std::uint8_t count = 0;        // of directions the node may not change its velocity in
  std::uint16_t holder[D] = {};  // who holds it in these directions, then who holds it altogether: numbers in the list of bodies
  Vec<T, D> normal[D - 1];       // orthonormal

  FIRN_HD bool free() const { return !stuck && count == 0; }

  FIRN_HD void stick(std::size_t body = 0) {
    stuck = true;
    holder[count] = static_cast<std::uint16_t>(body);
  }

  // Adds a sliding contact. As many independent ones as dimensions leave no direction free.
  FIRN_HD void slide(Vec<T, D> n, std::size_t body = 0) {
    if (stuck) return;
    n = without_held(n);
    const T length = norm(n);
    constexpr T kSameDirection = T(1e-3);
    if (length < kSameDirection) return;
    if (count == D - 1) return stick(body);
    // Once more: of nearly parallel contacts the first time leaves rounding, and the projection must be symmetric.
    n = without_held((T(1) / length) * n);
    holder[count] = static_cast<std::uint16_t>(body);
    normal[count++] = (T(1) / norm(n)) * n;
  }

  FIRN_HD Vec<T, D> project(const Vec<T, D>& u) const { return stuck ? Vec<T, D>::zero() : without_held(u); }

  // What project() takes from u, by who takes it: f(body, part).
  template <class F>
  FIRN_HD void for_each_held(Vec<T, D> u, F f) const {
    for (int k = 0; k < count; ++k) {
      const Vec<T, D> part = dot(u, normal[k]) * normal[k];
      f(holder[k], part);
      u -= part;
    }
    if (stuck) f(holder[count], u);
  }

  FIRN_HD Vec<T, D> without_held(Vec<T, D> u) const {
    for (int k = 0; k < count; ++k) u -= dot(u, normal[k]) * normal[k];
    return u;
  }
};

// Steps 5 and 9 at one point: all bodies in order; notes what they leave free, and tells `record(body, contact, what it took from v)`.
// Bodies: a list of them, on a device as well.
template <class T, int D, class Bodies, class Record>
FIRN_HD inline Vec<T, D> collide(const Bodies& bodies, const LatticePoint<T, D>& x, Vec<T, D> v, T h, Constraint<T, D>* constraint,
                                 Record record) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Body<T, D>& body = bodies[k];
    const BodyContact<T, D> c = probe(body, x.cell, x.offset, h);
    if (c.phi > T(0)) continue;
    const Response<T, D> response = respond(v, c.n, c.v_co, body.friction, body.sticky);
    if (response.contact == Contact::kNone) continue;
    record(k, c, v - response.v);
    v = response.v;
    if (constraint && response.contact == Contact::kStuck) constraint->stick(k);
    if (constraint && response.contact == Contact::kSliding) constraint->slide(c.n, k);
  }
  return v;
}

}  // namespace firn
