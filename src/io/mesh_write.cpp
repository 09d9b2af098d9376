#include "io/mesh_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/parallel.h"
#include "firn/error.h"
#include "firn/surface.h"
#include "frame/frame_view.h"
#include "frame/rasterize.h"
#include "geometry/surface.h"

namespace firn {
namespace {

constexpr std::size_t kBufferBytes = std::size_t(1) << 20;  // few system calls, still in the cache

// A mesh file, gathered in a buffer.
class MeshFile {
 public:
  explicit MeshFile(const std::string& path) : file_(path) { buffer_.reserve(kBufferBytes + kRoom); }

  void put_text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  template <class T>
  void put_bytes(const T& values) {
    put_text({reinterpret_cast<const char*>(&values), sizeof(T)});
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kRoom = 1024;

  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

  AtomicFile file_;
  std::string buffer_;
};

std::array<float, 3> to_floats(const Vec<double, 3>& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

void check_writable(const std::string& path, const Mesh& mesh) {
  for (std::size_t p = 0; p < mesh.points.size(); ++p)
    for (int d = 0; d < 3; ++d)
      if (!(std::abs(mesh.points[p][d]) <= std::numeric_limits<float>::max()))
        throw RunError(fmt::format("{}: cannot write: {} of vertex {} is {}", path, "xyz"[d], p, mesh.points[p][d]));
}

// "NAME x y z\n"
void put_line(MeshFile& file, std::string_view name, const std::array<float, 3>& numbers) {
  constexpr std::size_t kLongestNumber = 16;  // "-1.17549435e-38"
  std::array<char, 3 * (kLongestNumber + 1)> text;
  char* end = text.data();
  for (const float number : numbers) {
    *end++ = ' ';
    end = std::to_chars(end, text.data() + text.size(), number + 0.0f).ptr;  // + 0: there is no need for "-0"
  }
  file.put_text(name);
  file.put_text({text.data(), static_cast<std::size_t>(end - text.data())});
  file.put_text("\n");
}

// Its vertices count on from `first`.
void put_object(MeshFile& file, const Mesh& mesh, std::size_t first) {
  file.put_text(fmt::format("# {} vertices, {} triangles; metres, y up\n", mesh.points.size(), mesh.triangles.size()));
  for (const Vec<double, 3>& point : mesh.points) put_line(file, "v", to_floats(point));
  for (const Vec<double, 3>& normal : vertex_normals(mesh)) put_line(file, "vn", to_floats(normal));
  for (const Triangle& t : mesh.triangles)
    file.put_text(fmt::format("f {0}//{0} {1}//{1} {2}//{2}\n", first + t[0] + 1, first + t[1] + 1, first + t[2] + 1));
}

}  // namespace

void write_obj(const std::string& path, const Mesh& mesh) {
  check_writable(path, mesh);
  MeshFile file(path);
  put_object(file, mesh, 0);
  file.commit();
}

void write_obj(const std::string& path, const std::vector<NamedMesh>& meshes) {
  for (const NamedMesh& named : meshes) check_writable(path, named.mesh);
  MeshFile file(path);
  std::size_t first = 0;
  for (const NamedMesh& named : meshes) {
    file.put_text(fmt::format("o {}\n", named.name));
    put_object(file, named.mesh, first);
    first += named.mesh.points.size();
  }
  file.commit();
}

void write_mesh_ply(const std::string& path, const Mesh& mesh) {
  check_writable(path, mesh);
  MeshFile file(path);
  file.put_text(
      fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n"
                  "property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\n"
                  "element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
                  mesh.points.size(), mesh.triangles.size()));
  const std::vector<Vec<double, 3>> normals = vertex_normals(mesh);
  for (std::size_t p = 0; p < mesh.points.size(); ++p) {
    file.put_bytes(to_floats(mesh.points[p]));
    file.put_bytes(to_floats(normals[p]));
  }
  for (const Triangle& t : mesh.triangles) {
    file.put_bytes(static_cast<std::uint8_t>(t.size()));
    file.put_bytes(t);
  }
  file.commit();
}

namespace {

constexpr double kSwelling = 1;      // torn snow gets gaps, it does not grow into jelly
constexpr double kUsualVoxel = 0.9;  // radii: fine enough for the sphere of a loose particle

double sphere_volume(double radius) { return 4.0 / 3 * std::numbers::pi * radius * radius * radius; }

using MeshWriter = void (*)(const std::string& path, const Mesh& mesh);

MeshWriter writer_of(const std::string& path) {
  const std::string ending = file_ending(path);
  if (ending == ".obj") return write_obj;
  if (ending == ".ply") return write_mesh_ply;
  throw UserError(fmt::format("{}: surfaces cannot be written to such a file, allowed: .obj, .ply", path));
}

struct OptionRange {
  const char* name;
  double value, least, most;
};

void check(const SurfaceOptions& options) {
  constexpr double kLongest = 1e6;  // m; more is surely a mistake
  const OptionRange ranges[] = {{"voxel", options.voxel, 0, kLongest},
                                {"radius", options.radius, 0, kLongest},
                                {"spacing", options.spacing, 0, kLongest},
                                {"radius_factor", options.radius_factor, 0.1, 10},
                                {"smoothing", options.smoothing, kLeastSmoothing, kMostSmoothing},
                                {"adaptivity", options.adaptivity, 0, 1}};
  for (const OptionRange& range : ranges)
    if (!(range.value >= range.least && range.value <= range.most))
      throw UserError(fmt::format("surface: {} is {}, it must be from {} to {}", range.name, range.value, range.least, range.most));
}

// V⁰ of a typical particle. It does not change while snow packs, and neither do voxels that go by it.
double typical_volume(const std::string& path, const Frame& frame, const SurfaceOptions& options) {
  if (options.radius > 0) return sphere_volume(options.radius);
  if (!frame.volume.empty()) return median(frame.volume);
  if (options.spacing > 0) return usual_volume(options.spacing, 3);
  throw UserError(
      fmt::format("{}: the size of the particles is not known: the frame has no volumes, give a radius or the spacing of the grid", path));
}

// Frames of 2D scenes have z = 0 throughout.
void refuse_flat(const std::string& path, const Frame& frame) {
  const bool is_flat = std::all_of(frame.position.begin(), frame.position.end(), [](const auto& x) { return x[2] == 0; });
  if (frame.size() > 1 && is_flat) throw UserError(fmt::format("{}: all particles have z = 0: snow of a 2D scene has no surface", path));
}

SnowSurface surface_of(const std::string& path, const Frame& frame, SurfaceOptions options) {
  const double typical = typical_volume(path, frame, options);
  if (options.voxel == 0) options.voxel = kUsualVoxel * options.radius_factor * sphere_radius(typical);
  const PresentVolume volume_of(frame, typical, kSwelling);
  std::vector<Vec<double, 3>> points(frame.size());
  std::vector<double> radii(frame.size());
  parallel_for(frame.size(), [&](std::size_t p) {
    points[p] = {frame.position[p][0], frame.position[p][1], frame.position[p][2]};
    radii[p] = options.radius > 0 ? options.radius : sphere_radius(volume_of(p));
  });
  return make_surface(points, radii, options);
}

}  // namespace

SurfaceReport write_surface(const std::string& path, const Frame& frame, const SurfaceOptions& options) {
  const MeshWriter write = writer_of(path);
  check(options);
  check_writable(path, frame);
  refuse_flat(path, frame);
  const SnowSurface surface = frame.size() == 0 ? SnowSurface{} : surface_of(path, frame, options);
  write(path, surface.mesh);
  return {surface.mesh.points.size(), surface.mesh.triangles.size(), surface_area(surface.mesh), signed_volume(surface.mesh),
          surface.left_out};
}

}  // namespace firn
