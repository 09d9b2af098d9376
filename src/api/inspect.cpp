#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "firn/convert.h"
#include "firn/error.h"
#include "io/frame_view.h"
#include "io/formats.h"

namespace firn {
namespace {

std::string type_text(const Attribute& a, bool double_precision) {
  const char* number = a.kind == ValueKind::kUint32   ? "uint32"
                       : a.kind == ValueKind::kUint16 ? "uint16"
                       : double_precision             ? "double"
                                                      : "float";
  return a.components == 1 ? number : fmt::format("{} × {}", a.components, number);
}

FileReport::Column describe(const Frame& frame, const Attribute& a) {
  FileReport::Column column;
  column.name = a.name;
  column.type = type_text(a, frame.double_precision);
  column.unit = a.unit;
  double sum = 0;
  column.least = std::numeric_limits<double>::infinity();
  column.greatest = -column.least;
  for (std::size_t p = 0; p < frame.size(); ++p)
    for (int c = 0; c < a.components; ++c) {
      const double value = get(frame, a.field, p, c);
      column.least = std::min(column.least, value);
      column.greatest = std::max(column.greatest, value);
      sum += value;
    }
  column.mean = sum / (static_cast<double>(frame.size()) * a.components);
  return column;
}

void add_box(const Frame& frame, FileReport& report) {
  std::array<double, 3> lower = frame.position.front(), upper = lower;
  for (const std::array<double, 3>& x : frame.position)
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], x[d]);
      upper[d] = std::max(upper[d], x[d]);
    }
  report.entries.emplace_back("box", fmt::format("[{:.6g}] to [{:.6g}] m", fmt::join(lower, ", "), fmt::join(upper, ", ")));
}

FileReport inspect_particles(const std::string& path) {
  const Format& format = format_to_read(path);
  const Frame frame = format.read(path);
  FileReport report{std::string(format.about.name), {}, {}};
  report.entries.emplace_back("particles", fmt::format("{}", frame.size()));
  if (frame.size() == 0) return report;
  add_box(frame, report);
  double mass = 0;
  for (const double m : frame.mass) mass += m;
  if (has(frame, Field::kMass)) report.entries.emplace_back("mass", fmt::format("{:.9g} kg", mass));
  for (const Field field : fields_of(frame)) report.columns.push_back(describe(frame, attribute(field)));
  return report;
}

}  // namespace

FileReport inspect(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw UserError(fmt::format("{}: no such file", path));
  FileReport report = inspect_particles(path);
  report.entries.insert(report.entries.begin(), {"bytes", fmt::format("{}", std::filesystem::file_size(path, error))});
  return report;
}

}  // namespace firn
