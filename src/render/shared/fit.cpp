#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "build/form.h"
#include "collide/body.h"
#include "render/shared/grains.h"
#include "render/shared/palette.h"
#include "render/shared/shoot.h"
#include "render/shared/stage.h"

namespace firn {
namespace {

constexpr std::size_t kPointsPerFrame = 4000;
constexpr double kStray = 0.02;          // of a frame's mass may leave the picture
constexpr int kStrayParts = 8;           // in so many parts, each on the side where it widens the view most
constexpr double kStrayMargin = 0.10;    // of the extent of the others: what is that close is no stray
constexpr double kSmallestExtent = 8;    // particle sizes
constexpr double kRoomForBodies = 0.35;  // of the snow's extent: how far bodies may widen the view
constexpr float kFilled = 0.74f;         // of the picture's half width and height the snow may take
constexpr float kFilledFlat = 0.85f;
constexpr float kAzimuth = 28, kElevation = 11, kElevationOfLayer = 20;  // degrees: three quarters view from a little above
constexpr float kWallSlope = 0.3f, kWallWeight = 0.3f;  // walls are better seen from the front than along them, up to this sine
constexpr float kDegree = std::numbers::pi_v<float> / 180;

struct Box {
  Vec<double, 3> low, high;
  void include(const Vec<double, 3>& x) {
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], x[d]);
      high[d] = std::max(high[d], x[d]);
    }
  }
  bool contains(const Vec<double, 3>& x) const {
    for (int d = 0; d < 3; ++d)
      if (x[d] < low[d] || x[d] > high[d]) return false;
    return true;
  }
  bool meets(const Box& other) const {
    for (int d = 0; d < 3; ++d)
      if (other.high[d] < low[d] || other.low[d] > high[d]) return false;
    return true;
  }
  Vec<double, 3> clamped(Vec<double, 3> x) const {
    for (int d = 0; d < 3; ++d) x[d] = std::clamp(x[d], low[d], high[d]);
    return x;
  }
  Box widened(double by) const { return {low - Vec<double, 3>::filled(by), high + Vec<double, 3>::filled(by)}; }
  Vec<double, 3> extent() const { return high - low; }
};

Box box_of(const std::vector<Vec<double, 3>>& points) {
  if (points.empty()) return {Vec<double, 3>::zero(), Vec<double, 3>::zero()};
  Box box{points.front(), points.front()};
  for (const Vec<double, 3>& x : points) box.include(x);
  return box;
}

// A particle that was looked at.
struct Seen {
  Vec<double, 3> x;
  double mass;
};

// The particles without those beyond a part of the mass at one end of an axis.
std::vector<Seen> cut(std::vector<Seen> seen, int axis, bool upper, double mass) {
  std::sort(seen.begin(), seen.end(), [&](const Seen& a, const Seen& b) { return upper ? a.x[axis] < b.x[axis] : b.x[axis] < a.x[axis]; });
  while (seen.size() > 1 && (mass -= seen.back().mass) >= 0) seen.pop_back();
  return seen;
}

Box box_of(const std::vector<Seen>& seen) {
  Box box{seen.front().x, seen.front().x};
  for (const Seen& s : seen) box.include(s.x);
  return box;
}

Box box_without_strays(std::vector<Seen> seen) {
  double mass = 0;
  for (const Seen& s : seen) mass += s.mass;
  const double part = kStray / kStrayParts * mass;
  for (int k = 0; k < kStrayParts && part > 0; ++k) {
    const Vec<double, 3> before = box_of(seen).extent();
    std::vector<Seen> best;
    double most = 0;  // of the extent along an axis, that goes with the part
    for (int axis = 0; axis < 3; ++axis)
      for (const bool upper : {false, true}) {
        std::vector<Seen> rest = cut(seen, axis, upper, part);
        const double gone = before[axis] > 0 ? 1 - box_of(rest).extent()[axis] / before[axis] : 0;
        if (!(gone > most)) continue;
        most = gone;
        best = std::move(rest);
      }
    if (best.empty()) break;
    seen = std::move(best);
  }
  Box box = box_of(seen);
  const Vec<double, 3> margin = kStrayMargin * box.extent();
  return {box.low - margin, box.high + margin};
}

// The corners of the box around a body, at one moment.
std::vector<Vec<double, 3>> corners_of(const BodyModel& model, double h, double time) {
  const Pose pose = model.motion.at(time);
  const Mat<double, 3> rotation = to_matrix(pose.rotation);
  Vec<double, 3> origin = pose.displacement;
  for (int d = 0; d < 3; ++d) origin[d] += (model.anchor.cell[d] + model.anchor.offset[d]) * h;
  const Bounds box = box_at(model, time);
  std::vector<Vec<double, 3>> corners;
  for (int corner = 0; corner < 8; ++corner) {
    Vec<double, 3> r;
    for (int d = 0; d < 3; ++d) r[d] = (corner >> d & 1 ? box.upper : box.lower)[d];
    corners.push_back(origin + rotation * r);
  }
  return corners;
}

