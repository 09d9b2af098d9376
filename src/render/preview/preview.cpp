#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <optional>

#include "firn/error.h"
#include "firn/picture.h"
#include "render/preview/frame_picture.h"
#include "render/preview/grid_overlay.h"
#include "render/shared/canvas.h"
#include "render/shared/film.h"
#include "render/shared/image.h"
#include "render/shared/shoot.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRuns = 16;   // side by side
constexpr std::size_t kMostInARow = 3;  // of them
constexpr int kWidestFilm = 3840;       // pixels, of films of several runs: what players show

// `name` of the run, to be written on it; may be empty.
Image draw(const Take& take, const Scenery* scenery, const Overview& film, const PreviewOptions& options, const std::string& name) {
  const Shot shot{take.time, options.width, options.height};
  const std::vector<Colour> colours = film.tint ? film.tint->colours(take.frame, take.path) : std::vector<Colour>{};
  Image image = render_preview(take.frame, scenery, take.camera, shot, colours);
  std::optional<GridOverlay> overlay;
  if (!options.show.empty()) overlay.emplace(options.show);
  if (overlay) overlay->draw(take.path, scenery, take.camera, take.time, image);
  const Inset taken = draw_axes(take.camera, take.time, image);
  if (film.tint) draw_legend(film.tint->legend(), image, taken);
  if (overlay) overlay->draw_legend(image, taken);
  if (!name.empty()) draw_label(name, Corner::kLeft, image, taken.left);
  return image;
}

// The folders' names; where two are the same, the paths.
std::vector<std::string> names_of(const std::vector<std::string>& runs) {
  std::vector<std::string> names;
  for (const std::string& run : runs) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(run, error);
    names.push_back(error ? run : whole.filename().string());
  }
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? names : runs;
}

// Runs that are shown together.
class SideBySide {
 public:
  SideBySide(const std::vector<std::string>& runs, const PreviewOptions& options) : options_(options), names_(names_of(runs)) {
    for (const std::string& run : runs)
      if (!shoots_.emplace_back(run, options.warn, options.frames, options.setup).is_run())
        throw UserError(run + ": one frame makes no film, give the folder of a run");
    for (Shoot& shoot : shoots_) overviews_.push_back(shoot.overview(options.width, options.height, options.colour));
    if (options.colour == ColourBy::kNone || options.colour == ColourBy::kMaterial) return;
    for (const Overview& other : overviews_)
      for (Overview& overview : overviews_) overview.tint->include(*other.tint);
  }

  PreviewResult film() {
    const double fps = std::max_element(shoots_.begin(), shoots_.end(), [](const Shoot& a, const Shoot& b) {
                         return a.film_fps() < b.film_fps();
                       })->film_fps();
    double begin = shoots_.front().time(0), end = begin;
    for (const Shoot& shoot : shoots_) {
      begin = std::min(begin, shoot.time(0));
      end = std::max(end, shoot.time(shoot.size() - 1));
    }
    const int total = static_cast<int>(std::lround((end - begin) * fps)) + 1;
    std::optional<Film> film;
    latest_.resize(shoots_.size());
    for (int i = 0; i < total; ++i) {
      const Image all = picture_at(begin + i / fps, 0.5 / fps);
      if (!film) film.emplace(options_.film_path, all.width, all.height, fps);
      film->add(all);
      if (options_.progress) options_.progress(i + 1, total);
    }
    PreviewResult result;
    result.warning = film->finish();
    if (result.warning.empty()) result.film = options_.film_path;
    for (const Shoot& shoot : shoots_)
      result.unreadable.insert(result.unreadable.end(), shoot.unreadable().begin(), shoot.unreadable().end());
    return result;
  }

 private:
  // What a run shows, until its next frame is due.
  struct Latest {
    std::size_t next = 0;  // frame
    Image image;
  };

  Image picture_at(double time, double slack) {
    std::vector<Image> images;
    for (std::size_t r = 0; r < shoots_.size(); ++r) {
      while (latest_[r].next < shoots_[r].size() && (latest_[r].next == 0 || shoots_[r].time(latest_[r].next) <= time + slack)) go_on(r);
      images.push_back(latest_[r].image);
    }
    const std::size_t n = images.size();
    const int columns = static_cast<int>(n <= kMostInARow ? n : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n)))));
    return contact_sheet(images, columns, kWidestFilm);
  }

  void go_on(std::size_t r) {
    Shoot& shoot = shoots_[r];
    Latest& latest = latest_[r];
    const std::size_t k = latest.next++;
    const Camera camera = scene_camera(shoot.settings(), shoot.time(k), overviews_[r].fitted);
    if (const std::optional<Frame> frame = shoot.frame(k)) {
      latest.image = draw({*frame, camera, shoot.time(k), k, shoot.path(k), {}}, shoot.scenery(), overviews_[r], options_, names_[r]);
    } else if (latest.image.rgb.empty()) {
      latest.image = {options_.width, options_.height, std::vector<std::uint8_t>(std::size_t{3} * options_.width * options_.height, 0)};
    }
  }

  const PreviewOptions& options_;
  std::vector<std::string> names_;
  std::deque<Shoot> shoots_;  // they stay where they are
  std::vector<Overview> overviews_;
  std::vector<Latest> latest_;
};

}  // namespace

PreviewResult preview(const std::string& dir_or_frame, const PreviewOptions& options) {
  check_picture_size(options.width, options.height);
  if (!options.film_path.empty()) check_film(options.film_path);
  Shoot shoot(dir_or_frame, options.warn, options.frames, options.setup);
  if (!options.film_path.empty() && !shoot.is_run()) throw UserError(dir_or_frame + ": one frame makes no film, give the folder of a run");
  ShootPlan plan{"preview", options.width, options.height, options.film_path, options.progress, {}};
  if (options.film && plan.film.empty() && shoot.size() > 1) plan.film = (fs::path(shoot.folder()) / "preview" / "preview.mp4").string();
  const Overview film = shoot.overview(plan.width, plan.height, options.colour);
  const Pictures pictures = shoot.take(plan, film.fitted, [&](const Take& take) { return draw(take, shoot.scenery(), film, options, {}); });
  return {pictures.paths, pictures.film, pictures.warning, {shoot.unreadable().begin(), shoot.unreadable().end()}};
}

PreviewResult compare(const std::vector<std::string>& runs, const PreviewOptions& options) {
  check_picture_size(options.width, options.height);
  if (runs.empty() || runs.size() > kMostRuns)
    throw UserError(fmt::format("{} runs side by side; allowed: 1 to {}", runs.size(), kMostRuns));
  if (options.film_path.empty()) throw UserError("several runs are shown in one film: give its path with --film, such as both.mp4");
  check_film(options.film_path);
  return SideBySide(runs, options).film();
}

}  // namespace firn
