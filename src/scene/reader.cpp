#include "scene/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "scene/document.h"
#include "scene/scene_files.h"

namespace firn::schema {
namespace {

namespace fs = std::filesystem;

constexpr double kFarthestCell = 1 << 29;  // cells from the origin: numbers of cells, and differences of them, are 32-bit

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

Reader::Reader(const toml::table& table, std::string label, Context& context)
    : table_(table), label_(std::move(label)), context_(context) {}

void Reader::check_names(const Names& names) const {
  for (const auto& [key, node] : table_) {
    const std::string_view name = key.str();
    if (!contains(names.all, name))
      throw UserError(where(name), fmt::format("unknown key '{}' in {}{}", shortened(name), label_, suggestion(name, names.all)));
  }
}

void Reader::check_all_used() const {
  for (const auto& [key, node] : table_)
    if (!used_.contains(key.str()))
      throw UserError(where(key.str()), fmt::format("'{}' and '{}' exclude each other in {}, keep one", key.str(), alternative_, label_));
}

Location Reader::where(std::string_view key) const {
  if (context_.place) return *context_.place;
  const auto found = table_.find(key);
  return locate(found == table_.end() ? table_.source() : found->first.source(), context_.file);
}

std::optional<Entry> Reader::find(const Key& key) {
  const auto found = table_.find(key.name);
  if (found != table_.end()) {
    used_.insert(key.name);
    return Entry{key.name, found->second, where(key.name)};
  }
  if (!key.required) return std::nullopt;
  const std::string or_alternative = alternative_.empty() ? "" : fmt::format(" or '{}'", alternative_);
  throw UserError(where(key.name), fmt::format("{} needs '{}'{}", label_, key.name, or_alternative));
}

void Reader::read(const Entry& entry, double& value, const Range& range) const { value = number(entry, range); }

void Reader::read(const Entry& entry, int& value, const Range& range) const { value = static_cast<int>(whole_number(entry, range)); }

void Reader::read(const Entry& entry, std::uint32_t& value, const Range& range) const {
  value = static_cast<std::uint32_t>(whole_number(entry, range));
}

void Reader::read(const Entry& entry, bool& value, Flag) const {
  const auto* flag = entry.node.as_boolean();
  if (!flag) reject(entry, "true or false");
  value = flag->get();
}

void Reader::read(const Entry& entry, int& value, Dimension) const {
  const auto* dimension = entry.node.as_integer();
  if (!dimension || (dimension->get() != 2 && dimension->get() != 3)) reject(entry, "2 or 3");
  value = static_cast<int>(dimension->get());
  context_.dimension = value;
}

void Reader::read(const Entry& entry, std::optional<double>& value, const AutoOr& rule) const {
  const auto* word = entry.node.as_string();
  if (word && word->get() == "auto") {
    value.reset();
    return;
  }
  if (!entry.node.is_number()) reject(entry, "\"auto\" or a number, " + rule.range.text());
  value = number(entry, rule.range);
}

void Reader::read(const Entry& entry, std::optional<double>& value, const Range& range) const { value = number(entry, range); }

void Reader::read(const Entry& entry, std::optional<int>& value, MovingCollider) const {
  const std::size_t count = context_.collider_moves.size();
  if (count == 0) reject(entry, "the number of a [[collider]], the scene has none");
  value = static_cast<int>(whole_number(entry, {0, static_cast<double>(count - 1)}));
  if (!context_.collider_moves[static_cast<std::size_t>(*value)])
    reject(entry, fmt::format("a collider that moves, collider {} has neither velocity nor spin nor two keys", *value));
}

void Reader::read(const Entry& entry, double& value, const FrameCount& rule) const {
  value = static_cast<double>(whole_number(entry, {1, kMostFrames})) / rule.fps;
  if (!rule.duration.contains(value)) reject(entry, fmt::format("fewer, {} s is the longest scene", rule.duration.high));
}

void Reader::read(const Entry& entry, double& value, const Opening& rule) const { value = number(entry, rule.range); }

void Reader::read(const Entry& entry, Vector& value, const Components& rule) const {
  value = components_in(entry, context_.dimension, rule.range);
}

void Reader::read(const Entry& entry, Vector& value, Position) const {
  const double farthest = std::min(kFarthest, kFarthestCell * context_.spacing);
  value = components_in(entry, context_.dimension, {-farthest, farthest});
}

void Reader::read(const Entry& entry, std::optional<Vector>& value, Position position) const {
  Vector v;
  read(entry, v, position);
  value = v;
}

void Reader::read(const Entry& entry, Vector& value, const Sizes& rule) const {
  value = components(entry, context_.dimension);
  for (int d = 0; d < context_.dimension; ++d)
    if (!rule.range.contains(value[d])) reject(entry, fmt::format("made of numbers {}", rule.range.text()));
}

void Reader::read(const Entry& entry, Vector& value, Direction) const { value = direction(entry, context_.dimension); }

void Reader::read(const Entry& entry, Vector& value, const Spin& rule) const { value = spin(entry, context_.dimension, rule.range); }

void Reader::read(const Entry& entry, Quaternion& value, Rotation) const { value = rotation(entry, context_.dimension); }

void Reader::read(const Entry& entry, std::string& value, ExistingFile) const { value = existing_file(entry); }

std::string Reader::path_of(const Entry& entry) const {
  const std::string& name = string_value(entry, "the name of a file");
  if (name.find('\0') != std::string::npos) reject(entry, "the name of a file, without zero bytes");
  std::error_code no_folder;
  const fs::path path = fs::absolute(fs::path(context_.file).parent_path() / name, no_folder).lexically_normal();
  if (no_folder) reject(entry, fmt::format("an existing file, there is no {}", one_line(path.string())));
  return path.string();
}

std::string Reader::existing_file(const Entry& entry) const {
  const std::string path = path_of(entry), shown_path = one_line(path);
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) reject(entry, fmt::format("an existing file, there is no {}", shown_path));
  if (failure) reject(entry, fmt::format("a readable file, {}: {}", shown_path, failure.message()));
  if (status.type() != fs::file_type::regular) reject(entry, fmt::format("a regular file, {} is not", shown_path));
  if (!is_utf8(path)) reject(entry, fmt::format("in a folder whose name is UTF-8, {} is not", shown_path));
  return path;
}

void Reader::read(const Entry& entry, std::string& value, AnyText) const {
  value = string_value(entry, "a text");
  if (value.find('\0') != std::string::npos) reject(entry, "a text without zero bytes");
}

void Reader::read(const Entry& entry, std::string& value, ColumnName) const {
  value = string_value(entry, "a name");
  if (!is_plain_name(value)) reject(entry, "a name of letters, digits, '_' and '-'");
}

void Reader::read(const Entry& entry, std::string& value, FilePattern) const {
  const std::string path = path_of(entry);
  try {
    find_sequence(path);
  } catch (const UserError& e) {
    reject(entry, fmt::format("the name of files with # for their number: {}", one_line(e.what())));
  }
  if (!is_utf8(path)) reject(entry, fmt::format("in a folder whose name is UTF-8, {} is not", one_line(path)));
  value = path;
}

void Reader::read(const Entry& entry, std::vector<std::string>& value, const Formats& rule) const {
  const std::string must_be = "a list of formats, allowed: " + listed(names(rule.choices), "\"");
  value.clear();
  for (const toml::node& element : array_value(entry, must_be)) {
    const std::size_t picked = pick({entry.name, element, entry.where}, names(rule.choices), rule.choices.later);
    const std::string format(rule.choices.now[picked].value);
    if (std::find(value.begin(), value.end(), format) != value.end()) reject(entry, "a list without repetitions");
    value.push_back(format);
  }
}

void Reader::read(const Entry& entry, std::vector<MotionKey>& value, MotionKeys) const {
  constexpr std::string_view kForm = "a list of { t, position, rotation }, at least one";
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) {
    const toml::table* table = element.as_table();
    if (!table) reject(entry, kForm);
    append_key(Reader(*table, fmt::format("{} of {}", entry.name, label_), context_), MotionKey{}, value);
  }
}

