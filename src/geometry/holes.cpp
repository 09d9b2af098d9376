// close_holes. An edge is open when an odd number of triangles use it. A point then has an even number of open edges (every triangle at it
// brings two sides), so that they always make up closed loops, whatever the mesh is.
#include <algorithm>
#include <limits>
#include <utility>

#include "geometry/mesh.h"
#include "geometry/repair.h"

namespace firn {
namespace {

constexpr std::uint32_t kNotOnPath = std::numeric_limits<std::uint32_t>::max();

// An edge in the direction in which a triangle that covers the hole has to run through it.
struct OpenEdge {
  std::uint32_t from, to;
  bool used = false;
};

std::vector<OpenEdge> find_open_edges(const Mesh& mesh) {
  std::vector<OpenEdge> open;
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  for_each_edge(uses, [&](std::span<const EdgeUse> edge) {
    if (edge.size() % 2 == 0) return;
    int forward = 0;
    for (const EdgeUse& use : edge) forward += use.forward(mesh) ? 1 : -1;
    const auto [low, high] = std::pair(edge[0].low, edge[0].high);
    open.push_back(forward > 0 ? OpenEdge{high, low} : OpenEdge{low, high});
  });
  return open;
}

// Takes the open edges apart into loops that meet no point twice.
class Loops {
 public:
  Loops(std::vector<OpenEdge> edges, std::size_t points)
      : edges_(std::move(edges)), next_(points + 1, 0), place_on_path_(points, kNotOnPath) {
    for (const OpenEdge& edge : edges_) ++next_[edge.from], ++next_[edge.to];
    std::size_t total = 0;
    for (std::size_t& count : next_) count = std::exchange(total, total + count);
    at_point_.resize(total);
    std::vector<std::size_t> fill = next_;
    for (std::size_t e = 0; e < edges_.size(); ++e) at_point_[fill[edges_[e].from]++] = e;  // those that lead on come first
    for (std::size_t e = 0; e < edges_.size(); ++e) at_point_[fill[edges_[e].to]++] = e;
    ends_ = std::move(fill);
  }

  // Calls `visit` with the points of each loop, in the direction of most of its edges.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (const OpenEdge& edge : edges_)
      if (!edge.used) walk(edge.from, visit);
  }

 private:
  struct Step {
    std::uint32_t point;
    bool along;  // the edge to the next point, in its direction
  };

  template <class Visit>
  void walk(std::uint32_t start, const Visit& visit) {
    std::vector<Step> path;
    for (std::uint32_t point = start;;) {
      place_on_path_[point] = static_cast<std::uint32_t>(path.size());
      OpenEdge* edge = take_edge(point);
      if (!edge) break;  // back at the start, and all its edges are used
      path.push_back({point, edge->from == point});
      point = edge->from == point ? edge->to : edge->from;
      if (place_on_path_[point] != kNotOnPath) cut_loop(path, place_on_path_[point], visit);
    }
    place_on_path_[start] = kNotOnPath;
  }

  OpenEdge* take_edge(std::uint32_t point) {
    for (std::size_t& next = next_[point]; next < ends_[point];) {
      OpenEdge& edge = edges_[at_point_[next++]];
      if (edge.used) continue;
      edge.used = true;
      return &edge;
    }
    return nullptr;
  }

  // The path has come back to its step number `first`: from there on it is a loop.
  template <class Visit>
  void cut_loop(std::vector<Step>& path, std::size_t first, const Visit& visit) {
    std::vector<std::uint32_t> loop;
    std::size_t along = 0;
    for (std::size_t i = first; i < path.size(); ++i) {
      loop.push_back(path[i].point);
      along += path[i].along;
      place_on_path_[path[i].point] = kNotOnPath;
    }
    path.resize(first);
    if (2 * along < loop.size()) std::reverse(loop.begin(), loop.end());
    visit(loop);
  }

  std::vector<OpenEdge> edges_;
  std::vector<std::size_t> at_point_;     // edges, by point
  std::vector<std::size_t> next_, ends_;  // of each point: its first edge in at_point_ not looked at, and the end
  std::vector<std::uint32_t> place_on_path_;
};

// Weighted by length, so that it does not depend on how finely the loop is divided.
Vec<double, 3> middle_of(const Mesh& mesh, const std::vector<std::uint32_t>& loop) {
  Vec<double, 3> sum = Vec<double, 3>::zero();
  double length = 0;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec<double, 3>& a = mesh.points[loop[i]];
    const Vec<double, 3>& b = mesh.points[loop[(i + 1) % loop.size()]];
    const double weight = norm(b - a);
    sum += 0.5 * weight * (a + b);
    length += weight;
  }
  return 1 / length * sum;
}

// Triangles without area, as along a seam where one side has more points than the other, are not needed to close anything.
bool add_with_area(Mesh& mesh, const Triangle& t) {
  if (!has_area(mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]])) return false;
  mesh.triangles.push_back(t);
  return true;
}

// True: something had to be covered.
bool cover(Mesh& mesh, const std::vector<std::uint32_t>& loop) {
  if (loop.size() == 3) return add_with_area(mesh, {loop[0], loop[1], loop[2]});
  const std::uint32_t middle = static_cast<std::uint32_t>(mesh.points.size());
  mesh.points.push_back(middle_of(mesh, loop));
  bool added = false;
  for (std::size_t i = 0; i < loop.size(); ++i) added |= add_with_area(mesh, {loop[i], loop[(i + 1) % loop.size()], middle});
  if (!added) mesh.points.pop_back();
  return added;
}

}  // namespace

void close_holes(Mesh& mesh, MeshReport& report) {
  Loops loops(find_open_edges(mesh), mesh.points.size());
  loops.for_each([&](const std::vector<std::uint32_t>& loop) { report.holes += cover(mesh, loop); });
}

}  // namespace firn
