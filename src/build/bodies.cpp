#include "build/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "build/form.h"
#include "build/sampled_form.h"
#include "geometry/contour.h"
#include "geometry/repair.h"
#include "math/random.h"
#include "solver/model.h"

namespace firn {

BodyModel make_body(const Collider& collider, const Form& form, double h) {
  BodyModel body;
  body.solid = form.solid;
  body.level_set = form.level_set;
  body.deformation = form.deformation;
  body.lower = form.lower;
  body.upper = form.upper;
  body.anchor = to_lattice<double, 3>(form.origin, h, true);
  body.cell = h;
  body.friction = collider.friction;
  body.sticky = collider.sticky;
  RigidMotion& motion = body.motion;
  motion.rest_rotation = form.rotation;
  motion.velocity = to_vec(collider.velocity);
  motion.spin = to_vec(collider.spin);
  motion.origin = form.origin;
  if (collider.pivot) motion.origin_from_pivot = form.origin - to_vec(*collider.pivot);
  motion.smooth = collider.interpolation == Interpolation::kSmooth;
  for (const MotionKey& key : collider.keys) {
    const Quat turn = normalized({key.rotation[0], key.rotation[1], key.rotation[2], key.rotation[3]});
    motion.keys.push_back({key.t, to_vec(key.position), normalized(turn * motion.rest_rotation)});
  }
  return body;
}

Form make_form_at(const Shape& shape, const Scene& scene, const Location& where, std::vector<std::string>& warnings,
                  std::optional<double> most_content) {
  std::vector<std::string> own;
  try {
    FormSettings settings{scene.simulation.dimension, scene.simulation.spacing, scene.simulation.fps, most_content.has_value()};
    if (most_content) settings.most_content = *most_content;
    Form form = make_form(shape, settings, own);
    for (const std::string& warning : own) warnings.push_back(fmt::format("{}: {}", to_string(where), warning));
    return form;
  } catch (const UserError& e) {
    throw UserError(where, e.what());
  }
}

std::string work_on(const Shape& shape) {
  const std::string name = std::filesystem::path(shape.file).filename().string();
  switch (shape.kind) {
    case ShapeKind::kMesh:
    case ShapeKind::kVolume:
    case ShapeKind::kSequence: return "level set of " + name;
    case ShapeKind::kHeightfield: return name.empty() ? "its heights" : "heights of " + name;
    case ShapeKind::kText: return "outlines of its letters";
    case ShapeKind::kUnion:
    case ShapeKind::kDifference:
    case ShapeKind::kIntersection: return "its parts";
    default: return "";
  }
}

namespace {

// The deepest of points at random in the box around a body, m; nothing where too few of them are inside to tell.
std::optional<double> deepest_point(const Form& form, double farthest) {
  constexpr int kTries = 20'000, kEnough = 50;
  Rng rng(1);
  int inside = 0;
  double deepest = 0;
  for (int k = 0; k < kTries; ++k) {
    Vec<double, 3> q = 0.5 * (form.lower + form.upper);
    for (int d = 0; d < form.dimension; ++d) q[d] = form.lower[d] + rng.uniform() * (form.upper[d] - form.lower[d]);
    const double phi = form.measure(q, farthest);
    inside += phi < 0;
    deepest = std::max(deepest, -phi);
    if (deepest >= farthest) break;
  }
  return inside < kEnough && deepest < farthest ? std::nullopt : std::optional(deepest);
}

// m, where a body is thickest, as far as is known: through the box around it, and twice its deepest point.
double thickness(const Form& form, double h) {
  double least = std::numeric_limits<double>::infinity();
  if (form.solid.kind == SolidKind::kPlane) return least;
  for (int d = 0; d < form.dimension; ++d) least = std::min(least, form.upper[d] - form.lower[d]);
  if (form.measure) {
    if (const std::optional<double> deepest = deepest_point(form, h)) least = std::min(least, 2 * *deepest);
  } else if (form.level_set && !form.level_set->volume.phi.empty()) {
    float lowest = 0;
    for (const std::vector<float>* values : {&form.level_set->volume.phi, &form.level_set->volume.bound})
      for (const float phi : *values) lowest = std::min(lowest, phi);
    least = std::min(least, -2.0 * lowest);
  }
  return least;
}

void check_thickness(const Collider& collider, const Form& form, const Scene& scene, std::vector<std::string>& warnings) {
  constexpr double kThinnest = 1;  // cells: below it grid and snow see both sides at once
  const double h = scene.simulation.spacing, cells = thickness(form, h) / h;
  if (cells >= kThinnest) return;
  warnings.push_back(fmt::format(
      "{}: only {:.2g} cells thick: {}; use a spacing below {:.2g} or a thicker body", to_string(collider.location), cells,
      in_effect(scene.solver).contact == ContactRule::kHeld ? "snow on its two sides acts through it" : "fast snow gets through it",
      cells * h / kThinnest));
}

}  // namespace

std::vector<BodyModel> make_bodies(const Scene& scene, std::vector<std::string>& warnings, const SetupProgress& setup) {
  std::vector<BodyModel> bodies;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const Collider& collider = scene.colliders[c];
    if (const std::string work = work_on(collider.shape); setup && !work.empty()) setup(fmt::format("collider {}: {}", c, work));
    const Form form = make_form_at(collider.shape, scene, collider.location, warnings);
    check_thickness(collider, form, scene, warnings);
    bodies.push_back(make_body(collider, form, scene.simulation.spacing));
  }
  return bodies;
}

