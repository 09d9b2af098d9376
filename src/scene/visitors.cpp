#include "scene/visitors.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "scene/document.h"

namespace firn::schema {

Reader::Reader(const toml::table& table, std::string label, Context& context)
    : table_(table), label_(std::move(label)), context_(context) {}

void Reader::check_names(const Names& names) const {
  for (const auto& [key, node] : table_) {
    const std::string_view name = key.str();
    if (std::find(names.all.begin(), names.all.end(), name) == names.all.end())
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

Reader Reader::inside(const Entry& entry, const toml::node& node, std::string_view form) const {
  const toml::table* table = node.as_table();
  if (!table) reject(entry, form);
  return Reader(*table, fmt::format("{} of {}", entry.name, label_), context_);
}

}  // namespace firn::schema
