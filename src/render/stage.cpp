#include "render/stage.h"

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

constexpr int kMostSteps = 256;         // of a ray towards a body; sampled ones know distances only nearby, so grazing rays need many
constexpr float kTouch = 2e-4f;         // view units: well under a pixel
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

}  // namespace

Stage::Stage(const Scenery* scenery, const Camera& camera, double time) {
  if (scenery == nullptr) return;
  const Bodies<double, 3> bodies = freeze<double, 3>(scenery->bodies, time);
  const Bodies<float, 3> forms = freeze<float, 3>(scenery->bodies, time);
  held_ = forms.held;
  for (std::size_t i = 0; i < bodies.list.size(); ++i) {
    pieces_.push_back(make_piece(bodies.list[i], forms.list[i], camera, scenery->scene.simulation.spacing,
                                 bounding_radius(scenery->bodies[i], time)));
    pieces_.back().body = static_cast<int>(i);
  }
}

Stage::Piece Stage::make_piece(const Body<double, 3>& body, const Body<float, 3>& form, const Camera& camera, double h,
                               double bound) {
  Piece piece;
  piece.form = form;
  piece.is_plane = body.solid.kind == SolidKind::kPlane;
  piece.metres = static_cast<float>(camera.radius);
  Vec<double, 3> origin = body.displacement;
  for (int d = 0; d < 3; ++d) origin[d] += (body.anchor.cell[d] + body.anchor.offset[d]) * h;
  piece.origin = camera.to_view(origin);
  for (int i = 0; i < 9; ++i) piece.rotation.a[i] = static_cast<float>(body.rotation.a[i]);
  piece.bound = piece.is_plane ? 0 : static_cast<float>(bound / camera.radius);
  return piece;
}

Surface<float, 3> Stage::Piece::surface(const Float3& p) const {
  const Float3 q = metres * (transpose(rotation) * (p - origin));
  Surface<float, 3> s = form.next != nullptr ? detail::deformed(form, q).surface : evaluate(form.solid, q);
  s.phi /= metres;
  return s;
}

StageHit Stage::Piece::hit(const Ray& ray, float t) const {
  const Float3 p = ray.origin + t * ray.direction;
  return {t, rotation * surface(p).n, transpose(rotation) * (p - origin), is_plane, body};
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

std::optional<StageHit> Stage::trace(const Ray& ray, float farthest) const {
  const Piece* nearest = nullptr;
  for (const Piece& piece : pieces_) {
    const std::optional<float> t = piece.is_plane ? trace_plane(piece, ray) : trace_solid(piece, ray, farthest);
    if (!t || *t >= farthest) continue;
    farthest = *t;
    nearest = &piece;
  }
  if (nearest == nullptr) return std::nullopt;
  return nearest->hit(ray, farthest);
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
    if (piece.is_plane) least = min(least, dot(piece.rotation * piece.form.solid.axis, direction));
  return least;
}

}  // namespace firn
