#include "recorded.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>

#include "firn/error.h"
#include "firn/files.h"

namespace firn::studio {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return cells;
}

// Empty: it is not there, or in no format that can be read.
fs::path frame_path(const fs::path& folder, int number) {
  const std::string digits = std::to_string(number);
  const std::string stem = "frame_" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
  for (const FrameFormat& format : frame_formats()) {
    const fs::path path = folder / (stem + "." + std::string(format.name));
    std::error_code failure;
    if (format.readable && is_inside(folder, path) && fs::exists(path, failure)) return path;
  }
  return {};
}

// A number where it is one.
Json cell_value(const std::string& cell) {
  double number = 0;
  const char* const end = cell.data() + cell.size();
  const auto parsed = std::from_chars(cell.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) return number;
  return cell;
}

}  // namespace

Frame recorded_frame(const fs::path& folder, int number) {
  const fs::path path = frame_path(folder, number);
  if (path.empty()) throw UserError("frame " + std::to_string(number) + " is not on the disk, or in no format that can be read");
  Frame frame = read_frame(path.string());
  if (frame.id.empty()) {  // other programs leave it out
    frame.id.resize(frame.size());
    std::iota(frame.id.begin(), frame.id.end(), 0U);
  }
  return frame;
}

bool has_frame(const fs::path& folder, int number) { return !frame_path(folder, number).empty(); }

void await_frame(const fs::path& folder, int number, const std::atomic<bool>& is_cancelled) {
  constexpr int kTries = 400;
  for (int tries = 0; tries < kTries && !is_cancelled && !has_frame(folder, number); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
}

std::vector<std::array<double, 4>> recorded_path(const fs::path& folder, int last, double fps, std::uint32_t id) {
  constexpr std::size_t kMostRead = 20'000'000;  // particles: some seconds
  std::vector<std::array<double, 4>> path;
  int every = 1;
  for (int frame = 0; frame <= last; frame += every) {
    Frame all;
    try {
      all = recorded_frame(folder, frame);
    } catch (const UserError&) {
      break;  // still on its way to the disk
    }
    if (frame == 0) every = 1 + static_cast<int>(all.size() * static_cast<std::size_t>(std::max(last, 0)) / kMostRead);
    const auto found = std::find(all.id.begin(), all.id.end(), id);
    if (found == all.id.end()) continue;
    const Vector& x = all.position[static_cast<std::size_t>(found - all.id.begin())];
    path.push_back({frame / fps, x[0], x[1], x[2]});
  }
  return path;
}

Json recorded_series(const fs::path& folder, std::size_t from) {
  Json columns = Json::array(), rows = Json::array();
  std::ifstream in;
  if (const fs::path file = folder / "stats.csv"; is_inside(folder, file)) in.open(file);
  std::string line;
  if (std::getline(in, line))
    for (const std::string& name : cells_of(line)) columns.push_back(name);
  for (std::size_t row = 0; std::getline(in, line); ++row) {
    if (row < from || in.eof()) continue;  // a last line without its end is being written
    Json cells = Json::array();
    for (const std::string& cell : cells_of(line)) cells.push_back(cell_value(cell));
    if (cells.size() == columns.size()) rows.push_back(std::move(cells));
  }
  return {{"columns", columns}, {"rows", rows}};
}

}  // namespace firn::studio
