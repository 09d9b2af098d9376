#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "collide/motion.h"
#include "core/text.h"
#include "scene/document.h"
#include "scene/reader.h"

namespace firn::schema {
namespace {

constexpr std::size_t kMostShownElements = 4;
constexpr Range kAngle{-1e6, 1e6};  // rad or degrees
// What normalizing leaves in |q|² is below this; such a quaternion stays as it is, so that it survives being written and read.
constexpr double kUnitTolerance = 1e-14;

std::string shown(const toml::node& node) {
  if (const auto* value = node.as_integer()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_floating_point()) return toml_number(value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* value = node.as_string()) return fmt::format("\"{}\"", shortened(value->get()));
  if (node.is_table()) return "{...}";
  const toml::array* array = node.as_array();
  if (!array) return "a date or time";
  std::string out;
  for (std::size_t i = 0; i < std::min(array->size(), kMostShownElements); ++i) {
    const toml::node& element = *array->get(i);
    out += (i == 0 ? "" : ", ") + (element.is_array() ? "[...]" : shown(element));
  }
  return "[" + out + (array->size() > kMostShownElements ? ", ...]" : "]");
}

std::optional<double> finite_number(const toml::node& node) {
  std::optional<double> value;
  if (const auto* integer = node.as_integer()) value = static_cast<double>(integer->get());
  if (const auto* floating = node.as_floating_point()) value = floating->get();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// The elements of an array of `least` to `most` finite numbers; empty when it is something else.
std::vector<double> numbers(const toml::node& node, std::size_t least, std::size_t most) {
  std::vector<double> values;
  const toml::array* array = node.as_array();
  if (!array || array->size() < least || array->size() > most) return {};
  for (const toml::node& element : *array) {
    const auto value = finite_number(element);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

void check_range(const Entry& entry, const Vector& v, const Range& range) {
  for (const double x : v)
    if (!range.contains(x)) reject(entry, fmt::format("made of numbers {}", range.text()));
}

Quaternion normalized(Quaternion q) {
  const double largest = std::abs(*std::max_element(q.begin(), q.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }));
  const auto squared = [&] { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]; };
  if (std::abs(squared() - 1) <= kUnitTolerance) return q;
  for (double& x : q) x /= largest;  // first, so that squares neither overflow nor vanish
  const double length = std::sqrt(squared());
  for (double& x : q) x /= length;
  return q;
}

// About the world's x, then y, then z axis.
Quaternion from_angles(const Vector& degrees) {
  Quat q;
  for (int axis = 0; axis < 3; ++axis) {
    Vec<double, 3> turn{0, 0, 0};
    turn[axis] = degrees[static_cast<std::size_t>(axis)] * std::numbers::pi / 180;
    q = from_rotation_vector(turn) * q;
  }
  return normalized(Quaternion{q.w, q.x, q.y, q.z});
}

}  // namespace

void reject(const Entry& entry, std::string_view must_be) {
  throw UserError(entry.where, fmt::format("{} = {}: must be {}", entry.name, shown(entry.node), must_be));
}

double number(const Entry& entry, const Range& range) {
  if (!entry.node.is_number()) reject(entry, "a number, " + range.text());
  const auto value = finite_number(entry.node);
  if (!value) reject(entry, "finite, " + range.text());
  if (!range.contains(*value)) reject(entry, range.text_for(*value));
  return *value;
}

std::int64_t whole_number(const Entry& entry, const Range& range) {
  const auto* value = entry.node.as_integer();
  if (!value) reject(entry, "a whole number, " + range.text());
  if (!range.contains(static_cast<double>(value->get()))) reject(entry, range.text());
  return value->get();
}

const std::string& string_value(const Entry& entry, std::string_view must_be) {
  const auto* value = entry.node.as_string();
  if (!value || value->get().empty()) reject(entry, must_be);
  return value->get();
}

const toml::array& array_value(const Entry& entry, std::string_view must_be) {
  const toml::array* array = entry.node.as_array();
  if (!array || array->empty()) reject(entry, must_be);
  return *array;
}

Vector components(const Entry& entry, int dimension) {
  const std::vector<double> values = numbers(entry.node, dimension, 3);
  if (dimension == 3 && values.empty()) reject(entry, "three finite numbers [x, y, z]");
  if (values.empty() || (dimension == 2 && values.size() == 3 && values[2] != 0))
    reject(entry, "two finite numbers [x, y] in a 2D scene (a third must be 0)");
  return {values[0], values[1], dimension == 3 ? values[2] : 0};
}

Vector components_in(const Entry& entry, int dimension, const Range& range) {
  const Vector v = components(entry, dimension);
  check_range(entry, v, range);
  return v;
}

Vector direction(const Entry& entry, int dimension) {
  constexpr Range kLengths{1e-6, 1e6};  // without overflow
  const Vector v = components(entry, dimension);
  const double length = std::hypot(v[0], v[1], v[2]);
  if (length == 0) reject(entry, "a direction, not zero");
  if (!kLengths.contains(length)) reject(entry, fmt::format("a vector of length {}", kLengths.text()));
  return v;
}

Quaternion rotation(const Entry& entry, int dimension) {
  if (dimension == 2 && entry.node.is_number()) {
    const double half = number(entry, kAngle) / 2;
    return {std::cos(half), 0, 0, std::sin(half)};
  }
  const std::vector<double> q = numbers(entry.node, dimension == 3 ? 3 : 4, 4);
  const bool turns_about_z = !q.empty() && q[1] == 0 && q[2] == 0;
  const bool is_zero = q.size() != 3 && std::all_of(q.begin(), q.end(), [](double x) { return x == 0; });
  if (dimension == 2 && (is_zero || !turns_about_z))
    reject(entry, "an angle in radians or a quaternion [w, 0, 0, z], not zero, in a 2D scene");
  if (is_zero) reject(entry, "three angles [x, y, z] in degrees or a quaternion [w, x, y, z], not zero");
  if (q.size() == 3) return from_angles(components_in(entry, dimension, kAngle));
  return normalized(Quaternion{q[0], q[1], q[2], q[3]});
}

Vector scale(const Entry& entry, int dimension, const Range& range) {
  if (entry.node.is_number()) {
    const double s = number(entry, range);
    return {s, s, s};
  }
  if (!entry.node.is_array()) reject(entry, "a number or one for each axis, " + range.text());
  Vector v = components(entry, dimension);
  if (dimension == 2) v[2] = std::sqrt(v[0] * v[1]);
  check_range(entry, v, range);
  return v;
}

Vector spin(const Entry& entry, int dimension, const Range& range) {
  if (dimension == 3) return components_in(entry, dimension, range);
  if (entry.node.is_number()) return {0, 0, number(entry, range)};
  const std::vector<double> v = numbers(entry.node, 3, 3);
  if (v.empty() || v[0] != 0 || v[1] != 0) reject(entry, "a number or [0, 0, z] in a 2D scene");
  check_range(entry, {0, 0, v[2]}, range);
  return {0, 0, v[2]};
}

}  // namespace firn::schema
