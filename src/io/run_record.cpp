#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <sstream>

#include "core/files.h"
#include "firn/error.h"
#include "io/run_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTitle = "# What firn wrote into this folder. firn run --overwrite removes these files and nothing else.\n";
// Every line is a word and a name; a text has its fingerprint between them.
constexpr std::string_view kScene = "scene ", kFile = "file ", kText = "text ", kFolder = "folder ", kEnded = "ended ";

void parse_line(const std::string& line, RunRecord& record) {
  const auto rest_after = [&line](std::string_view word) { return line.substr(word.size()); };
  if (line.starts_with(kScene)) record.scene = rest_after(kScene);
  if (line.starts_with(kFile)) record.files.try_emplace(rest_after(kFile));
  if (line.starts_with(kFolder)) record.folders.push_back(rest_after(kFolder));
  if (line.starts_with(kEnded)) record.ended = rest_after(kEnded);
  if (!line.starts_with(kText)) return;
  const std::string rest = rest_after(kText);
  const std::size_t space = rest.find(' ');
  if (space != std::string::npos) record.files[rest.substr(space + 1)] = rest.substr(0, space);
}

// A name with a line end in it cannot be on the list; the file is never removed, then.
std::string line_of(std::string_view word, std::string_view name) {
  return name.find('\n') == std::string_view::npos ? fmt::format("{}{}\n", word, name) : std::string();
}

}  // namespace

RunRecord read_run_record(const std::string& folder) {
  const std::string path = (fs::path(folder) / kRunListName).string();
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  RunRecord record;
  if (!fs::exists(status)) return record;
  const std::string text = fs::is_regular_file(status) ? read_file(path) : "something else";
  // A run that was killed may have left the first words only.
  if (!text.starts_with(kTitle) && !kTitle.starts_with(text))
    throw UserError(path + ": is not the list of files that firn keeps under this name");
  record.exists = true;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && !lines.eof();) parse_line(line, record);  // a line without its end is not whole
  return record;
}

// FNV-1a.
std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string title_lines(const std::string& scene) { return std::string(kTitle) + line_of(kScene, scene); }

std::string file_lines(const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += line_of(kFile, name);
  return lines;
}

std::string text_line(const std::string& name, std::string_view content) { return line_of(kText, fingerprint(content) + " " + name); }
std::string folder_line(const std::string& name) { return line_of(kFolder, name); }
std::string ended_line(std::string_view how) { return line_of(kEnded, how); }

bool is_being_written(const std::string& folder) {
  const Descriptor list(::open((fs::path(folder) / kRunListName).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return list && ::flock(*list, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool is_run_folder(const std::string& folder) {
  const auto has = [&folder](const char* name) {
    std::error_code error;
    return fs::exists(fs::path(folder) / name, error);
  };
  return has(kRunListName) || (has(kRunSceneName) && has(kRunStatsName));
}

}  // namespace firn
