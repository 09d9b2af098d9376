#include "render/preview/grid_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "collide/body.h"
#include "firn/error.h"
#include "geometry/level_set.h"
#include "io/formats.h"
#include "render/preview/frame_picture.h"
#include "render/preview/painter.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr float kDark = 0.72f;         // of the picture behind arrows is taken away
constexpr float kLegendCover = 0.9f;   // arrows are not to be mixed up with those behind
constexpr double kFarthestOut = 0.02;  // of the arrows are much longer than the rest, perhaps
constexpr double kUsualPart = 1.5;     // the others are at most so many times as long as that of the legend,
constexpr double kLongestPart = 3;     // and those at most so many times
constexpr Colour kNodeColour{1.0f, 0.82f, 0.30f}, kVelocityColour{0.10f, 0.62f, 1.0f}, kForceColour{1.0f, 0.20f, 0.05f},
    kNormalColour{0.22f, 0.85f, 0.16f};
// In heights of capital letters:
constexpr float kLongest = 2;                          // arrow of the legend
constexpr float kArrowsApart = 1, kNodesApart = 0.6f;  // at least, on the picture
constexpr float kNormalsApart = 4, kNormalLength = 2.0f;
constexpr float kDot = 0.24f, kLine = 0.13f, kHead = 0.55f;  // width of dots and lines, length of an arrow's head
constexpr float kShortestArrow = 0.15f;                      // shorter ones would be dots
constexpr float kPadding = 0.7f, kLegendMargin = 0.8f, kLineHeight = 1.9f;

Colour colour_of(Show what) {
  switch (what) {
    case Show::kNodes: return kNodeColour;
    case Show::kVelocity: return kVelocityColour;
    case Show::kForce: return kForceColour;
    case Show::kNormals: break;
  }
  return kNormalColour;
}

const std::vector<Vector>& vectors_of(const GridFields& grid, GridField field) {
  return field == GridField::kVelocity ? grid.velocity : grid.force;
}

std::string nodes_path(const std::string& frame) {
  const std::optional<FrameNumber> number = frame_number(frame);
  if (!number) throw UserError(frame + ": only frames of a run, frame_NNNN, have nodes that can be shown");
  return (fs::path(frame).parent_path() / (nodes_stem(*number) + ".vdb")).string();
}

// Draws on a picture in pixels, sized by the height of its letters.
class ArrowCanvas {
 public:
  ArrowCanvas(const Camera& camera, Image& image)
      : canvas_(image), projection_(projection_of(camera, image.width, image.height)), capitals_(static_cast<float>(capitals_in(image))) {}

  const Projection& projection() const { return projection_; }
  float pixels(float capitals) const { return capitals * capitals_; }

  // `v` in lengths of the legend's arrow, which has `longest` capitals.
  Vec<float, 2> on_picture(const Float3& v, float longest) const {
    return pixels(longest) * Vec<float, 2>{dot(v, projection_.right), -dot(v, projection_.up)};
  }

  void dot_at(const Vec<float, 2>& at, const Colour& colour) { canvas_.line({at, at}, pixels(kDot), colour); }

  void arrow(const Vec<float, 2>& from, const Vec<float, 2>& along, const Colour& colour) {
    const float length = norm(along);
    if (length < pixels(kShortestArrow)) return;
    const Vec<float, 2> to = from + along, unit = (1 / length) * along, across{-unit[1], unit[0]};
    const float head = std::min(pixels(kHead), 0.6f * length), width = std::max(pixels(kLine), 1.0f);
    canvas_.line({from, to}, width, colour);
    for (const float side : {-0.5f, 0.5f}) canvas_.line({to - head * unit + side * head * across, to}, width, colour);
  }

 private:
  Canvas canvas_;
  Projection projection_;
  float capitals_;
};

// In front of the eye; where on the picture, and how many pixels a view unit has there.
std::optional<Splat> seen(const Projection& projection, const Float3& p) {
  if (projection.perspective && projection.depth_of(p) <= 0) return std::nullopt;
  return projection.project({p, 1});
}

// The axis along which the camera looks most.
int axis_of(const Camera& camera) {
  int axis = 0;
  for (int d = 1; d < 3; ++d)
    if (std::abs(camera.forward[d]) > std::abs(camera.forward[axis])) axis = d;
  return axis;
}

