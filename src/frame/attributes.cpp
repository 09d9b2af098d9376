#include "frame/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/error.h"

namespace firn {
namespace {

// Calls visit(column) with the frame's column of that field; `F` is Frame or const Frame.
template <class F, class Visit>
decltype(auto) visit_column(F& frame, Field field, Visit visit) {
#define FIRN_FILES(type, shape, frames, field_, name, ...) \
  if (field == Field::field_) return visit(frame.name);
#define FIRN_BOTH(member, type, shape, change, needs, initial, frames, field_, name, ...) FIRN_FILES(type, shape, frames, field_, name)
  FIRN_FIELDS(FIRN_NO_FIELD, FIRN_FILES, FIRN_BOTH)
#undef FIRN_FILES
#undef FIRN_BOTH
  return visit(frame.id);  // not reached: there are no others
}

// The column as one run of numbers of type T: a column of arrays lies in memory like that. Empty when it is of another type.
template <class T, class Column>
std::span<T> flat(Column& column) {
  using Entry = typename std::remove_const_t<Column>::value_type;
  using Number = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Entry, Number>) {
    return {column.data(), column.size()};
  } else if constexpr (!std::is_arithmetic_v<Entry> && std::is_same_v<Number, double>) {
    return {column.empty() ? nullptr : column.data()->data(), column.size() * std::tuple_size_v<Entry>};
  } else {
    return {};
  }
}

bool is_whole(double value, double largest) { return value >= 0 && value <= largest && value == std::floor(value); }

}  // namespace

const Attribute* find_attribute(std::string_view name) {
  const auto found = std::find_if(std::begin(kAttributes), std::end(kAttributes), [&](const Attribute& a) { return a.name == name; });
  return found == std::end(kAttributes) ? nullptr : &*found;
}

void reserve(Frame& frame, Field field, std::size_t particles) {
  visit_column(frame, field, [&](auto& column) { column.reserve(particles); });
}

void resize(Frame& frame, Field field, std::size_t particles) {
  visit_column(frame, field, [&](auto& column) { column.resize(particles); });
}

std::span<const double> reals(const Frame& frame, Field field) {
  return visit_column(frame, field, [](const auto& column) { return flat<const double>(column); });
}

std::span<double> reals(Frame& frame, Field field) {
  return visit_column(frame, field, [](auto& column) { return flat<double>(column); });
}

double get(const Frame& frame, Field field, std::size_t particle, int component) {
  switch (attribute(field).kind) {
    case ValueKind::kUint32: return frame.id[particle];
    case ValueKind::kUint16: return frame.material[particle];
    case ValueKind::kReal: break;
  }
  return reals(frame, field)[particle * static_cast<std::size_t>(attribute(field).components) + static_cast<std::size_t>(component)];
}

void set(Frame& frame, Field field, std::size_t particle, int component, double value) {
  switch (attribute(field).kind) {
    case ValueKind::kUint32: frame.id[particle] = static_cast<std::uint32_t>(value); return;
    case ValueKind::kUint16: frame.material[particle] = static_cast<std::uint16_t>(value); return;
    case ValueKind::kReal: break;
  }
  reals(frame, field)[particle * static_cast<std::size_t>(attribute(field).components) + static_cast<std::size_t>(component)] = value;
}

std::string complaint(Field field, int component, double value) {
  const auto must_be = [&](const char* allowed) {
    return fmt::format("{} is {}, it must be {}", attribute(field).parts[static_cast<std::size_t>(component)], value, allowed);
  };
  if (!std::isfinite(value)) return must_be("finite");
  if (above_zero(field)) return value > 0 ? "" : must_be("greater than 0");
  switch (field) {
    case Field::kId:
      return is_whole(value, std::numeric_limits<std::uint32_t>::max()) ? "" : must_be("a whole number from 0 to 4294967295");
    case Field::kMaterial:
      return is_whole(value, std::numeric_limits<std::uint16_t>::max()) ? "" : must_be("a whole number from 0 to 65535");
    case Field::kPush:
    case Field::kTouch:
    case Field::kCredit: return value >= 0 ? "" : must_be("at least 0");
    default: return "";
  }
}

std::string complaint(std::span<const Field> fields) {
  const auto listed = [&](Field field) { return std::find(fields.begin(), fields.end(), field) != fields.end(); };
  const bool both = listed(Field::kStiffness) && listed(Field::kYoungModulus);
  return both ? "stiffness and young_modulus exclude each other, keep one" : "";
}

void check_readable(const std::string& path, const Frame& frame) {
  std::vector<Field> fields;
  for (const Attribute& a : kAttributes)
    if (visit_column(frame, a.field, [](const auto& column) { return !column.empty(); })) fields.push_back(a.field);
  if (const std::string wrong = complaint(fields); !wrong.empty()) throw UserError(fmt::format("{}: {}", path, wrong));
  for (const Attribute& a : kAttributes) {
    if (a.kind != ValueKind::kReal) continue;
    const std::span<const double> values = reals(frame, a.field);
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [positive = above_zero(a.field)](double x) { return !std::isfinite(x) || (positive && x <= 0); });
    if (bad == values.end()) continue;
    const std::size_t at = static_cast<std::size_t>(bad - values.begin()), width = static_cast<std::size_t>(a.components);
    throw UserError(fmt::format("{}: particle {}: {}", path, at / width, complaint(a.field, static_cast<int>(at % width), *bad)));
  }
}

}  // namespace firn
