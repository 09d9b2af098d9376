// `firn studio`.
#pragma once

#include <functional>
#include <string>

namespace firn::studio {

struct ServeOptions {
  std::string scene;   // a scene file, a name of the gallery or the folder of a run; empty: none
  std::string folder;  // the work folder; empty: the current one, or where the run is
  std::string host = "127.0.0.1";
  int port = 8017;  // 0: a free one
  int threads = 0;
  bool stays_closed = false;          // no browser is opened
  std::function<void()> on_stopping;  // called when a signal has come, before runs are stopped
};

// Until SIGINT or SIGTERM. Throws UserError when it cannot begin.
void serve(const ServeOptions& options);

}  // namespace firn::studio