// Half of the nodes lie on either side of it.
std::int32_t middle_layer(const std::vector<std::array<std::int32_t, 3>>& nodes, int axis) {
  std::vector<std::int32_t> layers;
  layers.reserve(nodes.size());
  for (const auto& node : nodes) layers.push_back(node[axis]);
  const auto middle = layers.begin() + static_cast<std::ptrdiff_t>(layers.size() / 2);
  std::nth_element(layers.begin(), middle, layers.end());
  return *middle;
}

// Places on the surfaces of bodies, spread evenly over the picture, with the normals that collisions have there.
struct NormalFinder {
  struct Found {
    Float3 place, normal;  // the first in view units
  };
  const Camera& camera;
  const Projection& projection;
  double h;   // m
  int apart;  // pixels
  std::vector<Found> found = {};

  template <class F>
  void for_each_ray(F f) const {
    for (int y = apart / 2; y < projection.height; y += apart)
      for (int x = apart / 2; x < projection.width; x += apart) f(projection.ray(x, y));
  }

  template <int D>
  BodyContact<double, D> probe_at(const Body<double, D>& body, const Vec<double, D>& x) const {
    const LatticePoint<double, D> p = to_lattice<double, D>(x, h, false);
    return probe(body, p.cell, p.offset, h);
  }

  // From places on the paper onto surfaces that are near; not where they are inside of other bodies.
  void find_flat(const std::vector<Body<double, 2>>& bodies) {
    const double reach = 0.5 * apart * camera.radius / projection.scale;  // m
    std::vector<Vec<double, 2>> taken;
    for_each_ray([&](const Ray& ray) {
      for (const Body<double, 2>& body : bodies) {
        Vec<double, 2> x{camera.focus[0] + camera.radius * ray.origin[0], camera.focus[1] + camera.radius * ray.origin[1]};
        if (std::abs(probe_at(body, x).phi) > reach) continue;
        constexpr int kTries = 4;  // phi may be less than the distance
        for (int k = 0; k < kTries; ++k) x -= probe_at(body, x).phi * probe_at(body, x).n;
        const bool is_near = std::any_of(taken.begin(), taken.end(), [&](const Vec<double, 2>& t) { return norm(t - x) < 1.5 * reach; });
        const bool is_hidden = std::any_of(bodies.begin(), bodies.end(),
                                           [&](const Body<double, 2>& other) { return &other != &body && probe_at(other, x).phi < 0; });
        if (is_near || is_hidden || std::abs(probe_at(body, x).phi) > 0.1 * reach) continue;
        taken.push_back(x);
        const Vec<double, 2> n = probe_at(body, x).n;
        found.push_back({camera.to_view({x[0], x[1], 0}), {static_cast<float>(n[0]), static_cast<float>(n[1]), 0}});
      }
    });
  }

  // Where rays meet bodies.
  void find_solid(const Stage& stage, const std::vector<Body<double, 3>>& bodies) {
    for_each_ray([&](const Ray& ray) {
      const std::optional<StageHit> hit = stage.trace(ray, kFarAway);
      if (!hit) return;
      const Float3 p = ray.origin + hit->t * ray.direction;
      if (hit->is_plane && norm(p) > 1) return;  // planes have no end, what is to be seen has
      Vec<double, 3> x;
      for (int d = 0; d < 3; ++d) x[d] = camera.focus[d] + camera.radius * p[d];
      BodyContact<double, 3> nearest{kFarAway, {}, {}, {}};
      for (const Body<double, 3>& body : bodies)
        if (const BodyContact<double, 3> contact = probe_at(body, x); std::abs(contact.phi) < std::abs(nearest.phi)) nearest = contact;
      found.push_back({p, to_float(nearest.n)});
    });
  }
};

double length_of(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }

// What the arrow of the legend stands for: a round number, not far from the longest but for a few that are much longer than the rest.
double unit_of(std::vector<double> lengths) {
  if (lengths.empty()) return 0;
  const auto far = lengths.begin() + std::lround((1 - kFarthestOut) * static_cast<double>(lengths.size() - 1));
  std::nth_element(lengths.begin(), far, lengths.end());
  const double usual = *far, most = *std::max_element(far, lengths.end());
  return most > 0 ? round_step(std::max(usual / kUsualPart, most / kLongestPart)) : 0;
}

}  // namespace

