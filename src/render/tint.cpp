#include "render/tint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "firn/error.h"
#include "io/attributes.h"
#include "io/present_volume.h"
#include "render/grains.h"

namespace firn {
namespace {

constexpr double kFarthestOut = 0.02;              // of the particles, at either end: a few splinters do not take the whole scale
constexpr std::size_t kMostCounted = 200'000;      // particles of a frame, enough to know its extremes
constexpr double kMostPlastic = kMostVolumeRatio;  // of J_P and 1 / J_P: torn snow is stretched on paper only, without end

constexpr double kJpSteps = 10;  // one digit after the 1 will do: 1.5 rather than 1.41

// Colours of numbers. What is shown is not always what is on the scale: J_P is a ratio, and its logarithm has 1 in the middle.
struct Quantity {
  std::string_view title;
  std::string_view name;  // in errors
  std::span<const Field> needs;
  std::vector<double> (*numbers)(const Frame&);  // of every particle of a frame that has what it needs
  ColourMap map;
  double least_width;  // of a scale: what is the same for all particles need not be told apart
};

constexpr std::array kForSpeed{Field::kVelocity}, kForJp{Field::kJp}, kForMaterial{Field::kMaterial};
constexpr std::array kForDensity{Field::kMass, Field::kVolume, Field::kJp, Field::kJe};

template <class Number>
std::vector<double> of_every_particle(const Frame& frame, const Number& number) {
  std::vector<double> result(frame.size());
  for (std::size_t p = 0; p < frame.size(); ++p) result[p] = number(p);
  return result;
}

std::vector<double> speeds(const Frame& frame) {
  return of_every_particle(frame, [&v = frame.velocity](std::size_t p) { return std::hypot(v[p][0], v[p][1], v[p][2]); });
}
std::vector<double> logarithms_of_jp(const Frame& frame) {
  return of_every_particle(frame, [&](std::size_t p) { return std::log(frame.jp[p]); });
}
std::vector<double> densities(const Frame& frame) {
  const PresentVolume volume(frame, 0, kMostVolumeRatio);
  return of_every_particle(frame, [&](std::size_t p) { return frame.mass[p] / volume(p); });
}
std::vector<double> materials(const Frame& frame) { return {frame.material.begin(), frame.material.end()}; }

Quantity quantity(ColourBy by) {
  switch (by) {
    case ColourBy::kSpeed:
      return {"speed, m/s", "speed", kForSpeed, speeds, ember, 0.01};
    case ColourBy::kJp:
      return {"plastic volume J_P", "jp", kForJp, logarithms_of_jp, red_to_blue, 0.02};
    case ColourBy::kDensity:
      return {"density, kg/m³", "density", kForDensity, densities, lagoon, 20};
    default:
      return {"material", "material", kForMaterial, materials, nullptr, 0};
  }
}

bool has_column(const Frame& frame, Field field) {
  return field == Field::kMaterial ? !frame.material.empty() : !reals(frame, field).empty();
}

// Of a sample; reorders it.
double percentile(std::vector<double>& sample, double part) {
  const auto at = sample.begin() + static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(sample.size() - 1)));
  std::nth_element(sample.begin(), at, sample.end());
  return *at;
}

std::vector<double> sample_of(const std::vector<double>& numbers) {
  const std::size_t stride = numbers.size() / kMostCounted + 1;
  std::vector<double> sample;
  for (std::size_t i = 0; i < numbers.size(); i += stride) sample.push_back(numbers[i]);
  return sample;
}

// A tenth of the width's power of ten: ends that are multiples of it have two digits that count.
double round_step(double width) { return std::pow(10, std::floor(std::log10(width)) - 1); }

constexpr double kSlack = 1e-9;  // of a step: what is round already stays
double rounded_up(double x, double step) { return std::ceil(x / step - kSlack) * step; }
double rounded_down(double x, double step) { return std::floor(x / step + kSlack) * step; }

}  // namespace

