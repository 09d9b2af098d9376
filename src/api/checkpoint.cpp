#include "api/checkpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <map>

#include "core/bytes.h"
#include "core/files.h"
#include "core/parallel.h"
#include "firn/error.h"
#include "math/pack.h"
#include "scene/rules.h"

namespace firn {

template <class A, class S>
requires std::is_same_v<std::remove_const_t<S>, RunProgress::WrittenFrame>
void describe(A& a, S& frame) { archive(a, frame.number.frame, frame.number.subframe, frame.time); }

template <class A, class S>
requires std::is_same_v<std::remove_const_t<S>, RunProgress>
void describe(A& a, S& p) { archive(a, p.backend, p.frames, p.steps, p.written, p.since_frame, p.rejected, p.rules, p.stats_bytes); }

template <class A, class S>
requires std::is_same_v<std::remove_const_t<S>, FrameStatistics>
void describe(A& a, S& statistics) { FrameStatistics::describe_counts(a, statistics); }

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKept = 2;

constexpr std::string_view kNameStart = "step_", kNameEnd = ".state";

std::string name_of_step(std::int64_t step) { return fmt::format("{}/{}{:08}{}", kRunCheckpoints, kNameStart, step, kNameEnd); }

// Nothing that the frames do not depend on: pictures, how often there are checkpoints, how long it lasts.
std::string contents_of(const Scene& scene) {
  Scene same = scene;
  same.render = {};
  same.output.checkpoint_minutes = same.output.checkpoint_frames = 0;
  same.simulation.duration = 1;
  return fingerprint(to_toml(same));
}

std::string variant_of(const Scene& scene, Backend backend) {
  const SolverSettings& s = scene.solver;
  return fmt::format("{}, {}D, {}, {}, {}, {}-bit registers", name_of(backend), scene.simulation.dimension,
                     name_in(schema::kPrecisionNames, s.precision), kKernelNames[static_cast<int>(s.kernel)],
                     name_in(schema::kTransferNames, s.transfer), 8 * kSimdBytes);
}

// Compresses pieces on all threads, some at a time, and hands them on.
class PieceWriter {
 public:
  explicit PieceWriter(std::function<void(std::string bytes)> give) : give_(std::move(give)) {}

  void add(std::string_view piece) {
    pieces_.emplace_back(piece);
    if (pieces_.size() >= kAtOnce) flush();
  }
  void flush() {
    parallel_for(pieces_.size(), [&](std::size_t i) { pieces_[i] = checkpoint_record(pieces_[i]); });
    std::string joined;
    for (const std::string& piece : pieces_) joined += piece;
    pieces_.clear();
    if (!joined.empty()) give_(std::move(joined));
  }

 private:
  static constexpr std::size_t kAtOnce = 16;

  std::function<void(std::string bytes)> give_;
  std::vector<std::string> pieces_;
};

// The step in a name such as "step_00000421.state"; nothing: the file is named otherwise.
std::optional<std::int64_t> step_of(const fs::path& path) {
  const std::string name = path.filename().string();
  std::int64_t step = 0;
  const char* const end = name.data() + name.size();
  if (!name.starts_with(kNameStart) || path.extension() != kNameEnd) return std::nullopt;
  const auto parsed = std::from_chars(name.data() + kNameStart.size(), end, step);
  return parsed.ec == std::errc() && std::string_view(parsed.ptr, end) == kNameEnd ? std::optional(step) : std::nullopt;
}

}  // namespace

std::vector<std::string> checkpoints_in(const std::string& directory) {
  std::map<std::int64_t, std::string> found;
  for (const auto& [name, content] : read_run_record(directory).files) {
    const fs::path path = fs::path(directory) / name;
    std::error_code error;
    if (const auto step = step_of(path); step && name == name_of_step(*step) && fs::is_regular_file(fs::symlink_status(path, error)))
      found[*step] = path.string();
  }
  std::vector<std::string> paths;
  for (auto at = found.rbegin(); at != found.rend(); ++at) paths.push_back(at->second);
  return paths;
}