GridOverlay::GridOverlay(const std::vector<Show>& show) : show_(show) {
  if (shows(Show::kVelocity)) arrows_.push_back({Show::kVelocity, GridField::kVelocity});
  if (shows(Show::kForce)) arrows_.push_back({Show::kForce, GridField::kForce});
}

bool GridOverlay::shows(Show what) const { return std::find(show_.begin(), show_.end(), what) != show_.end(); }

GridFields GridOverlay::read(const std::string& frame) const {
  const std::string path = nodes_path(frame);
  std::error_code error;
  if (!fs::exists(path, error))
    throw UserError(
        fmt::format("{}: no such file: the run has written no nodes; let the scene have output.grid = "
                    "[\"mass\", \"velocity\", \"force\"], or what is to be shown of them",
                    path));
  GridFields grid = read_grid_vdb(path);
  for (const Arrows& arrows : arrows_)
    if (grid.size() > 0 && vectors_of(grid, arrows.field).empty())
      throw UserError(fmt::format("{}: there is no {} in it: output.grid of the scene has to name it", path,
                                  kGridFieldNames[static_cast<int>(arrows.field)]));
  return grid;
}

void GridOverlay::draw_nodes(const GridFields& grid, const Camera& camera, Image& image) {
  ArrowCanvas canvas(camera, image);
  const int axis = axis_of(camera);
  const std::int32_t layer = flat_ ? 0 : middle_layer(grid.node, axis);
  const float h = static_cast<float>(grid.spacing / camera.radius);  // view units
  const auto place = [&](const Node& node) {
    return camera.to_view({node[0] * grid.spacing, node[1] * grid.spacing, node[2] * grid.spacing});
  };
  std::vector<std::size_t> shown;
  float widest = 0;  // pixels between neighbours, where they are nearest to the eye
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid.node[i][axis] != layer) continue;
    const std::optional<Splat> splat = seen(canvas.projection(), place(grid.node[i]));
    if (!splat) continue;
    shown.push_back(i);
    widest = std::max(widest, h * splat->radius);
  }
  const auto every = [&](float apart) {
    return std::max(1, static_cast<int>(std::ceil(canvas.pixels(apart) / std::max(widest, 0.01f) - 0.01f)));
  };
  const auto for_each_shown = [&](int step, auto f) {
    for (const std::size_t i : shown) {
      bool taken = true;
      for (int d = 0; d < 3; ++d) taken = taken && (d == axis || grid.node[i][d] % step == 0);
      if (!taken) continue;
      const Splat at = canvas.projection().project({place(grid.node[i]), 1});
      f(i, Vec<float, 2>{at.x, at.y});
    }
  };
  const int arrow_step = every(kArrowsApart), node_step = arrows_.empty() ? every(kNodesApart) : arrow_step;
  if (shows(Show::kNodes)) for_each_shown(node_step, [&](std::size_t, const Vec<float, 2>& at) { canvas.dot_at(at, kNodeColour); });
  for (Arrows& arrows : arrows_) {
    const std::vector<Vector>& vectors = vectors_of(grid, arrows.field);
    std::vector<double> lengths;
    for_each_shown(arrow_step, [&](std::size_t i, const Vec<float, 2>&) { lengths.push_back(length_of(vectors[i])); });
    arrows.unit = unit_of(std::move(lengths));
    for_each_shown(arrow_step, [&](std::size_t i, const Vec<float, 2>& at) {
      if (!(arrows.unit > 0)) return;
      const Vec<double, 3> part = (1 / arrows.unit) * Vec<double, 3>{vectors[i][0], vectors[i][1], vectors[i][2]};
      canvas.arrow(at, canvas.on_picture(to_float(part), kLongest), colour_of(arrows.what));
    });
  }
  if (!flat_) thinned_ = fmt::format("at {} = {:.4g} m", "xyz"[axis], layer * grid.spacing);
  if (node_step > 1) thinned_ += fmt::format("{}1 node of {} per axis", thinned_.empty() ? "" : ", ", node_step);
}

