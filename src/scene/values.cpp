// The rules of numbers and vectors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "collide/motion.h"
#include "core/text.h"
#include "scene/document.h"
#include "scene/rules.h"
#include "scene/visitors.h"

namespace firn::schema {
namespace {

constexpr std::size_t kMostShownElements = 4;
constexpr double kFarthest = 1e6;          // m from the world's origin
constexpr double kFarthestCell = 1 << 29;  // cells from the origin: numbers of cells, and differences of them, are 32-bit
constexpr int kSpace = 3;                  // dimensions of cameras and lights
constexpr Range kAngle{-1e6, 1e6};         // rad or degrees
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

// As many finite numbers as the scene has dimensions; in 2D, z is 0.
Vector components(const Entry& entry, int dimension) {
  const std::vector<double> values = numbers(entry.node, dimension, 3);
  if (dimension == 3 && values.empty()) reject(entry, "three finite numbers [x, y, z]");
  if (values.empty() || (dimension == 2 && values.size() == 3 && values[2] != 0))
    reject(entry, "two finite numbers [x, y] in a 2D scene (a third must be 0)");
  return {values[0], values[1], dimension == 3 ? values[2] : 0};
}

// components(), each in `range`.
Vector components_in(const Entry& entry, int dimension, const Range& range) {
  const Vector v = components(entry, dimension);
  check_range(entry, v, range);
  return v;
}

// A direction of any length that can be normalized; not zero.
Vector direction(const Entry& entry, int dimension) {
  constexpr Range kLengths{1e-6, 1e6};  // without overflow
  const Vector v = components(entry, dimension);
  const double length = std::hypot(v[0], v[1], v[2]);
  if (length == 0) reject(entry, "a direction, not zero");
  if (!kLengths.contains(length)) reject(entry, fmt::format("a vector of length {}", kLengths.text()));
  return v;
}

std::string toml_array(std::span<const double> values) {
  std::string out;
  for (const double x : values) out += (out.empty() ? "" : ", ") + toml_number(x);
  return "[" + out + "]";
}
std::string toml_vector(const Vector& v, int dimension) { return toml_array(std::span(v).first(static_cast<std::size_t>(dimension))); }

}  // namespace

std::string refusal(const Entry& entry, std::string_view must_be) {
  return fmt::format("{} = {}: must be {}", entry.name, shown(entry.node), must_be);
}

void reject(const Entry& entry, std::string_view must_be) { throw UserError(entry.where, refusal(entry, must_be)); }

const toml::array& array_value(const Entry& entry, std::string_view must_be) {
  const toml::array* array = entry.node.as_array();
  if (!array || array->empty()) reject(entry, must_be);
  return *array;
}

void check_dimension(const Entry& entry, const Reader& in, ShapeKind kind) {
  if (needs_three_dimensions(kind) && in.context().dimension == 2)
    reject(entry, fmt::format("another shape in a 2D scene, a {} has three dimensions", entry.node.ref<std::string>()));
}

bool Range::contains(double value) const {
  const bool high_enough = open_low ? value > low : value >= low;
  const bool low_enough = open_high ? value < high : value <= high;
  return high_enough && low_enough;
}
std::string Range::text() const {
  return fmt::format("{} {} and {} {}", open_low ? "greater than" : "at least", low, open_high ? "less than" : "at most", high);
}
std::string Range::text_for(double value) const {
  if (value <= 0 && low > 0) return fmt::format("greater than 0, allowed: {} to {}", low, high);
  return text();
}
void Range::read(const Entry& entry, const Reader&, double& value) const { value = number(entry, *this); }
void Range::read(const Entry& entry, const Reader&, int& value) const { value = static_cast<int>(whole_number(entry, *this)); }
void Range::read(const Entry& entry, const Reader&, std::uint32_t& value) const {
  value = static_cast<std::uint32_t>(whole_number(entry, *this));
}
std::string Range::write(double value, int) const { return toml_number(value); }
std::string Range::write(int value, int) const { return std::to_string(value); }
std::string Range::write(std::uint32_t value, int) const { return std::to_string(value); }

void Flag::read(const Entry& entry, const Reader&, bool& value) const {
  const auto* flag = entry.node.as_boolean();
  if (!flag) reject(entry, "true or false");
  value = flag->get();
}
std::string Flag::write(const bool& value, int) const { return value ? "true" : "false"; }

void Dimension::read(const Entry& entry, const Reader& in, int& value) const {
  const auto* dimension = entry.node.as_integer();
  if (!dimension || (dimension->get() != 2 && dimension->get() != 3)) reject(entry, "2 or 3");
  value = static_cast<int>(dimension->get());
  in.context().dimension = value;
}
std::string Dimension::write(const int& value, int) const { return std::to_string(value); }

void AutoOr::read(const Entry& entry, const Reader&, std::optional<double>& value) const {
  const auto* word = entry.node.as_string();
  if (word && word->get() == "auto") {
    value.reset();
    return;
  }
  if (!entry.node.is_number()) reject(entry, "\"auto\" or a number, " + range.text());
  value = number(entry, range);
}
std::string AutoOr::write(const std::optional<double>& value, int) const { return value ? toml_number(*value) : "\"auto\""; }

void FrameCount::read(const Entry& entry, const Reader&, double& value) const {
  value = static_cast<double>(whole_number(entry, {1, kMostFrames})) / fps;
  if (!duration.contains(value)) reject(entry, fmt::format("fewer, {} s is the longest scene", duration.high));
}
std::string FrameCount::write(const double&, int) const { return {}; }  // the duration says it

void Opening::read(const Entry& entry, const Reader&, double& value) const { value = number(entry, range); }
std::string Opening::write(const double& value, int) const { return value > 0 ? toml_number(value) : ""; }

void MovingCollider::read(const Entry& entry, const Reader& in, int& value) const {
  const std::vector<bool>& moves = in.context().collider_moves;
  if (moves.empty()) reject(entry, "the number of a [[collider]], the scene has none");
  value = static_cast<int>(whole_number(entry, {0, static_cast<double>(moves.size() - 1)}));
  if (!moves[static_cast<std::size_t>(value)])
    reject(entry, fmt::format("a collider that moves, collider {} has neither velocity nor spin nor two keys", value));
}
std::string MovingCollider::write(const int& value, int) const { return std::to_string(value); }

void Components::read(const Entry& entry, const Reader& in, Vector& value) const {
  value = components_in(entry, in.context().dimension, range);
}
std::string Components::write(const Vector& value, int dimension) const { return toml_vector(value, dimension); }

void Position::read(const Entry& entry, const Reader& in, Vector& value) const {
  const double farthest = std::min(kFarthest, kFarthestCell * in.context().spacing);
  value = components_in(entry, in.context().dimension, {-farthest, farthest});
}
std::string Position::write(const Vector& value, int dimension) const { return toml_vector(value, dimension); }

void Sizes::read(const Entry& entry, const Reader& in, Vector& value) const {
  value = components(entry, in.context().dimension);
  for (int d = 0; d < in.context().dimension; ++d)
    if (!range.contains(value[d])) reject(entry, fmt::format("made of numbers {}", range.text()));
}
std::string Sizes::write(const Vector& value, int dimension) const { return toml_vector(value, dimension); }

void Direction::read(const Entry& entry, const Reader& in, Vector& value) const { value = direction(entry, in.context().dimension); }
std::string Direction::write(const Vector& value, int dimension) const { return toml_vector(value, dimension); }

// In 2D a number or [0, 0, z].
void Spin::read(const Entry& entry, const Reader& in, Vector& value) const {
  if (in.context().dimension == 3) {
    value = components_in(entry, 3, range);
  } else if (entry.node.is_number()) {
    value = {0, 0, number(entry, range)};
  } else {
    const std::vector<double> v = numbers(entry.node, 3, 3);
    if (v.empty() || v[0] != 0 || v[1] != 0) reject(entry, "a number or [0, 0, z] in a 2D scene");
    value = {0, 0, v[2]};
    check_range(entry, value, range);
  }
}
std::string Spin::write(const Vector& value, int dimension) const {
  return dimension == 2 ? toml_number(value[2]) : toml_vector(value, dimension);
}

// In 2D, z follows from the others: only a section is seen.
void Scale::read(const Entry& entry, const Reader& in, Vector& value) const {
  if (entry.node.is_number()) {
    value.fill(number(entry, range));
    return;
  }
  if (!entry.node.is_array()) reject(entry, "a number or one for each axis, " + range.text());
  value = components(entry, in.context().dimension);
  if (in.context().dimension == 2) value[2] = std::sqrt(value[0] * value[1]);
  check_range(entry, value, range);
}
std::string Scale::write(const Vector& value, int dimension) const { return toml_vector(value, dimension); }

void PointInSpace::read(const Entry& entry, const Reader&, Vector& value) const {
  value = components_in(entry, kSpace, {-kFarthest, kFarthest});
}
std::string PointInSpace::write(const Vector& value, int) const { return toml_vector(value, kSpace); }

void DirectionInSpace::read(const Entry& entry, const Reader&, Vector& value) const { value = direction(entry, kSpace); }
std::string DirectionInSpace::write(const Vector& value, int) const { return toml_vector(value, kSpace); }

void Channels::read(const Entry& entry, const Reader&, Vector& value) const { value = components_in(entry, kSpace, range); }
std::string Channels::write(const Vector& value, int) const { return toml_vector(value, kSpace); }

// A quaternion of unit length, in 2D about z. Also given as angles: in 3D three, about x, y and z in degrees, in 2D one in radians.
void Rotation::read(const Entry& entry, const Reader& in, Quaternion& value) const {
  const int dimension = in.context().dimension;
  if (dimension == 2 && entry.node.is_number()) {
    const double half = number(entry, kAngle) / 2;
    value = {std::cos(half), 0, 0, std::sin(half)};
    return;
  }
  const std::vector<double> q = numbers(entry.node, dimension == 3 ? 3 : 4, 4);
  const bool turns_about_z = !q.empty() && q[1] == 0 && q[2] == 0;
  const bool is_zero = q.size() != 3 && std::all_of(q.begin(), q.end(), [](double x) { return x == 0; });
  if (dimension == 2 && (is_zero || !turns_about_z))
    reject(entry, "an angle in radians or a quaternion [w, 0, 0, z], not zero, in a 2D scene");
  if (is_zero) reject(entry, "three angles [x, y, z] in degrees or a quaternion [w, x, y, z], not zero");
  value = q.size() == 3 ? from_angles(components_in(entry, dimension, kAngle)) : normalized(Quaternion{q[0], q[1], q[2], q[3]});
}
std::string Rotation::write(const Quaternion& value, int) const { return toml_array(value); }

void Edges::read(const Entry& entry, const Reader&, Pair& value) const {
  const std::string must_be = fmt::format("[width, height], numbers {}", range.text());
  const toml::array& numbers = array_value(entry, must_be);
  if (numbers.size() != value.size()) reject(entry, must_be);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::optional<double> number = numbers[i].value<double>();
    if (!numbers[i].is_number() || !range.contains(*number)) reject(entry, must_be);
    value[i] = *number;
  }
}
std::string Edges::write(const Pair& value, int) const { return toml_array(value); }

}  // namespace firn::schema
