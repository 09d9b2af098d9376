// firn: the command line.
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands.h"
#include "firn/spelling.h"
#include "interrupt.h"

namespace {

// One line "error: …", whatever a library's message or the name of a file looks like. Where nobody can be told, the exit code says it.
int fail(const std::string& message, int code) {
  std::string line = message;
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  std::fputs(("error: " + line + "\n").c_str(), stderr);
  return code;
}

// Where a standard stream is closed, the next file that is opened would get its number, and all that is printed.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

// What was printed may not have gone anywhere yet.
void flush_output() {
  if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output: cannot write");
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{
      "firn simulates snow: it packs, sticks, breaks and flows.\nStart with: firn run snowball_drop && firn preview out/snowball_drop",
      "firn"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("firn {}", firn::version()));
  app.failure_message([](const CLI::App*, const CLI::Error& e) { return std::string("error: ") + e.what() + "\n"; });
  const std::pair<const char*, Command> commands[] = {
      {"run", add_run(app)},         {"resume", add_resume(app)}, {"check", add_check(app)},     {"scenes", add_scenes(app)},
      {"preview", add_preview(app)}, {"render", add_render(app)}, {"convert", add_convert(app)}, {"info", add_info(app)},
      {"bench", add_bench(app)},     {"studio", add_studio(app)}};
  if (argc < 2) {
    fmt::print("{}", app.help());
    return kDone;
  }
  std::vector<std::string_view> names;
  for (const auto& [name, command] : commands) names.emplace_back(name);
  if (const std::string_view verb = argv[1]; !verb.starts_with('-') && std::find(names.begin(), names.end(), verb) == names.end())
    return fail(fmt::format("unknown command '{}'{} (see firn --help)", verb, firn::name_suggestion(verb, names)), kUserMistake);
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
  catch_interrupts();
  mallopt(M_MMAP_THRESHOLD, 4 << 20);  // or freed columns of particles of up to 32 MB stay with the program
  signal(SIGXFSZ, SIG_IGN);            // a file that may not grow is an error to be told, not the end
  open_standard_streams();
  try {
    const int code = parse_and_run(argc, argv);
    flush_output();
    return code;
  } catch (const firn::UserError& e) {
    return fail(e.what(), kUserMistake);
  } catch (const std::bad_alloc&) {
    return fail("out of memory: use a larger simulation.spacing or fewer particles", kFailed);
  } catch (const std::exception& e) {
    return fail(e.what(), kFailed);
  }
}
