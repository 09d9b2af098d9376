#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "checks.h"
#include "firn/error.h"
#include "geometry/read_mesh.h"
#include "geometry/repair.h"

namespace firn::fuzz {
namespace {

constexpr std::array<const char*, 6> kExtensions{".obj", ".ply", ".stl", ".gltf", ".glb", ".fbx"};
constexpr ChildLimits kLimits{std::uint64_t{256} << 20, 2};  // small, so that a run with many hanging inputs gets on

void require(bool fact, const char* what) {
  if (!fact) throw std::logic_error(what);
}

std::string write_file(std::string_view bytes, const std::string& path) {
  std::filesystem::remove(path);  // writing over a file waits for the disk on some file systems
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  require(file.flush().good(), "the temporary file cannot be written");
  return path;
}

// Bytes used up from the front; 0 when there are none left.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  bool empty() const { return left_.empty(); }

  std::uint8_t next() {
    if (left_.empty()) return 0;
    const std::uint8_t byte = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  double next_double() {
    double value = 0;
    char raw[sizeof value];
    for (char& byte : raw) byte = static_cast<char>(next());
    std::memcpy(&value, raw, sizeof value);
    return value;
  }

 private:
  std::string_view left_;
};

// Small whole coordinates make points coincide; when `wild`, some are any double instead.
Mesh mesh_of(Bytes bytes, bool wild) {
  Mesh mesh;
  mesh.points.resize(bytes.next());
  for (Vec<double, 3>& point : mesh.points)
    for (int i = 0; i < 3; ++i) {
      const std::uint8_t byte = bytes.next();
      point[i] = wild && byte == 0xff ? bytes.next_double() : static_cast<std::int8_t>(byte);
    }
  while (!bytes.empty()) mesh.triangles.push_back({bytes.next(), bytes.next(), bytes.next()});
  return mesh;
}

void check_repaired(const Mesh& mesh, const MeshReport& report) {
  check_mesh(mesh, {});
  require(!mesh.triangles.empty(), "nothing is left");
  for (const Triangle& t : mesh.triangles)
    require(has_area(mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]), "a triangle without area");
  require(std::isfinite(report.area) && report.area > 0, "the area is not a number above 0");
  require(std::isfinite(report.volume), "the volume is not finite");
  require(report.volume >= 0 || report.encloses_nothing(), "the surface faces inwards");
  require(report.open_edges <= report.edges, "more open edges than edges");
  for (const std::string& line : warnings(report)) require(line.find('\n') == std::string::npos, "a warning of two lines");
}

}  // namespace

void check_mesh_bytes(std::string_view bytes, const std::string& folder) {
  if (bytes.empty()) return;
  const std::size_t kind = static_cast<std::uint8_t>(bytes.front()) % 8;
  bytes.remove_prefix(1);
  try {
    const bool is_file = kind < kExtensions.size();
    const Mesh mesh = is_file ? read_mesh(write_file(bytes, folder + "/mesh" + kExtensions[kind]), kLimits)
                              : mesh_of(Bytes(bytes), kind == kExtensions.size());
    MeshReport report;
    const Mesh repaired = repair(mesh, report);
    check_repaired(repaired, report);
  } catch (const UserError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos, "a message of two lines");
  }
}

}  // namespace firn::fuzz
