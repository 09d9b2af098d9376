#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTestFile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/files.h"
#include "core/parallel.h"
#include "core/text.h"
#include "firn/error.h"
#include "render/path/lights.h"

namespace firn {
namespace {

// Throws when the file says that its primaries are not those of sRGB.
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

// Radiance's picture format (Ward 1991): a header of text, then rows of pixels with three mantissas and a common exponent.

namespace {

constexpr int kBytes = 4;                             // of a pixel: red, green, blue, exponent
constexpr int kExponentBias = 128 + 8;                // a mantissa of 256 and exponent 128 are 1
constexpr int kLeastPacked = 8, kMostPacked = 32767;  // widths of rows that may be packed channel by channel

// Red, green, blue and white, x and y of each.
using Primaries = std::array<float, 8>;
constexpr Primaries kSrgb{0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f, 0.3290f};
// The format's own, which files have that say nothing: so little different that most programs take them for those of sRGB, as we do.
constexpr Primaries kOwn{0.64f, 0.33f, 0.29f, 0.60f, 0.15f, 0.06f, 0.3333f, 0.3333f};
constexpr Primaries kNotKnown{};  // some programs write zeros

bool about_same(float a, float b) {
  constexpr float kSame = 0.015f;
  return std::abs(a - b) < kSame;
}

class RadianceParser {
 public:
  explicit RadianceParser(std::string_view bytes) : rest_(bytes) {}

  HdrImage parse() {
    read_header();
    read_size();
    row_.resize(static_cast<std::size_t>(image_.width) * kBytes);
    image_.pixels.reserve(
        std::min(image_.at(0, image_.height), rest_.size()));  // a packed file may be smaller, a false size must cost nothing
    for (int y = 0; y < image_.height; ++y) {
      read_row(y);
      for (std::size_t x = 0; x < row_.size(); x += kBytes) image_.pixels.push_back(colour(&row_[x]));
    }
    return std::move(image_);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }

  std::string_view line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) fail("the header does not end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::string_view take(std::size_t n) {
    if (rest_.size() < n) fail("the file ends within its pixels");
    const std::string_view bytes = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return bytes;
  }

  // Light was multiplied by every EXPOSURE before it was written.
  void read_header() {
    line();
    for (std::string_view text = line(); !text.empty(); text = line()) {
      if (text.starts_with("FORMAT=") && text != "FORMAT=32-bit_rle_rgbe")
        fail(fmt::format("\"{}\"; allowed: FORMAT=32-bit_rle_rgbe", printable(text)));
      if (text.starts_with("EXPOSURE=")) exposure_ *= exposure(value_of(text));
      if (text.starts_with("PRIMARIES=")) check_primaries(value_of(text));
    }
  }

  static std::string_view value_of(std::string_view text) { return text.substr(text.find('=') + 1); }

  static Primaries primaries(std::string_view text) {
    Primaries numbers{};
    const char *at = text.data(), *end = at + text.size();
    for (float& number : numbers) {
      at = std::find_if(at, end, [](char c) { return c != ' ' && c != '\t'; });
      const std::from_chars_result result = std::from_chars(at, end, number);
      if (result.ec != std::errc{}) fail(fmt::format("PRIMARIES={}: must be eight numbers", printable(text)));
      at = result.ptr;
    }
    return numbers;
  }

  static void check_primaries(std::string_view text) {
    const Primaries given = primaries(text);
    for (const Primaries& allowed : {kSrgb, kOwn, kNotKnown})
      if (std::equal(given.begin(), given.end(), allowed.begin(), about_same)) return;
    fail(kOtherPrimaries);
  }

  static float exposure(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    float value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (!(value > 0) || !std::isfinite(value)) fail(fmt::format("EXPOSURE={}: must be greater than 0", printable(text)));
    return value;
  }

  void read_size() {
    const std::string_view text = line();
    const char *at = text.data(), *end = at + text.size();
    long long width = 0, height = 0;
    const auto number_after = [&](std::string_view word, long long& value) {
      if (!std::string_view(at, end).starts_with(word)) return false;
      const std::from_chars_result result = std::from_chars(at + word.size(), end, value);
      at = result.ptr;
      return result.ec == std::errc{};
    };
    if (!number_after("-Y ", height) || !number_after(" +X ", width) || at != end)
      fail(fmt::format("the size is \"{}\"; must be -Y HEIGHT +X WIDTH", printable(text)));
    check_hdr_size(width, height);
    image_.width = static_cast<int>(width);
    image_.height = static_cast<int>(height);
  }

  void read_row(int y) {
    const bool may_be_packed = image_.width >= kLeastPacked && image_.width <= kMostPacked;
    if (may_be_packed && rest_.size() >= kBytes && rest_[0] == 2 && rest_[1] == 2 && byte(2) < 128) {
      if (byte(2) * 256 + byte(3) != image_.width) fail(fmt::format("row {} says it has another width", y));
      take(kBytes);
      for (int channel = 0; channel < kBytes; ++channel) read_channel(channel, y);
    } else {
      read_pixels(y);
    }
  }

  // Runs of one value, or of several different ones.
  void read_channel(int channel, int y) {
    for (int x = 0; x < image_.width;) {
      const int code = static_cast<std::uint8_t>(take(1)[0]);
      const bool repeats = code > 128;
      const int count = repeats ? code - 128 : code;
      if (count == 0 || count > image_.width - x) fail(fmt::format("row {} is damaged", y));
      const std::string_view values = take(repeats ? 1 : count);
      for (int i = 0; i < count; ++i, ++x) row_[x * kBytes + channel] = static_cast<std::uint8_t>(values[repeats ? 0 : i]);
    }
  }

  // Pixel by pixel. (1, 1, 1, n) repeats the one before n times; another such right after it counts 256 times as much.
  void read_pixels(int y) {
    int shift = 0;
    for (int x = 0; x < image_.width;) {
      const std::string_view pixel = take(kBytes);
      if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
        for (int i = 0; i < kBytes; ++i) row_[x * kBytes + i] = static_cast<std::uint8_t>(pixel[i]);
        ++x;
        shift = 0;
        continue;
      }
      const std::int64_t count = shift > 24 ? -1 : std::int64_t{static_cast<std::uint8_t>(pixel[3])} << shift;
      if (x == 0 || count < 0 || count > image_.width - x) fail(fmt::format("row {} is damaged", y));
      for (std::int64_t i = 0; i < count * kBytes; ++i) row_[x * kBytes + i] = row_[x * kBytes + i - kBytes];
      x += static_cast<int>(count);
      shift += 8;
    }
  }

  int byte(std::size_t i) const { return static_cast<std::uint8_t>(rest_[i]); }

  Colour colour(const std::uint8_t* p) const {
    if (p[3] == 0) return Colour::zero();
    const float unit = std::ldexp(1 / exposure_, p[3] - kExponentBias);
    return unit * Colour{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
  }

  std::string_view rest_;
  float exposure_ = 1;
  HdrImage image_;
  std::vector<std::uint8_t> row_;
};

}  // namespace

bool is_radiance(std::string_view bytes) { return bytes.starts_with("#?"); }

HdrImage parse_radiance(std::string_view bytes) { return RadianceParser(bytes).parse(); }

}  // namespace firn
