#include "render/path/picture.h"

#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <exception>
#include <string_view>
#include <utility>

#include "core/files.h"
#include "firn/error.h"

namespace firn {
namespace {

constexpr float kMiddleGrey = 0.18f;

// Below middle grey. Value, slope and curvature meet those of the straight line there.
float toe(float x) {
  constexpr float kDepth = 0.4f;  // how much darker the darkest tones get
  const float r = 1 - x / kMiddleGrey;
  return x * (1 - kDepth * r * r * r);
}

// Above middle grey: leaves the straight line with the fourth power, so that nothing is seen of where it begins, and never reaches 1.
float shoulder(float x) {
  constexpr float kRoom = 1 - kMiddleGrey;
  const float u = (x - kMiddleGrey) / kRoom;
  const float v = 1 / u;  // the same formula in 1/u where powers of u would overflow
  const float bent = u < 1 ? u / std::sqrt(std::sqrt(1 + u * u * u * u)) : 1 / std::sqrt(std::sqrt(1 + v * v * v * v));
  return kMiddleGrey + kRoom * bent;
}

float film_curve(float x) { return x < kMiddleGrey ? toe(x) : shoulder(x); }

}  // namespace

// A curve for each channel bends hues towards the primaries; one for all, led by the brightest, keeps them but leaves bright colours
// garish. Film lies between.
Colour filmic(const Colour& light) {
  constexpr float kBleach = 0.4f;
  Colour positive;
  for (int c = 0; c < 3; ++c) positive[c] = std::max(light[c], 0.0f);
  const float peak = std::max({positive[0], positive[1], positive[2]});
  if (peak == 0) return positive;
  const float scale = film_curve(peak) / peak;
  Colour shown;
  for (int c = 0; c < 3; ++c) shown[c] = mix(scale * positive[c], film_curve(positive[c]), kBleach);
  return shown;
}

Colour clipped(const Colour& light) {
  Colour shown;
  for (int c = 0; c < 3; ++c) shown[c] = clamp(light[c], 0.0f, 1.0f);
  return shown;
}

ToneCurve exposed(double stops, ToneCurve tone) {
  return [gain = static_cast<float>(std::exp2(stops)), tone = std::move(tone)](const Colour& light) { return tone(gain * light); };
}

namespace {

class MemoryStream : public Imf::OStream {
 public:
  explicit MemoryStream(const std::string& name) : OStream(name.c_str()) {}

  void write(const char bytes[], int n) override {
    const auto count = static_cast<std::size_t>(n);
    if (position_ + count > bytes_.size()) bytes_.resize(position_ + count);
    std::memcpy(bytes_.data() + position_, bytes, count);
    position_ += count;
  }
  std::uint64_t tellp() override { return position_; }
  void seekp(std::uint64_t position) override { position_ = position; }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

half to_half(float x) { return half(clamp(x, static_cast<float>(-HALF_MAX), static_cast<float>(HALF_MAX))); }

// The channels of one file: what the header says of them and where their numbers are.
class ExrChannels {
 public:
  explicit ExrChannels(const TracedPicture& picture) : picture_(picture), header_(picture.width, picture.height) {
    header_.compression() = Imf::ZIP_COMPRESSION;
  }

  // Halves, each channel a plane of its own.
  void add(const std::vector<Vec<float, 3>>& values, const std::array<const char*, 3>& names) {
    for (int c = 0; c < 3; ++c) {
      std::vector<half>& plane = planes_.emplace_back(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) plane[i] = to_half(values[i][c]);
      insert(names[c], Imf::HALF, reinterpret_cast<char*>(plane.data()), sizeof(half));
    }
  }
  void add(const std::vector<float>& values, const char* name) {
    insert(name, Imf::FLOAT, const_cast<char*>(reinterpret_cast<const char*>(values.data())), sizeof(float));
  }

  void write(Imf::OStream& stream) const {
    Imf::OutputFile file(stream, header_, 0);  // no threads of the library's own
    file.setFrameBuffer(buffer_);
    file.writePixels(picture_.height);
  }

 private:
  // The library's slices are not const, though writing only reads them.
  void insert(const char* name, Imf::PixelType type, char* first, std::size_t size) {
    header_.channels().insert(name, Imf::Channel(type));
    buffer_.insert(name, Imf::Slice(type, first, size, size * picture_.width));
  }

  const TracedPicture& picture_;
  Imf::Header header_;
  Imf::FrameBuffer buffer_;
  std::deque<std::vector<half>> planes_;  // stay where they are as more come
};

}  // namespace

void write_exr(const std::string& path, const TracedPicture& picture, ExrLayers layers) {
  MemoryStream stream(path);
  try {
    ExrChannels channels(picture);
    channels.add(picture.light, {"R", "G", "B"});
    if (layers == ExrLayers::kAllFeatures) {
      channels.add(picture.albedo, {"albedo.R", "albedo.G", "albedo.B"});
      channels.add(picture.normal, {"normal.X", "normal.Y", "normal.Z"});
      channels.add(picture.depth, "Z");
    }
    channels.write(stream);
  } catch (const std::exception& error) {
    throw RunError(fmt::format("{}: cannot make the picture: {}", path, error.what()));
  }
  AtomicFile file(path);
  file.write(stream.bytes());
  file.commit();
}

}  // namespace firn
