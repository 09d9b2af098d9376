#include "render/path/hdr_image.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTestFile.h>
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <stdexcept>

#include "core/parallel.h"
#include "firn/error.h"
#include "io/file.h"

namespace firn {
namespace {

// Of files that say them.
void check_primaries(const Imf::Header& header) {
  constexpr float kSame = 0.01f;
  if (!Imf::hasChromaticities(header)) return;
  const Imf::Chromaticities given = Imf::chromaticities(header), ours;
  for (const auto point : {&Imf::Chromaticities::red, &Imf::Chromaticities::green, &Imf::Chromaticities::blue, &Imf::Chromaticities::white})
    if (!((given.*point - ours.*point).length() < kSame)) throw std::runtime_error(kOtherPrimaries);
}

// Whether the picture has one channel for all colours.
bool is_grey(const Imf::ChannelList& channels) {
  if (channels.findChannel("R") && channels.findChannel("G") && channels.findChannel("B")) return false;
  if (channels.findChannel("Y") && !channels.findChannel("RY")) return true;
  throw std::runtime_error("it has neither channels R, G and B nor Y alone");
}

void read_pixels(Imf::InputFile& file, HdrImage& image) {
  const Imath::Box2i& window = file.header().dataWindow();
  const bool grey = is_grey(file.header().channels());
  Imf::FrameBuffer buffer;
  const auto read_into = [&](const char* name, int channel) {
    buffer.insert(name, Imf::Slice::Make(Imf::FLOAT, &image.pixels[0][channel], window.min, image.width, image.height, sizeof(Colour),
                                         sizeof(Colour) * static_cast<std::size_t>(image.width)));
  };
  if (grey) {
    read_into("Y", 0);
  } else {
    read_into("R", 0);
    read_into("G", 1);
    read_into("B", 2);
  }
  file.setFrameBuffer(buffer);
  file.readPixels(window.min.y, window.max.y);
  if (grey)
    for (Colour& pixel : image.pixels) pixel = Colour::filled(pixel[0]);
}

HdrImage read_exr_image(const std::string& path) {
  Imf::InputFile file(path.c_str(), 0);  // no threads of the library's own
  const Imf::Header& header = file.header();
  const Imath::Box2i &data = header.dataWindow(), &shown = header.displayWindow();
  if (data != shown) throw std::runtime_error("its pixels do not fill the picture (data and display window differ)");
  check_primaries(header);
  const long long width = 1LL + data.max.x - data.min.x, height = 1LL + data.max.y - data.min.y;
  check_hdr_size(width, height);
  HdrImage image{static_cast<int>(width), static_cast<int>(height), {}};
  image.pixels.resize(static_cast<std::size_t>(width * height));
  read_pixels(file, image);
  return image;
}

HdrImage read_any(const std::string& path) {
  if (Imf::isOpenExrFile(path.c_str())) return read_exr_image(path);
  if (is_radiance(read_file_start(path, 2))) return parse_radiance(read_file(path));
  throw std::runtime_error("neither an OpenEXR nor a Radiance (.hdr) picture");
}

void clean(HdrImage& image) {
  std::vector<int> bad(static_cast<std::size_t>(image.height), -1);  // column of a row's first number that is none
  parallel_for(bad.size(), [&](std::size_t y) {
    for (int x = image.width - 1; x >= 0; --x)
      for (float& value : image.pixels[image.at(x, static_cast<int>(y))].a) {
        if (!std::isfinite(value)) bad[y] = x;
        value = max(value, 0.0f);
      }
  });
  for (std::size_t y = 0; y < bad.size(); ++y)
    if (bad[y] >= 0) throw std::runtime_error(fmt::format("pixel ({}, {}) is not finite", bad[y], y));
}

}  // namespace

void check_hdr_size(long long width, long long height) {
  const auto most = static_cast<long long>(kMostHdrPixels);
  if (width < 1 || height < 1 || width > most || height > most || width * height > most)
    throw std::runtime_error(fmt::format("{} x {} pixels; allowed: 1 to {} in all", width, height, most));
}

HdrImage read_hdr_image(const std::string& path) {
  try {
    HdrImage image = read_any(path);
    clean(image);
    return image;
  } catch (const UserError&) {  // the file could not be read, and is named
    throw;
  } catch (const std::bad_alloc&) {
    throw UserError(fmt::format("{}: too large for this machine's memory", path));
  } catch (const std::exception& error) {  // ours and the OpenEXR library's
    throw UserError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace firn
