#include "document.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>

namespace firn::studio {
namespace {

namespace fs = std::filesystem;

// The resolved text of a scene as keys with their values, in order: a line each, and more for lists, below the name of their section.
std::vector<std::pair<std::string, std::string>> keys_of(const Scene& scene) {
  std::vector<std::pair<std::string, std::string>> keys;
  std::map<std::string, int> bodies;
  std::string section;
  const std::string text = to_toml(scene);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(' ') || line.starts_with(']')) {  // of the list above
      if (!keys.empty()) keys.back().second += line.substr(std::min(line.find_first_not_of(' '), line.size()));
    } else if (line.starts_with("[[")) {
      const std::string name = line.substr(2, line.size() - 4);
      section = name + "." + std::to_string(bodies[name]++);
    } else if (line.starts_with('[')) {
      section = line.substr(1, line.size() - 2);
    } else if (const std::size_t equals = line.find(" = "); equals != std::string::npos) {
      keys.emplace_back(section + "." + line.substr(0, equals), line.substr(equals + 3));
    }
  }
  return keys;
}

std::string without_number(std::string_view key) { return std::regex_replace(std::string(key), std::regex(R"(^(\w+)\.\d+\.)"), "$1."); }

bool starts_with_any(std::string_view key, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return key.starts_with(start); });
}

}  // namespace

TextError text_error(const std::string& what, const std::string& file) {
  TextError error{what};
  const std::string start = file + ":";
  if (!what.starts_with(start)) return error;
  const char* const end = what.data() + what.size();
  const auto line = std::from_chars(what.data() + start.size(), end, error.line);
  if (line.ec != std::errc() || line.ptr == end || *line.ptr != ':') {
    error = {what.substr(std::min(what.size(), start.size() + 1))};
    return error;
  }
  const auto column = std::from_chars(line.ptr + 1, end, error.column);
  const std::size_t rest = static_cast<std::size_t>(column.ptr - what.data());
  error.message = what.substr(std::min(what.size(), rest + 2));  // ": "
  return error;
}

Document gallery_document(const std::string& name, const fs::path& folder) {
  const auto found = std::find_if(gallery().begin(), gallery().end(), [&](const GalleryEntry& entry) { return entry.name == name; });
  if (found == gallery().end()) throw UserError("there is no gallery scene '" + name + "'");
  // Relative names of files are of the gallery's own folder.
  static const std::regex kFile(R"re(\b(file|keys_file|font|sky_image)(\s*=\s*)"([^"/][^"]*)")re");
  std::string text;
  auto from = found->toml.cbegin();
  for (std::sregex_iterator at(found->toml.begin(), found->toml.end(), kFile), end; at != end; ++at) {
    text.append(from, (*at)[0].first);
    text += (*at)[1].str() + (*at)[2].str() + "\"" + (fs::path(gallery_folder()) / (*at)[3].str()).string() + "\"";
    from = (*at)[0].second;
  }
  text.append(from, found->toml.cend());
  return {text, (folder / (name + ".toml")).string(), {}, 1};
}

std::vector<Difference> differences(const Scene& a, const Scene& b) {
  const auto of_a = keys_of(a), of_b = keys_of(b);
  const std::map<std::string, std::string> in_a(of_a.begin(), of_a.end()), in_b(of_b.begin(), of_b.end());
  std::vector<Difference> found;
  for (const auto& [key, value] : of_a) {
    const auto other = in_b.find(key);
    if (other == in_b.end()) found.push_back({key, value, ""});
    if (other != in_b.end() && other->second != value) found.push_back({key, value, other->second});
  }
  for (const auto& [key, value] : of_b)
    if (!in_a.contains(key)) found.push_back({key, "", value});
  return found;
}

bool takes_effect_now(std::string_view numbered) {
  const std::string key = without_number(numbered);
  // What particles have had from the start, what they and the grid are made for, and what the files of a run have in common.
  if (starts_with_any(key, {"snow.", "output.", "simulation.dimension", "simulation.spacing", "simulation.fps", "simulation.settle",
                            "solver.precision", "solver.kernel", "solver.transfer", "solver.contact"}))
    return false;
  return !(key.starts_with("materials.") && key.ends_with(".density"));
}

LiveChange live_change(const Scene& running, const Scene& wanted) {
  LiveChange change{wanted, false, false, ""};
  for (const Difference& difference : differences(running, wanted)) {
    const bool is_now = takes_effect_now(difference.key);
    change.has_now |= is_now;
    change.concerns_solver |= is_now && !difference.key.starts_with("render.");
    if (!is_now && change.reason.empty()) change.reason = difference.key + " cannot change while a simulation runs";
  }
  const auto same_names = [](const Material& a, const Material& b) { return a.name == b.name; };
  if (!std::equal(running.materials.begin(), running.materials.end(), wanted.materials.begin(), wanted.materials.end(), same_names)) {
    change.reason = "materials cannot come or go while a simulation runs";
    change.has_now = false;
    return change;
  }
  change.scene.snow = running.snow;
  change.scene.output = running.output;
  change.scene.name = running.name;
  SimulationSettings& simulation = change.scene.simulation;
  simulation.dimension = running.simulation.dimension;
  simulation.spacing = running.simulation.spacing;
  simulation.fps = running.simulation.fps;
  simulation.settle = running.simulation.settle;
  SolverSettings& solver = change.scene.solver;
  solver.precision = running.solver.precision;
  solver.kernel = running.solver.kernel;
  solver.transfer = running.solver.transfer;
  solver.contact = running.solver.contact;
  for (std::size_t m = 0; m < running.materials.size(); ++m) change.scene.materials[m].density = running.materials[m].density;
  return change;
}

}  // namespace firn::studio
