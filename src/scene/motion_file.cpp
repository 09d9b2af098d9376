#include "scene/motion_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/read_file.h"
#include "firn/error.h"
#include "scene/motion_csv.h"
#include "scene/text.h"

namespace firn::schema {
namespace {

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
