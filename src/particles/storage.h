// The particles as columns: the one list of what a particle has. Everything that moves particles about visits this list.
#pragma once

#include <array>
#include <cstdint>

#include "math/lattice.h"
#include "particles/column.h"

namespace firn {

// Which of the columns that not every run needs there are.
struct OptionalColumns {
  bool affine = false;  // APIC
  bool varied = false;  // particles with parameters of their own
};

template <class T, int D>
class Particles {
 public:
  // What a step changes:
  std::array<Column<std::int32_t>, D> cell;  // lattice cell, counted from the world's origin
  std::array<Column<T>, D> offset;           // in the cell, [0, 1)
  std::array<Column<T>, D> velocity;         // m/s
  std::array<Column<T>, D * D> F_E;
  Column<T> J_P;
  std::array<Column<T>, D * D> B;  // APIC only
  // What it does not:
  Column<T> mass;    // kg (2D: per metre of depth)
  Column<T> volume;  // V⁰, m³ (2D: m²)
  Column<std::uint32_t> id;
  Column<std::uint16_t> material;
  Column<T> stiffness;                 // varied runs only, with the three after it: times the material's mu0 and lambda0 …
  Column<T> hardening;                 // … and instead of the material's
  Column<T> stretch_min, stretch_max;

  Particles() = default;
  Particles(Particles&&) = default;
  Particles& operator=(Particles&&) = default;

  // Room for so many slots, a multiple of kGroupSize; what is there stays. A buffer for steps to write to has no constant columns.
  void resize(std::size_t slots, const OptionalColumns& optional, bool with_constants = true) {
    optional_ = optional;
    changing_.resize(slots, visit_changing());
    if (with_constants) constant_.resize(slots, visit_constant());
  }
  // More room in both buffers of a state. They then have the same in them, and at no time are there three.
  static void grow(Particles& now, Particles& next, std::size_t slots) {
    next.changing_.become(now.changing_, slots, next.visit_changing());
    now.constant_.resize(slots, now.visit_constant());
    now.swap_changing(next);
    next.changing_.become(now.changing_, slots, next.visit_changing());
  }
  std::size_t slots() const { return changing_.slots(); }
  const OptionalColumns& optional() const { return optional_; }
  std::size_t bytes() const { return changing_.bytes() + constant_.bytes(); }

  // After a step: what it wrote is the state now.
  void swap_changing(Particles& other) {
    std::swap(changing_, other.changing_);
    changing_.bind(visit_changing());
    other.changing_.bind(other.visit_changing());
  }

  // Slot `to` becomes slot `from` of other particles, or of these.
  void copy(const Particles& other, std::size_t from, std::size_t to) {
    for_each_column(other, *this, [&](const auto& source, auto& target) {
      if (!source.empty()) target[to] = source[from];
    });
  }

  // The same for what steps change of a whole group; both have the same columns.
  void copy_changing(const Particles& other, std::size_t group) { changing_.copy_group(other.changing_, group); }

  // Calls f(column of a, same column of b) for every column.
  template <class A, class B, class F>
  static void for_each_column(A& a, B& b, F f) {
    for_each_changing(a, b, f);
    for_each_constant(a, b, f);
  }

 private:
  template <class A, class B, class F>
  static void for_each_changing(A& a, B& b, F f) {
    auto each = [&](auto& x, auto& y) {
      for (std::size_t k = 0; k < x.size(); ++k) f(x[k], y[k]);
    };
    each(a.cell, b.cell);
    each(a.offset, b.offset);
    each(a.velocity, b.velocity);
    each(a.F_E, b.F_E);
    f(a.J_P, b.J_P);
    if (a.optional_.affine) each(a.B, b.B);
  }
  template <class A, class B, class F>
  static void for_each_constant(A& a, B& b, F f) {
    f(a.mass, b.mass);
    f(a.volume, b.volume);
    f(a.id, b.id);
    f(a.material, b.material);
    if (!a.optional_.varied) return;
    f(a.stiffness, b.stiffness);
    f(a.hardening, b.hardening);
    f(a.stretch_min, b.stretch_min);
    f(a.stretch_max, b.stretch_max);
  }
  auto visit_changing() {
    return [this](auto f) { for_each_changing(*this, *this, [&](auto& column, auto&) { f(column); }); };
  }
  auto visit_constant() {
    return [this](auto f) { for_each_constant(*this, *this, [&](auto& column, auto&) { f(column); }); };
  }

  OptionalColumns optional_;
  GroupMemory changing_, constant_;
};

}  // namespace firn
