// From the values of one vertex row to the columns of a Frame, with every value checked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "firn/frame.h"
#include "io/ply_fields.h"
#include "io/ply_header.h"

namespace firn {

using FieldValues = std::array<double, kFieldCount>;

// Where a row stands in its file, for messages: "line 12" or "byte 3456".
struct PlyPlace {
  const char* unit;
  std::size_t at;
};

class PlyRows {
 public:
  // Throws UserError when the element's properties do not make a frame (no x, half a matrix, ...).
  PlyRows(const std::string& file, const PlyElement& vertex);

  // The field that property `index` of the element fills; -1: none.
  int field_of(std::size_t index) const { return field_of_[index]; }
  // What the fields are that a 2D file leaves out; the others are to be filled from the row.
  const FieldValues& defaults() const { return defaults_; }

  // The caller has checked that the file can hold so many.
  void reserve(std::size_t rows);
  // Throws UserError naming the row when a value is not allowed.
  void add(const FieldValues& values, const PlyPlace& place);

  Frame take() { return std::move(frame_); }

 private:
  bool has(int field) const { return has_[field]; }
  void require_vector(int first) const;
  void require_matrix(int first);
  void check(const FieldValues& values, const PlyPlace& place) const;

  const std::string& file_;
  std::vector<int> field_of_;
  std::array<bool, kFieldCount> has_{};
  FieldValues defaults_{};
  Frame frame_;
};

}  // namespace firn
