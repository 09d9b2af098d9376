// render(): from frames to developed pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "build/form.h"
#include "core/clock.h"
#include "core/files.h"
#include "firn/error.h"
#include "firn/picture.h"
#include "io/vdb_write.h"
#include "render/path/deep_snow.h"
#include "render/path/denoise.h"
#include "render/path/lights.h"
#include "render/path/picture.h"
#include "render/path/snow_grains.h"
#include "render/path/tracer.h"
#include "render/shared/film.h"
#include "render/shared/grains.h"
#include "render/shared/image.h"
#include "render/shared/shoot.h"

namespace firn {
namespace {

constexpr int kMostSamples = 1 << 20;       // sums over a pixel are of single precision
constexpr int kMostOnSheet = 400;           // more could not be told apart
constexpr int kLongestPass = 64;            // samples
constexpr double kSecondsBetweenLooks = 4;  // at a picture that is still being made

void check(const RenderOptions& options) {
  if (options.samples && (*options.samples < 1 || *options.samples > kMostSamples))
    throw UserError(fmt::format("{} samples a pixel; allowed: 1 to {}", *options.samples, kMostSamples));
  if (options.sheet_frames < 1 || options.sheet_frames > kMostOnSheet)
    throw UserError(fmt::format("{} pictures on a sheet; allowed: 1 to {}", options.sheet_frames, kMostOnSheet));
  if (!options.film.empty()) check_film(options.film);
  if (options.sheet.empty()) return;
  if (file_ending(options.sheet) != ".png") throw UserError(fmt::format("{}: a sheet is a .png", options.sheet));
  check_file_can_be_made(options.sheet);
}

class Renderer {
 public:
  Renderer(const std::string& path, const RenderOptions& options)
      : path_(path), options_(options), shoot_(path, options.warn, options.frames, options.setup), look_(shoot_.settings()) {
    if (options.setup && !look_.sky_image.empty()) options.setup("light of the sky");
    if (options.colour == ColourBy::kNone) sky_ = scene_sky(look_);  // colours are shown in white light
    size_ = {options.width.value_or(look_.width), options.height.value_or(look_.height), options.seed};
    samples_ = options.samples.value_or(samples_of(options.quality));
    check_picture_size(size_.width, size_.height);
    if (!options.film.empty() && !shoot_.is_run()) throw UserError(path + ": one frame makes no film, give the folder of a run");
  }

  RenderResult render() {
    const Overview film = shoot_.overview(size_.width, size_.height, options_.colour);
    if (film.fitted.orthographic())
      throw UserError(path_ + ": this snow is two-dimensional, which firn preview draws and firn render does not");
    tint_ = film.tint;
    fitted_ = film.fitted;
    medium_ = medium_settings(film);
    ShootPlan plan{"render", size_.width, size_.height, options_.film, {}, {}};
    if (options_.exr) plan.other_endings.push_back(".exr");
    if (options_.volume) plan.other_endings.push_back(".vdb");
    const Pictures pictures = shoot_.take(plan, fitted_, [this](const Take& take) { return picture_of(take); });
    const bool with_sheet = !for_sheet_.empty();
    if (with_sheet) write_png(options_.sheet, contact_sheet(for_sheet_, sheet_columns()));
    return {pictures.paths,
            pictures.film,
            with_sheet ? options_.sheet : "",
            interrupted_,
            samples_of_last_,
            pictures.warning,
            {shoot_.unreadable().begin(), shoot_.unreadable().end()}};
  }

 private:
  // None when there is no time left for it.
  std::optional<Image> picture_of(const Take& take) {
    std::optional<TracedPicture> traced = trace(take);
    if (!traced) return std::nullopt;
    if (options_.quality != Quality::kFinal) traced->light = denoise(*traced);
    if (options_.exr) write_exr(take.stem + ".exr", *traced, ExrLayers::kAllFeatures);
    Image image = developed(*traced);
    if (is_on_sheet(take.number)) for_sheet_.push_back(image);
    return image;
  }

  Image developed(const TracedPicture& picture) const {
    Image image =
        develop(picture.light, picture.width, picture.height, 1, exposed(look_.exposure, look_.tone == Tone::kFilmic ? filmic : clipped));
    if (tint_) draw_legend(tint_->legend(), image);
    return image;
  }