namespace {

// While so many are sorted for rays, pictures take about two and a half gigabytes. Beyond, triangles are smaller than anything to be seen.
constexpr std::size_t kMostDrawn = 8'000'000;

constexpr double kCellsAcross = 96;  // of a body known by distances, at least: round parts look round

// A shape as its parts have it: a level set of the whole would have rims like saws.
class ExactShape {
 public:
  ExactShape(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) : kind_(shape.kind) {
    if (shape.parts.empty()) form_ = make_form(shape, settings, warnings);
    for (const Shape& part : shape.parts) parts_.emplace_back(part, settings, warnings);
  }

  // The distance to a point in the world; negative inside.
  double distance(const Vec<double, 3>& x) const {
    if (parts_.empty()) return form_.distance(x - form_.origin);
    double phi = parts_.front().distance(x);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const double other = parts_[i].distance(x);
      phi = kind_ == ShapeKind::kUnion ? std::min(phi, other) : std::max(phi, kind_ == ShapeKind::kDifference ? -other : other);
    }
    return phi;
  }

  // The box around it in the world. All but the first part of a difference or an intersection only take away.
  Bounds box() const {
    if (parts_.empty()) return {form_.origin + form_.world_box().lower, form_.origin + form_.world_box().upper};
    Bounds hull = parts_.front().box();
    for (std::size_t i = 1; i < parts_.size() && kind_ == ShapeKind::kUnion; ++i) {
      const Bounds box = parts_[i].box();
      for (int d = 0; d < 3; ++d) {
        hull.lower[d] = std::min(hull.lower[d], box.lower[d]);
        hull.upper[d] = std::max(hull.upper[d], box.upper[d]);
      }
    }
    return hull;
  }

 private:
  ShapeKind kind_;
  Form form_;  // without parts
  std::vector<ExactShape> parts_;
};

// The shape's surface in its own frame, as finely as the run samples it.
Mesh contour_of(const Shape& shape, const Scene& scene, std::vector<std::string>& warnings) {
  const ExactShape exact(shape, {3, scene.simulation.spacing, scene.simulation.fps}, warnings);
  const Vec<double, 3> origin = shape_origin(shape);
  const Bounds box = exact.box();
  const Vec<double, 3> extent = box.upper - box.lower;
  const double longest = std::max({extent[0], extent[1], extent[2]});
  return contour({box.lower - origin, box.upper - origin}, [&](const Vec<double, 3>& q) { return exact.distance(origin + q); },
                 {std::min(scene.simulation.spacing / kVoxelsPerCell, longest / kCellsAcross)});
}

// contour_of() text, which may be turned.
Mesh contour_of_text(Shape shape, const Scene& scene, std::vector<std::string>& warnings) {
  shape.rotation = Shape{}.rotation;  // the body turns its frame
  return contour_of(shape, scene, warnings);
}

std::optional<Mesh> triangles_of(const Shape& shape, const Scene& scene, double t) {
  if (shape.thickness > 0) return std::nullopt;
  std::vector<std::string> warnings;  // the run has given them
  switch (shape.kind) {
    case ShapeKind::kMesh: return read_surface(shape.file, shape, warnings).mesh;
    case ShapeKind::kSequence: return sequence_mesh(shape, scene.simulation.fps, t);
    case ShapeKind::kHeightfield: return heightfield_mesh(shape, scene.simulation.spacing);
    case ShapeKind::kText: return contour_of_text(shape, scene, warnings);
    case ShapeKind::kUnion:
    case ShapeKind::kDifference:
    case ShapeKind::kIntersection: return contour_of(shape, scene, warnings);
    default: return std::nullopt;
  }
}

