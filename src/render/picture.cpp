#include "firn/picture.h"

#include <filesystem>

#include "render/preview.h"
#include "render/shoot.h"

namespace firn {

PreviewResult preview(const std::string& dir_or_frame, const PreviewOptions& options) {
  check_picture_size(options.width, options.height);
  const Shoot shoot(dir_or_frame);
  ShootPlan plan{"preview", options.width, options.height, {}, options.progress};
  if (options.film && shoot.size() > 1) plan.film = (std::filesystem::path(shoot.folder()) / "preview" / "preview.mp4").string();
  const Pictures pictures = shoot.take(plan, shoot.fit(plan.width, plan.height), [&](const Take& take) {
    return render_preview(take.frame, shoot.scenery(), take.camera, {take.time, plan.width, plan.height});
  });
  return {pictures.paths, pictures.film, pictures.warning};
}

}  // namespace firn
