#include "render/path/snow_grains.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/parallel.h"
#include "render/path/scattering.h"

namespace firn {
namespace {

// Coordinates of a cube in one number, x first: cubes along z follow each other.
constexpr int kBits = 21;
constexpr double kFarthestCube = (1 << (kBits - 1)) - 2;  // cubes from the middle; what lies beyond is put into the outermost ones
constexpr std::int64_t kY = std::int64_t{1} << kBits, kX = kY << kBits;

// The median of each coordinate: strays, however far, do not move it.
std::array<double, 3> middle_of(const Frame& frame) {
  std::array<double, 3> middle{};
  std::vector<double> coordinates(frame.size());
  for (std::size_t d = 0; d < 3 && !coordinates.empty(); ++d) {
    for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates[i] = frame.position[i][d];
    const auto half = coordinates.begin() + static_cast<std::ptrdiff_t>(coordinates.size() / 2);
    std::nth_element(coordinates.begin(), half, coordinates.end());
    middle[d] = *half;
  }
  return middle;
}

}  // namespace

Neighbours::Neighbours(const Frame& frame, double reach) : points_(frame.size()) {
  const std::array<double, 3> middle = middle_of(frame);
  parallel_for(points_.size(), [&](std::size_t i) {
    Point& point = points_[i];
    point = {0, static_cast<std::uint32_t>(i), Float3::zero()};
    for (std::size_t d = 0; d < 3; ++d) {
      const double x = (frame.position[i][d] - middle[d]) / reach;
      const double cell = std::clamp(std::floor(x), -kFarthestCube, kFarthestCube);
      point.cube = (point.cube << kBits) + static_cast<std::uint64_t>(cell + kFarthestCube + 1);
      point.place[static_cast<int>(d)] = static_cast<float>(x - cell);
    }
  });
  tbb::parallel_sort(points_.begin(), points_.end(),
                     [](const Point& a, const Point& b) { return std::tie(a.cube, a.index) < std::tie(b.cube, b.index); });
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (k == 0 || points_[k].cube != points_[k - 1].cube) first_.push_back(k);
  first_.push_back(points_.size());
}

void Neighbours::gather(std::size_t cube, std::vector<Float3>& places) const {
  places.clear();
  const std::uint64_t here = begin(cube)->cube;
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy) {
      const std::uint64_t middle = here + static_cast<std::uint64_t>(dx * kX + dy * kY);
      auto point = std::lower_bound(points_.begin(), points_.end(), middle - 1, [](const Point& p, std::uint64_t c) { return p.cube < c; });
      for (; point != points_.end() && point->cube <= middle + 1; ++point)
        places.push_back(point->place + Float3{static_cast<float>(dx), static_cast<float>(dy),
                                               static_cast<float>(static_cast<std::int64_t>(point->cube - middle))});
    }
}

namespace {

constexpr float kReach = 3.3f;    // edges of a particle: packed snow has about 150 neighbours within it
constexpr float kWidth = 0.6f;    // of a cloud, to that of the neighbourhood
constexpr float kPacked = 0.15f;  // variance of packed snow's neighbourhood along an axis, reach squared
constexpr float kLeast = 0.2f;    // edges: standard deviation of the flattest cloud along its shortest axis
constexpr float kLone = 0.65f;    // edges: the same of a particle on its own, which is powder
constexpr float kEvening = 0.3f;  // how far a cloud moves from its particle to the middle of the neighbourhood
// Sums of weights of a neighbourhood, about 75 in packed snow and half of that at its surface: snow is loose below, one body above.
constexpr float kLooseWeight = 4, kFirmWeight = 22;
// Grains lie in crumbs of so many: together in loose snow, which is seen crumb by crumb, and less so in firm snow, whose surface they
// make rough.
constexpr std::size_t kCrumb = 5;
constexpr float kTogetherLoose = 0.97f, kTogetherFirm = 0.75f;

// A ball that was stretched and shifted: grains are at shift + lower · (a point of the ball). In metres.
struct Cloud {
  float together;  // how close the grains of a crumb lie: 1 all in one place, 0 anywhere in the ball
  Float3 shift;
  float lower[6];  // 00, 10, 11, 20, 21, 22 of a triangular matrix

  Float3 at(const Float3& b) const {
    return shift + Float3{lower[0] * b[0], lower[1] * b[0] + lower[2] * b[1], lower[3] * b[0] + lower[4] * b[1] + lower[5] * b[2]};
  }
};

// Sums over a neighbourhood, lengths in units of the reach.
struct Moments {
  float weight = 0;
  Float3 first = Float3::zero();
  float second[6] = {};

  void add(const Float3& way) {
    const float square = dot(way, way);
    if (square >= 1) return;
    const float w = 1 - square * std::sqrt(square);
    weight += w;
    first += w * way;
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) second[k++] += w * way[i] * way[j];
  }