  // With the same seed for every frame: where nothing moves, what noise is left does not move either.
  std::optional<TracedPicture> trace(const Take& take) {
    if (interrupted_) return std::nullopt;
    if (options_.setup) options_.setup(fmt::format("picture {}: snow as light sees it", take.number + 1));
    const Medium medium = medium_of(take);
    const float g = static_cast<float>(look_.anisotropy);
    const SnowLook snow{white_balanced(to_float(to_vec(look_.albedo)), g, static_cast<float>(look_.white_balance)), g, tint_.has_value()};
    std::deque<Stage> stages;  // they stay where they are
    std::vector<Moment> moments;
    for (const double time : moments_of(take.time)) {
      const Camera camera = scene_camera(look_, time, fitted_);
      stages.emplace_back(shoot_.scenery(), camera, time).open_to(camera);
      moments.push_back({PathTracer(medium, stages.back(), lights_of(camera), snow), camera});
    }
    ProgressivePicture picture(std::move(moments), size_);
    refine(picture, take);
    if (picture.samples() == 0) return std::nullopt;
    samples_of_last_ = picture.samples();
    return picture.picture();
  }

  // Spread over the time that the shutter is open, `time` in their middle.
  std::vector<double> moments_of(double time) const {
    constexpr int kMoments = 8;
    if (look_.shutter == 0) return {time};
    std::vector<double> moments;
    for (int k = 0; k < kMoments; ++k) moments.push_back(time + medium_.blur * ((k + 0.5) / kMoments - 0.5));
    return moments;
  }

  // Passes twice as long each time.
  void refine(ProgressivePicture& picture, const Take& take) {
    auto last_look = Clock::now();
    for (int done = 0, pass = 1; done < samples_ && !interrupted_; done += pass, pass = std::min(done, kLongestPass)) {
      pass = std::min(pass, samples_ - done);
      picture.add(pass, [&](double fraction) {
        report(take.number, (done + pass * fraction) / samples_);
        interrupted_ = options_.interrupted && options_.interrupted();
        return !interrupted_;
      });
      if (interrupted_ || done + pass == samples_ || seconds_since(last_look) < kSecondsBetweenLooks) continue;
      write_png(take.stem + ".png", developed(picture.picture()));
      last_look = Clock::now();
    }
  }

  Lights lights_of(const Camera& camera) const {
    return tint_ ? Lights(white_daylight(camera.sun)) : scene_lights(look_, camera, sky_ ? &*sky_ : nullptr);
  }

  // The same for all frames: were voxels to change when snow comes or goes, the look of all of it would jump.
  MediumSettings medium_settings(const Overview& film) const {
    const double particle = film.particles > 0 ? film.particle_size : std::cbrt(typical_volume({}, shoot_.scenery()));
    const double voxel = look_.voxel > 0 ? look_.voxel : usual_voxel(particle, film.particles);
    return {voxel, particle, look_.extinction, look_.shutter / shoot_.fps(), film.particles, {}};
  }

  Medium medium_of(const Take& take) const {
    MediumSettings settings = medium_;
    settings.frame = take.path;
    const NodeFields snow = snow_voxels(take.frame, settings, tint_ ? tint_->colours(take.frame, take.path) : std::vector<Colour>{});
    if (options_.volume) write_density(take.stem + ".vdb", snow, {take.time, shoot_.fps(), 3, medium_.voxel, Kernel::kCubic});
    return Medium(snow, take.camera, medium_);
  }

  void report(std::size_t number, double fraction) const {
    if (!options_.progress) return;
    const double seconds = seconds_since(begin_);
    const double done = (static_cast<double>(number) + fraction) / static_cast<double>(shoot_.size());
    const double left = done > 0 ? seconds * (1 - done) / done : 0;
    options_.progress({static_cast<int>(number) + 1, static_cast<int>(shoot_.size()), fraction, left});
  }

  // Pictures on the sheet are spread from the first to the last.
  std::size_t sheet_count() const { return std::min(static_cast<std::size_t>(options_.sheet_frames), shoot_.size()); }
  int sheet_columns() const { return static_cast<int>(std::ceil(std::sqrt(static_cast<double>(sheet_count())))); }
  bool is_on_sheet(std::size_t number) const {
    const std::size_t count = options_.sheet.empty() ? 0 : sheet_count();
    for (std::size_t k = 0; k < count; ++k)
      if (number == (count > 1 ? k * (shoot_.size() - 1) / (count - 1) : 0)) return true;
    return false;
  }

  std::string path_;
  const RenderOptions& options_;
  Shoot shoot_;
  RenderSettings look_;
  std::optional<SkyImage> sky_;
  PictureSize size_;
  int samples_;
  std::optional<Tint> tint_;
  Camera fitted_;
  MediumSettings medium_;
  bool interrupted_ = false;
  int samples_of_last_ = 0;
  std::vector<Image> for_sheet_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

int samples_of(Quality quality) {
  switch (quality) {
    case Quality::kDraft: return 6;
    case Quality::kGood: return 48;
    case Quality::kFinal: return 512;
  }
  return 0;
}

RenderResult render(const std::string& dir_or_frame, const RenderOptions& options) {
  check(options);
  return Renderer(dir_or_frame, options).render();
}

}  // namespace firn
