#include "render/shared/image.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "core/files.h"
#include "core/parallel.h"
#include "firn/error.h"
#include "render/shared/vector.h"

namespace firn {

Colour rolled_off(const Colour& light) {
  constexpr float kKnee = 0.7f, kRoom = 1 - kKnee;
  Colour shown = light;
  for (int c = 0; c < 3; ++c)
    if (light[c] > kKnee) shown[c] = kKnee + kRoom * (1 - std::exp(-(light[c] - kKnee) / kRoom));
  return shown;
}

Image develop(const std::vector<Colour>& light, int width, int height, int factor, const ToneCurve& tone) {
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 3)};
  parallel_for(height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      Colour sum = Colour::zero();
      for (int v = 0; v < factor; ++v)
        for (int u = 0; u < factor; ++u) sum += light[(static_cast<std::size_t>(y) * factor + v) * width * factor + x * factor + u];
      for (int c = 0; c < 3; ++c) sum[c] /= static_cast<float>(factor * factor);
      const Colour shown = tone(sum);
      for (int c = 0; c < 3; ++c) image.rgb[(static_cast<std::size_t>(y) * width + x) * 3 + c] = to_byte(shown[c]);
    }
  });
  return image;
}

void write_png(const std::string& path, const Image& image) {
  png_image info{};
  info.version = PNG_IMAGE_VERSION;
  info.width = static_cast<png_uint_32>(image.width);
  info.height = static_cast<png_uint_32>(image.height);
  info.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(info);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&info, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr))
    throw RunError(fmt::format("{}: cannot make the picture: {}", path, info.message));
  AtomicFile file(path);
  file.write(std::string_view(bytes).substr(0, size));
  file.commit();
}

namespace {

constexpr int kSheetGap = 4;           // pixels
constexpr std::uint8_t kGapByte = 64;  // a dark grey that neither snow nor shadow has

// The part of a row or column of pixels that one pixel of the smaller picture covers.
struct Span {
  int begin, end;
  std::vector<float> weight;  // of begin, begin + 1, …; their sum is 1
};

std::vector<Span> spans(int from, int to) {
  const double ratio = static_cast<double>(from) / to;
  std::vector<Span> result(to);
  for (int i = 0; i < to; ++i) {
    const double lo = i * ratio, hi = (i + 1) * ratio;
    Span& s = result[i];
    s.begin = static_cast<int>(lo);
    s.end = std::clamp(static_cast<int>(std::ceil(hi)), s.begin + 1, from);
    for (int j = s.begin; j < s.end; ++j)
      s.weight.push_back(static_cast<float>((std::min<double>(j + 1, hi) - std::max<double>(j, lo)) / ratio));
  }
  return result;
}

std::array<float, 256> light_of_bytes() {
  std::array<float, 256> light;
  for (int i = 0; i < 256; ++i) light[i] = from_byte(static_cast<std::uint8_t>(i));
  return light;
}

// Averages light, not its code: a thin bright line keeps its brightness.
Image scaled_down(const Image& image, int width, int height) {
  if (width == image.width && height == image.height) return image;
  const std::vector<Span> across = spans(image.width, width), down = spans(image.height, height);
  const std::array<float, 256> light = light_of_bytes();
  Image small{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 3)};
  parallel_for(height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      Colour sum = Colour::zero();
      for (int v = down[y].begin; v < down[y].end; ++v)
        for (int u = across[x].begin; u < across[x].end; ++u) {
          const float weight = down[y].weight[v - down[y].begin] * across[x].weight[u - across[x].begin];
          const std::uint8_t* pixel = image.rgb.data() + (static_cast<std::size_t>(v) * image.width + u) * 3;
          for (int c = 0; c < 3; ++c) sum[c] += weight * light[pixel[c]];
        }
      for (int c = 0; c < 3; ++c) small.rgb[(static_cast<std::size_t>(y) * width + x) * 3 + c] = to_byte(sum[c]);
    }
  });
  return small;
}

void place(Image& sheet, const Image& picture, int x, int y) {
  const std::size_t row = static_cast<std::size_t>(picture.width) * 3;
  for (int v = 0; v < picture.height; ++v)
    std::copy_n(picture.rgb.data() + v * row, row, sheet.rgb.data() + (static_cast<std::size_t>(y + v) * sheet.width + x) * 3);
}

}  // namespace

Image contact_sheet(const std::vector<Image>& pictures, int columns, int widest_sheet) {
  if (pictures.empty() || columns < 1) throw std::invalid_argument("a contact sheet wants pictures and columns");
  const Image& first = pictures.front();
  for (const Image& p : pictures)
    if (p.width != first.width || p.height != first.height) throw std::invalid_argument("the pictures of a contact sheet differ in size");

  const int count = static_cast<int>(pictures.size());
  columns = std::min(columns, count);
  const int rows = (count + columns - 1) / columns;
  const int widest = std::max(1, (widest_sheet - kSheetGap * (columns - 1)) / columns);
  const int width = std::min(first.width, widest);
  const int height = std::max(1, static_cast<int>(std::lround(static_cast<double>(first.height) * width / first.width)));

  Image sheet{columns * (width + kSheetGap) - kSheetGap, rows * (height + kSheetGap) - kSheetGap, {}};
  sheet.rgb.assign(static_cast<std::size_t>(sheet.width) * sheet.height * 3, kGapByte);
  for (int i = 0; i < count; ++i)
    place(sheet, scaled_down(pictures[i], width, height), i % columns * (width + kSheetGap), i / columns * (height + kSheetGap));
  return sheet;
}

}  // namespace firn
