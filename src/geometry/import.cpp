#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/processes.h"
#include "firn/files.h"
#include "geometry/read_mesh.h"

namespace firn {
namespace {

constexpr std::size_t kIndicesAtOnce = 3 << 16;
constexpr double kMetresPerCentimetre = 0.01;

static_assert(sizeof(aiVector3D) == 3 * sizeof(float), "points are sent as they lie in assimp's arrays");

// What makes the file unfit; sent to the parent as it is.
struct Unfit {
  std::string text;
};

Affine affine(const aiMatrix4x4& m) { return {{{m.a1, m.a2, m.a3, m.b1, m.b2, m.b3, m.c1, m.c2, m.c3}}, {m.a4, m.b4, m.c4}}; }

// Files that a mesh names, such as the buffers of glTF and the materials of OBJ, are those of its own folder; others are not there.
class OwnFolder : public Assimp::DefaultIOSystem {
 public:
  explicit OwnFolder(const std::filesystem::path& mesh) : mesh_(mesh), folder_(std::filesystem::absolute(mesh).parent_path()) {}

  bool Exists(const char* name) const override { return is_own(name) && DefaultIOSystem::Exists(name); }
  Assimp::IOStream* Open(const char* name, const char* mode) override { return is_own(name) ? DefaultIOSystem::Open(name, mode) : nullptr; }

 private:
  bool is_own(const std::filesystem::path& path) const {
    std::error_code no_path;
    return path == mesh_ || is_inside(folder_, std::filesystem::absolute(path, no_path));
  }