// A convex outline in x and y, counterclockwise, pulled along z.
Mesh prism(const std::vector<Vec<double, 2>>& outline, double half_depth) {
  Mesh mesh;
  const auto n = static_cast<std::uint32_t>(outline.size());
  for (const double z : {half_depth, -half_depth})
    for (const Vec<double, 2>& p : outline) mesh.points.push_back({p[0], p[1], z});
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    mesh.triangles.push_back({i, n + i, n + next});
    mesh.triangles.push_back({i, n + next, next});
    if (i == 0 || next == 0) continue;
    mesh.triangles.push_back({0, i, next});
    mesh.triangles.push_back({n, n + next, n + i});
  }
  return mesh;
}

Mesh prism_of(const Solid<double, 3>& solid, double half_depth) {
  const double w = solid.half[0], t = solid.half[1];
  if (solid.kind == SolidKind::kBox) return prism({{-w, -t}, {w, -t}, {w, t}, {-w, t}}, half_depth);
  // A roof, cut by the sides of its box where it opens wider.
  const double slope = solid.side_sin / solid.side_cos, depth = std::min(2 * t, w / slope), reach = depth * slope;
  if (depth >= 2 * t) return prism({{-reach, -t}, {reach, -t}, {0, t}}, half_depth);
  return prism({{-w, -t}, {w, -t}, {w, t - depth}, {0, t}, {-w, t - depth}}, half_depth);
}

// As fine as a page needs it; in 2D a slab of a few cells.
Mesh coarse_contour(const Shape& shape, const Scene& scene, double half_depth) {
  constexpr double kAcross = 32, kMostAcross = 128, kThrough = 4;  // cells
  std::vector<std::string> warnings;
  const bool is_flat = scene.simulation.dimension == 2;
  const ExactShape exact(shape, {scene.simulation.dimension, scene.simulation.spacing, scene.simulation.fps}, warnings);
  const Vec<double, 3> origin = shape_origin(shape);
  Bounds box{exact.box().lower - origin, exact.box().upper - origin};
  if (is_flat) {
    box.lower[2] = -half_depth;
    box.upper[2] = half_depth;
  }
  const Vec<double, 3> extent = box.upper - box.lower;
  const double longest = std::max({extent[0], extent[1], extent[2]}), shortest = std::min({extent[0], extent[1], extent[2]});
  const double cell = std::max(std::min(longest / kAcross, shortest / kThrough), longest / kMostAcross);
  const auto distance = [&](const Vec<double, 3>& q) {
    if (!is_flat) return exact.distance(origin + q);
    return std::max(exact.distance(origin + Vec<double, 3>{q[0], q[1], 0}), std::abs(q[2]) - half_depth);
  };
  return contour(box, distance, {cell});
}

}  // namespace

Mesh shown_mesh(Shape shape, const Scene& scene, double t) {
  constexpr double kSlab = 2;  // cells, half the depth of what a flat scene shows
  if (shape.kind == ShapeKind::kPlane || shape.kind == ShapeKind::kParticles) return {};
  const bool is_flat = scene.simulation.dimension == 2;
  if (!is_flat || shape.kind == ShapeKind::kSequence) {
    std::optional<Mesh> mesh = triangles_of(shape, scene, t);
    if (mesh && mesh->triangles.size() <= kMostDrawn) return std::move(*mesh);
    if (shape.kind == ShapeKind::kSequence) return {};
  }
  shape.rotation = Shape{}.rotation;  // the body turns its frame
  const double slab = kSlab * scene.simulation.spacing;
  if (shape.kind == ShapeKind::kBox || shape.kind == ShapeKind::kWedge) {
    std::vector<std::string> warnings;
    const Solid<double, 3> solid = make_form(shape, {scene.simulation.dimension, scene.simulation.spacing}, warnings).solid;
    return prism_of(solid, is_flat ? slab : solid.half[2]);
  }
  return coarse_contour(shape, scene, slab);
}

std::optional<Mesh> body_mesh(const Collider& collider, const Scene& scene, double t) {
  try {
    std::optional<Mesh> mesh = triangles_of(collider.shape, scene, t);
    if (!mesh || mesh->triangles.empty() || mesh->triangles.size() > kMostDrawn) return std::nullopt;
    MeshReport report;
    return repair(*mesh, report);
  } catch (const UserError& e) {
    throw UserError(collider.location, e.what());
  }
}

}  // namespace firn
