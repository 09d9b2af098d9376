#include "render/mesh_rays.h"

#include <embree3/rtcore.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "firn/error.h"
#include "geometry/corner_normals.h"

namespace firn {
namespace {

constexpr double kSmoothCosine = 0.766;  // of 40 degrees: what is bent more is meant to be an edge
constexpr float kLeastFacing = 0.01f;    // cosine between what is seen and the way back to the eye

template <class Handle, void (*release)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, std::integral_constant<decltype(release), release>>;
using Device = Owned<RTCDevice, rtcReleaseDevice>;
using Scene = Owned<RTCScene, rtcReleaseScene>;
using Geometry = Owned<RTCGeometry, rtcReleaseGeometry>;

void check(const Device& device) {
  const RTCError error = rtcGetDeviceError(device.get());
  if (error == RTC_ERROR_OUT_OF_MEMORY) throw RunError("not enough memory for the triangles of a body");
  if (error != RTC_ERROR_NONE) throw RunError("Embree: error " + std::to_string(error));
}

Geometry make_geometry(const Device& device, const Mesh& mesh, const Vec<double, 3>& middle) {
  Geometry geometry(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
  auto* points = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh.points.size()));
  auto* corners = static_cast<std::uint32_t*>(
      rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof(Triangle), mesh.triangles.size()));
  check(device);
  for (const Vec<double, 3>& point : mesh.points)
    for (int d = 0; d < 3; ++d) *points++ = static_cast<float>(point[d] - middle[d]);
  for (const Triangle& t : mesh.triangles) corners = std::copy(t.begin(), t.end(), corners);
  rtcCommitGeometry(geometry.get());
  return geometry;
}

// Seen from the eye that looks along `way`; a smoothed normal may face away where its triangle does not.
Float3 turned_to_eye(const Float3& normal, const Float3& face, const Float3& way) {
  const Float3 n = dot(normal, face) < 0 ? -normal : normal;
  const float facing = -dot(n, way);
  return facing >= kLeastFacing ? n : normalized(n - (kLeastFacing - facing) * way);
}

}  // namespace

struct MeshRays::Tree {
  Device device;
  Scene scene;
  std::vector<CornerNormals> normals;
};

MeshRays::MeshRays(const Mesh& mesh) {
  const Bounds box = bounds(mesh);
  middle_ = 0.5 * (box.lower + box.upper);
  auto tree = std::make_unique<Tree>();
  // By default it has no threads of its own and leaves TBB's limits alone.
  tree->device.reset(rtcNewDevice(nullptr));
  if (!tree->device) throw RunError("Embree does not start on this machine");
  tree->scene.reset(rtcNewScene(tree->device.get()));
  rtcSetSceneFlags(tree->scene.get(), RTC_SCENE_FLAG_ROBUST);  // no ray slips through between two triangles
  const Geometry geometry = make_geometry(tree->device, mesh, middle_);
  rtcAttachGeometry(tree->scene.get(), geometry.get());
  // On one thread: the order of the tree, and so which of two triangles is met where they touch, depends on nothing but the mesh.
  tbb::task_arena(1).execute([&] { rtcJoinCommitScene(tree->scene.get()); });
  check(tree->device);
  tree->normals = corner_normals(mesh, kSmoothCosine);
  tree_ = std::move(tree);
}

MeshRays::~MeshRays() = default;

std::optional<MeshRays::Hit> MeshRays::trace(const Ray& ray, float farthest) const {
  RTCRayHit found{};
  found.ray.org_x = ray.origin[0];
  found.ray.org_y = ray.origin[1];
  found.ray.org_z = ray.origin[2];
  found.ray.dir_x = ray.direction[0];
  found.ray.dir_y = ray.direction[1];
  found.ray.dir_z = ray.direction[2];
  found.ray.tfar = farthest;
  found.ray.mask = ~0u;
  found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(tree_->scene.get(), &context, &found);
  if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;
  const Float3 outward = normalized({found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z});
  const Float3 face = dot(outward, ray.direction) > 0 ? -outward : outward;
  const CornerNormals& corner = tree_->normals[found.hit.primID];
  const float u = found.hit.u, v = found.hit.v;
  const Float3 smooth = normalized((1 - u - v) * corner[0] + u * corner[1] + v * corner[2]);
  return Hit{found.ray.tfar, face, turned_to_eye(smooth, face, ray.direction)};
}

}  // namespace firn
