#include "firn/bodies.h"

#include <fmt/format.h>

#include "build/bodies.h"
#include "scene/schema.h"

namespace firn {

struct SceneBodies::Parts {
  Scene scene;
  std::vector<ShownBody> bodies;
  std::vector<const Shape*> shapes;  // of the scene
  std::vector<RigidMotion> motions;
};

namespace {

void put_triangles(const Mesh& mesh, ShownBody& body) {
  body.points.clear();
  for (const Vec<double, 3>& p : mesh.points) body.points.push_back({p[0], p[1], p[2]});
  body.triangles = mesh.triangles;
}

// Where a shape's own frame stands, without what takes long to make.
Form frame_of(const Shape& shape, int dimension) {
  Form form;
  form.dimension = dimension;
  form.origin = shape_origin(shape);
  const bool turns = shape.parts.empty() && shape.kind != ShapeKind::kPlane;
  if (turns) form.rotation = normalized({shape.rotation[0], shape.rotation[1], shape.rotation[2], shape.rotation[3]});
  return form;
}

}  // namespace

SceneBodies::SceneBodies(const Scene& scene) {
  auto parts = std::make_unique<Parts>();
  parts->scene = scene;
  const Scene& own = parts->scene;
  const auto add = [&](BodyKind kind, std::size_t index, const std::string& name, const Shape& shape, const Location& where,
                       const Collider& collider) {
    ShownBody body;
    body.kind = kind;
    body.index = index;
    body.name = name;
    body.shape = schema::name_of(shape.kind);
    body.visible = collider.visible;
    if (shape.kind == ShapeKind::kPlane) body.normal = shape.normal;
    body.deforms = shape.kind == ShapeKind::kSequence;
    parts->motions.push_back(make_body(collider, frame_of(shape, own.simulation.dimension), own.simulation.spacing).motion);
    body.moves = parts->motions.back().moves();
    try {
      put_triangles(shown_mesh(shape, own, 0), body);
    } catch (const UserError& error) {
      throw UserError(where, error.what());
    }
    parts->bodies.push_back(std::move(body));
    parts->shapes.push_back(&shape);
  };
  for (std::size_t i = 0; i < own.snow.size(); ++i)
    add(BodyKind::kSnow, i, fmt::format("snow_{}", i), own.snow[i].shape, own.snow[i].location, {});
  for (std::size_t i = 0; i < own.colliders.size(); ++i)
    add(BodyKind::kCollider, i, name_of(own, i), own.colliders[i].shape, own.colliders[i].location, own.colliders[i]);
  for (std::size_t i = 0; i < own.sources.size(); ++i)
    add(BodyKind::kSource, i, fmt::format("source_{}", i), own.sources[i].shape, own.sources[i].location, {});
  for (std::size_t i = 0; i < own.sinks.size(); ++i)
    add(BodyKind::kSink, i, fmt::format("sink_{}", i), own.sinks[i].shape, own.sinks[i].location, {});
  parts_ = std::move(parts);
}

SceneBodies::~SceneBodies() = default;

const std::vector<ShownBody>& SceneBodies::all() const { return parts_->bodies; }

std::vector<BodyPose> SceneBodies::poses(double time) const {
  std::vector<BodyPose> poses;
  for (const RigidMotion& motion : parts_->motions) {
    const Pose pose = motion.at(time);
    const Vec<double, 3> at = motion.origin + pose.displacement;
    poses.push_back({{at[0], at[1], at[2]}, {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}});
  }
  return poses;
}

ShownBody SceneBodies::at(std::size_t body, double time) const {
  ShownBody shown = parts_->bodies[body];
  if (shown.deforms) put_triangles(shown_mesh(*parts_->shapes[body], parts_->scene, time), shown);
  return shown;
}

}  // namespace firn
