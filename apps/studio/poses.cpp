#include "poses.h"

#include <algorithm>
#include <cmath>

namespace firn::studio {
namespace {

Vector turned(const Quaternion& q, const Vector& v) {
  // v + 2 w (u × v) + 2 u × (u × v)
  const auto cross = [](const Vector& a, const Vector& b) -> Vector {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const Vector u{q[1], q[2], q[3]}, uv = cross(u, v), uuv = cross(u, uv);
  return {v[0] + 2 * (q[0] * uv[0] + uuv[0]), v[1] + 2 * (q[0] * uv[1] + uuv[1]), v[2] + 2 * (q[0] * uv[2] + uuv[2])};
}

}  // namespace

bool any_moves(const SceneBodies& bodies) {
  return std::any_of(bodies.all().begin(), bodies.all().end(), [](const ShownBody& body) { return body.moves; });
}

Json poses_json(const SceneBodies& bodies, int run, std::uint32_t serial, double time) {
  Json poses = Json::array();
  const std::vector<BodyPose> all = bodies.poses(time);
  for (std::size_t b = 0; b < all.size(); ++b)
    if (bodies.all()[b].moves) poses.push_back({{"body", b}, {"position", all[b].position}, {"rotation", all[b].rotation}});
  return {{"event", "poses"}, {"run", run}, {"serial", serial}, {"poses", poses}};
}

Json body_json(const ShownBody& body, const BodyPose& pose, const Scene& scene) {
  constexpr const char* kKinds[] = {"snow", "collider", "source", "sink"};
  Json json{{"name", body.name},
            {"kind", kKinds[static_cast<int>(body.kind)]},
            {"index", body.index},
            {"shape", body.shape},
            {"visible", body.visible},
            {"moves", body.moves},
            {"deforms", body.deforms},
            {"vertices", body.points.size()},
            {"triangles", body.triangles.size()},
            {"position", pose.position},
            {"rotation", pose.rotation}};
  const Shape* shape = nullptr;
  if (body.kind == BodyKind::kCollider) shape = &scene.colliders[body.index].shape;
  if (body.kind == BodyKind::kSink) shape = &scene.sinks[body.index].shape;
  if (shape != nullptr && shape->kind == ShapeKind::kPlane)
    json.update({{"point", pose.position}, {"normal", turned(pose.rotation, shape->normal)}});
  return json;
}

Arrows normals_of(const SceneBodies& bodies, double time) {
  constexpr std::size_t kMostNormals = 4000;
  std::size_t triangles = 0;
  for (const ShownBody& body : bodies.all()) triangles += body.kind == BodyKind::kCollider ? body.triangles.size() : 0;
  const std::size_t every = triangles / kMostNormals + 1;
  Arrows arrows;
  const std::vector<BodyPose> poses = bodies.poses(time);
  for (std::size_t b = 0; b < bodies.all().size(); ++b) {
    const ShownBody& body = bodies.all()[b];
    if (body.kind != BodyKind::kCollider) continue;
    for (std::size_t t = 0; t < body.triangles.size(); t += every) {
      const Vector &p = body.points[body.triangles[t][0]], &q = body.points[body.triangles[t][1]], &r = body.points[body.triangles[t][2]];
      Vector middle{}, e{}, f{};
      for (std::size_t d = 0; d < 3; ++d) {
        middle[d] = (p[d] + q[d] + r[d]) / 3;
        e[d] = q[d] - p[d];
        f[d] = r[d] - p[d];
      }
      Vector n{e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
      const double length = std::hypot(n[0], n[1], n[2]);
      if (!(length > 0)) continue;
      for (double& x : n) x /= length;
      Vector at = turned(poses[b].rotation, middle);
      for (std::size_t d = 0; d < 3; ++d) at[d] += poses[b].position[d];
      arrows.at.push_back(at);
      arrows.vector.push_back(turned(poses[b].rotation, n));
    }
  }
  return arrows;
}

}  // namespace firn::studio
