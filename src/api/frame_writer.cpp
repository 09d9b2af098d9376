#include "api/frame_writer.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "firn/error.h"

namespace firn {
namespace {

constexpr double kMostBytes = 64e6;  // of waiting frames; one may always wait, however large

std::string name_of(const FrameNumber& number, const Format& format) { return fmt::format("{}.{}", frame_stem(number), format.name); }

FrameNotes notes_of(const Scene& scene) {
  FrameNotes notes;
  notes.fps = scene.simulation.fps;
  notes.dimension = scene.simulation.dimension;
  notes.spacing = scene.simulation.spacing;
  notes.kernel = scene.solver.kernel;
  return notes;
}

}  // namespace

void check_formats(const Scene& scene) {
  for (const std::string& name : scene.output.formats)
    if (const Format* format = find_format(name); scene.simulation.spacing < format->least_spacing)
      throw UserError(scene.simulation.spacing_location,
                      fmt::format("spacing = {} m is too small for frames as .{}, which need at least {} m", scene.simulation.spacing, name,
                                  format->least_spacing));
}

FrameWriter::FrameWriter(const RunFolder& folder, const Scene& scene, bool double_precision)
    : folder_(folder),
      particle_bytes_(Snapshot::bytes_per_particle(double_precision)),
      options_{scene.output.fpc_error, scene.output.vdb_points},
      notes_(notes_of(scene)) {
  for (const std::string& name : scene.output.formats) formats_.push_back(find_format(name));
  // Volumes first: where the file that ties frames together names one, it is there.
  std::stable_partition(formats_.begin(), formats_.end(), [](const Format* f) { return f->is_volume; });
  thread_ = std::thread([this] { work(); });
}

FrameWriter::~FrameWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

double FrameWriter::bytes(std::size_t particles) const { return static_cast<double>(particles) * static_cast<double>(particle_bytes_); }

void FrameWriter::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

bool FrameWriter::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

void FrameWriter::wait_for_room(double bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    double total = bytes;
    for (const Job& job : waiting_) total += job.bytes;
    return waiting_.empty() || total <= kMostBytes || failure_;
  });
  rethrow();
}

void FrameWriter::make_room(std::size_t particles) { wait_for_room(bytes(particles)); }

void FrameWriter::add(const FrameNumber& number, double time, Snapshot frame) {
  const double size = bytes(frame.size());
  const auto shared = std::make_shared<const Snapshot>(std::move(frame));
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({size, [this, number, time, shared] { write(number, time, shared->view()); }, true});
  }
  changed_.notify_all();
}

void FrameWriter::add(std::size_t bytes, std::function<void()> work) {
  wait_for_room(static_cast<double>(bytes));
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({static_cast<double>(bytes), std::move(work), false});
  }
  changed_.notify_all();
}

void FrameWriter::know(const FrameNumber& number, double time) { note_written(number, time); }

void FrameWriter::renew_indexes() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({0, [] {}, true});
  }
  changed_.notify_all();
}

void FrameWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() || failure_; });
  rethrow();
}

void FrameWriter::work() {
  tbb::task_arena alone(1);  // the other cores are the solver's
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || (!waiting_.empty() && !failure_); });
    if (waiting_.empty() || failure_) return;
    const Job& job = waiting_.front();  // others are added behind it meanwhile
    lock.unlock();
    std::exception_ptr failure;
    try {
      alone.execute([&] { job.work(); });
      indexes_are_old_ |= job.is_frame;
      if (indexes_are_old_ && is_last()) {
        write_indexes();
        indexes_are_old_ = false;
      }
    } catch (const RunError& error) {
      failure = std::make_exception_ptr(RunError(fmt::format("{}; the run stops here, the frames before are complete", error.what())));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    waiting_.pop_front();
    changed_.notify_all();
  }
}

// The files that tie frames together are there from the first frame on.
void FrameWriter::list_files(const FrameNumber& number) const {
  std::vector<std::string> names;
  for (const Format* format : formats_) {
    names.push_back(name_of(number, *format));
    if (number == FrameNumber{}) names.insert(names.end(), format->index_names.begin(), format->index_names.end());
  }
  folder_.add(names);
}

void FrameWriter::write(const FrameNumber& number, double time, const FrameView& frame) {
  list_files(number);
  FrameNotes notes = notes_;
  notes.time = time;
  for (const Format* format : formats_) format->write(folder_.file(name_of(number, *format)), frame, notes, options_);
  note_written(number, time);
}

void FrameWriter::note_written(const FrameNumber& number, double time) {
  std::string volume;
  for (const Format* format : formats_) {
    const std::string name = name_of(number, *format);
    if (format->is_volume) volume = name;
    if (format->write_index != nullptr) written_[format].push_back({name, volume, time});
  }
}

bool FrameWriter::is_last() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() == 1;
}

void FrameWriter::write_indexes() const {
  for (const auto& [format, frames] : written_) format->write_index(folder_.path(), frames, notes_);
}

}  // namespace firn
