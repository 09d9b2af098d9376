// make_consistent: neighbours agree when they run through their common edge in opposite directions.
#include <limits>

#include "geometry/edges.h"
#include "geometry/repair.h"

namespace firn {
namespace {

constexpr std::uint32_t kNoNeighbour = std::numeric_limits<std::uint32_t>::max();

enum class Side : std::uint8_t { kUnknown, kKept, kTurned };

Side other(Side side) { return side == Side::kKept ? Side::kTurned : Side::kKept; }

// Behind each side of a triangle: who is there, and does it face the same way.
struct Neighbour {
  std::uint32_t triangle = kNoNeighbour;
  bool agrees = true;
};

std::vector<Neighbour> find_neighbours(const Mesh& mesh, MeshReport& report) {
  std::vector<Neighbour> neighbours(3 * mesh.triangles.size());
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  for_each_edge(uses, [&](std::span<const EdgeUse> edge) {
    ++report.edges;
    if (edge.size() % 2 != 0) ++report.open_edges;
    if (edge.size() != 2) return;
    const bool agree = edge[0].forward(mesh) != edge[1].forward(mesh);
    neighbours[edge[0].corner] = {static_cast<std::uint32_t>(edge[1].triangle()), agree};
    neighbours[edge[1].corner] = {static_cast<std::uint32_t>(edge[0].triangle()), agree};
  });
  return neighbours;
}

class Orientation {
 public:
  Orientation(Mesh& mesh, MeshReport& report)
      : mesh_(mesh), report_(report), neighbours_(find_neighbours(mesh, report)), sides_(mesh.triangles.size(), Side::kUnknown) {}

  void apply() {
    for (std::uint32_t t = 0; t < sides_.size(); ++t)
      if (sides_[t] == Side::kUnknown) turn_fewer(flood(t));
    report_.twisted_edges /= 2;  // each was met from both of its triangles
  }

 private:
  // The triangles that hang together with `start`, each with its side decided.
  std::vector<std::uint32_t> flood(std::uint32_t start) {
    std::vector<std::uint32_t> component{start};
    sides_[start] = Side::kKept;
    for (std::size_t next = 0; next < component.size(); ++next) {
      const std::uint32_t t = component[next];
      for (std::size_t i = 0; i < 3; ++i) {
        const Neighbour& neighbour = neighbours_[3 * std::size_t{t} + i];
        if (neighbour.triangle == kNoNeighbour) continue;
        Side& side = sides_[neighbour.triangle];
        const Side wanted = neighbour.agrees ? sides_[t] : other(sides_[t]);
        if (side == Side::kUnknown) {
          side = wanted;
          component.push_back(neighbour.triangle);
        } else if (side != wanted) {
          ++report_.twisted_edges;
        }
      }
    }
    return component;
  }

  void turn_fewer(const std::vector<std::uint32_t>& component) {
    std::size_t turned_ones = 0;
    for (const std::uint32_t t : component) turned_ones += sides_[t] == Side::kTurned;
    const bool turn_the_others = 2 * turned_ones > component.size();
    for (const std::uint32_t t : component) {
      if ((sides_[t] == Side::kTurned) == turn_the_others) continue;
      mesh_.triangles[t] = turned(mesh_.triangles[t]);
      ++report_.turned_triangles;
    }
  }

  Mesh& mesh_;
  MeshReport& report_;
  std::vector<Neighbour> neighbours_;
  std::vector<Side> sides_;
};

}  // namespace

void make_consistent(Mesh& mesh, MeshReport& report) { Orientation(mesh, report).apply(); }

}  // namespace firn
