#include <fmt/format.h>
#include <muParser.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <numbers>

#include "core/files.h"
#include "firn/error.h"
#include "geometry/heightfield.h"
#include "math/random.h"

namespace firn {
namespace {

constexpr std::size_t kLongestFormula = 4000;  // characters
constexpr std::size_t kLongestQuote = 30;      // characters of the formula that a message repeats
constexpr const char* kAllowed = "allowed: + - * / ^ ( ) x z pi sin cos tan exp log sqrt abs min max noise";

double smallest(const double* values, int count) { return *std::min_element(values, values + count); }
double largest(const double* values, int count) { return *std::max_element(values, values + count); }
double noise(double a, double b) { return FractalNoise(0, 1)(a, b, 0); }

std::string reason_of(const mu::ParserError& error) {
  const std::string token = error.GetToken().substr(0, kLongestQuote);
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN: return fmt::format("unknown name \"{}\", {}", token, kAllowed);
    case mu::ecUNEXPECTED_EOF:
    case mu::ecEMPTY_EXPRESSION: return "the formula ends too early";
    case mu::ecMISSING_PARENS: return "a parenthesis is not closed";
    case mu::ecTOO_MANY_PARAMS: return fmt::format("too many arguments of {}", token);
    case mu::ecTOO_FEW_PARAMS: return fmt::format("too few arguments of {}", token);
    default: return fmt::format("unexpected \"{}\", {}", token, kAllowed);
  }
}

}  // namespace

struct Formula::Parts {
  mu::Parser parser;
  double x = 0, z = 0;
  std::string text;

  [[noreturn]] void fail(const mu::ParserError& error) const {
    const auto position =
        std::clamp<std::ptrdiff_t>(error.GetPos() + 1, 1, static_cast<std::ptrdiff_t>(std::max<std::size_t>(text.size(), 1)));
    throw UserError(fmt::format("formula, character {}: {}", position, reason_of(error)));
  }
};

Formula::Formula(const std::string& text) : parts_(std::make_unique<Parts>()) {
  if (text.size() > kLongestFormula)
    throw UserError(fmt::format("the formula has {} characters, at most {} are allowed", text.size(), kLongestFormula));
  // muParser would take it for an assignment.
  if (const std::size_t equals = text.find('='); equals != std::string::npos)
    throw UserError(fmt::format("formula, character {}: unexpected \"=\", {}", equals + 1, kAllowed));
  mu::Parser& parser = parts_->parser;
  parts_->text = text;
  try {
    parser.ClearFun();
    parser.ClearConst();
    parser.DefineVar("x", &parts_->x);
    parser.DefineVar("z", &parts_->z);
    parser.DefineConst("pi", std::numbers::pi);
    using Function = double (*)(double);
    const std::pair<const char*, Function> functions[] = {{"sin", std::sin}, {"cos", std::cos},   {"tan", std::tan}, {"exp", std::exp},
                                                          {"log", std::log}, {"sqrt", std::sqrt}, {"abs", std::abs}};
    for (const auto& [name, function] : functions) parser.DefineFun(name, function);
    parser.DefineFun("min", smallest);
    parser.DefineFun("max", largest);
    parser.DefineFun("noise", noise);
    parser.SetExpr(text);
    parser.Eval();  // parses
  } catch (const mu::ParserError& error) {
    parts_->fail(error);
  }
  if (parser.GetNumResults() > 1) throw UserError("formula: a comma separates arguments only");
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

double Formula::operator()(double x, double z) {
  parts_->x = x;
  parts_->z = z;
  double value = 0;
  try {
    value = parts_->parser.Eval();
  } catch (const mu::ParserError& error) {
    parts_->fail(error);
  }
  if (!std::isfinite(value))
    throw UserError(fmt::format("the formula is {} at x = {:.6g}, z = {:.6g}", std::isnan(value) ? "not a number" : "infinite", x, z));
  return value;
}

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
  if (file.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, 8) != 0)
    throw UserError(where, "is not a PNG picture");
  const Decoder decoder(file);
  Header header{};
  if (!read_header(decoder.png(), decoder.info(), &header))
    throw UserError(where, fmt::format("is a damaged PNG picture: {}", decoder.message()));
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
