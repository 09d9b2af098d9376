#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "firn/error.h"
#include "render/path/lights.h"

namespace firn {

AliasTable::AliasTable(const std::vector<float>& weights)
    : entries_(weights.size()), sum_(std::accumulate(weights.begin(), weights.end(), 0.0)) {
  const double mean = sum_ / static_cast<double>(weights.size());
  std::vector<double> left(weights.size());  // of each weight, in units of a place, not yet put anywhere
  std::vector<std::uint32_t> poor, rich;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    left[i] = mean > 0 ? weights[i] / mean : 1;
    entries_[i] = {static_cast<float>(left[i] / static_cast<double>(weights.size())), 1, i};
    (left[i] < 1 ? poor : rich).push_back(i);
  }
  while (!poor.empty() && !rich.empty()) {
    const std::uint32_t filled = poor.back(), giver = rich.back();
    poor.pop_back();
    entries_[filled].own = static_cast<float>(left[filled]);
    entries_[filled].other = giver;
    left[giver] -= 1 - left[filled];
    if (left[giver] >= 1) continue;
    rich.pop_back();
    poor.push_back(giver);
  }
}

namespace {

constexpr double kPi = std::numbers::pi;

// Directions are chosen by cells, which of small pictures are pixels. More cells would cost gigabytes and choose no better: the sun, half a
// degree wide, is six of them across.
constexpr int kMostCellsAround = 4096;

int cell_edge(const HdrImage& image) {
  int edge = 1;
  while (image.width / edge > kMostCellsAround && image.width % (2 * edge) == 0 && image.height % (2 * edge) == 0) edge *= 2;
  return edge;
}

HdrImage scaled(HdrImage image, float factor) {
  if (factor == 1) return image;
  parallel_for(image.height, [&](int y) {
    for (int x = 0; x < image.width; ++x) image.pixels[image.at(x, y)] = factor * image.pixels[image.at(x, y)];
  });
  return image;
}

}  // namespace

SkyImage::SkyImage(HdrImage image, double degrees, double strength)
    : image_(scaled(std::move(image), static_cast<float>(strength))),
      turn_(static_cast<float>(degrees / 360)),
      edge_(cell_edge(image_)),
      table_(cell_fluences()) {}

double SkyImage::solid_angle(int row, int rows) const {
  const double step = kPi / rows;
  return 2 * std::sin((row + 0.5) * step) * std::sin(0.5 * step) * kPi / rows;  // difference of cosines × part of the turn
}

// Luminance × solid angle. The mean over a pixel of what radiance() gives there has an eighth of each neighbour's: pixels beside the sun
// are as bright as their darkest and brightest corners, and a pdf made of their own colour alone would miss that.
std::vector<float> SkyImage::cell_fluences() const {
  const int w = image_.width, h = image_.height, across_cells = w / edge_;
  if (w != 2 * h) throw UserError(fmt::format("{} x {} pixels; a sky is twice as wide as high", w, h));
  std::vector<float> fluences(static_cast<std::size_t>(across_cells) * static_cast<std::size_t>(h / edge_));
  parallel_for(h / edge_, [&](int cell_row) {
    for (int y = cell_row * edge_; y < (cell_row + 1) * edge_; ++y) {
      const auto across = [&](int x, int row) {
        const auto at = [&](int column) { return luminance(image_.pixels[image_.at((column + w) % w, std::clamp(row, 0, h - 1))]); };
        return 0.125f * (at(x - 1) + at(x + 1)) + 0.75f * at(x);
      };
      const auto angle = static_cast<float>(solid_angle(y, h));
      float* row = &fluences[static_cast<std::size_t>(cell_row) * static_cast<std::size_t>(across_cells)];
      for (int x = 0; x < w; ++x) row[x / edge_] += angle * (0.125f * (across(x, y - 1) + across(x, y + 1)) + 0.75f * across(x, y));
    }
  });
  return fluences;
}

SkyImage::Place SkyImage::place_of(const Float3& d) const {
  const float right = std::atan2(d[0], -d[2]) / (2 * std::numbers::pi_v<float>);
  const float u = 0.5f + right + turn_;
  const float down = std::atan2(std::hypot(d[0], d[2]), d[1]) / std::numbers::pi_v<float>;
  return {(u - std::floor(u)) * static_cast<float>(image_.width), down * static_cast<float>(image_.height)};
}

Colour SkyImage::radiance(const Float3& direction) const {
  const Place p = place_of(direction);
  const float left = std::floor(p.x - 0.5f), above = std::floor(p.y - 0.5f);
  const int w = image_.width, x0 = (static_cast<int>(left) + w) % w, x1 = (x0 + 1) % w;
  const auto row = [&](int y) {
    const int within = std::clamp(y, 0, image_.height - 1);
    return mix(image_.pixels[image_.at(x0, within)], image_.pixels[image_.at(x1, within)], p.x - 0.5f - left);
  };
  const int y = static_cast<int>(above);
  return mix(row(y), row(y + 1), p.y - 0.5f - above);
}

// Anywhere in the cell that was drawn, all parts of its solid angle alike.
Float3 SkyImage::choose(Rng& rng) const {
  const std::size_t cell = table_.draw(rng);
  const int across = image_.width / edge_, down = image_.height / edge_;
  const double x = static_cast<double>(cell % across), y = static_cast<double>(cell / across), step = kPi / down;
  const double up = std::cos(y * step) + rng.uniform() * (std::cos((y + 1) * step) - std::cos(y * step));
  const double out = std::sqrt(std::max(0.0, 1 - up * up));
  const double right = 2 * kPi * ((x + rng.uniform()) / across - 0.5 - turn_);
  return normalized(to_float({out * std::sin(right), up, -out * std::cos(right)}));
}

float SkyImage::pdf(const Float3& direction) const {
  const Place p = place_of(direction);
  const int x = std::min(static_cast<int>(p.x), image_.width - 1) / edge_, y = std::min(static_cast<int>(p.y), image_.height - 1) / edge_;
  const std::size_t cell = static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width / edge_) + static_cast<std::size_t>(x);
  return table_.chance(cell) / static_cast<float>(solid_angle(y, image_.height / edge_));
}

}  // namespace firn
