// The density-limited method (docs/theory.md): nothing moves into packed snow faster than that moves itself.
#pragma once

#include "math/scalar.h"

namespace firn {

// (M21) for one component q of a node's force or velocity that points to a packed neighbour, which has `ahead`: q is at most that, and 0
// where that rests or comes the other way.
template <class T>
inline T no_more_than(const T& q, const T& ahead) {
  return q > T(0) ? min(q, max(ahead, T(0))) : max(q, min(ahead, T(0)));
}

// (M21) along a line of nodes, for components of one sign: from node to node against the way they point, so that the neighbour ahead has
// been cut before.
template <class T>
class LineLimit {
 public:
  explicit LineLimit(T sign) : sign_(sign) {}

  // What is left of q at the next node.
  T next(const T& q, bool is_packed) {
    ahead_ = is_ahead_packed_ && sign_ * q > T(0) ? no_more_than(q, ahead_) : q;
    is_ahead_packed_ = is_packed;
    return ahead_;
  }

 private:
  T sign_, ahead_ = T(0);
  bool is_ahead_packed_ = false;
};

}  // namespace firn
