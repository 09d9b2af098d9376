// What snow does to the bodies it touches: forces, torques and power, from the velocities that contacts took away.
#pragma once

#include <vector>

#include "collide/body.h"

namespace firn {

struct Load {
  Vec<double, 3> force{0, 0, 0};   // N (2D: per metre of depth)
  Vec<double, 3> torque{0, 0, 0};  // N m about the body's origin
  double power = 0;                // W, done on the body

  // A contact in which the body took the velocity `taken` from something of `mass_rate` kg in every second.
  template <class T, int D>
  void add(double mass_rate, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
    const Vec<double, 3> given = mass_rate * convert_vec<double, 3>(taken);
    force += given;
    torque += cross(convert_vec<double, 3>(contact.r), given);
    power += dot(given, convert_vec<double, 3>(contact.v_co));
  }

  void add(double factor, const Load& other) {
    force += factor * other.force;
    torque += factor * other.torque;
    power += factor * other.power;
  }
};

// Of the bodies near a block, in their order.
struct NearLoad {
  int body;  // its number in the scene
  Load load;
};
using NearLoads = std::vector<NearLoad>;

template <class T, int D>
inline void start_loads(const std::vector<Body<T, D>>& near, NearLoads& loads) {
  loads.clear();
  for (const Body<T, D>& body : near) loads.push_back({body.number, {}});
}

}  // namespace firn
