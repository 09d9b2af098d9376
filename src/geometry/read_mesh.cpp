// Meshes by way of a child process, and before that what assimp must never see: on a PLY header without an end it runs until it is stopped,
// and where rows of text are missing it makes some up.
#include "geometry/read_mesh.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "core/files.h"
#include "core/memory.h"
#include "firn/error.h"

namespace firn {
namespace {

constexpr std::size_t kLongestHeader = 1 << 16;  // bytes; those of real files have some hundreds
constexpr std::string_view kBlank = " \t\r";

struct Header {
  bool is_text = false;
  double rows = 0;               // of all elements; a double, because the file may promise any number
  bool ends_with_lists = false;  // the rows of the last element start with the length of a list
};

std::string first_word(const std::string& line) {
  std::string word;
  std::istringstream(line) >> word;
  return word;
}

void read_line(const std::string& line, Header& header) {
  std::istringstream words(line);
  std::string keyword, name;
  words >> keyword >> name;
  if (keyword == "format") header.is_text = name == "ascii";
  if (keyword == "property") header.ends_with_lists = name == "list";
  double count = 0;
  if (keyword == "element" && words >> count) header.rows += count;
}

// Leaves `file` at the first row.
Header read_header(std::istream& file, const std::string& path) {
  Header header;
  std::size_t size = 0;
  for (std::string line; size < kLongestHeader && std::getline(file, line); size += line.size()) {
    if (first_word(line) == "end_header" && !file.eof()) return header;
    read_line(line, header);
  }
  throw UserError(Location{path}, "the header of the PLY file has no line 'end_header'");
}

// The last row of a list is cut when it has fewer words than its first one says.
bool is_cut(const std::string& row) {
  std::istringstream words(row);
  double length = 0;
  if (!(words >> length)) return false;  // assimp says what is wrong with it
  std::string word;
  while (length > 0 && words >> word) --length;
  return length > 0;
}

// Throws UserError when the header does not end, or a file of text has fewer rows than its header promises.
void check_ply_is_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const Header header = read_header(file, path);
  if (!header.is_text) return;
  double rows = 0;
  std::string last;
  for (std::string line; rows < header.rows && std::getline(file, line);) {
    if (line.find_first_not_of(kBlank) == std::string::npos) continue;
    ++rows;
    last.swap(line);
  }
  if (rows < header.rows) throw UserError(Location{path}, fmt::format("the file is cut off: it has {} of {} rows", rows, header.rows));
  if (header.ends_with_lists && is_cut(last)) throw UserError(Location{path}, "the file is cut off: its last row is not complete");
}

constexpr std::array<std::string_view, 6> kExtensions{".obj", ".ply", ".stl", ".gltf", ".glb", ".fbx"};

// Many times what a sound file needs (a million triangles: half a second, six bytes of memory for one of the file).
constexpr int kLeastSeconds = 3;
constexpr std::uint64_t kBytesPerSecond = 1 << 20;
constexpr std::uint64_t kLeastBytes = std::uint64_t{512} << 20, kMemoryPerByte = 64;
constexpr double kMostOfMemory = 0.75;

constexpr std::size_t kPointsAtOnce = 1 << 14, kTrianglesAtOnce = 1 << 16;
constexpr std::size_t kMostReserved = 1 << 24;  // elements, on the word of a record alone
constexpr std::size_t kLongestReason = 200;     // characters of a message that assimp made from the file

ChildLimits limits_for(std::uint64_t file_bytes) {
  ChildLimits limits;
  limits.seconds = kLeastSeconds + static_cast<int>(file_bytes / kBytesPerSecond);
  limits.bytes = std::min(kLeastBytes + kMemoryPerByte * file_bytes, static_cast<std::uint64_t>(kMostOfMemory * available_memory()));
  return limits;
}

std::string one_line(std::string text) {
  if (text.size() > kLongestReason) text = text.substr(0, kLongestReason) + "...";
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text;
}

void check_extension(const std::string& path) {
  const std::string extension = file_ending(path);
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end()) return;
  throw UserError(Location{path}, fmt::format("'{}' is no format of meshes that firn reads, allowed: {}", one_line(extension),
                                              fmt::join(kExtensions, ", ")));
}

// The size of a file that can be read.
std::uint64_t checked_size(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0)
    throw UserError(Location{path}, std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) throw UserError(Location{path}, "is a folder, a mesh is a file");
  if (!S_ISREG(status.st_mode)) throw UserError(Location{path}, "not a regular file");
  if (status.st_size == 0) throw UserError(Location{path}, "the file is empty");
  return static_cast<std::uint64_t>(status.st_size);
}

