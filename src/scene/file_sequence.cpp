#include "scene/file_sequence.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "firn/error.h"

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
