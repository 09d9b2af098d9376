#include "firn/picture.h"

#include <filesystem>

#include "render/preview.h"
#include "render/shoot.h"

namespace firn {

PreviewResult preview(const std::string& dir_or_frame, const PreviewOptions& options) {
  check_picture_size(options.width, options.height);
  Shoot shoot(dir_or_frame, options.warn);
  ShootPlan plan{"preview", options.width, options.height, {}, options.progress, {}};
  if (options.film && shoot.size() > 1) plan.film = (std::filesystem::path(shoot.folder()) / "preview" / "preview.mp4").string();
  const Overview film = shoot.overview(plan.width, plan.height, options.colour);
  const Pictures pictures = shoot.take(plan, film.fitted, [&](const Take& take) {
    const Shot shot{take.time, plan.width, plan.height};
    if (!film.tint) return render_preview(take.frame, shoot.scenery(), take.camera, shot);
    Image image = render_preview(take.frame, shoot.scenery(), take.camera, shot, film.tint->colours(take.frame, take.path));
    draw_legend(film.tint->legend(), image);
    return image;
  });
  return {pictures.paths, pictures.film, pictures.warning, {shoot.unreadable().begin(), shoot.unreadable().end()}};
}

}  // namespace firn