  const std::filesystem::path mesh_, folder_;
};

void configure(Assimp::Importer& importer) {
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);  // else bones become tetrahedra
  for (const char* unwanted : {AI_CONFIG_IMPORT_FBX_READ_MATERIALS, AI_CONFIG_IMPORT_FBX_READ_TEXTURES, AI_CONFIG_IMPORT_FBX_READ_CAMERAS,
                               AI_CONFIG_IMPORT_FBX_READ_LIGHTS, AI_CONFIG_IMPORT_FBX_READ_ANIMATIONS})
    importer.SetPropertyBool(unwanted, false);
}

// Assimp tries all its fifty readers when the bytes do not suit the extension; only those of the extension are to see them.
void keep_readers_of(const std::string& extension, Assimp::Importer& importer) {
  for (std::size_t i = importer.GetImporterCount(); i > 0; --i) {
    std::istringstream extensions(importer.GetImporterInfo(i - 1)->mFileExtensions);
    const std::istream_iterator<std::string> first(extensions), last;
    if (std::find(first, last, extension.substr(1)) == last) importer.UnregisterLoader(importer.GetImporter(i - 1));
  }
}

// The world's axis number `axis` in the file's coordinates: x to the right, y up, z to the front.
Vec<double, 3> fbx_axis(const aiMetadata& settings, int axis) {
  static constexpr const char* kNames[3][2] = {{"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
  std::int32_t number = axis, sign = 1;
  settings.Get(kNames[axis][0], number);
  settings.Get(kNames[axis][1], sign);
  if (number < 0 || number > 2 || std::abs(sign) != 1)
    throw Unfit{fmt::format("{} is {} and {} is {}, allowed are 0, 1, 2 and 1, -1", kNames[axis][0], number, kNames[axis][1], sign)};
  Vec<double, 3> direction = Vec<double, 3>::zero();
  direction[number] = sign;
  return direction;
}

// FBX says what its numbers mean: the unit in centimetres and which axis points up. Assimp leaves this to its caller.
Affine fbx_to_world(const aiScene& scene) {
  Affine map{Mat<double, 3>::identity(), Vec<double, 3>::zero()};
  if (!scene.mMetaData) return map;
  float centimetres = 1;
  scene.mMetaData->Get("UnitScaleFactor", centimetres);
  for (int i = 0; i < 3; ++i) {
    const Vec<double, 3> axis = fbx_axis(*scene.mMetaData, i);
    for (int j = 0; j < 3; ++j) map.linear(i, j) = centimetres * kMetresPerCentimetre * axis[j];
  }
  if (determinant(map.linear) == 0) throw Unfit{"its axes (CoordAxis, UpAxis, FrontAxis) or its unit (UnitScaleFactor) are not valid"};
  return map;
}

class Sender {
 public:
  explicit Sender(int output) : output_(output) {}

  void send(const aiMesh& mesh, const Affine& placement) {
    Record record{RecordKind::kPiece, mesh.mNumVertices, count_triangles(mesh), 0, placement};
    if (record.triangles == 0) return;
    triangles_ += record.triangles;
    points_ += record.points;
    if (triangles_ > kMostTriangles || points_ > kMostPoints)
      throw Unfit{fmt::format("it has more than {} million triangles", kMostTriangles / 1'000'000)};
    write_all(output_, &record, sizeof record);
    write_all(output_, mesh.mVertices, mesh.mNumVertices * sizeof(aiVector3D));
    send_triangles(mesh);
  }
  void finish() {
    if (triangles_ == 0 && others_ > 0) throw Unfit{"it has only points and lines, a mesh needs triangles"};
    if (triangles_ == 0) throw Unfit{"it has no triangles"};
    const Record end;
    write_all(output_, &end, sizeof end);
  }

 private:
  // Points and lines, which have no area, are left out.
  std::uint32_t count_triangles(const aiMesh& mesh) {
    std::uint32_t count = 0;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) count += mesh.mFaces[f].mNumIndices == 3;
    others_ += mesh.mNumFaces - count + (mesh.mNumFaces == 0 ? mesh.mNumVertices : 0);
    return count;
  }
  void send_triangles(const aiMesh& mesh) {
    std::vector<std::uint32_t> indices;
    indices.reserve(kIndicesAtOnce);
    const auto flush = [&] {
      write_all(output_, indices.data(), indices.size() * sizeof indices[0]);
      indices.clear();
    };
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;
      if (indices.size() == kIndicesAtOnce) flush();
      indices.insert(indices.end(), face.mIndices, face.mIndices + 3);
    }
    flush();
  }

  int output_;
  std::uint64_t triangles_ = 0, points_ = 0, others_ = 0;
};

// Every mesh at every node that shows it. A stack of our own: trees in damaged files can be deeper than the program's.
void send_nodes(const aiScene& scene, const Affine& root, Sender& sender) {
  std::vector<std::pair<const aiNode*, Affine>> open;
  if (scene.mRootNode) open.emplace_back(scene.mRootNode, root);
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    const Affine placement = parent * affine(node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; ++i) sender.send(*scene.mMeshes[node->mMeshes[i]], placement);
    for (unsigned i = node->mNumChildren; i > 0; --i) open.emplace_back(node->mChildren[i - 1], placement);
  }
}

std::string reason_of(const Assimp::Importer& importer) {
  const std::string text = importer.GetErrorString();
  if (text.find("bad_alloc") != std::string::npos) return "reading it takes too much memory";
  return text;
}

void send_failure(int output, const std::string& text) {
  const Record record{RecordKind::kFailure, 0, 0, static_cast<std::uint32_t>(text.size()), {}};
  write_all(output, &record, sizeof record);
  write_all(output, text.data(), text.size());
}

}  // namespace

Affine operator*(const Affine& outer, const Affine& inner) { return {outer.linear * inner.linear, outer * inner.offset}; }

void import_mesh(const std::string& path, int output) {
  try {
    Assimp::Importer importer;
    configure(importer);
    importer.SetIOHandler(new OwnFolder(path));  // which it owns
    const std::string extension = file_ending(path);
    keep_readers_of(extension, importer);
    const aiScene* scene = importer.ReadFile(path, aiProcess_Triangulate);
    if (!scene) throw Unfit{reason_of(importer)};
    Sender sender(output);
    send_nodes(*scene, extension == ".fbx" ? fbx_to_world(*scene) : affine(aiMatrix4x4()), sender);
    sender.finish();
  } catch (const Unfit& unfit) {
    send_failure(output, unfit.text);
  }
}

}  // namespace firn
