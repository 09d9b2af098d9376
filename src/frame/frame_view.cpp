#include "frame/frame_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "firn/error.h"

namespace firn {
namespace {

std::size_t index_of(Field field) { return static_cast<std::size_t>(field); }

// The index of the first number that is no number or has a magnitude above `largest`; the size when there is none.
std::size_t first_beyond(const Numbers& numbers, double largest) {
  return numbers.visit([&](auto values) {
    std::size_t i = 0;
    while (i < values.size() && std::abs(static_cast<double>(values[i])) <= largest) ++i;
    return i;
  });
}

}  // namespace

FrameView::FrameView(const Frame& frame) : id(frame.id), material(frame.material), double_precision(frame.double_precision) {
  for (const Attribute& a : kAttributes) columns[index_of(a.field)] = Numbers(firn::reals(frame, a.field));
}

Snapshot::Snapshot(std::size_t particles, bool double_precision) : double_precision_(double_precision) {
  id_.reserve(particles);
  material_.reserve(particles);
  for (const Field field : fields_of({})) {
    const Attribute& a = attribute(field);
    if (a.kind != ValueKind::kReal) continue;
    const std::size_t numbers = particles * static_cast<std::size_t>(a.components);
    if (double_precision)
      doubles_[index_of(field)].reserve(numbers);
    else
      floats_[index_of(field)].reserve(numbers);
  }
}

void Snapshot::append(const Frame& piece) {
  id_.insert(id_.end(), piece.id.begin(), piece.id.end());
  material_.insert(material_.end(), piece.material.begin(), piece.material.end());
  for (const Attribute& a : kAttributes) {
    const std::span<const double> numbers = reals(piece, a.field);
    if (double_precision_) {
      doubles_[index_of(a.field)].insert(doubles_[index_of(a.field)].end(), numbers.begin(), numbers.end());
    } else {
      std::vector<float>& column = floats_[index_of(a.field)];
      for (const double x : numbers) column.push_back(static_cast<float>(x));
    }
  }
}

FrameView Snapshot::view() const {
  FrameView view;
  view.id = id_;
  view.material = material_;
  view.double_precision = double_precision_;
  for (std::size_t i = 0; i < kFields; ++i)
    view.columns[i] = double_precision_ ? Numbers(std::span<const double>(doubles_[i])) : Numbers(std::span<const float>(floats_[i]));
  return view;
}

std::size_t Snapshot::bytes_per_particle(bool double_precision) {
  const std::size_t real = double_precision ? sizeof(double) : sizeof(float);
  std::size_t bytes = 0;
  for (const Field field : fields_of({})) {
    const Attribute& a = attribute(field);
    const std::size_t number = a.kind == ValueKind::kUint32   ? sizeof(std::uint32_t)
                               : a.kind == ValueKind::kUint16 ? sizeof(std::uint16_t)
                                                              : real;
    bytes += number * static_cast<std::size_t>(a.components);
  }
  return bytes;
}

std::size_t count(const FrameView& frame, Field field) {
  const Attribute& a = attribute(field);
  if (a.kind == ValueKind::kUint32) return frame.id.size();
  if (a.kind == ValueKind::kUint16) return frame.material.size();
  return reals(frame, field).size() / static_cast<std::size_t>(a.components);
}

std::vector<Field> fields_of(const FrameView& frame) {
  std::vector<Field> fields;
  for (const Attribute& a : kAttributes)
    if (frame.size() > 0 ? has(frame, a.field) : a.field <= Field::kMaterial) fields.push_back(a.field);
  return fields;
}

IdOrder::IdOrder(const FrameView& frame) {
  if (std::is_sorted(frame.id.begin(), frame.id.end())) return;
  places_.resize(frame.size());
  std::iota(places_.begin(), places_.end(), std::size_t(0));
  std::stable_sort(places_.begin(), places_.end(), [&](std::size_t a, std::size_t b) { return frame.id[a] < frame.id[b]; });
}

void check_writable(const std::string& path, const FrameView& frame) {
  const double largest = frame.double_precision ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  for (const Attribute& a : kAttributes) {
    const std::size_t rows = count(frame, a.field);
    if (rows != 0 && rows != frame.size())
      throw RunError(fmt::format("{}: cannot write: {} values of {} for {} particles", path, rows, a.name, frame.size()));
    const Numbers& numbers = reals(frame, a.field);
    const std::size_t bad = first_beyond(numbers, largest);
    if (bad == numbers.size()) continue;
    const std::size_t particle = bad / static_cast<std::size_t>(a.components);
    throw RunError(fmt::format("{}: cannot write: {} of particle {} is not a finite {} number", path, a.name,
                               frame.id.empty() ? particle : frame.id[particle], frame.double_precision ? "double" : "float"));
  }
}

}  // namespace firn
