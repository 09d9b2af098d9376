// From the values of one vertex row to the columns of a Frame, with every value checked.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "io/attributes.h"
#include "io/ply_header.h"

namespace firn {

// The components of all attributes in a row: those of kAttributes[i] from first_part(i) on.
constexpr int first_part(int index) {
  int parts = 0;
  for (int i = 0; i < index; ++i) parts += kAttributes[static_cast<std::size_t>(i)].components;
  return parts;
}
constexpr int first_part(Field field) { return first_part(static_cast<int>(field)); }
inline constexpr int kParts = first_part(kFields);
using RowValues = std::array<double, kParts>;

// Where a row stands in its file, for messages: "line 12" or "byte 3456".
struct PlyPlace {
  const char* unit;
  std::size_t at;
};

class PlyRows {
 public:
  // Throws UserError when the element's properties do not make a frame (no x, half a matrix, ...).
  PlyRows(const std::string& file, const PlyElement& vertex);

  // The part of a row that property `index` of the element fills; -1: none.
  int part_of(std::size_t index) const { return part_of_[index]; }
  // What the parts are that a 2D file leaves out; the others are to be filled from the row.
  const RowValues& defaults() const { return defaults_; }

  // The caller has checked that the file can hold so many.
  void allocate(std::size_t rows);
  // Throws UserError naming the row when a value is not allowed.
  void add(const RowValues& values, const PlyPlace& place);

  Frame take() { return std::move(frame_); }

 private:
  bool has(int part) const { return has_[static_cast<std::size_t>(part)]; }
  bool has(const Attribute& a) const { return has(first_part(a.field)); }
  // Text can say numbers that are infinite in the file's precision.
  double as_declared(double value) const;
  void require_vector(const Attribute& vector) const;
  void require_matrix(const Attribute& matrix) const;

  const std::string& file_;
  std::vector<int> part_of_;
  std::array<bool, kParts> has_{};
  RowValues defaults_{};
  std::vector<Field> present_;
  Frame frame_;
  std::size_t row_ = 0;
};

}  // namespace firn
