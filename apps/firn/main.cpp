// firn: the command line.
#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>

#include "commands.h"

namespace {

// One line "error: …", whatever a library's message looks like.
int fail(const std::string& message, int code) {
  std::string line = message;
  std::replace(line.begin(), line.end(), '\n', ' ');
  fmt::print(stderr, "error: {}\n", line);
  return code;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{
      "firn simulates snow: it packs, sticks, breaks and flows.\nStart with: firn run snowball_drop && firn preview out/snowball_drop",
      "firn"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "firn 0.1.0");
  app.failure_message([](const CLI::App*, const CLI::Error& e) { return std::string("error: ") + e.what() + "\n"; });
  const std::pair<const char*, Command> commands[] = {
      {"run", add_run(app)},       {"check", add_check(app)},     {"scenes", add_scenes(app)}, {"preview", add_preview(app)},
      {"render", add_render(app)}, {"convert", add_convert(app)}, {"info", add_info(app)},     {"bench", add_bench(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    return fail(std::string(e.what()) + " (see firn --help)", kUserMistake);
  }
  for (const auto& [name, command] : commands)
    if (app.got_subcommand(name)) return command();
  return kUserMistake;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to be told, not the end
  try {
    return parse_and_run(argc, argv);
  } catch (const firn::UserError& e) {
    return fail(e.what(), kUserMistake);
  } catch (const std::bad_alloc&) {
    return fail("out of memory: use a larger simulation.spacing or fewer particles", kFailed);
  } catch (const std::exception& e) {
    return fail(e.what(), kFailed);
  }
}