void Reader::read(const Entry& entry, std::vector<MotionKey>& value, MotionFile) const {
  const std::string path = existing_file(entry);
  Context there = context_;
  value.clear();
  try {
    for (const MotionRow& row : read_motion_file(path, context_.dimension)) {
      there.place = Location{path, row.line, 1};
      append_key(Reader(row.values, "a motion key", there), MotionKey{}, value);
    }
  } catch (const UserError& error) {
    throw UserError(entry.where, fmt::format("{}: {}", entry.name, error.what()));
  }
}

void Reader::read(const Entry& entry, ShapeKind& value, const Choices<ShapeKind>& choices) const {
  value = choices.now[pick(entry, names(choices), choices.later)].value;
  if (needs_three_dimensions(value) && context_.dimension == 2)
    reject(entry, fmt::format("another shape in a 2D scene, a {} has three dimensions", entry.node.ref<std::string>()));
}

void Reader::read(const Entry& entry, Vector& value, const Scale& rule) const { value = scale(entry, context_.dimension, rule.range); }

void Reader::read(const Entry& entry, std::vector<Shape>& value, Parts) const {
  constexpr std::string_view kForm = "a list of shapes { shape = ..., ... }, at least one";
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) {
    const toml::table* table = element.as_table();
    if (!table) reject(entry, kForm);
    Reader reader(*table, fmt::format("{} of {}", entry.name, label_), context_);
    Shape part;
    reader.field(required("shape"), part.kind, kPartShapes);
    Names names;
    names.add("shape");
    describe(names, part);
    reader.check_names(names);
    describe(reader, part);
    reader.check_all_used();
    value.push_back(part);
  }
}

std::size_t Reader::pick(const Entry& entry, const std::vector<std::string_view>& now, std::span<const std::string_view> later) {
  const auto* word = entry.node.as_string();
  const std::string allowed = listed(now, "\"");
  if (!word) reject(entry, "one of " + allowed);
  const auto found = std::find(now.begin(), now.end(), word->get());
  if (found != now.end()) return static_cast<std::size_t>(found - now.begin());
  const std::string shown = shortened(word->get());
  if (contains(later, word->get()))
    throw UserError(entry.where, fmt::format("{} = \"{}\" is not available in this version, allowed: {}", entry.name, shown, allowed));
  throw UserError(entry.where, fmt::format("{} = \"{}\" is not known here{}", entry.name, shown, suggestion(word->get(), now, "\"")));
}

}  // namespace firn::schema