// Puts the records of a child together.
class Receiver {
 public:
  Receiver(ChildProcess& child, const std::string& path) : child_(child), path_(path) {}

  // False: the child ended before it was done.
  bool receive_all() {
    for (Record record;;) {
      if (!child_.read(&record, sizeof record)) return false;
      if (record.kind == RecordKind::kEnd) return true;
      if (record.kind == RecordKind::kFailure) return receive_failure(record);
      check(record.kind == RecordKind::kPiece);
      if (!receive_piece(record)) return false;
    }
  }
  // What is wrong with the file, in the child's words.
  const std::optional<std::string>& failure() const { return failure_; }
  Mesh take() { return std::move(mesh_); }

 private:
  // A reader whose memory is spoilt can send anything.
  void check(bool makes_sense) const {
    if (!makes_sense) throw UserError(Location{path_}, "the file is damaged: what the reader made of it makes no sense");
  }

  bool receive_failure(const Record& record) {
    failure_.emplace(std::min<std::size_t>(record.text, kLongestReason + 1), '\0');
    return child_.read(failure_->data(), failure_->size());
  }

  bool receive_piece(const Record& record) {
    const std::size_t first = mesh_.points.size();
    check(mesh_.triangles.size() + record.triangles <= kMostTriangles && first + record.points <= kMostPoints);
    return receive_points(record) && receive_triangles(record, static_cast<std::uint32_t>(first));
  }

  bool receive_points(const Record& record) {
    std::vector<std::array<float, 3>> raw(kPointsAtOnce);
    mesh_.points.reserve(mesh_.points.size() + std::min<std::size_t>(record.points, kMostReserved));
    for (std::size_t left = record.points; left > 0; left -= raw.size()) {
      raw.resize(std::min(left, raw.size()));
      if (!child_.read(raw.data(), raw.size() * sizeof raw[0])) return false;
      for (const auto& [x, y, z] : raw) {
        const Vec<double, 3> point{x, y, z};
        check_finite(point, mesh_.points.size(), Location{path_});  // before placing it makes the other coordinates not finite either
        mesh_.points.push_back(record.placement * point);
      }
    }
    return true;
  }

  bool receive_triangles(const Record& record, std::uint32_t first) {
    const bool mirrored = determinant(record.placement.linear) < 0;
    std::vector<Triangle> raw(kTrianglesAtOnce);
    mesh_.triangles.reserve(mesh_.triangles.size() + std::min<std::size_t>(record.triangles, kMostReserved));
    for (std::size_t left = record.triangles; left > 0; left -= raw.size()) {
      raw.resize(std::min(left, raw.size()));
      if (!child_.read(raw.data(), raw.size() * sizeof raw[0])) return false;
      for (const Triangle& t : raw) {
        check(std::max({t[0], t[1], t[2]}) < record.points);
        const Triangle placed{t[0] + first, t[1] + first, t[2] + first};
        mesh_.triangles.push_back(mirrored ? turned(placed) : placed);
      }
    }
    return true;
  }

  ChildProcess& child_;
  const std::string& path_;
  Mesh mesh_;
  std::optional<std::string> failure_;
};

std::string describe(const ChildEnd& end, const ChildLimits& limits) {
  if (end.out_of_time()) return fmt::format("the file is damaged or too large: reading took longer than {} s", limits.seconds);
  if (end.signal != 0)
    return fmt::format("the file is damaged: the reader stopped with signal {} ({})", end.signal, ::strsignal(end.signal));
  return fmt::format("the file is damaged: the reader gave up with code {}", end.code);
}

}  // namespace

Mesh read_mesh(const std::string& path) {
  check_extension(path);
  return read_mesh(path, limits_for(checked_size(path)));
}

Mesh read_mesh(const std::string& path, const ChildLimits& limits) {
  check_extension(path);
  checked_size(path);
  if (file_ending(path) == ".ply") check_ply_is_whole(path);
  ChildProcess child(limits, [&path](int output) { import_mesh(path, output); });
  Receiver receiver(child, path);
  if (!receiver.receive_all()) throw UserError(Location{path}, describe(child.wait(), limits));
  if (receiver.failure()) throw UserError(Location{path}, one_line(*receiver.failure()));
  Mesh mesh = receiver.take();
  check_mesh(mesh, Location{path});
  return mesh;
}

}  // namespace firn