void Tint::check(const Frame& frame, const std::string& path) const {
  if (frame.size() == 0) return;
  const Quantity q = quantity(by_);
  for (const Field field : q.needs)
    if (!has_column(frame, field))
      throw UserError(fmt::format("{}: to colour the snow by {} takes its {} ({}), which the file does not have", path, q.name,
                                  attribute(field).name, attribute(field).meaning));
  if (by_ != ColourBy::kMaterial) return;
  if (scenery_ == nullptr)
    throw UserError(fmt::format("{}: to colour the snow by material takes the scene.toml of its run beside it, which names them", path));
  const std::size_t count = scenery_->scene.materials.size();
  for (const std::uint16_t material : frame.material)
    if (material >= count)
      throw UserError(
          fmt::format("{}: material {} is not in the scene.toml beside it, which has {}: 0 to {}", path, material, count, count - 1));
}

void Tint::include(const Frame& frame, const std::string& path) {
  check(frame, path);
  if (frame.size() == 0 || by_ == ColourBy::kMaterial) return;
  std::vector<double> sample = sample_of(quantity(by_).numbers(frame));
  const double low = percentile(sample, kFarthestOut), high = percentile(sample, 1 - kFarthestOut);
  least_ = empty_ ? low : std::min(least_, low);
  most_ = empty_ ? high : std::max(most_, high);
  empty_ = false;
}

void Tint::include(const Tint& other) {
  if (other.empty_) return;
  least_ = empty_ ? other.least_ : std::min(least_, other.least_);
  most_ = empty_ ? other.most_ : std::max(most_, other.most_);
  empty_ = false;
}

Tint::Scale Tint::scale() const {
  const double least_width = quantity(by_).least_width;
  if (by_ == ColourBy::kJp) {
    const double ratio = std::exp(std::max(std::abs(least_), std::abs(most_)));
    const double beyond_one = std::clamp(ratio - 1, least_width / 2, kMostPlastic - 1);
    const double reach = std::log1p(rounded_up(beyond_one, kJpSteps * round_step(beyond_one)));
    return {-reach, reach};
  }
  // What is nearly the same for all particles is in the middle of the scale; that of speed begins with 0.
  const bool from_zero = by_ == ColourBy::kSpeed;
  const double missing = from_zero ? 0 : std::max(least_width - (most_ - least_), 0.0);
  const double low = from_zero ? 0 : std::max(0.0, least_ - missing / 2);
  const double high = std::max(most_ + missing / 2, low + least_width);
  const double step = round_step(high - low);
  return {rounded_down(low, step), rounded_up(high, step)};
}

std::vector<Colour> Tint::colours(const Frame& frame, const std::string& path) const {
  check(frame, path);
  const std::vector<double> x = quantity(by_).numbers(frame);
  std::vector<Colour> result(x.size());
  if (by_ == ColourBy::kMaterial) {
    std::transform(x.begin(), x.end(), result.begin(), [](double number) { return distinct(static_cast<std::size_t>(number)); });
    return result;
  }
  const ColourMap map = quantity(by_).map;
  const auto [low, high] = scale();
  for (std::size_t p = 0; p < x.size(); ++p) result[p] = map(static_cast<float>((x[p] - low) / (high - low)));
  return result;
}

Legend Tint::legend() const {
  const Quantity q = quantity(by_);
  Legend legend{std::string(q.title), q.map, {}, {}, {}, {}};
  if (by_ == ColourBy::kMaterial) {
    for (std::size_t i = 0; i < scenery_->scene.materials.size(); ++i)
      legend.kinds.push_back({distinct(i), scenery_->scene.materials[i].name});
    return legend;
  }
  const auto [low, high] = scale();
  const bool is_ratio = by_ == ColourBy::kJp;
  const auto label = [](double number) { return fmt::format("{:.3g}", number); };
  legend.low = label(is_ratio ? std::exp(low) : low);
  if (is_ratio) legend.middle = label(1);
  legend.high = label(is_ratio ? std::exp(high) : high);
  return legend;
}

}  // namespace firn
