#include "io/present_volume.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

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

}  // namespace firn
