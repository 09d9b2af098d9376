// The one list of what a frame's particles can have: every file format goes by it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/frame.h"

namespace firn {

enum class Field : int {
  kId,
  kPosition,
  kVelocity,
  kMass,
  kVolume,
  kJp,
  kJe,
  kMaterial,
  kFe,
  kB,
  kStiffness,
  kHardening,
  kCriticalCompression,
  kCriticalStretch,
  kYoungModulus,
};
inline constexpr int kFields = 15;

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

// In the order in which they are written.
inline constexpr std::array<Attribute, kFields> kAttributes{{
    {Field::kId, "id", ValueKind::kUint32, 1, "", "stays with the particle", {"id"}},
    {Field::kPosition, "position", ValueKind::kReal, 3, "m", "where it is, y up", {"x", "y", "z"}},
    {Field::kVelocity, "velocity", ValueKind::kReal, 3, "m/s", "how it moves", {"vx", "vy", "vz"}},
    {Field::kMass, "mass", ValueKind::kReal, 1, "kg", "how much snow it stands for", {"mass"}},
    {Field::kVolume, "volume", ValueKind::kReal, 1, "m3", "V0, the volume it started with", {"volume"}},
    {Field::kJp, "jp", ValueKind::kReal, 1, "", "J_P, plastic volume: below 1 it is packed", {"jp"}},
    {Field::kJe, "je", ValueKind::kReal, 1, "", "J_E, elastic volume: below 1 it is under pressure", {"je"}},
    {Field::kMaterial, "material", ValueKind::kUint16, 1, "", "number of its material in scene.toml", {"material"}},
    {Field::kFe, "fe", ValueKind::kReal, 9, "", "F_E, elastic deformation",
     {"fe00", "fe01", "fe02", "fe10", "fe11", "fe12", "fe20", "fe21", "fe22"}},
    {Field::kB, "b", ValueKind::kReal, 9, "m2/s", "B of APIC", {"b00", "b01", "b02", "b10", "b11", "b12", "b20", "b21", "b22"}},
    {Field::kStiffness, "stiffness", ValueKind::kReal, 1, "", "times its material's young_modulus", {"stiffness"}},
    {Field::kHardening, "hardening", ValueKind::kReal, 1, "", "its own hardening", {"hardening"}},
    {Field::kCriticalCompression, "critical_compression", ValueKind::kReal, 1, "", "its own", {"critical_compression"}},
    {Field::kCriticalStretch, "critical_stretch", ValueKind::kReal, 1, "", "its own", {"critical_stretch"}},
    {Field::kYoungModulus, "young_modulus", ValueKind::kReal, 1, "Pa", "its own, instead of stiffness", {"young_modulus"}},
}};

constexpr const Attribute& attribute(Field field) { return kAttributes[static_cast<std::size_t>(field)]; }
// nullptr: there is none of that name.
const Attribute* find_attribute(std::string_view name);

// Room for so many, so that resize() need not move what is there.
void reserve(Frame& frame, Field field, std::size_t particles);
// Zeros where there was nothing; 0 particles: the frame no longer has the field.
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
