#include <stdexcept>

#include "checks.h"
#include "firn/error.h"
#include "firn/scene.h"

namespace firn::fuzz {
namespace {

const std::string kFile = "scene.toml";

void check_again(const std::string& text) {
  try {
    if (to_toml(parse_scene(text, kFile)) != text) throw std::logic_error("the resolved scene is not the same when read again");
  } catch (const UserError& error) {
    throw std::logic_error(std::string("the resolved scene is refused: ") + error.what());
  }
}

}  // namespace

void check_scene(std::string_view bytes) {
  std::string resolved;
  try {
    resolved = to_toml(parse_scene(std::string(bytes), kFile));
  } catch (const UserError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) throw std::logic_error("a message of two lines");
    return;
  }
  check_again(resolved);
}

}  // namespace firn::fuzz