// Bodies close to the snow belong to the picture, as far as they do not dwarf it.
void include_bodies(std::vector<Vec<double, 3>>& points, const Subject& subject, const Scenery& scenery) {
  const Box snow = box_of(points);
  const Box room = snow.widened(kRoomForBodies * norm(snow.extent()));
  for (std::size_t i = 0; i < scenery.bodies.size(); ++i) {
    const BodyModel& body = scenery.bodies[i];
    if (body.solid.kind == SolidKind::kPlane || !scenery.scene.colliders[i].visible) continue;
    for (const double time : subject.times) {
      const std::vector<Vec<double, 3>> corners = corners_of(body, scenery.scene.simulation.spacing, time);
      if (!room.meets(box_of(corners))) continue;
      for (const Vec<double, 3>& x : corners) points.push_back(room.clamped(x));
    }
  }
}

struct View {
  Float3 right, up, forward;
};

View view_from(float azimuth, float elevation) {
  const Float3 towards_eye{std::sin(azimuth) * std::cos(elevation), std::sin(elevation), std::cos(azimuth) * std::cos(elevation)};
  const Float3 right{std::cos(azimuth), 0, -std::sin(azimuth)};
  return {right, cross(towards_eye, right), -towards_eye};
}

// The nearest eye that has all points in the picture. Each side of the view cone is pushed until it touches the points; of the
// two pairs of sides the one that asks for the greater distance decides.
Camera place_eye(Camera camera, const View& view, const std::vector<Float3>& points, float aspect) {
  const float tangent[2] = {kFilled * camera.tangent * aspect, kFilled * camera.tangent};
  const Float3 axis[2] = {view.right, view.up};
  float depth = 1e30f, across[2];
  for (int d = 0; d < 2; ++d) {
    float plus = -1e30f, minus = -1e30f;
    for (const Float3& p : points) {
      const float u = dot(p, axis[d]), w = dot(p, view.forward);
      plus = max(plus, u - tangent[d] * w);
      minus = max(minus, -u - tangent[d] * w);
    }
    depth = min(depth, -(plus + minus) / (2 * tangent[d]));
    across[d] = 0.5f * (plus - minus);
  }
  camera.right = view.right;
  camera.up = view.up;
  camera.forward = view.forward;
  camera.eye = depth * view.forward + across[0] * view.right + across[1] * view.up;
  // The sides that do not touch leave room: share it evenly.
  for (const Float3& side : axis) {
    float low = 1e30f, high = -1e30f;
    for (const Float3& p : points) {
      const float slope = dot(p - camera.eye, side) / dot(p - camera.eye, view.forward);
      low = min(low, slope);
      high = max(high, slope);
    }
    camera.eye += 0.5f * (low + high) * -depth * side;
  }
  return camera;
}

// A camera that may be chosen, and how well it shows the snow.
struct Candidate {
  Camera camera;
  float turned;          // how far from the usual view, as a handicap: another one has to show clearly more
  float seen = 0;        // of the probes: those that no body hides
  float free = 0;        // of the moments: those when the eye is on the free side of all planes
  float wall_slope = 0;  // of the way to the eye to the walls' normals, at the film's beginning

  void look_at(const Stage& stage, const std::vector<Float3>& probes) {
    constexpr float kSlack = 0.02f;  // snow that rests against a body is not hidden by it
    free += stage.is_free(camera.eye) ? 1.0f : 0.0f;
    for (const Float3& probe : probes) {
      const Float3 r = probe - camera.eye;
      seen += stage.trace({camera.eye, normalized(r)}, norm(r) - kSlack) ? 0.0f : 1.0f;
    }
  }
  float score(float probes, float moments) const {
    return seen / (probes * moments) + free / moments - turned + kWallWeight * smoothstep(0, kWallSlope, wall_slope);
  }
};

std::vector<Float3> probes_among(const std::vector<Float3>& points) {
  constexpr std::size_t kProbes = 60;
  const std::size_t stride = std::max<std::size_t>(1, points.size() / kProbes);
  std::vector<Float3> probes;
  for (std::size_t i = 0; i < points.size(); i += stride) probes.push_back(points[i]);
  return probes;
}

// Degrees: a layer is seen from higher up than a ball.
float usual_elevation(const std::vector<Float3>& points) {
  float low = 1e30f, high = -1e30f, across = 1e-30f;
  for (const Float3& p : points) {
    low = min(low, p[1]);
    high = max(high, p[1]);
    across = max(across, 2 * max(abs(p[0]), abs(p[2])));
  }
  return mix(kElevationOfLayer, kElevation, smoothstep(0.15f, 0.6f, (high - low) / across));
}

