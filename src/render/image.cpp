#include "render/image.h"

#include <fmt/format.h>
#include <png.h>
#include <cmath>

#include "core/parallel.h"
#include "firn/error.h"
#include "io/file.h"
#include "render/srgb.h"

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

}  // namespace firn
