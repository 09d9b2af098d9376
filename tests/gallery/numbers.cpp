// gallery_numbers SCENE FOLDER: the numbers of a run of a gallery scene that is in a folder, a line each: what, a tab, the number.
#include "numbers.h"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <sstream>

namespace {

firn::Frame frame_at(const std::string& folder, const firn::Scene& scene, double time) {
  if (time >= scene.simulation.duration) return firn::read_frame(folder + "/final.ply");
  return firn::read_frame(fmt::format("{}/frame_{:04}.ply", folder, std::lround(time * scene.simulation.fps)));
}

// The sum of a column of stats.csv: what the snow did to a body in the whole run.
double work_on(const std::string& folder, const std::string& body) {
  std::ifstream file(folder + "/stats.csv");
  std::string line, cell;
  std::getline(file, line);
  std::istringstream names(line);
  int column = 0;
  while (std::getline(names, cell, ',') && cell != body + "_work") ++column;
  double sum = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    for (int k = 0; k <= column; ++k) std::getline(cells, cell, ',');
    sum += std::stod(cell);
  }
  return sum;
}

}  // namespace

int main(int count, char** words) try {
  if (count != 3) throw std::runtime_error("gallery_numbers SCENE FOLDER");
  const std::string name = words[1], folder = words[2];
  const firn::Scene scene = firn::load_scene(folder + "/scene.toml");
  const firn::test::Moments run(
      scene, [&](double time) { return frame_at(folder, scene, time); },
      [&](std::size_t collider) { return work_on(folder, name_of(scene, collider)); });
  for (const auto& [what, value] : firn::test::numbers_of(name, run)) fmt::print("{}\t{:.3g}\n", what, value);
} catch (const std::exception& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  return 1;
}
