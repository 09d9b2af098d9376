// The list that a run keeps in its folder, DIR/.firn: a line for every file and folder, written before it is made.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

// What runs call their files.
inline constexpr const char* kRunListName = ".firn";
inline constexpr const char* kRunSceneName = "scene.toml";
inline constexpr const char* kRunStatsName = "stats.csv";
inline constexpr const char* kRunFinalName = "final.ply";
inline constexpr const char* kRunBodiesName = "bodies.obj";
inline constexpr const char* kRunCheckpoints = "checkpoints";  // a folder

struct RunRecord {
  bool exists = false;
  std::string scene;  // its name
  std::string ended;  // how: "finished", "interrupted", "failed"; empty: the run goes on, or was killed
  // Names in the folder, such as "render/frame_0001.png", with a fingerprint of the content of those that people edit.
  std::map<std::string, std::string> files;
  std::vector<std::string> folders;
};
// Without a list, one that does not exist. Throws UserError when the list cannot be read.
RunRecord read_run_record(const std::string& folder);

// Changes with the text.
std::string fingerprint(std::string_view text);

// Lines of the list, with their ends.
std::string title_lines(const std::string& scene);
std::string file_lines(const std::vector<std::string>& names);
std::string text_line(const std::string& name, std::string_view content);
std::string folder_line(const std::string& name);
std::string ended_line(std::string_view how);

// Whether a run writes into the folder at this moment.
bool is_being_written(const std::string& folder);
// Whether a run has written into it; one of an older version, which kept no list, is known by its files.
bool is_run_folder(const std::string& folder);

}  // namespace firn