namespace {

void check_fits(const std::string& path, const CheckpointHead& head, const CheckpointHead& wanted) {
  const auto refuse = [&](const char* what, const std::string& has, const std::string& needs) {
    throw UserError(fmt::format("{}: the checkpoint is of another {}: {}, here it is {}", path, what, has, needs));
  };
  if (head.program != wanted.program) refuse("version of firn", head.program, wanted.program);
  if (head.variant != wanted.variant) refuse("variant of the solver", head.variant, wanted.variant);
  if (head.scene != wanted.scene) refuse("scene", head.scene, wanted.scene);
  if (head.contents != wanted.contents)
    throw UserError(fmt::format("{}: the checkpoint is of another scene: the run's scene.toml was changed since", path));
}

RestoredRun restore(const std::string& path, const Scene& scene, const ResumeOptions& options) {
  CheckpointReader file(path);
  RestoredRun run{nullptr, {}, FrameStatistics(scene)};
  const auto read = [&](char* to, std::size_t size) { return file.read(to, size); };
  ByteReader reader(read);
  archive(reader, run.progress);
  check_fits(path, file.head(), head_of(scene, run.progress.backend));
  if (options.backend) run.progress.backend = *options.backend;
  archive(reader, run.statistics);
  run.simulation = std::make_unique<Simulation>(scene, read, run.progress.backend, options.threads, options.setup);
  char more;
  if (file.read(&more, 1) != 0 || file.hash() != run.simulation->hash())
    throw UserError(path + ": the checkpoint is damaged: its state has another hash");
  return run;
}

}  // namespace

CheckpointHead head_of(const Scene& scene, Backend backend) {
  CheckpointHead head;
  head.program = fmt::format("firn {}", version());
  head.variant = variant_of(scene, backend);
  head.scene = scene.name;
  head.contents = contents_of(scene);
  return head;
}

CheckpointKeeper::CheckpointKeeper(RunFolder& folder, FrameWriter& writer, const Scene& scene, Backend backend)
    : folder_(folder), writer_(writer), head_(head_of(scene, backend)) {}

void CheckpointKeeper::know(std::int64_t step) {
  for (const std::string& path : checkpoints_in(folder_.path())) {
    const std::int64_t other = *step_of(path);
    if (other > step) {
      folder_.remove(name_of_step(other));  // damaged, or of what is done again
    } else {
      shared_->kept.insert(shared_->kept.begin(), name_of_step(other));
    }
  }
}

void CheckpointKeeper::write(const Simulation& simulation, const RunProgress& progress, const FrameStatistics& statistics) {
  CheckpointHead head = head_;
  head.time = simulation.time();
  head.steps = simulation.steps();
  head.frames = progress.written.empty() ? 0 : progress.written.back().number.frame;
  head.particles = simulation.particles();
  const std::string name = name_of_step(head.steps);
  // What goes wrong on the writer's thread, or here, ends this checkpoint and nothing else.
  const auto guarded = [shared = shared_](auto work) {
    try {
      work();
      return true;
    } catch (const std::runtime_error& error) {  // UserError, RunError
      const std::lock_guard lock(shared->mutex);
      shared->failure = error.what();
      return false;
    }
  };
  const auto file = std::make_shared<std::unique_ptr<AtomicFile>>();
  const bool listed = guarded([&] {
    folder_.make_folder(kRunCheckpoints);
    folder_.add_again(name);
    *file = std::make_unique<AtomicFile>(folder_.file(name));
  });
  if (!listed) return;
  const auto give = [&](std::string bytes) {
    const std::size_t size = bytes.size();
    writer_.add(size, [file, guarded, bytes = std::move(bytes)] {
      if (*file && !guarded([&] { (*file)->write(bytes); })) file->reset();
    });
  };
  give(checkpoint_start(head));
  PieceWriter pieces(give);
  const auto write_piece = [&](std::string_view piece) { pieces.add(piece); };
  {
    ByteWriter writer(write_piece);
    archive(writer, progress, statistics);
    writer.flush();
  }
  ByteHash hash;
  simulation.save([&](std::string_view piece) {
    hash.add(piece);
    pieces.add(piece);
  });
  pieces.flush();
  const std::string end = checkpoint_end(hash.digits());
  writer_.add(end.size(), [file, guarded, end, name, shared = shared_, folder = &folder_] {
    const bool done = *file && guarded([&] {
      (*file)->write(end);
      (*file)->commit();
    });
    file->reset();
    if (!done) return;
    std::vector<std::string>& kept = shared->kept;
    std::erase(kept, name);
    kept.push_back(name);
    for (; kept.size() > kKept; kept.erase(kept.begin())) folder->remove(kept.front());
  });
}

std::string CheckpointKeeper::take_failure() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->failure, {});
}

RestoredRun restore_run(const std::string& directory, const Scene& scene, const ResumeOptions& options) {
  std::string reason = fmt::format(
      "{}: there is no checkpoint to go on from; runs write them with output.checkpoint_minutes or "
      "output.checkpoint_frames",
      directory);
  for (const std::string& path : checkpoints_in(directory)) {
    try {
      CheckpointReader(path).read_to_end();
    } catch (const UserError& damage) {
      reason = damage.what();
      if (options.warn) options.warn(reason);
      continue;
    }
    return restore(path, scene, options);
  }
  throw UserError(reason);
}

}  // namespace firn