void GridOverlay::draw_normals(const Scenery& scenery, const Camera& camera, double time, Image& image) const {
  ArrowCanvas canvas(camera, image);
  std::vector<BodyModel> visible;
  for (std::size_t i = 0; i < scenery.bodies.size(); ++i)
    if (scenery.scene.colliders[i].visible) visible.push_back(scenery.bodies[i]);
  NormalFinder finder{camera, canvas.projection(), scenery.scene.simulation.spacing,
                      std::max(1, static_cast<int>(canvas.pixels(kNormalsApart)))};
  if (flat_) {
    finder.find_flat(freeze<double, 2>(visible, time).list);
  } else {
    Stage stage(&scenery, camera, time);
    stage.open_to(camera);
    finder.find_solid(stage, freeze<double, 3>(visible, time).list);
  }
  for (const NormalFinder::Found& found : finder.found) {
    const Splat at = canvas.projection().project({found.place, 1});
    canvas.dot_at({at.x, at.y}, kNormalColour);
    canvas.arrow({at.x, at.y}, canvas.on_picture(found.normal, kNormalLength), kNormalColour);
  }
}

void GridOverlay::draw(const std::string& frame, const Scenery* scenery, const Camera& camera, double time, Image& image) {
  flat_ = camera.orthographic();
  thinned_.clear();
  for (Arrows& arrows : arrows_) arrows.unit = 0;
  Canvas(image).fill({0, 0, image.width, image.height}, kPanel, kDark);
  if (shows(Show::kNormals) && scenery != nullptr) draw_normals(*scenery, camera, time, image);
  if (!shows(Show::kNodes) && arrows_.empty()) return;
  const GridFields grid = read(frame);
  if (grid.size() > 0) draw_nodes(grid, camera, image);
}

void GridOverlay::draw_legend(Image& image, const Inset& taken) const {
  std::vector<Row> rows;
  if (shows(Show::kNodes)) rows.push_back({Show::kNodes, "nodes"});
  for (const Arrows& arrows : arrows_) {
    const bool is_force = arrows.what == Show::kForce;
    rows.push_back({arrows.what, fmt::format("{} {:g} {}", is_force ? "force" : "velocity", arrows.unit,
                                             !is_force ? "m/s"
                                             : flat_   ? "N/m"
                                                       : "N")});
  }
  if (shows(Show::kNormals)) rows.push_back({Show::kNormals, "normals"});
  ArrowCanvas arrows({}, image);
  Canvas canvas(image);
  const float sample = arrows.pixels(kLongest + kPadding), line = arrows.pixels(kLineHeight), capitals = arrows.pixels(1);
  float widest = thinned_.empty() ? 0 : capitals * set_text(thinned_).width;
  for (const Row& row : rows) widest = std::max(widest, sample + capitals * set_text(row.text).width);
  const float count = static_cast<float>(rows.size()) + (thinned_.empty() ? 0 : 1);
  const float left = static_cast<float>(image.width) - arrows.pixels(kLegendMargin + 2 * kPadding) - widest;
  const float top =
      static_cast<float>(image.height - taken.bottom) - arrows.pixels(kLegendMargin + 2 * kPadding) - count * line + (line - capitals);
  canvas.fill({static_cast<int>(left), static_cast<int>(top), static_cast<int>(left + widest + arrows.pixels(2 * kPadding)),
               static_cast<int>(top + count * line - (line - capitals) + arrows.pixels(2 * kPadding))},
              kPanel, kLegendCover);
  const float x = left + arrows.pixels(kPadding);
  float y = top + arrows.pixels(kPadding) + capitals;  // base line
  for (const Row& row : rows) {
    const Vec<float, 2> from{x, y - 0.5f * capitals};
    if (row.what == Show::kNodes) arrows.dot_at(from + Vec<float, 2>{0.5f * arrows.pixels(kLongest), 0}, colour_of(row.what));
    const float length = row.what == Show::kNormals ? kNormalLength : kLongest;
    if (row.what != Show::kNodes) arrows.arrow(from, {arrows.pixels(length), 0}, colour_of(row.what));
    canvas.write(set_text(row.text), x + sample, y, capitals);
    y += line;
  }
  if (!thinned_.empty()) canvas.write(set_text(thinned_), x, y, capitals);
}

}  // namespace firn
