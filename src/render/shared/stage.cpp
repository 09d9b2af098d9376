#include "render/shared/stage.h"

#include <embree3/rtcore.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "build/bodies.h"
#include "firn/error.h"
#include "geometry/mesh.h"
#include "render/shared/palette.h"

namespace firn {
namespace {

constexpr double kSmoothCosine = 0.766;  // of 40 degrees: what is bent more is meant to be an edge
constexpr float kLeastFacing = 0.01f;    // cosine between what is seen and the way back to the eye

template <class Handle, void (*release)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, std::integral_constant<decltype(release), release>>;
using Device = Owned<RTCDevice, rtcReleaseDevice>;
using RayScene = Owned<RTCScene, rtcReleaseScene>;
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
  RayScene scene;
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
  const Float3 outward = normalized(Float3{found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z});
  const Float3 face = dot(outward, ray.direction) > 0 ? -outward : outward;
  const CornerNormals& corner = tree_->normals[found.hit.primID];
  const float u = found.hit.u, v = found.hit.v;
  const Float3 smooth = normalized((1 - u - v) * corner[0] + u * corner[1] + v * corner[2]);
  return Hit{found.ray.tfar, face, turned_to_eye(smooth, face, ray.direction)};
}

namespace {

std::shared_ptr<const MeshRays> make_mesh(const Collider& collider, const Scene& scene, double time) {
  const std::optional<Mesh> mesh = body_mesh(collider, scene, time);
  return mesh ? std::make_shared<const MeshRays>(*mesh) : nullptr;
}

}  // namespace

Scenery::Scenery(Scene s, const SetupProgress& setup) : scene(std::move(s)) {
  std::vector<std::string> warnings;  // the run has given them
  bodies = make_bodies(scene, warnings, setup);
  meshes_.resize(bodies.size());
  if (scene.simulation.dimension == 2) return;  // sections are drawn, not surfaces
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (!bodies[i].deformation && scene.colliders[i].visible) meshes_[i] = make_mesh(scene.colliders[i], scene, 0);
}

std::shared_ptr<const MeshRays> Scenery::mesh(std::size_t body, double time) const {
  return bodies[body].deformation ? make_mesh(scene.colliders[body], scene, time) : meshes_[body];
}

namespace {

constexpr int kMostSteps = 256;         // of a ray towards a body; sampled ones know distances only nearby, so grazing rays need many
constexpr float kTouch = 2e-4f;         // view units: well under a pixel
constexpr float kMeshTouch = 1e-5f;     // of the way of a ray: many times what single precision is off by
constexpr float kFacesUp = 0.05f;       // of a plane's normal: it is ground, and the sun below it has set
constexpr float kShadowSharpness = 20;  // about a sun of twice the true size: soft enough for two samples a pixel

// Where a ray enters and leaves a ball around the origin.
bool crosses_ball(const Float3& from, const Float3& direction, float radius, float& enter, float& leave) {
  const float b = dot(from, direction), c = dot(from, from) - radius * radius;
  const float discriminant = b * b - c;
  if (discriminant <= 0) return false;
  enter = -b - sqrt(discriminant);
  leave = -b + sqrt(discriminant);
  return leave > 0;
}

// Where a body's own frame stands in the world, m; h: of the lattice that anchors it.
Vec<double, 3> origin_of(const Body<double, 3>& body, double h) {
  Vec<double, 3> origin = body.displacement;
  for (int d = 0; d < 3; ++d) origin[d] += (body.anchor.cell[d] + body.anchor.offset[d]) * h;
  return origin;
}

}  // namespace

Stage::Stage(const Scenery* scenery, const Camera& camera, double time, Triangles triangles) {
  if (scenery == nullptr) return;
  const Bodies<float, 3> forms = freeze<float, 3>(scenery->bodies, time);
  held_ = forms.held;
  for (std::size_t i = 0; i < forms.list.size(); ++i) {
    if (!scenery->scene.colliders[i].visible) continue;
    pieces_.push_back(make_piece(*scenery, i, camera, time, triangles));
    pieces_.back().form = forms.list[i];
    pieces_.back().body = static_cast<int>(pieces_.size() - 1);
  }
}

void Stage::open_to(const Camera& camera) {
  std::erase_if(pieces_, [&](const Piece& piece) { return piece.surface(camera.eye).phi < 0; });
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    piece.body = static_cast<int>(i);
    if (!piece.is_plane) continue;
    const Float3 normal = piece.plane_normal();
    piece.lets_light_through = normal[1] < kFacesUp && dot(normal, camera.sun) <= 0;
  }
}

Stage::Piece Stage::make_piece(const Scenery& scenery, std::size_t at, const Camera& camera, double time, Triangles triangles) {
  const Body<double, 3> body = freeze<double, 3>(scenery.bodies[at], time);
  const Vec<double, 3> origin = origin_of(body, scenery.scene.simulation.spacing);
  Piece piece{};
  piece.is_plane = body.solid.kind == SolidKind::kPlane;
  piece.metres = static_cast<float>(camera.radius);
  piece.origin = camera.to_view(origin);
  for (int i = 0; i < 9; ++i) piece.rotation.a[i] = static_cast<float>(body.rotation.a[i]);
  piece.bound = piece.is_plane ? 0 : static_cast<float>(bounding_radius(scenery.bodies[at], time) / camera.radius);
  piece.look = look_of(scenery.scene.colliders[at]);
  piece.mesh = triangles == Triangles::kAll ? scenery.mesh(at, time) : scenery.mesh_at_hand(at);
  if (piece.mesh) piece.mesh_origin = camera.to_view(origin + body.rotation * piece.mesh->middle());
  return piece;
}

