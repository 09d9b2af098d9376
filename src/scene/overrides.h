// Values from the command line, `--set section.key=value`, put into a scene's tree before it is read.
#pragma once

#include <toml++/toml.h>

#include <string>

namespace firn::schema {

// `text` is "section.key=value"; bodies are addressed snow.0.radius, or snow.radius when there is one. `file` names the scene.
void apply_override(toml::table& root, const std::string& text, const std::string& file);

}  // namespace firn::schema
