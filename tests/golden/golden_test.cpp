// The bits of tiny scenes after some steps, as firn runs them and by the paper's letter: they change only when somebody means it, those of
// the paper never; and of the gallery's small variants. tests/golden/hashes.csv has them for the processors that were asked so far;
// `make golden` asks this one and says what has changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "firn/simulation.h"
#include "math/pack.h"

namespace firn {
namespace {

struct Tiny {
  const char* scene;
  double spacing;
  int steps = 20;
};
constexpr Tiny kTiny[] = {{"bench_ball", 0.03}, {"crust", 0.04},         {"slide_2d", 0.03},    {"snowball_drop", 0.05}, {"snowplow", 0.1},
                          {"sweep", 0.03},      {"wall_slippery", 0.03}, {"wall_sticky", 0.03}, {"wedge", 0.025}};

constexpr Tiny kDensityLimited[] = {{"density_colliding_balls", 0.01, 300}, {"density_column", 0.01, 300},
                                    {"density_column_ball", 0.01, 300},     {"density_drop", 0.01, 300},
                                    {"density_thrown_ball", 0.01, 300},     {"density_thrown_half_ball", 0.01, 300}};

using Hashes = std::map<std::string, std::string>;  // by "processor,method,scene,integrator,transfer"

std::string file() { return std::string(FIRN_GOLDEN) + "/hashes.csv"; }

Hashes read_hashes() {
  Hashes hashes;
  std::ifstream lines(file());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comma = line.rfind(',');
    if (comma != std::string::npos) hashes[line.substr(0, comma)] = line.substr(comma + 1);
  }
  return hashes;
}

// Of all numbers of all particles.
std::string hash_of(const Frame& frame) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto add = [&hash](const auto& column) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(column.data());
    for (std::size_t i = 0; i < column.size() * sizeof column[0]; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  };
  add(frame.position);
  add(frame.velocity);
  add(frame.jp);
  add(frame.fe);
  add(frame.b);
  return fmt::format("{:016x}", hash);
}

// The keys that make a run the paper's.
const std::vector<std::string> kPaper{"solver.contact=paper", "solver.flip_step=0", "solver.tangent=elastic", "solver.sleep=false"};

class Golden : public testing::TestWithParam<std::tuple<const char*, Tiny, const char*, const char*>> {
 protected:
  static std::string hash_with(int threads) {
    const auto [method, tiny, integrator, transfer] = GetParam();
    std::vector<std::string> keys{fmt::format("simulation.spacing={}", tiny.spacing), fmt::format("solver.integrator={}", integrator),
                                  fmt::format("solver.transfer={}", transfer)};
    if (method == std::string("paper")) keys.insert(keys.end(), kPaper.begin(), kPaper.end());
    const Scene scene = method == std::string("small") ? load_scene(tiny.scene, {}, {"small"})
                                                       : load_scene(fmt::format("{}/scenes/{}.toml", FIRN_GOLDEN, tiny.scene), keys);
    Simulation simulation(scene, Backend::kCpu, threads);
    for (int k = 0; k < std::get<1>(GetParam()).steps; ++k) simulation.step(scene.solver.time_step.value_or(1 / scene.simulation.fps));
    return method == std::string("paper") ? hash_of(simulation.frame(true)) : simulation.hash();
  }
  static std::string key() {
    const auto [method, tiny, integrator, transfer] = GetParam();
    return fmt::format("{}-{},{},{},{},{}", FIRN_PROCESSOR, 8 * kSimdBytes, method, tiny.scene, integrator, transfer);
  }
};

TEST_P(Golden, StateIsTheSameForAnyNumberOfThreadsAndAsItWas) {
  const std::string hash = hash_with(1);
  EXPECT_EQ(hash, hash_with(2));
  if (std::get<0>(GetParam()) != std::string("small")) {
    EXPECT_EQ(hash, hash_with(7));
  }
  const Hashes before = read_hashes();
  const auto known = before.find(key());
  if (const char* to = std::getenv("FIRN_GOLDEN_TO")) {
    if (known == before.end() || known->second != hash)
      fmt::print("changed: {} {} -> {}\n", key(), known == before.end() ? "new" : known->second, hash);
    std::ofstream(to, std::ios::app) << key() << "," << hash << "\n";
    return;
  }
  if (known != before.end()) {
    EXPECT_EQ(hash, known->second) << "if that is meant: make golden";
  }
}

std::string name_of(const testing::TestParamInfo<Golden::ParamType>& info) {
  const auto [method, tiny, integrator, transfer] = info.param;
  std::string word = integrator;
  word = word.substr(word.find('-') + 1);  // names of tests have no hyphens
  return fmt::format("{}_{}_{}_{}", method, tiny.scene, word, transfer);
}

std::vector<Tiny> whole_gallery() {
  std::vector<Tiny> scenes;
  for (const GalleryEntry& entry : gallery()) scenes.push_back({entry.name.c_str(), 0, 8});
  return scenes;
}

INSTANTIATE_TEST_SUITE_P(SmallGallery, Golden,
                         testing::Combine(testing::Values("small"), testing::ValuesIn(whole_gallery()), testing::Values("own"),
                                          testing::Values("own")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Gallery, Golden,
                         testing::Combine(testing::Values("held", "paper"), testing::ValuesIn(kTiny),
                                          testing::Values("explicit", "semi-implicit"), testing::Values("flip", "apic")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(DensityLimited, Golden,
                         testing::Combine(testing::Values("paper"), testing::ValuesIn(kDensityLimited), testing::Values("density-limited"),
                                          testing::Values("flip")),
                         name_of);

}  // namespace
}  // namespace firn
