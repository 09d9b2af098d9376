#include "serve.h"

#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "firn/error.h"
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

}  // namespace

void serve(const ServeOptions& options) {
  const fs::path folder = work_folder(options.folder);
  Server server({options.host, options.port, folder});
  {
    Studio studio({folder, options.threads, {}}, [&server](std::function<void()> work) { server.post(std::move(work)); });
    if (!options.scene.empty()) studio.open_path(options.scene);
    const std::string address = server.address();
    std::printf("firn studio: %s\n", address.c_str());
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
