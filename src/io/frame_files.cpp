#include "io/frame_files.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "firn/error.h"
#include "io/formats.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "frame_";
constexpr std::size_t kLeastDigits = 4;

// All of `digits` as a number; nothing: there is something else in it.
template <class T>
std::optional<T> whole_number(std::string_view digits) {
  T number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size() || digits.front() == '-') return std::nullopt;
  return number;
}

}  // namespace

std::string frame_stem(const FrameNumber& number) {
  return number.subframe == 0 ? fmt::format("frame_{:04d}", number.frame) : fmt::format("frame_{:04d}_{}", number.frame, number.subframe);
}

std::optional<FrameNumber> frame_number(const std::string& path) {
  const std::string stem = fs::path(path).stem().string();
  std::string_view digits = stem;
  if (!digits.starts_with(kPrefix)) return std::nullopt;
  digits.remove_prefix(kPrefix.size());
  const std::size_t bar = std::min(digits.find('_'), digits.size());
  if (bar < kLeastDigits) return std::nullopt;
  const std::optional<long> frame = whole_number<long>(digits.substr(0, bar));
  if (!frame) return std::nullopt;
  if (bar == digits.size()) return FrameNumber{*frame, 0};
  const std::string_view rest = digits.substr(bar + 1);
  const std::optional<int> subframe = rest.empty() ? std::nullopt : whole_number<int>(rest);
  if (!subframe || *subframe == 0) return std::nullopt;
  return FrameNumber{*frame, *subframe};
}

std::vector<FrameFile> find_frames(const std::string& folder) {
  std::map<FrameNumber, const Format*> best;
  std::map<FrameNumber, std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    const std::optional<FrameNumber> number = frame_number(path);
    const Format* format = format_of_path(path);
    if (!number || format == nullptr || format->read == nullptr) continue;
    const auto [known, is_new] = best.try_emplace(*number, format);
    if (!is_new && known->second <= format) continue;
    known->second = format;
    paths[*number] = path;
  }
  if (error) throw UserError(fmt::format("{}: {}", folder, error.message()));
  if (paths.empty()) throw UserError(fmt::format("{}: no frame_NNNN in this folder that particles can be read from", folder));
  std::vector<FrameFile> files;
  for (const auto& [number, path] : paths) files.push_back({path, number});
  return files;
}

std::optional<double> recorded_time(const std::string& path) {
  const std::optional<FrameNumber> number = frame_number(path);
  const bool is_final = fs::path(path).filename() == "final.ply";
  std::ifstream stats(fs::path(path).parent_path() / "stats.csv");
  if (!stats || (!is_final && (!number || number->subframe != 0))) return std::nullopt;
  std::optional<double> found;
  std::string line;
  std::getline(stats, line);  // the names
  while (std::getline(stats, line)) {
    long frame = 0;
    double time = 0;
    const auto [comma, error] = std::from_chars(line.data(), line.data() + line.size(), frame);
    if (error != std::errc() || comma == line.data() + line.size()) return std::nullopt;
    if (std::from_chars(comma + 1, line.data() + line.size(), time).ec != std::errc()) return std::nullopt;
    if (is_final)
      found = time;  // the last line counts
    else if (frame == number->frame)
      return time;
  }
  return found;
}

}  // namespace firn
