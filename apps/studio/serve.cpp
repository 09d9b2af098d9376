#include "serve.h"

#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "firn/error.h"
#include "firn/files.h"
#include "page.h"
#include "server.h"
#include "studio.h"

namespace firn::studio {
namespace {

namespace fs = std::filesystem;

// In whatever the user's desktop opens links with; where there is none, the printed address will do.
void open_browser(const std::string& address) {
  std::string program = "xdg-open", link = address;
  char* arguments[] = {program.data(), link.data(), nullptr};
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", 1, 0);
  posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
}

fs::path work_folder(const std::string& name) {
  std::error_code failure;
  const fs::path folder = fs::canonical(name, failure);
  if (failure || !fs::is_directory(folder)) throw UserError(name + ": is no folder to work in");
  return folder;
}

// Pages see the files of the work folder alone: a run from elsewhere brings its own.
fs::path folder_for(const ServeOptions& options) {
  const fs::path folder = work_folder(options.folder.empty() ? "." : options.folder);
  std::error_code failure;
  if (!fs::is_directory(options.scene, failure)) return folder;
  const fs::path run = fs::canonical(options.scene, failure);
  if (is_inside(folder, run)) return folder;
  if (options.folder.empty()) return run.parent_path();
  throw UserError(options.scene + ": is not in the work folder " + options.folder);
}

}  // namespace

void serve(const ServeOptions& options) {
  const fs::path folder = folder_for(options);
  Server server({options.host, options.port, folder});
  {
    Studio studio({folder, options.threads, {}}, [&server](std::function<void()> work) { server.post(std::move(work)); });
    if (!options.scene.empty()) studio.open_path(options.scene);
    const std::string address = server.address();
    std::printf("firn studio: %s\n", address.c_str());
    if (const std::string elsewhere = server.address_elsewhere(); !elsewhere.empty())
      std::printf("from other machines: %s, ADDRESS being this one's in numbers\n", elsewhere.c_str());
    std::fflush(stdout);
    if (page_files().empty()) std::fputs("this firn was built without the page; `make studio` builds it\n", stderr);
    if (!options.stays_closed && !page_files().empty()) open_browser(address);
    server.run(studio);
    if (options.on_stopping) options.on_stopping();
    std::printf("stopping: runs write their checkpoints\n");
    std::fflush(stdout);
  }
}

}  // namespace firn::studio
