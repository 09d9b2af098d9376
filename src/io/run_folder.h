// The folder of a run: who may write into it, and what may be removed there.
//
// While a run writes, it holds a lock on its list, which the system releases when the process ends in whatever way.
// Whoever makes pictures of a run holds a shared lock on its scene.toml: the run may go on meanwhile, but no other takes its place.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"

namespace firn {

// The list that a run keeps in its folder, DIR/.firn: a line for every file and folder, written before it is made.

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

// A short text that changes with `text`.
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

// The folder as the run that writes into it has it.
class RunFolder {
 public:
  // Finds out whether a run may write there and, where one did before, locks it. Nothing is changed. Throws UserError.
  RunFolder(std::string path, bool overwrite);
  // The folder of a run that is there, to go on with it: locks it and changes nothing. Throws UserError.
  static RunFolder of_run(std::string path);

  // Removes what the run before has written, and starts the list. Throws UserError when a run may not write there any more, and RunError.
  void begin(const std::string& scene);
  // To be called once for every file, before it is made. From any thread. Throws RunError, also when something has that name by now.
  void add(const std::vector<std::string>& names) const;
  // A file that people may edit: then it is theirs.
  void add_text(const std::string& name, std::string_view content) const;
  // The same when the run itself writes another text in the place of its own.
  void renew_text(const std::string& name, std::string_view content) const;
  // To be called when a run goes on: removes the files on its list that `is_later` is true of, and those that were not finished.
  void go_on(const std::function<bool(const std::string& name)>& is_later);
  // Makes a folder in this one, where it is not there yet.
  void make_folder(const std::string& name);
  // Like add(), for a file that replaces one of this run under the same name.
  void add_again(const std::string& name);
  // A file of this run that is no longer needed.
  void remove(const std::string& name) const;
  // `how`: see RunRecord::ended.
  void end(std::string_view how) const { write(ended_line(how)); }

  std::string file(const std::string& name) const;
  const std::string& path() const { return path_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  explicit RunFolder(std::string path) : path_(std::move(path)), overwrite_(false) {}
  void check_parent() const;
  void open();
  void lock(const Descriptor& list);
  void check_contents(const RunRecord& record) const;
  void check_file(const std::string& name, const RunRecord& record) const;
  Descriptor lock_scene() const;
  void start_list(const std::string& scene);
  void replace(const RunRecord& earlier, const std::string& scene);
  void remove(const RunRecord& earlier, const std::function<bool(const std::string& name)>& goes);
  Descriptor open_inside(const std::string& folder) const;
  void check_free(const std::string& name) const;
  void write(const std::string& lines) const;
  [[noreturn]] void fail(const std::string& name, const char* what, int error) const;

  std::string path_;
  bool overwrite_;
  Descriptor directory_, list_;
  std::vector<std::string> warnings_;
  std::set<std::string> again_;  // what add_again() has listed
};

// The folder as those have it who make pictures of a run, or of a frame in any folder.
class RunVisit {
 public:
  // Waits while a run is being removed from the folder.
  explicit RunVisit(std::string folder);

  // Makes a folder for pictures where it is not there yet, and returns its path. Throws RunError.
  std::string make_folder(const std::string& name);
  // To be called before files of these names are made in the folder `folder` that make_folder() made. They go on the list of the run; not
  // where the folder is a link: what is behind it is not the run's. Throws RunError.
  void add(const std::string& folder, const std::vector<std::string>& names);

 private:
  void write(const std::string& lines) const;

  std::string path_;
  Descriptor scene_, list_;
  std::set<std::string> listed_;
};

}  // namespace firn
