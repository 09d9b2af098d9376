// What the writers of files see of a frame: its columns as they lie in memory, of floats or of doubles, read as doubles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frame/attributes.h"

namespace firn {

class Numbers {
 public:
  Numbers() = default;
  Numbers(std::span<const double> values) : doubles_(values) {}
  Numbers(std::span<const float> values) : floats_(values) {}

  std::size_t size() const { return doubles_.size() + floats_.size(); }
  bool empty() const { return size() == 0; }
  double operator[](std::size_t i) const { return floats_.empty() ? doubles_[i] : static_cast<double>(floats_[i]); }
  Numbers subspan(std::size_t first, std::size_t count) const {
    return floats_.empty() ? Numbers(doubles_.subspan(first, count)) : Numbers(floats_.subspan(first, count));
  }

  // f(span of floats or of doubles): for loops that must be quick.
  template <class F>
  decltype(auto) visit(F f) const {
    return floats_.empty() ? f(doubles_) : f(floats_);
  }

  class Iterator {
   public:
    Iterator(const Numbers& numbers, std::size_t at) : numbers_(&numbers), at_(at) {}
    double operator*() const { return (*numbers_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Numbers* numbers_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::span<const double> doubles_;
  std::span<const float> floats_;
};

struct FrameView {
  FrameView() = default;
  FrameView(const Frame& frame);

  std::span<const std::uint32_t> id;
  std::span<const std::uint16_t> material;
  std::array<Numbers, kFields> columns;  // of the real fields
  bool double_precision = false;

  std::size_t size() const { return columns[static_cast<std::size_t>(Field::kPosition)].size() / 3; }
};

// A frame that waits to be written: no longer than its file.
class Snapshot {
 public:
  // Makes room for so many particles.
  Snapshot(std::size_t particles, bool double_precision);
  // The next particles; all pieces have the same columns.
  void append(const Frame& piece);
  FrameView view() const;
  std::size_t size() const { return id_.size(); }

  // Memory that a particle takes up in a frame with the columns that every frame has.
  static std::size_t bytes_per_particle(bool double_precision);

 private:
  bool double_precision_;
  std::vector<std::uint32_t> id_;
  std::vector<std::uint16_t> material_;
  std::array<std::vector<float>, kFields> floats_;
  std::array<std::vector<double>, kFields> doubles_;
};

// The numbers of a real field, a particle's components side by side.
inline const Numbers& reals(const FrameView& frame, Field field) { return frame.columns[static_cast<std::size_t>(field)]; }

// Particles that have the field: all or none.
std::size_t count(const FrameView& frame, Field field);
inline bool has(const FrameView& frame, Field field) { return count(frame, field) > 0; }

// The fields a file of this frame has, in the list's order: those the frame has; without particles, those that every frame has.
std::vector<Field> fields_of(const FrameView& frame);

// Files have particles in the order of their ids, those of equal ids as in the frame: the place in the frame of each row.
class IdOrder {
 public:
  explicit IdOrder(const FrameView& frame);
  std::size_t operator[](std::size_t row) const { return places_.empty() ? row : places_[row]; }

 private:
  std::vector<std::size_t> places_;  // empty: the frame has that order already
};

// Before it is written to `path`: throws RunError when a column is too short or a number is not finite in the frame's precision.
void check_writable(const std::string& path, const FrameView& frame);

}  // namespace firn