  // A cloud that is a ball with the neighbourhood's covariance; lengths in metres.
  Cloud cloud(float reach, float width, float edge) const {
    constexpr float kBall = 5;  // a ball's radius squared over its variance along an axis
    const Float3 mean = (1 / weight) * first;
    Mat<float, 3> covariance;
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j, ++k) covariance(i, j) = covariance(j, i) = second[k] / weight - mean[i] * mean[j];
    // Squared, so that the clouds of a surface are flatter than its neighbourhood: they must not blur it.
    const float scale = width * width / max(kPacked, (covariance(0, 0) + covariance(1, 1) + covariance(2, 2)) / 3);
    const Mat<float, 3> flat = covariance * covariance;
    const float firm = smoothstep(kLooseWeight, kFirmWeight, weight), least = edge * mix(kLone, kLeast, firm);
    float c[6];
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) c[k++] = kBall * (scale * flat(i, j) + (i == j ? least * least : 0));
    Cloud result{mix(kTogetherLoose, kTogetherFirm, firm), (kEvening * reach) * mean, {}};
    float* l = result.lower;  // Cholesky
    l[0] = std::sqrt(c[0]);
    l[1] = c[1] / l[0];
    l[2] = std::sqrt(c[2] - l[1] * l[1]);
    l[3] = c[3] / l[0];
    l[4] = (c[4] - l[3] * l[1]) / l[2];
    l[5] = std::sqrt(c[5] - l[3] * l[3] - l[4] * l[4]);
    return result;
  }
};

Float3 point_in_ball(Rng& rng) {
  const float cosine = 1 - 2 * random_float(rng), turn = random_float(rng), far = std::cbrt(random_float(rng));
  return far * direction_about({0, 1, 0}, cosine, turn);
}

constexpr double kMostGrains = 1.2e7;      // of a frame: 400 MB while they are sorted into voxels
constexpr double kFewest = 8, kMost = 64;  // of a particle; fewer do not fill a cloud

// What is left of the clouds' width in packed snow once the voxels' kernel has spread them by its own.
float narrowing(double voxels_along) {
  constexpr double kKernel = 1.0 / 3;  // variance of the cubic kernel along an axis, voxels squared
  const double packed = kWidth * kWidth * kReach * kReach * kPacked * voxels_along * voxels_along;
  return static_cast<float>(std::sqrt(std::max(1 - kKernel / packed, 0.0)));
}

}  // namespace

double usual_voxel(double particle, std::size_t particles) {
  const double along = std::floor(std::cbrt(kMostGrains / static_cast<double>(std::max<std::size_t>(particles, 1))));
  return particle / std::clamp(along, 1.0, 4.0);
}

std::size_t grains_of_particle(double particle, double voxel, std::size_t particles) {
  constexpr double kTooCoarse = 1.5;  // edges of a particle
  const double affordable = std::floor(kMostGrains / static_cast<double>(std::max<std::size_t>(particles, 1)));
  if (voxel > kTooCoarse * particle || affordable < kFewest) return 1;
  const double along = particle / voxel;
  return static_cast<std::size_t>(std::min(std::clamp(std::round(along * along * along), kFewest, kMost), affordable));
}

Frame as_grains(const Frame& frame, double particle, double voxel, std::size_t most) {
  const std::size_t count = grains_of_particle(particle, voxel, std::max(frame.size(), most));
  Frame grains;
  if (count == 1) {
    grains.position = frame.position;
    grains.mass = frame.mass;
    return grains;
  }
  const float edge = static_cast<float>(particle), reach = kReach * edge, width = reach * kWidth * narrowing(particle / voxel);
  const Neighbours neighbours(frame, reach);
  grains.position.resize(count * frame.size());
  if (!frame.mass.empty()) grains.mass.resize(grains.position.size());
  const auto scatter_one = [&](std::size_t p, const Cloud& cloud) {
    Rng rng(frame.id.empty() ? p : frame.id[p]);
    Float3 crumb = Float3::zero();
    for (std::size_t k = p * count; k < (p + 1) * count; ++k) {
      const Float3 own = point_in_ball(rng);
      if ((k - p * count) % kCrumb == 0) crumb = own;
      const Float3 way = cloud.at(mix(own, crumb, cloud.together));
      for (std::size_t d = 0; d < 3; ++d) grains.position[k][d] = frame.position[p][d] + way[static_cast<int>(d)];
      if (!frame.mass.empty()) grains.mass[k] = frame.mass[p] / static_cast<double>(count);
    }
  };
  parallel_for(neighbours.cubes(), [&](std::size_t cube) {
    std::vector<Float3> around;
    neighbours.gather(cube, around);
    for (const Neighbours::Point* point = neighbours.begin(cube); point != neighbours.end(cube); ++point) {
      Moments moments;
      for (const Float3& place : around) moments.add(place - point->place);
      scatter_one(point->index, moments.cloud(reach, width, edge));
    }
  });
  return grains;
}

void blur(Frame& grains, const Frame& frame, double seconds) {
  constexpr std::uint64_t kMoments = 5;  // a stream of random numbers of its own
  constexpr double kFan = 0.08;          // of its way: how far a grain flies beside the others of its particle
  const std::size_t count = frame.size() > 0 ? grains.size() / frame.size() : 0;
  for (std::size_t p = 0; p < frame.size(); ++p) {
    Rng rng(Rng::cell_key(kMoments, static_cast<std::int64_t>(frame.id.empty() ? p : frame.id[p]), 0, 0));
    const double speed = std::hypot(frame.velocity[p][0], frame.velocity[p][1], frame.velocity[p][2]);
    for (std::size_t k = p * count; k < (p + 1) * count; ++k) {
      const double moment = seconds * ((static_cast<double>(k - p * count) + rng.uniform()) / static_cast<double>(count) - 0.5);
      for (std::size_t d = 0; d < 3; ++d)
        grains.position[k][d] += moment * frame.velocity[p][d] + kFan * seconds * speed * (rng.uniform() + rng.uniform() - 1);
    }
  }
}

}  // namespace firn