std::vector<Candidate> candidates_about(const Camera& base, const std::vector<Float3>& points, float aspect) {
  const float usual = usual_elevation(points);
  std::vector<Candidate> candidates;
  for (const float elevation : {usual, 30.0f, 45.0f, 6.0f, 65.0f})
    for (int turn = 0; turn < 24; ++turn) {
      const float away = 15.0f * static_cast<float>((turn + 1) / 2) * (turn % 2 == 1 ? -1.0f : 1.0f);
      const View view = view_from((kAzimuth + away) * kDegree, elevation * kDegree);
      candidates.push_back({place_eye(base, view, points, aspect), 0.5f * std::abs(away) / 180 + 0.3f * std::abs(elevation - usual) / 90});
    }
  return candidates;
}

// One moment after the other: the bodies of all of them at once could be too much for the memory.
Camera choose_view(std::vector<Candidate> candidates, const std::vector<Float3>& points, const Scenery* scenery,
                   const std::vector<double>& times) {
  const std::vector<Float3> probes = probes_among(points);
  for (const double time : times) {
    const Stage stage(scenery, candidates.front().camera, time, Triangles::kAtHand);
    for (Candidate& candidate : candidates) {
      candidate.look_at(stage, probes);
      if (time == times.front()) candidate.wall_slope = stage.least_wall_slope(-candidate.camera.forward);
    }
  }
  const auto score = [&](const Candidate& c) { return c.score(static_cast<float>(probes.size()), static_cast<float>(times.size())); };
  return std::max_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) { return score(a) < score(b); })->camera;
}

Camera flat_camera(Camera camera, const Box& box, float aspect) {
  const Vec<double, 3> half = 0.5 * box.extent();
  camera.eye = {0, 0, 4};
  camera.half_height = static_cast<float>(std::max(half[1], half[0] / aspect) / camera.radius) / kFilledFlat;
  return camera;
}

}  // namespace

void Subject::add(const Frame& frame, const Scenery* scenery, double time) {
  times.push_back(time);
  const bool all_flat = std::all_of(frame.position.begin(), frame.position.end(), [](const auto& x) { return x[2] == 0; });
  flat = scenery != nullptr ? scenery->scene.simulation.dimension == 2 : all_flat && frame.size() > 1;
  if (frame.size() == 0) return;
  if (frame.size() > particles) {
    const double volume = typical_volume(frame, scenery);
    particles = frame.size();
    particle_size = flat ? std::sqrt(volume) : std::cbrt(volume);
  }
  std::vector<Seen> sample;
  const std::size_t stride = std::max<std::size_t>(1, frame.size() / kPointsPerFrame);
  for (std::size_t p = 0; p < frame.size(); p += stride)
    sample.push_back({{frame.position[p][0], frame.position[p][1], frame.position[p][2]}, frame.mass.empty() ? 1 : frame.mass[p]});
  const Box box = box_without_strays(sample);
  for (const Seen& s : sample)
    if (box.contains(s.x)) points.push_back(s.x);
}

Camera fit_camera(const Subject& subject, const Scenery* scenery, double aspect) {
  std::vector<Vec<double, 3>> points = subject.points;
  if (points.empty() && scenery != nullptr) {
    for (const Snow& snow : scenery->scene.snow) points.push_back(shape_origin(snow.shape));
    for (const Source& source : scenery->scene.sources) points.push_back(shape_origin(source.shape));
  }
  if (points.empty()) points.push_back({0, 0, 0});
  const double margin = subject.particle_size > 0 ? kSmallestExtent / 2 * subject.particle_size : 1.0;
  for (int d = 0; d < (subject.flat ? 2 : 3); ++d)
    for (const double side : {-margin, margin}) {
      Vec<double, 3> x = points.front();
      x[d] += side;
      points.push_back(x);
    }
  if (scenery != nullptr) include_bodies(points, subject, *scenery);

  const Box box = box_of(points);
  Camera camera;
  camera.focus = 0.5 * box.low + 0.5 * box.high;
  camera.radius = 0.5 * norm(box.extent());
  camera.tangent = static_cast<float>(half_tangent(scenery != nullptr ? scenery->scene.render.fov : RenderSettings{}.fov));
  if (subject.flat) return flat_camera(camera, box, static_cast<float>(aspect));
  std::vector<Float3> in_view;
  for (const Vec<double, 3>& x : points) in_view.push_back(camera.to_view(x));
  const std::vector<double> times = subject.times.empty() ? std::vector<double>{0} : subject.times;
  camera = choose_view(candidates_about(camera, in_view, static_cast<float>(aspect)), in_view, scenery, times);
  Stage at_first(scenery, camera, 0, Triangles::kAtHand);
  at_first.open_to(camera);
  camera.sun = choose_sun(camera, at_first);  // it stays where it stood at the film's beginning
  return camera;
}

}  // namespace firn
