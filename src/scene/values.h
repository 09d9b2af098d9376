// From TOML nodes to plain values; every mistake is a UserError that shows the value and says what it must be.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene.h"
#include "scene/rules.h"

namespace firn::schema {

inline constexpr double kFarthest = 1e6;  // m from the world's origin

// A key that is there.
struct Entry {
  std::string_view name;
  const toml::node& node;
  Location where;
};

// Throws "key = value: must be ...".
[[noreturn]] void reject(const Entry& entry, std::string_view must_be);

double number(const Entry& entry, const Range& range);
std::int64_t whole_number(const Entry& entry, const Range& range);
const std::string& string_value(const Entry& entry, std::string_view must_be);
const toml::array& array_value(const Entry& entry, std::string_view must_be);

// As many finite numbers as the scene has dimensions; in 2D, z is 0.
Vector components(const Entry& entry, int dimension);
// The same, each in `range`.
Vector components_in(const Entry& entry, int dimension, const Range& range);
// Not zero, of any length that can be normalized.
Vector direction(const Entry& entry, int dimension);
// Of unit length; in 3D also given as angles about x, y and z in degrees, in 2D about z and also as an angle.
Quaternion rotation(const Entry& entry, int dimension);
// A number for all axes or one each. In 2D, z follows from the others: only a section is seen.
Vector scale(const Entry& entry, int dimension, const Range& range);
// In 2D a number or [0, 0, z].
Vector spin(const Entry& entry, int dimension, const Range& range);

}  // namespace firn::schema