Surface<float, 3> Stage::Piece::surface(const Float3& p) const {
  const Float3 q = metres * (transpose(rotation) * (p - origin));
  Surface<float, 3> s = form.next != nullptr ? detail::deformed(form, q).surface : evaluate(form.solid, q);
  s.phi /= metres;
  return s;
}

StageHit Stage::Piece::hit(const Ray& ray, float t) const {
  const Float3 p = ray.origin + t * ray.direction, normal = rotation * surface(p).n;
  return {t, normal, normal, transpose(rotation) * (p - origin), is_plane, body, &look};
}

StageHit Stage::Piece::hit(const Ray& ray, const MeshRays::Hit& found) const {
  const Float3 p = ray.origin + found.t * ray.direction;
  return {found.t, rotation * found.normal, rotation * found.face, transpose(rotation) * (p - origin), is_plane, body, &look};
}

std::optional<float> Stage::trace_plane(const Piece& piece, const Ray& ray) {
  const Surface<float, 3> s = piece.surface(ray.origin);
  const float approach = -dot(piece.rotation * s.n, ray.direction);
  if (s.phi <= 0 || approach <= 0) return std::nullopt;
  return s.phi / approach;
}

std::optional<float> Stage::trace_solid(const Piece& piece, const Ray& ray, float farthest) {
  float t, leave;
  if (!crosses_ball(ray.origin - piece.origin, ray.direction, piece.bound * 1.01f, t, leave)) return std::nullopt;
  t = max(t, 0.0f);
  leave = min(leave, farthest);
  for (int step = 0; step < kMostSteps && t < leave; ++step) {
    const float phi = piece.surface(ray.origin + t * ray.direction).phi;
    if (phi < kTouch) return t;
    t += phi;
  }
  return std::nullopt;
}

std::optional<MeshRays::Hit> Stage::trace_mesh(const Piece& piece, const Ray& ray, float farthest) {
  const Mat<float, 3> into = transpose(piece.rotation);
  const Ray own{piece.metres * (into * (ray.origin - piece.mesh_origin)), into * ray.direction};
  std::optional<MeshRays::Hit> found = piece.mesh->trace(own, piece.metres * farthest);
  if (found) found->t /= piece.metres;
  return found;
}

std::optional<StageHit> Stage::trace(const Ray& ray, float farthest, Rays rays) const {
  const Piece* nearest = nullptr;
  MeshRays::Hit on_mesh{};
  for (const Piece& piece : pieces_) {
    if (piece.lets_light_through && rays == Rays::kLight) continue;
    if (piece.mesh) {
      const std::optional<MeshRays::Hit> found = trace_mesh(piece, ray, farthest);
      if (!found || found->t >= farthest) continue;
      on_mesh = *found;
      farthest = found->t;
    } else {
      const std::optional<float> t = piece.is_plane ? trace_plane(piece, ray) : trace_solid(piece, ray, farthest);
      if (!t || *t >= farthest) continue;
      farthest = *t;
    }
    nearest = &piece;
  }
  if (nearest == nullptr) return std::nullopt;
  return nearest->mesh ? nearest->hit(ray, on_mesh) : nearest->hit(ray, farthest);
}

Float3 Stage::departure(const StageHit& hit, const Float3& p) const {
  const Piece& from = pieces_[static_cast<std::size_t>(hit.body)];
  if (from.is_plane) return p;  // what leaves a plane does not meet it again
  float off = from.mesh ? kMeshTouch * (1 + hit.t) : 2 * kTouch;
  for (const Piece& piece : pieces_)
    if (piece.is_plane) off = min(off, 0.5f * max(piece.surface(p).phi, 0.0f));
  return p + off * hit.face;
}

float Stage::light(const Float3& p, const Float3& direction) const {
  float light = 1;
  for (const Piece& piece : pieces_) {
    float t, leave;
    // Twice the body: rays that pass close by are in its half shadow.
    if (piece.is_plane || !crosses_ball(p - piece.origin, direction, 2 * piece.bound, t, leave)) continue;
    t = max(t, 20 * kTouch);
    for (int step = 0; step < kMostSteps && t < leave && light > 0; ++step) {
      const float phi = piece.surface(p + t * direction).phi;
      light = min(light, max(kShadowSharpness * phi / t, 0.0f));
      t += max(phi, 10 * kTouch);
    }
  }
  return light;
}

float Stage::openness(const Float3& p, const Float3& normal) const {
  float open = 1;
  for (const float reach : {0.04f, 0.12f, 0.3f}) {
    float nearest = reach;
    for (const Piece& piece : pieces_) nearest = min(nearest, piece.surface(p + reach * normal).phi);
    open *= mix(0.75f, 1.0f, clamp(nearest / reach, 0.0f, 1.0f));
  }
  return open;
}

float Stage::distance(const Float3& p) const {
  float nearest = 1e30f;
  for (const Piece& piece : pieces_) nearest = min(nearest, piece.surface(p).phi);
  return nearest;
}

float Stage::least_slope(const Float3& direction) const {
  float least = 1;
  for (const Piece& piece : pieces_)
    if (piece.is_plane) least = min(least, dot(piece.plane_normal(), direction));
  return least;
}

float Stage::least_wall_slope(const Float3& direction) const {
  float least = 1;
  for (const Piece& piece : pieces_)
    if (piece.is_plane && piece.plane_normal()[1] < kFacesUp) least = min(least, dot(piece.plane_normal(), direction));
  return least;
}

}  // namespace firn
