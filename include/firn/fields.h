// Every number that a particle has, once. The columns of a state, rows, frames, files, memory estimates and checkpoints follow from this
// list; docs/architecture.md says what else a new line needs.
//
// STATE(member, type, shape, change, needs, initial)                               only a state has it
// FILES(type, shape, frames, field, name, parts, unit, meaning)                     only frames and files have it, made from the others
// BOTH(member, type, shape, change, needs, initial, frames, field, name, parts, unit, meaning)
//
// type:    Real (of the run's precision), Int32, Uint32, Uint16
// shape:   Scalar, Vector (a number per axis), Matrix
// change:  Changing (by a step, all of them in another buffer), Constant, Seldom (in place and of few particles; the others' are not read)
// needs:   Always, Affine, Held, Varied: the list it is in
// initial: of a matrix, times the identity
// frames:  Every one has it, Complete ones do, or only Input has
// field:   how code calls it; name: of the frame's column and in files; parts: how the names of components begin
#pragma once

#include <array>
#include <cstdint>

namespace firn::fields {

// A field in rows and frames: always three axes, reals in double precision, matrices row by row.
template <class N>
struct InSpace {
  using Scalar = N;
  using Vector = std::array<N, 3>;
  using Matrix = std::array<N, 9>;

  static constexpr Scalar initial_Scalar(N x) { return x; }
  static constexpr Vector initial_Vector(N x) { return {x, x, x}; }
  static constexpr Matrix initial_Matrix(N x) { return {x, 0, 0, 0, x, 0, 0, 0, x}; }
};
using Real = InSpace<double>;
using Int32 = InSpace<std::int32_t>;
using Uint32 = InSpace<std::uint32_t>;
using Uint16 = InSpace<std::uint16_t>;

}  // namespace firn::fields

// The fields of every particle.
#define FIRN_CORE_FIELDS(STATE, FILES, BOTH)                                                                                      \
  BOTH(id, Uint32, Scalar, Constant, Always, 0, Every, kId, id, "", "", "stays with the particle")                                \
  STATE(cell, Int32, Vector, Changing, Always, 0)  /* of the lattice, from the world's origin */                                  \
  STATE(offset, Real, Vector, Changing, Always, 0) /* in the cell, [0, 1) */                                                      \
  FILES(Real, Vector, Every, kPosition, position, "", "m", "where it is, y up")                                                   \
  BOTH(velocity, Real, Vector, Changing, Always, 0, Every, kVelocity, velocity, "v", "m/s", "how it moves")                       \
  BOTH(mass, Real, Scalar, Constant, Always, 0, Every, kMass, mass, "", "kg", "how much snow it stands for")                      \
  BOTH(volume, Real, Scalar, Constant, Always, 0, Every, kVolume, volume, "", "m3", "V0, the volume it started with")             \
  BOTH(J_P, Real, Scalar, Changing, Always, 1, Every, kJp, jp, "", "", "J_P, plastic volume: below 1 it is packed")               \
  FILES(Real, Scalar, Every, kJe, je, "", "", "J_E, elastic volume: below 1 it is under pressure")                                \
  BOTH(material, Uint16, Scalar, Constant, Always, 0, Every, kMaterial, material, "", "", "number of its material in scene.toml") \
  BOTH(F_E, Real, Matrix, Changing, Always, 1, Complete, kFe, fe, "fe", "", "F_E, elastic deformation")

// What particles have in addition with APIC.
#define FIRN_AFFINE_FIELDS(STATE, FILES, BOTH) BOTH(B, Real, Matrix, Changing, Affine, 0, Complete, kB, b, "b", "m2/s", "B of APIC")

// What particles have in addition where bodies hold them: means over some time (solver/contact.h).
#define FIRN_HELD_FIELDS(STATE, FILES, BOTH)                                                                              \
  BOTH(push, Real, Scalar, Seldom, Held, 0, Complete, kPush, push, "", "m/s2", "of bodies, the mean of the last moments") \
  BOTH(touch, Real, Scalar, Seldom, Held, 0, Complete, kTouch, touch, "", "", "0 to 1: how long it has touched bodies")   \
  BOTH(credit, Real, Scalar, Seldom, Held, 0, Complete, kCredit, credit, "", "m/s", "push that friction has not used")

// Where particles have parameters of their own, instead of their material's.
#define FIRN_VARIED_FIELDS(STATE, FILES, BOTH)                                                                                           \
  BOTH(stiffness, Real, Scalar, Constant, Varied, 1, Complete, kStiffness, stiffness, "", "", "times its material's young_modulus")      \
  BOTH(hardening, Real, Scalar, Constant, Varied, 0, Complete, kHardening, hardening, "", "", "its own hardening")                       \
  BOTH(critical_compression, Real, Scalar, Constant, Varied, 0, Complete, kCriticalCompression, critical_compression, "", "", "its own") \
  BOTH(critical_stretch, Real, Scalar, Constant, Varied, 0, Complete, kCriticalStretch, critical_stretch, "", "", "its own")             \
  FILES(Real, Scalar, Input, kYoungModulus, young_modulus, "", "Pa", "its own, instead of stiffness")

#define FIRN_FIELDS(STATE, FILES, BOTH)  \
  FIRN_CORE_FIELDS(STATE, FILES, BOTH)   \
  FIRN_AFFINE_FIELDS(STATE, FILES, BOTH) \
  FIRN_HELD_FIELDS(STATE, FILES, BOTH)   \
  FIRN_VARIED_FIELDS(STATE, FILES, BOTH)

// For the lines of a list that are not asked for.
#define FIRN_NO_FIELD(...)
