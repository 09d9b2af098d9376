#include "scene/scene_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "scene/document.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

struct Pattern {
  fs::path folder;
  std::string before, after;
};

Pattern split_pattern(const std::string& pattern) {
  const fs::path path(pattern);
  const std::string name = path.filename().string();
  const std::size_t first = name.find('#'), last = name.find_last_of('#');
  if (first == std::string::npos || name.find_first_not_of('#', first) <= last)
    throw UserError(fmt::format("{}: one run of # must stand for the frame's number, as in walk_####.obj", pattern));
  return {path.parent_path(), name.substr(0, first), name.substr(last + 1)};
}

}  // namespace

std::vector<std::string> find_sequence(const std::string& pattern) {
  const Pattern p = split_pattern(pattern);
  std::map<long, std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(p.folder, error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::size_t kMostDigits = 9;
    if (name.size() <= p.before.size() + p.after.size() || name.size() > p.before.size() + p.after.size() + kMostDigits) continue;
    if (!name.starts_with(p.before) || !name.ends_with(p.after)) continue;
    const std::string digits = name.substr(p.before.size(), name.size() - p.before.size() - p.after.size());
    if (digits.find_first_not_of("0123456789") == std::string::npos) found[std::stol(digits)] = entry.path().string();
  }
  if (error) throw UserError(fmt::format("{}: {}", p.folder.string(), error.message()));
  if (found.size() < 2) throw UserError(fmt::format("{}: {} such files, a sequence has at least two", pattern, found.size()));
  std::vector<std::string> files;
  for (const auto& [number, file] : found) {
    if (number != found.begin()->first + static_cast<long>(files.size()))
      throw UserError(fmt::format("{}: frame {} is missing", pattern, found.begin()->first + static_cast<long>(files.size())));
    files.push_back(file);
  }
  return files;
}

}  // namespace firn

namespace firn::schema {
namespace {

// Motion keys as a table: a header that names the columns, then a line for every key.

struct CsvSource {
  std::string path;  // for messages
  int dimension;
};

using Name = std::string_view;

constexpr std::array<Name, 11> kNames{"t", "x", "y", "z", "qw", "qx", "qy", "qz", "rx", "ry", "rz"};
constexpr std::array<Name, 3> kPosition{"x", "y", "z"};
constexpr std::array<Name, 4> kQuaternion{"qw", "qx", "qy", "qz"};
constexpr std::array<Name, 3> kAngles{"rx", "ry", "rz"};

// A line without its comment.
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

// Columns t, x, y, z and, for rotations, qw qx qy qz or rx ry rz (degrees), in any order; separated by commas, semicolons or blanks, as the
// header is. '#' begins a comment.
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

using Json = nlohmann::json;

// Walks a text and counts its lines, so that what is parsed can know where it stood.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  int* line;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    *line += *at == '\n';
    ++at;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
};

// "[json.exception.parse_error.101] parse error at line 2, column 1: what" without what precedes the last part.
std::string description_of(const Json::parse_error& error) {
  const std::string_view text = error.what();
  const std::size_t colon = text.find(": ");
  return "not valid JSON, " + one_line(colon == std::string_view::npos ? text : text.substr(colon + 2));
}

struct Document {
  Json root;
  std::vector<int> lines;  // where the objects of the list begin
};

Document parse_json(const std::string& text, const std::string& path) {
  Document document;
  int line = 1;
  std::set<std::string> names;  // of the object being read: the parser would keep the last of several
  const auto watch = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::object_start) {
      document.lines.push_back(line);
      names.clear();
    }
    if (depth == 2 && event == Json::parse_event_t::key && !names.insert(parsed.get<std::string>()).second)
      throw UserError({path, line, 1}, fmt::format("'{}' stands twice in one key", shortened(parsed.get<std::string>())));
    return true;
  };
  try {
    document.root = Json::parse(CountingIterator{text.data(), &line}, CountingIterator{text.data() + text.size(), &line}, watch);
  } catch (const Json::parse_error& error) {
    throw UserError({path, line, 1}, description_of(error));
  }
  return document;
}

// A number, or a list of them; anything else cannot stand in a motion key.
bool insert_numbers(toml::table& table, const std::string& name, const Json& value) {
  if (value.is_number()) {
    table.insert(name, value.get<double>());
    return true;
  }
  if (!value.is_array()) return false;
  toml::array list;
  for (const Json& element : value) {
    if (!element.is_number()) return false;
    list.push_back(element.get<double>());
  }
  table.insert(name, std::move(list));
  return true;
}

std::vector<MotionRow> rows_of_json(const std::string& text, const std::string& path) {
  const Document document = parse_json(text, path);
  const auto is_object = [](const Json& element) { return element.is_object(); };
  if (!document.root.is_array() || !std::all_of(document.root.begin(), document.root.end(), is_object))
    throw UserError(Location{path}, "must be a list of objects {\"t\": ..., \"position\": [...], \"rotation\": [...]}");
  std::vector<MotionRow> rows;
  for (std::size_t i = 0; i < document.root.size(); ++i) {
    MotionRow row{{}, document.lines[i]};
    for (const auto& [name, value] : document.root[i].items())
      if (!insert_numbers(row.values, name, value))
        throw UserError({path, row.line, 1}, fmt::format("'{}' must be a number or a list of numbers", shortened(name)));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<MotionRow> read_motion_file(const std::string& path, int dimension) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".csv" && ending != ".json") throw UserError(Location{path}, "must end in .csv or .json");
  const std::string text = read_file(path, kLargestText);
  std::vector<MotionRow> rows = ending == ".csv" ? rows_of_csv(text, {path, dimension}) : rows_of_json(text, path);
  if (rows.empty()) throw UserError(Location{path}, "has no keys");
  if (rows.size() > kMostMotionKeys)
    throw UserError(Location{path}, fmt::format("has more than {} keys, the most a scene may have", kMostMotionKeys));
  return rows;
}

}  // namespace firn::schema
