#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <string>

#include "firn/error.h"
#include "io/file.h"
#include "io/usda.h"
#include "io/usda_layout.h"

namespace firn {
namespace {

constexpr float kLargestFloat = std::numeric_limits<float>::max();

// Text gathered in a buffer; numbers in the fewest digits that read back the same.
class TextFile {
 public:
  explicit TextFile(const std::string& path) : file_(path) {}

  void put(std::string_view text) { buffer_.append(text); }
  template <class Number>
  void put_number(Number number) {
    fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), number);
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t(1) << 20;  // few system calls, still in the cache

  void flush() {
    file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  AtomicFile file_;
  fmt::memory_buffer buffer_;
};

class FrameWriter {
 public:
  FrameWriter(const std::string& path, const FrameView& frame, const FrameNotes& notes)
      : frame_(frame),
        volume_(reals(frame, Field::kVolume)),
        notes_(notes),
        time_code_(usda_time_code(notes.time, notes.fps)),
        columns_(usda_columns(frame)),
        out_(path) {}

  void write() {
    out_.put(usda_header(time_code_, time_code_, notes_.fps));
    out_.put("def Xform \"snow\"\n{\n    def Points \"particles\"\n    {\n");
    // All declarations first: the stage of all frames repeats them up to the empty line.
    const bool widths = std::any_of(columns_.begin(), columns_.end(), [](const UsdaColumn& c) { return c.field == Field::kVolume; });
    out_.put("        float3[] extent\n");
    if (widths) out_.put("        float[] widths (interpolation = \"vertex\")\n");
    for (const UsdaColumn& column : columns_) out_.put(usda_declaration(column));
    out_.put("\n");
    write_extent();
    if (widths) write_samples("float[] widths", volume_.size(), [&](std::size_t p) { out_.put_number(width(p)); });
    for (const UsdaColumn& column : columns_) write_column(column);
    out_.put("    }\n}\n");
    out_.commit();
  }

 private:
  // put(i) writes entry i.
  template <class Put>
  void write_samples(const std::string& attribute, std::size_t entries, Put put) {
    out_.put(fmt::format("        {}.timeSamples = {{\n            {}: [", attribute, time_code_));
    for (std::size_t i = 0; i < entries; ++i) {
      if (i > 0) out_.put(",");
      put(i);
    }
    out_.put("],\n        }\n");
  }

  void write_column(const UsdaColumn& column) {
    const std::string attribute = column.type + " " + column.name;
    if (column.field == Field::kId) {
      write_samples(attribute, frame_.id.size(), [&](std::size_t p) { out_.put_number(frame_.id[p]); });
    } else if (column.field == Field::kMaterial) {
      write_samples(attribute, frame_.material.size(), [&](std::size_t p) { out_.put_number(frame_.material[p]); });
    } else if (column.double_precision) {
      write_reals<double>(attribute, column.field);
    } else {
      write_reals<float>(attribute, column.field);
    }
  }

  template <class Real>
  void write_reals(const std::string& name, Field field) {
    const Numbers& values = reals(frame_, field);
    const auto put = [&](std::size_t i) { out_.put_number(static_cast<Real>(values[i])); };
    if (attribute(field).components != 3) return write_samples(name, values.size(), put);
    write_samples(name, values.size() / 3, [&](std::size_t p) { put_triple([&](std::size_t c) { put(3 * p + c); }); });
  }

  template <class Put>
  void put_triple(Put put) {
    for (std::size_t c = 0; c < 3; ++c) {
      out_.put(c == 0 ? "(" : ",");
      put(c);
    }
    out_.put(")");
  }

  // The diameter of a ball, in 2D of a disk, as large as the particle's snow at the start.
  float width(std::size_t p) const {
    const double volume = volume_[p];
    if (notes_.dimension == 2) return static_cast<float>(2 * std::sqrt(volume / std::numbers::pi));
    return static_cast<float>(std::cbrt(6 * volume / std::numbers::pi));
  }

  // The box about the balls. Of no particles: USD's empty box, whose corners are the wrong way round.
  void write_extent() {
    std::array<float, 3> low, high;
    low.fill(kLargestFloat);
    high.fill(-kLargestFloat);
    const Numbers& position = reals(frame_, Field::kPosition);
    for (std::size_t p = 0; p < frame_.size(); ++p) {
      const double radius = volume_.empty() ? 0 : 0.5 * static_cast<double>(width(p));
      for (std::size_t c = 0; c < 3; ++c) {
        low[c] = std::min(low[c], static_cast<float>(position[3 * p + c] - radius));
        high[c] = std::max(high[c], static_cast<float>(position[3 * p + c] + radius));
      }
    }
    write_samples("float3[] extent", 2,
                  [&](std::size_t corner) { put_triple([&](std::size_t c) { out_.put_number(corner == 0 ? low[c] : high[c]); }); });
  }

  const FrameView& frame_;
  const Numbers& volume_;
  const FrameNotes& notes_;
  double time_code_;
  std::vector<UsdaColumn> columns_;
  TextFile out_;
};

// The schema's points and velocities are single precision in any frame.
void check_schema_range(const std::string& path, const FrameView& frame) {
  for (const Field field : {Field::kPosition, Field::kVelocity})
    for (const double value : reals(frame, field))
      if (std::abs(value) > static_cast<double>(kLargestFloat))
        throw RunError(fmt::format("{}: cannot write: a {} is {}, more than USD's points can hold", path, attribute(field).name, value));
}

}  // namespace

void write_usda(const std::string& path, const FrameView& frame, const FrameNotes& notes) {
  check_writable(path, frame);
  check_schema_range(path, frame);
  FrameWriter(path, frame, notes).write();
}

}  // namespace firn
