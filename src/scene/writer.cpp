// to_toml: the schema's other direction.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "firn/scene.h"
#include "scene/visitors.h"

namespace firn {

std::string to_toml(const Scene& scene) {
  std::vector<std::string> sections;
  const auto add = [&](const std::string& header, const auto& section) {
    schema::Writer writer(scene.simulation.dimension);
    describe(writer, section);
    sections.push_back(header + "\n" + writer.lines());
  };
  add("[simulation]", scene.simulation);
  add("[solver]", scene.solver);
  for (const Material& material : scene.materials) add(fmt::format("[materials.{}]", material.name), material);
  for (const Snow& snow : scene.snow) add("[[snow]]", snow);
  for (const Source& source : scene.sources) add("[[source]]", source);
  for (const Collider& collider : scene.colliders) add("[[collider]]", collider);
  for (const Sink& sink : scene.sinks) add("[[sink]]", sink);
  if (scene.domain) add("[domain]", *scene.domain);
  if (scene.window) add("[window]", *scene.window);
  add("[output]", scene.output);
  add("[render]", scene.render);
  return fmt::format("{}", fmt::join(sections, "\n"));
}

}  // namespace firn
