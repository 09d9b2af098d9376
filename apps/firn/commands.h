// The verbs of the command line. Each adds its flags to the program and returns what to do when it is chosen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "firn/simulation.h"

namespace CLI {
class App;
}

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUserMistake = 2;

using Command = std::function<int()>;

Command add_run(CLI::App& app);
Command add_resume(CLI::App& app);
Command add_check(CLI::App& app);
Command add_scenes(CLI::App& app);
Command add_preview(CLI::App& app);
Command add_render(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_info(CLI::App& app);
Command add_studio(CLI::App& app);

// Flags that several verbs share.
struct SceneArguments {
  std::string scene;
  std::vector<std::string> overrides;
  std::vector<std::string> variants;

  firn::Scene load() const { return firn::load_scene(scene, overrides, variants); }
};
void add_scene_arguments(CLI::App& verb, SceneArguments& arguments, bool required);

struct MachineArguments {
  std::string backend = "cpu";
  int threads = 0;

  firn::Backend chosen(const firn::Scene& scene) const;
};
void add_threads_argument(CLI::App& verb, int& threads);
void add_machine_arguments(CLI::App& verb, MachineArguments& arguments);
