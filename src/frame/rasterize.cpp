#include "frame/rasterize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "firn/error.h"
#include "math/bspline.h"
#include "math/lattice.h"
#include "math/pack.h"
#include "math/vec.h"

namespace firn {
namespace {

constexpr double kLeastVolumeRatio = 0.4;    // packed snow does not shrink to nothing
constexpr double kMostSpecificVolume = 1.2;  // of the usual one

double usual_specific_volume(const Frame& frame) {
  if (frame.volume.empty() || frame.mass.empty()) return 0;
  std::vector<double> values(frame.size());
  for (std::size_t p = 0; p < values.size(); ++p) values[p] = frame.volume[p] / frame.mass[p];
  return median(std::move(values));
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double sphere_radius(double volume) { return std::cbrt(volume * 3 / (4 * std::numbers::pi)); }

double usual_volume(double spacing, int dimension) { return std::pow(spacing / 2, dimension); }

PresentVolume::PresentVolume(const Frame& frame, double typical, double swelling)
    : frame_(frame), typical_(typical), swelling_(swelling), specific_(usual_specific_volume(frame)) {}

double PresentVolume::operator()(std::size_t p) const {
  double volume = frame_.volume.empty() ? typical_ : frame_.volume[p];
  // V⁰ comes from the density on the grid (M5), which is too low at the surface: there it exceeds what the particle's mass fills.
  if (specific_ > 0) volume = std::min(volume, kMostSpecificVolume * specific_ * frame_.mass[p]);
  const double j = (frame_.je.empty() ? 1 : frame_.je[p]) * (frame_.jp.empty() ? 1 : frame_.jp[p]);
  return volume * std::clamp(j, kLeastVolumeRatio, swelling_);
}

namespace {

// Which particles go to the grid together: those whose first node is in one leaf. With a reach of at most four nodes they meet that leaf
// and the next on every axis, never more.

// A leaf, in leaves from the origin.
using Block = Vec<std::int32_t, 3>;

// The blocks there are lie in a box; their numbers in it ascend with x, then y, then z.
class BlockBox {
 public:
  // There is at least one block.
  explicit BlockBox(const std::vector<Block>& blocks);

  bool can_be_numbered() const {
    return static_cast<double>(extent_[0]) * static_cast<double>(extent_[1]) * static_cast<double>(extent_[2]) < 0x1p63;
  }
  std::uint64_t size() const { return extent_[0] * extent_[1] * extent_[2]; }

  std::uint64_t number(const Block& b) const {
    const auto along = [&](int d) { return static_cast<std::uint64_t>(std::int64_t{b[d]} - lower_[d]); };
    return number_of_step(along(0), along(1), along(2));
  }
  std::uint64_t number_of_step(std::uint64_t x, std::uint64_t y, std::uint64_t z) const { return (x * extent_[1] + y) * extent_[2] + z; }
  std::array<std::int32_t, 3> first_node(std::uint64_t number) const;

 private:
  Block lower_;
  Vec<std::uint64_t, 3> extent_{};
};

// A particle and the number of its block.
struct BlockEntry {
  std::uint64_t block;
  std::size_t particle;
};

BlockBox::BlockBox(const std::vector<Block>& blocks) : lower_(blocks.front()) {
  Block upper = lower_;
  for (const Block& b : blocks)
    for (int d = 0; d < 3; ++d) {
      lower_[d] = std::min(lower_[d], b[d]);
      upper[d] = std::max(upper[d], b[d]);
    }
  for (int d = 0; d < 3; ++d) extent_[d] = static_cast<std::uint64_t>(std::int64_t{upper[d]} - lower_[d]) + 2;  // and the leaves above
}

std::array<std::int32_t, 3> BlockBox::first_node(std::uint64_t number) const {
  const std::uint64_t step[] = {number / extent_[2] / extent_[1], number / extent_[2] % extent_[1], number % extent_[2]};
  std::array<std::int32_t, 3> node{};
  for (std::size_t d = 0; d < 3; ++d)
    node[d] = static_cast<std::int32_t>((lower_[static_cast<int>(d)] + static_cast<std::int64_t>(step[d])) * NodeFields::kEdge);
  return node;
}

// Radix sort from the lowest digit up.
// Sorts by block; the order within one block stays. All blocks are below `end`.
void sort_by_block(std::vector<BlockEntry>& entries, std::uint64_t end) {
  constexpr int kDigitBits = 11;  // the counters of a digit stay in the first cache
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::vector<BlockEntry> sorted(entries.size());
  std::vector<std::size_t> place(kDigits);
  const int bits = static_cast<int>(std::bit_width(end));
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [shift](const BlockEntry& e) { return e.block >> shift & (kDigits - 1); };
    std::fill(place.begin(), place.end(), 0);
    for (const BlockEntry& e : entries) ++place[digit(e)];
    std::size_t before = 0;
    for (std::size_t& p : place) before += std::exchange(p, before);
    for (const BlockEntry& e : entries) sorted[place[digit(e)]++] = e;
    entries.swap(sorted);
  }
}

constexpr int kEdge = NodeFields::kEdge, kNodes = NodeFields::kNodes;

// What is summed at a node, in lanes of one Pack: m, m·v, m·J_P; the others stay 0.
constexpr int kMass = 0, kMomentum = 1, kMassJp = 4;
using Quantities = Pack<double, 8>;

// The nodes a particle reaches. A block holds the particles whose first node is in one leaf: it reaches into that leaf and the next on
// every axis, never further.
template <class K, int D>
struct Stencil {
  static constexpr int kSupport = K::kSupport, kDepth = D == 3 ? kSupport : 1;

  Block base{};
  double w[3][kSupport];

  static Stencil at(const std::array<double, 3>& x, double h) {
    Stencil s;
    s.w[2][0] = 1;
    for (int d = 0; d < D; ++d) {
      double f, gradient[kSupport];
      split_coordinate(x[static_cast<std::size_t>(d)] / h, false, s.base[d], f);
      const double shift = K::base_shift(f);
      s.base[d] += static_cast<std::int32_t>(shift);
      K::weights(f - shift, s.w[d], gradient);  // (M1)
    }
    return s;
  }

  Block block() const {
    Block b{};
    for (int d = 0; d < 3; ++d) b[d] = base[d] >> NodeFields::kLog2Edge;
    return b;
  }
};

// Everything the particles of one block add to: its leaf and the first nodes of the next ones.
template <int D>
class Tile {
 public:
  static constexpr int kReach = kEdge + 3;  // the last base and the cubic kernel's other three nodes
  static constexpr int kDepth = D == 3 ? kReach : 1;
  static constexpr int kSize = kReach * kReach * kDepth;

  Tile() : nodes_(kSize, Quantities(0)) {}

  template <class K>
  void add(const Stencil<K, D>& s, const Quantities& q) {
    Quantities row[Stencil<K, D>::kDepth];
    for (int k = 0; k < Stencil<K, D>::kDepth; ++k) row[k] = s.w[2][k] * q;
    Block local{};
    for (int d = 0; d < 3; ++d) {
      local[d] = s.base[d] & (kEdge - 1);
      begin_[d] = std::min(begin_[d], local[d]);
      end_[d] = std::max(end_[d], local[d] + (d < D ? K::kSupport : 1));
    }
    Quantities* const first = &nodes_[at(local[0], local[1], local[2])];
    for (int i = 0; i < K::kSupport; ++i)
      for (int j = 0; j < K::kSupport; ++j) {
        const Quantities w(s.w[0][i] * s.w[1][j]);
        Quantities* const nodes = first + at(i, j, 0);
        for (int k = 0; k < Stencil<K, D>::kDepth; ++k) nodes[k] = nodes[k] + w * row[k];  // (M4)
      }
  }

  const Quantities& node(int x, int y, int z) const { return nodes_[at(x, y, z)]; }
  // The box of nodes that have been added to; the rest is 0.
  const Block& begin() const { return begin_; }
  const Block& end() const { return end_; }

  void clear() {
    for (int x = begin_[0]; x < end_[0]; ++x)
      for (int y = begin_[1]; y < end_[1]; ++y) std::fill(&nodes_[at(x, y, begin_[2])], &nodes_[at(x, y, end_[2] - 1)] + 1, Quantities(0));
    begin_ = Block::filled(kReach);
    end_ = Block::zero();
  }

 private:
  static constexpr std::size_t at(int x, int y, int z) { return static_cast<std::size_t>((x * kReach + y) * kDepth + z); }

  std::vector<Quantities> nodes_;
  Block begin_ = Block::filled(kReach), end_ = Block::zero();
};

// Takes tiles in the order of their blocks. A leaf gets nothing more once its own block has been: then it is rounded and appended, so that
// only the leaves along a front through the snow are held in double.
template <int D>
class LeafFront {
 public:
  LeafFront(const BlockBox& box, bool with_velocity, bool with_jp) : box_(box), with_velocity_(with_velocity), with_jp_(with_jp) {}

  void add(const Tile<D>& tile, std::uint64_t block) {
    for (int dx = 0; dx < 2; ++dx)
      for (int dy = 0; dy < 2; ++dy)
        for (int dz = 0; dz < (D == 3 ? 2 : 1); ++dz) add_part(tile, block, Block{{dx, dy, dz}});
    while (!open_.empty() && open_.begin()->first <= block) close_first();
  }

  NodeFields take() {
    while (!open_.empty()) close_first();
    return std::move(fields_);
  }

 private:
  using Sums = std::array<Quantities, kNodes>;

  // What of the tile lies in the leaf `step` beyond the block's own.
  void add_part(const Tile<D>& tile, std::uint64_t block, const Block& step) {
    Block begin{}, end{};
    for (int d = 0; d < 3; ++d) {
      begin[d] = std::max(tile.begin()[d], step[d] * kEdge);
      end[d] = std::min(tile.end()[d], (step[d] + 1) * kEdge);
    }
    Sums* leaf = nullptr;
    for (int x = begin[0]; x < end[0]; ++x)
      for (int y = begin[1]; y < end[1]; ++y)
        for (int z = begin[2]; z < end[2]; ++z) {
          const Quantities& q = tile.node(x, y, z);
          if (!(q[kMass] > 0)) continue;
          if (leaf == nullptr) leaf = &open_at(block + box_.number_of_step(unsigned(step[0]), unsigned(step[1]), unsigned(step[2])));
          Quantities& sum = (*leaf)[static_cast<std::size_t>(NodeFields::offset(x % kEdge, y % kEdge, z % kEdge))];
          sum = sum + q;
        }
  }

  Sums& open_at(std::uint64_t number) {
    const auto [place, is_new] = open_.try_emplace(number);
    if (is_new) place->second.fill(Quantities(0));
    return place->second;
  }

  void close_first() {
    const auto first = open_.begin();
    fields_.origin.push_back(box_.first_node(first->first));
    fields_.touched.emplace_back();
    fields_.first.push_back(fields_.mass.size());
    for (std::size_t n = 0; n < kNodes; ++n) {
      const Quantities& q = first->second[n];
      const double m = q[kMass];
      if (!(m > 0)) continue;
      const auto average = [&](int lane) { return static_cast<float>(q[lane] / m); };
      fields_.touched.back()[n / (kEdge * kEdge)] |= std::uint64_t{1} << n % (kEdge * kEdge);
      fields_.mass.push_back(static_cast<float>(m));
      if (with_velocity_) fields_.velocity.push_back({average(kMomentum), average(kMomentum + 1), average(kMomentum + 2)});
      if (with_jp_) fields_.jp.push_back(average(kMassJp));
    }
    open_.erase(first);
  }

  const BlockBox& box_;
  bool with_velocity_, with_jp_;
  std::map<std::uint64_t, Sums> open_;
  NodeFields fields_;
};

struct Sample {
  std::array<double, 3> x;
  Quantities q;
};

// The columns of a frame that are rasterized.
class Samples {
 public:
  explicit Samples(const FrameView& frame)
      : particles_(frame.size()),
        position_(reals(frame, Field::kPosition)),
        mass_(reals(frame, Field::kMass)),
        velocity_(reals(frame, Field::kVelocity)),
        jp_(reals(frame, Field::kJp)) {}

  std::size_t size() const { return particles_; }
  bool has_velocity() const { return !velocity_.empty(); }
  bool has_jp() const { return !jp_.empty(); }

  std::array<double, 3> position(std::size_t p) const { return {position_[3 * p], position_[3 * p + 1], position_[3 * p + 2]}; }
  Sample sample(std::size_t p) const {
    const double m = mass_[p];
    Sample s{position(p), Quantities(0)};
    s.q.set(kMass, m);
    if (has_velocity())
      for (int d = 0; d < 3; ++d) s.q.set(kMomentum + d, m * velocity_[3 * p + static_cast<std::size_t>(d)]);
    if (has_jp()) s.q.set(kMassJp, m * jp_[p]);
    return s;
  }

 private:
  std::size_t particles_;
  Numbers position_, mass_, velocity_, jp_;
};

void check(const std::string& name, const FrameView& frame, const NodeGrid& grid) {
  constexpr double kMostCells = std::numeric_limits<std::int32_t>::max() - 2 * kEdge;  // with the kernel's reach, to a leaf's end
  if (!has(frame, Field::kMass)) throw UserError(fmt::format("{}: density needs the mass of the particles, and they have none", name));
  const Samples samples(frame);
  for (std::size_t p = 0; p < samples.size(); ++p) {
    const std::size_t id = frame.id.empty() ? p : frame.id[p];
    const double mass = reals(frame, Field::kMass)[p];
    if (!(mass > 0)) throw UserError(fmt::format("{}: particle {}: {}", name, id, complaint(Field::kMass, 0, mass)));
    const std::array<double, 3> position = samples.position(p);
    for (const double x : position) {
      if (!std::isfinite(x)) throw UserError(fmt::format("{}: particle {} has a position that is not finite", name, id));
      if (std::abs(x / grid.spacing) > kMostCells)
        throw UserError(fmt::format("{}: particle {} is at {} m: with a spacing of {} m, at most {:g} m are allowed", name, id, x,
                                    grid.spacing, kMostCells * grid.spacing));
    }
    if (grid.dimension == 2 && position[2] != 0)
      throw UserError(fmt::format("{}: particle {} has z = {} m: in 2D it must be 0", name, id, position[2]));
  }
}

template <class K, int D>
NodeFields rasterize_with(const std::string& name, const Samples& samples, double h) {
  const std::size_t particles = samples.size();
  std::vector<Block> blocks(particles);
  for (std::size_t p = 0; p < particles; ++p) blocks[p] = Stencil<K, D>::at(samples.position(p), h).block();
  const BlockBox box(blocks);
  if (!box.can_be_numbered()) throw UserError(fmt::format("{}: the particles are too far apart for a spacing of {} m", name, h));
  std::vector<BlockEntry> entries(particles);
  for (std::size_t p = 0; p < particles; ++p) entries[p] = {box.number(blocks[p]), p};
  sort_by_block(entries, box.size());

  // Some are fetched at a time: a block's particles may lie all over the frame, and many waits for the memory at once cost as much as one.
  constexpr std::size_t kBatch = 64;
  std::vector<Sample> batch(kBatch);
  LeafFront<D> front(box, samples.has_velocity(), samples.has_jp());
  Tile<D> tile;
  for (std::size_t e = 0; e < particles; ++e) {
    if (e % kBatch == 0)
      for (std::size_t i = 0; i < std::min(kBatch, particles - e); ++i) batch[i] = samples.sample(entries[e + i].particle);
    const Sample& s = batch[e % kBatch];
    tile.add(Stencil<K, D>::at(s.x, h), s.q);
    if (e + 1 < particles && entries[e + 1].block == entries[e].block) continue;
    front.add(tile, entries[e].block);
    tile.clear();
  }
  return front.take();
}

template <class K>
NodeFields rasterize_with(const std::string& name, const Samples& samples, const NodeGrid& grid) {
  return grid.dimension == 2 ? rasterize_with<K, 2>(name, samples, grid.spacing) : rasterize_with<K, 3>(name, samples, grid.spacing);
}

}  // namespace

NodeFields rasterize(const std::string& name, const FrameView& frame, const NodeGrid& grid) {
  if (frame.size() == 0) return {};
  check(name, frame, grid);
  const Samples samples(frame);
  return grid.kernel == Kernel::kQuadratic ? rasterize_with<QuadraticKernel>(name, samples, grid)
                                           : rasterize_with<CubicKernel>(name, samples, grid);
}

}  // namespace firn
