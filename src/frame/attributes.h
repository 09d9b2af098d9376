// What a frame's particles can have, from the list of fields: every file format goes by it.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/fields.h"
#include "firn/frame.h"

namespace firn {

enum class Field : int {
#define FIRN_FILES(type, shape, frames, field, ...) field,
#define FIRN_BOTH(member, type, shape, change, needs, initial, frames, field, ...) field,
  FIRN_FIELDS(FIRN_NO_FIELD, FIRN_FILES, FIRN_BOTH)
#undef FIRN_FILES
#undef FIRN_BOTH
};

enum class ValueKind { kReal, kUint32, kUint16 };

struct Attribute {
  Field field;
  std::string_view name;
  ValueKind kind;
  int components;  // matrices: 9, row by row
  std::string_view unit;
  std::string_view meaning;
  std::array<std::string_view, 9> parts;  // a name for every component
};

// All attributes, in the order in which they are written.
inline constexpr Attribute kAttributes[] = {
#define FIRN_Real ValueKind::kReal
#define FIRN_Uint32 ValueKind::kUint32
#define FIRN_Uint16 ValueKind::kUint16
#define FIRN_SIZE_Scalar 1
#define FIRN_SIZE_Vector 3
#define FIRN_SIZE_Matrix 9
#define FIRN_PARTS_Scalar(name, p) \
  { #name }
#define FIRN_PARTS_Vector(name, p) \
  { p "x", p "y", p "z" }
#define FIRN_PARTS_Matrix(name, p) \
  { p "00", p "01", p "02", p "10", p "11", p "12", p "20", p "21", p "22" }
#define FIRN_FILES(type, shape, frames, field, name, parts, unit, meaning) \
  {Field::field, #name, FIRN_##type, FIRN_SIZE_##shape, unit, meaning, FIRN_PARTS_##shape(name, parts)},
#define FIRN_BOTH(member, type, shape, change, needs, initial, frames, field, name, parts, unit, meaning) \
  FIRN_FILES(type, shape, frames, field, name, parts, unit, meaning)
    FIRN_FIELDS(FIRN_NO_FIELD, FIRN_FILES, FIRN_BOTH)
#undef FIRN_Real
#undef FIRN_Uint32
#undef FIRN_Uint16
#undef FIRN_SIZE_Scalar
#undef FIRN_SIZE_Vector
#undef FIRN_SIZE_Matrix
#undef FIRN_PARTS_Scalar
#undef FIRN_PARTS_Vector
#undef FIRN_PARTS_Matrix
#undef FIRN_FILES
#undef FIRN_BOTH
};
inline constexpr int kFields = std::size(kAttributes);

constexpr const Attribute& attribute(Field field) { return kAttributes[static_cast<std::size_t>(field)]; }
// nullptr: there is none of that name.
const Attribute* find_attribute(std::string_view name);

// Makes room for so many particles, so that resize() need not move what is there.
void reserve(Frame& frame, Field field, std::size_t particles);
// The field of so many particles, with zeros where there was nothing; 0 particles: the frame no longer has the field.
void resize(Frame& frame, Field field, std::size_t particles);

// The numbers of a real field, a particle's components side by side.
std::span<const double> reals(const Frame& frame, Field field);
std::span<double> reals(Frame& frame, Field field);

// One number of any field; ids and materials as they are.
double get(const Frame& frame, Field field, std::size_t particle, int component);
void set(Frame& frame, Field field, std::size_t particle, int component, double value);

// Numbers of the field have to be greater than 0.
constexpr bool above_zero(Field field) { return field == Field::kMass || field == Field::kVolume || field == Field::kJp; }
// What is wrong with a number that was read, "x is nan, it must be finite"; empty: nothing.
std::string complaint(Field field, int component, double value);
// What is wrong with these fields in one file; empty: nothing.
std::string complaint(std::span<const Field> fields);
// After it was read from `path`: throws UserError naming the first particle with a number that is not allowed.
void check_readable(const std::string& path, const Frame& frame);

}  // namespace firn
