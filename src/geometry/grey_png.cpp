#include "geometry/grey_png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "core/read_file.h"
#include "firn/error.h"

namespace firn {
namespace {

constexpr std::size_t kLargestFile = std::size_t{512} << 20;  // bytes

// What libpng's callbacks see. libpng reports mistakes by longjmp: functions that call setjmp hold plain data only, so that nothing is
// left undestroyed.
struct Session {
  const char* at;
  std::size_t left;
  char message[120];
};

struct Header {
  png_uint_32 width, height;
  int bits;
  int colour;
};

void feed(png_structp png, png_bytep to, std::size_t count) {
  Session* session = static_cast<Session*>(png_get_io_ptr(png));
  if (count > session->left) png_error(png, "the file ends too early");
  std::memcpy(to, session->at, count);
  session->at += count;
  session->left -= count;
}

[[noreturn]] void fail(png_structp png, const char* message) {
  Session* session = static_cast<Session*>(png_get_error_ptr(png));
  std::strncpy(session->message, message, sizeof(session->message) - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, const char*) {}  // of chunks that do not matter to heights

bool read_header(png_structp png, png_infop info, Header* header) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_info(png, info);
  header->width = png_get_image_width(png, info);
  header->height = png_get_image_height(png, info);
  header->bits = png_get_bit_depth(png, info);
  header->colour = png_get_color_type(png, info);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

// Frees what libpng has allocated.
class Decoder {
 public:
  explicit Decoder(const std::string& bytes) : session_{bytes.data(), bytes.size(), {}} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &session_, fail, ignore_warning);
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) throw RunError("no memory to read a picture");
    png_set_read_fn(png_, &session_, feed);
  }
  ~Decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }
  const char* message() const { return session_.message; }

 private:
  Session session_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

GreyPicture read_grey_png(const std::string& path, std::size_t most_pixels) {
  const std::string file = read_file(path, kLargestFile);
  const Location where{path};
  if (file.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, 8) != 0) throw UserError(where, "is not a PNG picture");
  const Decoder decoder(file);
  Header header{};
  if (!read_header(decoder.png(), decoder.info(), &header)) throw UserError(where, fmt::format("is a damaged PNG picture: {}", decoder.message()));
  if (header.colour != PNG_COLOR_TYPE_GRAY) throw UserError(where, "must be a grey picture, without colour or transparency");
  const std::size_t width = header.width, height = header.height;
  if (width > most_pixels / height)
    throw UserError(where, fmt::format("has {} × {} pixels, at most {} in all are allowed", width, height, most_pixels));
  const std::size_t bytes_per_value = header.bits == 16 ? 2 : 1;
  std::vector<png_byte> bytes(width * height * bytes_per_value);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) rows[y] = bytes.data() + y * width * bytes_per_value;
  if (!read_rows(decoder.png(), rows.data())) throw UserError(where, fmt::format("is a damaged PNG picture: {}", decoder.message()));
  GreyPicture picture{static_cast<int>(width), static_cast<int>(height), std::vector<double>(width * height)};
  for (std::size_t i = 0; i < picture.values.size(); ++i)
    picture.values[i] = bytes_per_value == 2 ? (256 * bytes[2 * i] + bytes[2 * i + 1]) / 65535.0 : bytes[i] / 255.0;
  return picture;
}

}  // namespace firn
