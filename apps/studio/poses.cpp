#include "poses.h"

#include <algorithm>
#include <cmath>

namespace firn::studio {
namespace {

Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }

// Nothing for a vector of no length.
std::optional<Vector> direction_of(Vector v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  if (!(length > 0)) return std::nullopt;
  for (double& x : v) x /= length;
  return v;
}

Vector turned(const Quaternion& q, const Vector& v) {
  // v + 2 w (u × v) + 2 u × (u × v)
  const Vector u{q[1], q[2], q[3]}, uv = cross(u, v), uuv = cross(u, uv);
  return {v[0] + 2 * (q[0] * uv[0] + uuv[0]), v[1] + 2 * (q[0] * uv[1] + uuv[1]), v[2] + 2 * (q[0] * uv[2] + uuv[2])};
}

// A square of normals on the plane, below or beside the middle of the snow and as wide as that; of a flat scene a row.
void add_normals(const Vector& point, const Vector& normal, const Extent& snow, Arrows& arrows) {
  constexpr int kToEachSide = 3;
  const bool is_flat = snow.lower[2] == snow.upper[2];
  const bool is_front = std::abs(normal[2]) > 0.9;
  const Vector along = *direction_of(cross(normal, is_front ? Vector{1, 0, 0} : Vector{0, 0, 1})), across = cross(normal, along);
  Vector middle{};
  double height = 0, reach = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    middle[d] = (snow.lower[d] + snow.upper[d]) / 2;
    height += (middle[d] - point[d]) * normal[d];
    reach = std::max(reach, (snow.upper[d] - snow.lower[d]) / 2);
  }
  for (int i = -kToEachSide; i <= kToEachSide; ++i)
    for (int j = is_flat ? 0 : -kToEachSide; j <= (is_flat ? 0 : kToEachSide); ++j) {
      Vector at{};
      for (std::size_t d = 0; d < 3; ++d) at[d] = middle[d] - height * normal[d] + reach / kToEachSide * (i * along[d] + j * across[d]);
      arrows.at.push_back(at);
      arrows.vector.push_back(normal);
    }
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

Json body_json(const ShownBody& body, const BodyPose& pose) {
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
  if (body.normal) json.update({{"point", pose.position}, {"normal", turned(pose.rotation, *body.normal)}});
  return json;
}

Arrows normals_of(const SceneBodies& bodies, double time, const Extent& snow) {
  constexpr std::size_t kMostNormals = 4000;
  std::size_t triangles = 0;
  for (const ShownBody& body : bodies.all()) triangles += body.kind == BodyKind::kCollider ? body.triangles.size() : 0;
  const std::size_t every = triangles / kMostNormals + 1;
  Arrows arrows;
  const std::vector<BodyPose> poses = bodies.poses(time);
  for (std::size_t b = 0; b < bodies.all().size(); ++b) {
    const ShownBody& body = bodies.all()[b];
    if (body.kind != BodyKind::kCollider) continue;
    if (const auto normal = body.normal ? direction_of(turned(poses[b].rotation, *body.normal)) : std::nullopt)
      add_normals(poses[b].position, *normal, snow, arrows);
    for (std::size_t t = 0; t < body.triangles.size(); t += every) {
      const Vector &p = body.points[body.triangles[t][0]], &q = body.points[body.triangles[t][1]], &r = body.points[body.triangles[t][2]];
      Vector middle{}, e{}, f{};
      for (std::size_t d = 0; d < 3; ++d) {
        middle[d] = (p[d] + q[d] + r[d]) / 3;
        e[d] = q[d] - p[d];
        f[d] = r[d] - p[d];
      }
      const std::optional<Vector> n = direction_of(cross(e, f));
      if (!n) continue;
      Vector at = turned(poses[b].rotation, middle);
      for (std::size_t d = 0; d < 3; ++d) at[d] += poses[b].position[d];
      arrows.at.push_back(at);
      arrows.vector.push_back(turned(poses[b].rotation, *n));
    }
  }
  return arrows;
}

}  // namespace firn::studio
