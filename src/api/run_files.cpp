#include "api/run_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "build/bodies.h"
#include "firn/error.h"
#include "io/mesh_write.h"
#include "io/particle_files.h"
#include "io/vdb_write.h"
#include "solver/solver.h"

namespace firn {
namespace {

// With more colliders than this, only those that have a name are in the table: it is for people and plots.
constexpr std::size_t kMostUnnamed = 16;

void add(const BodyLoad& from, BodyLoad& to) {
  for (int d = 0; d < 3; ++d) {
    to.impulse[d] += from.impulse[d];
    to.turning[d] += from.turning[d];
  }
  to.work += from.work;
}

}  // namespace

StepRule most_often(const std::array<std::int64_t, kStepRules>& steps) {
  return static_cast<StepRule>(std::max_element(steps.begin(), steps.end()) - steps.begin());
}

FrameStatistics::FrameStatistics(const Scene& scene) {
  for (std::size_t c = 0; c < scene.colliders.size(); ++c)
    if (scene.colliders.size() <= kMostUnnamed || !scene.colliders[c].name.empty()) columns_.push_back({name_of(scene, c), c, {}});
}

void FrameStatistics::clear() {
  std::vector<Column> columns = std::move(columns_);
  const std::optional<double> energy = energy_;
  for (Column& column : columns) column.load = {};
  *this = FrameStatistics(Scene{});
  columns_ = std::move(columns);
  energy_ = energy;
}

void FrameStatistics::add(const StepInfo& info) {
  dt_min_ = steps_ == 0 ? info.dt : std::min(dt_min_, info.dt);
  dt_max_ = std::max(dt_max_, info.dt);
  time_ += info.dt;
  ++steps_;
  ++rules_[static_cast<int>(info.rule)];
  iterations_ += info.iterations;
  residual_ = std::max(residual_, info.residual);
  rejected_ += info.rejected;
  limited_ = info.limited;
  relaxed_ += info.relaxed;
  capped_ += info.capped;
  gravity_work_ += info.gravity_work;
  plastic_work_ += info.plastic_work;
  for (const BodyLoad& load : info.loads) body_work_ -= load.work;
  asleep_ = info.asleep;
  alone_ = info.alone;
  for (Column& column : columns_) firn::add(info.loads[column.collider], column.load);
  for (int p = 0; p < kPhases; ++p) seconds_[p] += info.seconds[p];
}

std::string FrameStatistics::header() const {
  std::string text =
      "frame,time,steps,dt_min,dt_max,step_rule,iterations,residual,rejected,limited,asleep,alone,particles,emitted,killed,left,mass,"
      "momentum_x,momentum_y,momentum_z,kinetic_energy,elastic_energy,jp_min,jp_max,jp_mean,packed,"
      "relaxed,capped,gravity_work,body_work,plastic_work,numerical_work,inside,squeezed";
  for (const Column& column : columns_)
    for (const char* quantity : {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z", "work"})
      text += fmt::format(",{}_{}", column.name, quantity);
  for (const char* phase : kPhaseNames) text += fmt::format(",seconds_{}", phase);
  return text + ",seconds_output\n";
}

std::string FrameStatistics::line(long frame, const Simulation& simulation, const Statistics& s) {
  std::string text = fmt::format(
      "{},{:.9g},{},{:.6g},{:.6g},{},{},{:.3g},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.6g},{:.6g},{:.6g},{:."
      "6g}",
      frame, simulation.time(), steps_, dt_min_, dt_max_, steps_ > 0 ? name_of(most_often(rules_)) : "", iterations_, residual_, rejected_,
      limited_, asleep_, alone_, simulation.particles(), simulation.emitted(), simulation.killed(), simulation.left(), s.mass,
      s.momentum[0], s.momentum[1], s.momentum[2], s.kinetic_energy, s.elastic_energy, s.jp_min, s.jp_max, s.jp_mean, s.packed);
  const double energy = s.kinetic_energy + s.elastic_energy;
  const double numerical = energy - energy_.value_or(energy) - gravity_work_ - body_work_ + plastic_work_;
  energy_ = energy;
  text += fmt::format(",{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{}", relaxed_, capped_, gravity_work_, body_work_, -plastic_work_,
                      steps_ > 0 ? numerical : 0, s.inside, s.squeezed);
  const double rate = time_ > 0 ? 1 / time_ : 0;  // forces and torques are means over the frame, work is its sum
  for (const Column& column : columns_) {
    for (const Vector& sum : {column.load.impulse, column.load.turning})
      for (const double component : sum) text += fmt::format(",{:.6g}", rate * component);
    text += fmt::format(",{:.6g}", column.load.work);
  }
  for (const double seconds : seconds_) text += fmt::format(",{:.4f}", seconds);
  return text + fmt::format(",{:.4f}\n", output_seconds_);
}

namespace {

// Deforming bodies have other triangles in every frame.
bool has_triangles(const Collider& collider) {
  constexpr ShapeKind kKinds[] = {ShapeKind::kMesh,  ShapeKind::kHeightfield, ShapeKind::kText,
                                  ShapeKind::kUnion, ShapeKind::kDifference,  ShapeKind::kIntersection};
  return collider.visible && std::find(std::begin(kKinds), std::end(kKinds), collider.shape.kind) != std::end(kKinds);
}

}  // namespace

bool has_body_triangles(const Scene& scene) {
  return scene.simulation.dimension == 3 && std::any_of(scene.colliders.begin(), scene.colliders.end(), has_triangles);
}

std::size_t write_body_triangles(const Scene& scene, const std::string& path) {
  std::vector<NamedMesh> meshes;
  std::size_t triangles = 0;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    if (!has_triangles(scene.colliders[i])) continue;
    std::optional<Mesh> mesh = body_mesh(scene.colliders[i], scene, 0);
    if (!mesh) continue;
    triangles += mesh->triangles.size();
    meshes.push_back({fmt::format("collider_{}", i), std::move(*mesh)});
  }
  write_obj(path, meshes);
  return triangles;
}

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
  const double spacing = scene.simulation.spacing;
  const auto refuse = [&](std::string_view what, double least) {
    throw UserError(scene.simulation.spacing_location,
                    fmt::format("spacing = {} m is too small for {}, which need at least {} m", spacing, what, least));
  };
  for (const std::string& name : scene.output.formats)
    if (const Format* format = find_format(name); spacing < format->least_spacing)
      refuse(fmt::format("frames as .{}", name), format->least_spacing);
  if (!scene.output.grid.empty() && spacing < kLeastVdbSpacing) refuse("nodes as .vdb", kLeastVdbSpacing);
}

FrameWriter::FrameWriter(const RunFolder& folder, const Scene& scene, bool double_precision)
    : folder_(folder),
      particle_bytes_(Snapshot::bytes_per_particle(double_precision)),
      options_{scene.output.fpc_error, scene.output.vdb_points},
      notes_(notes_of(scene)),
      grid_fields_(scene.output.grid) {
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

void FrameWriter::add(const FrameNumber& number, double time, Snapshot frame, GridFields grid) {
  constexpr double kNodeBytes = sizeof(grid.node[0]) + sizeof(double) + 2 * sizeof(Vector);
  const double size = bytes(frame.size()) + kNodeBytes * static_cast<double>(grid.size());
  const auto particles = std::make_shared<const Snapshot>(std::move(frame));
  const auto nodes = std::make_shared<const GridFields>(std::move(grid));
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({size, [this, number, time, particles, nodes] { write(number, time, particles->view(), *nodes); }, true});
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
  if (!grid_fields_.empty()) {
    for (const char* ending : {".vdb", ".vtp"}) names.push_back(nodes_stem(number) + ending);
    if (number == FrameNumber{}) names.emplace_back(kNodesPvdName);
  }
  folder_.add(names);
}

void FrameWriter::write(const FrameNumber& number, double time, const FrameView& frame, const GridFields& grid) {
  list_files(number);
  FrameNotes notes = notes_;
  notes.time = time;
  for (const Format* format : formats_) format->write(folder_.file(name_of(number, *format)), frame, notes, options_);
  if (!grid_fields_.empty()) {
    write_grid_vdb(folder_.file(nodes_stem(number) + ".vdb"), grid, grid_fields_, notes);
    write_grid_vtp(folder_.file(nodes_stem(number) + ".vtp"), grid, grid_fields_, time);
  }
  note_written(number, time);
}

void FrameWriter::note_written(const FrameNumber& number, double time) {
  std::string volume;
  for (const Format* format : formats_) {
    const std::string name = name_of(number, *format);
    if (format->is_volume) volume = name;
    if (format->write_index != nullptr) written_[format].push_back({name, volume, time});
  }
  if (!grid_fields_.empty()) written_grids_.push_back({nodes_stem(number) + ".vtp", {}, time});
}

bool FrameWriter::is_last() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() == 1;
}

void FrameWriter::write_indexes() const {
  for (const auto& [format, frames] : written_) format->write_index(folder_.path(), frames, notes_);
  if (!grid_fields_.empty()) write_collection(folder_.file(std::string(kNodesPvdName)), written_grids_);
}

}  // namespace firn
