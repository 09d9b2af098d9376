// Particles between the parts of the program: row by row, in id order, double precision, always three components.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "firn/fields.h"
#include "math/lattice.h"
#include "math/vec.h"

namespace firn {

#define FIRN_MEMBER(member, type, shape, change, needs, initial, ...) fields::type::shape member = fields::type::initial_##shape(initial);

// What every particle has.
struct ParticleCore {
  FIRN_CORE_FIELDS(FIRN_MEMBER, FIRN_NO_FIELD, FIRN_MEMBER)

  double position(int axis, double h) const { return (cell[axis] + offset[axis]) * h; }
};

// What particles have with APIC.
struct AffinePart {
  FIRN_AFFINE_FIELDS(FIRN_MEMBER, FIRN_NO_FIELD, FIRN_MEMBER)

  bool operator==(const AffinePart&) const = default;
};

// What particles have where bodies hold them.
struct HeldPart {
  FIRN_HELD_FIELDS(FIRN_MEMBER, FIRN_NO_FIELD, FIRN_MEMBER)

  bool operator==(const HeldPart&) const = default;
};

// What a particle of a varied run has of its own, instead of its material's.
struct Variation {
  FIRN_VARIED_FIELDS(FIRN_MEMBER, FIRN_NO_FIELD, FIRN_MEMBER)
};
#undef FIRN_MEMBER

// The id is of rows that a solver gives out; it numbers those it takes in by itself. A volume of 0: to be estimated from the grid (M5).
struct ParticleRow : ParticleCore, AffinePart, HeldPart {
  std::optional<Variation> own;  // of particles that differ from their material
};

// Rows have three axes, also in 2D.
template <int D>
LatticePoint<double, D> place_of(const ParticleCore& row) {
  LatticePoint<double, D> x;
  for (int d = 0; d < D; ++d) {
    x.cell[d] = row.cell[d];
    x.offset[d] = row.offset[d];
  }
  return x;
}

inline double elastic_volume(const ParticleCore& row) {  // det F_E
  Mat<double, 3> F_E;
  std::copy(row.F_E.begin(), row.F_E.end(), F_E.a);
  return determinant(F_E);
}

// Rows in id order. A scene starts from such a table, and nothing takes more memory then: what only some runs have is stored only
// where some row has it.
class ParticleTable {
 public:
  static constexpr std::size_t kCoreBytes = sizeof(ParticleCore);
  static constexpr std::size_t kAffineBytes = sizeof(AffinePart);
  static constexpr std::size_t kOwnBytes = sizeof(ParticleRow::own);

  std::size_t size() const { return cores_.size(); }
  bool empty() const { return cores_.empty(); }
  void reserve(std::size_t rows) { cores_.reserve(rows); }
  void clear() { *this = {}; }

  void push_back(const ParticleRow& row) {
    cores_.push_back(row);
    add_optional<AffinePart>(row, AffinePart(row) != AffinePart{}, affine_);
    add_optional<HeldPart>(row, HeldPart(row) != HeldPart{}, held_);
    add_optional(row.own, row.own.has_value(), own_);
  }

  ParticleRow operator[](std::size_t i) const {
    ParticleRow row{cores_[i], {}, {}, {}};
    if (!affine_.empty()) static_cast<AffinePart&>(row) = affine_[i];
    if (!held_.empty()) static_cast<HeldPart&>(row) = held_[i];
    if (!own_.empty()) row.own = own_[i];
    return row;
  }

  // Rows from `first` on for which leaves(row) is true.
  template <class Leaves>
  void remove_if(std::size_t first, Leaves leaves) {
    ParticleTable kept;
    kept.reserve(cores_.capacity());
    for (std::size_t i = 0; i < size(); ++i) {
      const ParticleRow row = (*this)[i];
      if (i < first || !leaves(row)) kept.push_back(row);
    }
    *this = std::move(kept);
  }

  class Iterator {
   public:
    Iterator(const ParticleTable& table, std::size_t at) : table_(table), at_(at) {}
    ParticleRow operator*() const { return table_[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const ParticleTable& table_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  // The column of the newest row; it begins with the first row that has something in it.
  template <class T>
  void add_optional(const T& value, bool is_there, std::vector<T>& column) {
    if (column.empty() && !is_there) return;
    column.reserve(cores_.capacity());
    column.resize(size() - 1);
    column.push_back(value);
  }

  std::vector<ParticleCore> cores_;
  std::vector<AffinePart> affine_;
  std::vector<HeldPart> held_;
  std::vector<std::optional<Variation>> own_;
};

}  // namespace firn
