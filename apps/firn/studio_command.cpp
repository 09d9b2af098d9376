// The verb studio.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "studio/serve.h"

Command add_studio(CLI::App& app) {
  auto a = std::make_shared<firn::studio::ServeOptions>();
  CLI::App* verb = app.add_subcommand("studio", "see and shape snow live, in a browser");
  verb->add_option("SCENE", a->scene, "a scene file (.toml), the name of a gallery scene or the folder of a run, to begin with");
  verb->add_option(
      "--folder", a->folder,
      "the work folder: scenes, runs and uploads are there, and nothing else is touched (default: this one, or where the run is)");
  verb->add_option("--port", a->port, "of the page; 0: a free one")->check(CLI::Range(0, 65535))->capture_default_str();
  verb->add_option("--host", a->host, "address to listen on; other machines can reach any but the default, with the printed token")
      ->capture_default_str();
  verb->add_flag("--no-open", a->stays_closed, "print the address and open no browser");
  add_threads_argument(*verb, a->threads);
  return [a] {
    a->on_stopping = catch_interrupts;
    firn::studio::serve(*a);
    return kDone;
  };
}
