#include "render/shared/tint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "firn/error.h"
#include "frame/attributes.h"
#include "frame/rasterize.h"
#include "render/shared/canvas.h"
#include "render/shared/grains.h"

namespace firn {
namespace {

// L, a and b: lightness, towards red from green, towards yellow from blue.
using Oklab = Vec<float, 3>;
template <std::size_t N>
using Anchors = std::array<Oklab, N>;

constexpr Anchors<5> kEmber{
    {{0.41f, 0.053f, -0.172f}, {0.535f, 0.173f, -0.135f}, {0.66f, 0.181f, 0.059f}, {0.79f, 0.070f, 0.132f}, {0.92f, -0.019f, 0.108f}}};
constexpr Anchors<5> kLagoon{
    {{0.43f, -0.009f, -0.130f}, {0.555f, -0.061f, -0.098f}, {0.68f, -0.108f, -0.023f}, {0.80f, -0.130f, 0.075f}, {0.92f, -0.046f, 0.143f}}};
constexpr Anchors<5> kRedToBlue{
    {{0.50f, 0.147f, 0.085f}, {0.73f, 0.087f, 0.111f}, {0.96f, 0, 0}, {0.71f, -0.041f, -0.111f}, {0.46f, -0.022f, -0.157f}}};
// Neighbours in the list, which are what most scenes have, differ most.
constexpr Anchors<kHues> kDistinct{{{0.72f, 0.086f, 0.123f},    // orange
                                    {0.62f, -0.048f, -0.132f},  // blue
                                    {0.72f, -0.130f, 0.075f},   // green
                                    {0.62f, 0.197f, 0.035f},    // crimson
                                    {0.86f, -0.022f, 0.158f},   // yellow
                                    {0.55f, 0.100f, -0.173f},   // violet
                                    {0.78f, -0.091f, -0.042f},  // turquoise
                                    {0.55f, 0.040f, 0.069f}}};  // brown

// Ottosson 2020, "A perceptual color space for image processing".
Colour to_linear(const Oklab& c) {
  const auto cube = [](float x) { return x * x * x; };
  const float l = cube(c[0] + 0.3963377774f * c[1] + 0.2158037573f * c[2]);
  const float m = cube(c[0] - 0.1055613458f * c[1] - 0.0638541728f * c[2]);
  const float s = cube(c[0] - 0.0894841775f * c[1] - 1.2914855480f * c[2]);
  const Colour rgb{4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s, -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                   -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
  return {clamp(rgb[0], 0.0f, 1.0f), clamp(rgb[1], 0.0f, 1.0f), clamp(rgb[2], 0.0f, 1.0f)};
}

template <std::size_t N>
Colour between(const Anchors<N>& anchors, float t) {
  const float x = clamp(t, 0.0f, 1.0f) * static_cast<float>(N - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(x), N - 2);
  return to_linear(mix(anchors[i], anchors[i + 1], x - static_cast<float>(i)));
}

}  // namespace

Colour ember(float t) { return between(kEmber, t); }
Colour lagoon(float t) { return between(kLagoon, t); }
Colour red_to_blue(float t) { return between(kRedToBlue, t); }

Colour distinct(std::size_t n) {
  constexpr float kDarker = 0.8f;  // each time around
  return to_linear(std::pow(kDarker, static_cast<float>(n / kHues)) * kDistinct[n % kHues]);
}

namespace {

// In heights of capital letters:
constexpr float kMargin = 1.0f, kPadding = 0.9f, kLineGap = 0.75f, kBarWidth = 15, kBarHeight = 1.1f, kPatch = 1.1f, kAfterPatch = 0.7f;

// Puts one line under the other.
class Layout {
 public:
  Layout(const Legend& legend, Image& image, const Inset& inset) : legend_(legend), canvas_(image), capitals_(capitals_in(image)) {
    const int left = inset.left + pixels(kMargin), bottom = image.height - inset.bottom - pixels(kMargin);
    const PixelBox panel{left, bottom - pixels(height()), left + pixels(width()), bottom};
    canvas_.fill(panel, kPanel, kPanelCover);
    x_ = static_cast<float>(panel.left + pixels(kPadding));
    y_ = static_cast<float>(panel.top + pixels(kPadding));
  }

  void draw() {
    write(legend_.title, 0);
    next(1);
    if (legend_.map != nullptr) draw_bar();
    for (const Legend::Kind& kind : legend_.kinds) {
      canvas_.fill(box(kPatch, kPatch), kind.colour);
      write(kind.name, kPatch + kAfterPatch);
      next(kPatch);
    }
  }

 private:
  // The size of the panel, in heights of capital letters.
  float width() const {
    float widest = std::max(set_text(legend_.title).width, legend_.map != nullptr ? kBarWidth : 0.0f);
    for (const Legend::Kind& kind : legend_.kinds) widest = std::max(widest, kPatch + kAfterPatch + set_text(kind.name).width);
    return widest + 2 * kPadding;
  }
  float height() const {
    const float bar = legend_.map != nullptr ? kBarHeight + 1 + 2 * kLineGap : 0;
    return 1 + bar + static_cast<float>(legend_.kinds.size()) * (kPatch + kLineGap) + 2 * kPadding;
  }

  void draw_bar() {
    const PixelBox bar = box(kBarWidth, kBarHeight);
    for (int x = bar.left; x < bar.right; ++x) {
      const float t = (static_cast<float>(x - bar.left) + 0.5f) / static_cast<float>(bar.right - bar.left);
      canvas_.fill({x, bar.top, x + 1, bar.bottom}, legend_.map(t));
    }
    next(kBarHeight);
    write(legend_.low, 0);
    write(legend_.middle, 0.5f * (kBarWidth - set_text(legend_.middle).width));
    write(legend_.high, kBarWidth - set_text(legend_.high).width);
  }

  // A line of text whose capitals begin at the top of the present line.
  void write(const std::string& text, float x) {
    const float capitals = static_cast<float>(capitals_);
    canvas_.write(set_text(text), x_ + capitals * x, y_ + capitals, capitals);
  }
  void next(float line) { y_ += static_cast<float>(pixels(line) + pixels(kLineGap)); }
  PixelBox box(float wide, float high) const {
    const int left = static_cast<int>(x_), top = static_cast<int>(y_);
    return {left, top, left + pixels(wide), top + pixels(high)};
  }
  int pixels(float capitals) const { return static_cast<int>(std::lround(capitals * static_cast<float>(capitals_))); }

  const Legend& legend_;
  Canvas canvas_;
  int capitals_;         // pixels
  float x_ = 0, y_ = 0;  // where the next line begins, pixels
};

}  // namespace

void draw_legend(const Legend& legend, Image& image, const Inset& inset) { Layout(legend, image, inset).draw(); }

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
    case ColourBy::kSpeed: return {"speed, m/s", "speed", kForSpeed, speeds, ember, 0.01};
    case ColourBy::kJp: return {"plastic volume J_P", "jp", kForJp, logarithms_of_jp, red_to_blue, 0.02};
    case ColourBy::kDensity: return {"density, kg/m³", "density", kForDensity, densities, lagoon, 20};
    default: return {"material", "material", kForMaterial, materials, nullptr, 0};
  }
}

bool has_column(const Frame& frame, Field field) {
  return field == Field::kMaterial ? !frame.material.empty() : !reals(frame, field).empty();
}

// The number of the sample that `part` of its numbers are below; reorders the sample.
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
