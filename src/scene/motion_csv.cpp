#include "scene/motion_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>
#include <span>

#include "firn/error.h"
#include "scene/text.h"

namespace firn::schema {
namespace {

using Name = std::string_view;

constexpr std::array<Name, 11> kNames{"t", "x", "y", "z", "qw", "qx", "qy", "qz", "rx", "ry", "rz"};
constexpr std::array<Name, 3> kPosition{"x", "y", "z"};
constexpr std::array<Name, 4> kQuaternion{"qw", "qx", "qy", "qz"};
constexpr std::array<Name, 3> kAngles{"rx", "ry", "rz"};
constexpr Name kBlanks = " \t\r";
constexpr Name kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets write one

Name trimmed(Name text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == Name::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Without its comment.
struct Line {
  Name text;
  int number;
};

std::vector<Line> lines_of(Name text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Name line = text.substr(0, end);
    const Name content = trimmed(line.substr(0, line.find('#')));
    if (!content.empty()) lines.push_back({content, number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Name> split(Name text, char separator) {
  std::vector<Name> fields;
  while (true) {
    const std::size_t end = separator == ' ' ? text.find_first_of(kBlanks) : text.find(separator);
    fields.push_back(trimmed(text.substr(0, end)));
    if (end == Name::npos) return fields;
    text.remove_prefix(end + 1);
    if (separator == ' ') text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  }
}

class Table {
 public:
  Table(const Line& header, const CsvSource& source) : source_(source) {
    for (const char candidate : {',', ';'})
      if (header.text.find(candidate) != Name::npos && separator_ == ' ') separator_ = candidate;
    columns_ = split(header.text, separator_);
    check_columns(header.number);
  }

  MotionRow row(const Line& line) const {
    const std::vector<double> values = numbers(line);
    MotionRow row{{}, line.number};
    const auto pick = [&](std::span<const Name> names) {
      toml::array list;
      for (const Name name : names)
        if (has(name)) list.push_back(values[index(name)]);
      return list;
    };
    row.values.insert("t", values[index("t")]);
    row.values.insert("position", pick(kPosition));
    if (has("qw")) row.values.insert("rotation", pick(kQuaternion));
    if (has("rz") && source_.dimension == 2) row.values.insert("rotation", values[index("rz")] * std::numbers::pi / 180);
    if (has("rz") && source_.dimension == 3) row.values.insert("rotation", pick(kAngles));
    return row;
  }

 private:
  std::size_t index(Name name) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) - columns_.begin());
  }
  bool has(Name name) const { return index(name) < columns_.size(); }

  [[noreturn]] void fail(int line, const std::string& message) const { throw UserError({source_.path, line, 1}, message); }

  void check_columns(int line) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (std::find(kNames.begin(), kNames.end(), columns_[i]) == kNames.end())
        fail(line, fmt::format("unknown column '{}'{}", shortened(columns_[i]), suggestion(columns_[i], kNames)));
      if (index(columns_[i]) != i) fail(line, fmt::format("column '{}' stands twice", columns_[i]));
    }
    const bool is_flat = source_.dimension == 2;
    if (is_flat && (has("rx") || has("ry"))) fail(line, "'rx' and 'ry' have no meaning in a 2D scene, use 'rz'");
    require(line, std::array<Name, 1>{"t"});
    require(line, is_flat ? std::span<const Name>(kPosition).first(2) : kPosition);
    if (has_any(kQuaternion)) require(line, kQuaternion);
    if (has_any(kAngles) && !is_flat) require(line, kAngles);
    if (has_any(kQuaternion) && has_any(kAngles)) fail(line, "'qw' ... and 'rx' ... exclude each other, keep one");
  }

  bool has_any(std::span<const Name> names) const {
    return std::any_of(names.begin(), names.end(), [&](Name name) { return has(name); });
  }

  void require(int line, std::span<const Name> names) const {
    for (const Name name : names)
      if (!has(name)) fail(line, fmt::format("needs a column '{}'; the first line names the columns, as in: t, x, y, z, rx, ry, rz", name));
  }

  std::vector<double> numbers(const Line& line) const {
    const std::vector<Name> fields = split(line.text, separator_);
    if (fields.size() != columns_.size())
      fail(line.number, fmt::format("has {} values, the header names {} columns", fields.size(), columns_.size()));
    std::vector<double> values(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Name digits = fields[i].starts_with('+') ? fields[i].substr(1) : fields[i];
      const char* end = digits.data() + digits.size();
      const auto [stop, failure] = std::from_chars(digits.data(), end, values[i]);
      if (failure != std::errc{} || stop != end)
        fail(line.number, fmt::format("{} = '{}': must be a number", columns_[i], shortened(fields[i])));
    }
    return values;
  }

  const CsvSource& source_;
  char separator_ = ' ';
  std::vector<Name> columns_;
};

}  // namespace

std::vector<MotionRow> rows_of_csv(std::string_view text, const CsvSource& source) {
  const std::vector<Line> lines = lines_of(text);
  std::vector<MotionRow> rows;
  if (lines.empty()) return rows;
  const Table table(lines.front(), source);
  // One key more than allowed is enough to refuse them.
  const std::size_t count = std::min(lines.size(), kMostMotionKeys + 2);
  for (std::size_t i = 1; i < count; ++i) rows.push_back(table.row(lines[i]));
  return rows;
}

}  // namespace firn::schema
