// Running scenes: step by step (Simulation), as a whole with files (run), and measuring (check, bench).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/frame.h"
#include "firn/scene.h"

namespace firn {

// The version of the library, such as "0.1.0".
const char* version();

enum class Backend { kCpu, kReference, kCuda };
// "cpu", "reference", "cuda"
const char* name_of(Backend backend);
// The GPU that Backend::kCuda would run on; empty: there is none, or this build has no CUDA.
std::string cuda_device();
// kCuda where there is a GPU for this scene, else kCpu.
Backend quickest_backend(const Scene& scene);

// What kept a step from being longer.
enum class StepRule {
  kFrameEnd,     // nothing but the next frame
  kFixed,        // solver.time_step
  kElasticWave,  // explicit: waves in hardened snow, solver.courant
  kAccuracy,     // semi-implicit: waves in fresh snow
  kSnowSpeed,    // solver.cell_fraction of a cell
  kMovingBody,   // likewise, of a collider among the snow
  kCut,          // a longer step went wrong
};
inline constexpr int kStepRules = 7;
// The rule as a column of stats.csv may say it, such as "snow_speed".
const char* name_of(StepRule rule);
// The rule in words, with the key to change.
const char* advice_of(StepRule rule);

// What the snow did to one collider, by the contacts (M19) of nodes and particles.
struct BodyLoad {
  Vector impulse{0, 0, 0};  // N s (2D: per metre of depth)
  Vector turning{0, 0, 0};  // N m s, about the body's own origin where it is; 2D: z only
  double work = 0;          // J, done on the body
};

// Where the time of a step goes.
enum class Phase { kSort, kScatter, kGrid, kSolve, kGather };
inline constexpr int kPhases = 5;
inline constexpr std::array<const char*, kPhases> kPhaseNames{"sort", "scatter", "grid", "solve", "gather"};

struct StepInfo {
  double dt = 0;  // s
  StepRule rule = StepRule::kFrameEnd;
  std::vector<BodyLoad> loads;            // of every collider, in scene order
  int iterations = 0;                     // of the implicit solve
  double residual = 0;                    // relative
  int rejected = 0;                       // tries that went wrong and were cut
  std::string rejection;                  // why
  std::int64_t limited = 0;               // particles at the hardening limit; density-limited: whose nearest node is packed
  std::int64_t relaxed = 0;               // particles that yielded and lost strain, because it would have been energy from nothing
  std::int64_t capped = 0;                // particles whose J_P was kept from running away
  double gravity_work = 0;                // J, on the snow (2D: per metre of depth)
  double plastic_work = 0;                // J, lost by yielding
  std::int64_t asleep = 0;                // particles that lie still and were not computed
  std::int64_t alone = 0;                 // particles that share no node with others and fly freely
  std::array<double, kPhases> seconds{};  // by phase
  double serial_seconds = 0;              // outside of what all threads share
};

// Sums and extremes over all particles; in 2D, sums are per metre of depth.
struct Statistics {
  double mass = 0;                                // kg
  Vector momentum{0, 0, 0};                       // kg m/s
  Vector angular_momentum{0, 0, 0};               // kg m²/s about the world's origin, APIC's B counted (M10)
  double kinetic_energy = 0, elastic_energy = 0;  // J
  double jp_min = 1, jp_max = 1, jp_mean = 1;     // J_P; 0 when there are no particles
  double packed = 0;                              // share of the mass whose J_P is below 1
  Vector lower{0, 0, 0}, upper{0, 0, 0};          // the box around them, m
  // Particles where no snow can be: more than a cell inside a collider; twice as dense as ice, from less than half of that.
  std::int64_t inside = 0, squeezed = 0;
};

// A number of every particle, to be shown as a colour.
enum class LookChannel {
  kNone,
  kSpeed,     // m/s
  kJp,        // J_P
  kDensity,   // kg/m³, at present
  kMaterial,  // number of its material
  kStress,    // Pa: the pressure, above 0 where the snow is squeezed
};
struct ParticleLook {
  Vector anchor{0, 0, 0};                      // m
  std::vector<std::array<float, 3>> position;  // from the anchor, m
  std::vector<float> channel;                  // empty: none was asked for
};

// Told what setting up is at, such as "collider 1: level set of ship.obj": before anything that may take long. May be empty.
using SetupProgress = std::function<void(const std::string& what)>;

class Simulation {
 public:
  // threads: 0 means all cores. Throws UserError for a scene that cannot run.
  explicit Simulation(const Scene& scene, Backend backend = Backend::kCpu, int threads = 0, const SetupProgress& setup = {});
  // Goes on, bit for bit, from where another simulation of the same scene was saved. read(to, size) puts the next bytes there, at most so
  // many, and says how many; 0: there are no more. Throws UserError when they are not those of a state of this scene.
  Simulation(const Scene& scene, const std::function<std::size_t(char* to, std::size_t size)>& read, Backend backend = Backend::kCpu,
             int threads = 0, const SetupProgress& setup = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  double time() const;
  std::int64_t steps() const;
  std::size_t particles() const;  // now
  std::size_t ids() const;        // given out so far: those of particles() are among 0 to ids() − 1
  // Particles since the start: come in later (from sources, with the window, or as snow with a start), killed by sinks, left the domain or
  // the window. Always particles at the start + emitted() == particles() + killed() + left().
  std::int64_t emitted() const, killed() const, left() const;
  std::size_t bytes() const;
  const std::vector<std::string>& warnings() const;
  std::optional<double> critical_density() const;  // kg/m³, density-limited: rho_c of (M21)
  // Frames want numbers in double precision: the run computes in it, or floats so far from the origin could not tell particles apart.
  bool double_frames() const;

  // One step of at most `longest` seconds; with a fixed time step, of exactly that.
  StepInfo step(double longest);
  // Steps until `time`; with a fixed time step rounded down so that a whole number of steps fits.
  // on_step is called after each one and may return false to stop early.
  void advance_to(double time, const std::function<bool(const StepInfo&)>& on_step = {});

  // The state: all that the rest of the simulation depends on beside the scene, piece by piece.
  void save(const std::function<void(std::string_view bytes)>& write) const;
  // 32 hexadecimal digits of it: equal states have equal ones.
  std::string hash() const;

  // From the next step on the scene is another: its materials, gravity, friction, motions, sources and settings. Throws UserError, with
  // nothing changed, naming what cannot change in a run: dimension, spacing, precision, kernel, transfer, the number of bodies.
  void change(const Scene& scene);

  Statistics statistics() const;
  // Particles with ids in [begin, end), those that are still there. complete: with F_E and, for APIC, B.
  Frame frame(bool complete, std::size_t begin, std::size_t end) const;
  Frame frame(bool complete) const { return frame(complete, 0, ids()); }
  // The grid as the next step finds it. Particles that are alone have no nodes. The particles are sorted into blocks for it, as that step
  // would do first, so results stay the same to the last bit.
  GridFields grid();

  // The particles for a picture of this moment, quicker than a frame: those whose id is a multiple of `every`, in no particular order.
  ParticleLook look(LookChannel channel, int every = 1) const;
  // The middles of blocks of snow that sleep, m.
  std::vector<Vector> sleeping_blocks() const;
  // Cauchy's stress (Pa, row by row) of the particles of a complete frame of this simulation.
  std::vector<std::array<double, 9>> stress(const Frame& frame) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

struct Progress {
  int frame = 0, frames = 0;         // frames written, of all
  std::int64_t step = 0, steps = 0;  // steps: 0 when the run is counted in frames
  double time = 0, dt = 0;           // s
  std::size_t particles = 0;
  double fraction = 0;       // of the run
  double seconds_left = -1;  // estimate; below 0: there is none yet
  bool frame_done = false;   // a frame was just written
};

// A run between two steps, for whoever accompanies it.
struct RunMoment {
  Simulation& simulation;
  const StepInfo* step;  // that was just taken; null: none
  int frame;             // the last one written; below 0: none yet
  bool may_change;       // false: the step has ended a frame that is to be written first; then comes another moment
};
// May wait, look and, where it may, change the simulation; then it returns the scene that the run goes on with. What it throws ends the
// run as it is, without the files of an end.
using RunCompanion = std::function<std::optional<Scene>(const RunMoment&)>;

struct RunOptions {
  std::string directory;
  std::optional<int> frames;          // instead of the scene's duration
  std::optional<std::int64_t> steps;  // exactly so many steps
  Backend backend = Backend::kCpu;
  int threads = 0;
  bool overwrite = false;  // a folder that is not empty
  SetupProgress setup;
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> warn;
  std::function<void(const std::string&)> note;  // what is worth knowing when it begins
  std::function<bool()> interrupted;             // asked after every step
  RunCompanion companion;                        // called before the first file, after every step and after every frame; may be empty
  std::function<void(Simulation)> keep;          // given the simulation at its end; may be empty
};

struct ResumeOptions {
  std::optional<int> frames;       // instead of those the run was to have: a run that has ended goes on
  std::optional<Backend> backend;  // instead of the run's own: what follows has other last bits
  int threads = 0;
  SetupProgress setup;
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> warn;
  std::function<bool()> interrupted;
  RunCompanion companion;                // as of RunOptions
  std::function<void(Simulation)> keep;  // likewise
};

struct RunSummary {
  int frames = 0;
  std::int64_t steps = 0, rejected = 0;
  double time = 0;                      // simulated, s
  double seconds = 0;                   // wall clock
  StepRule rule = StepRule::kFrameEnd;  // what set the time step most often
  double rule_share = 0;                // in this part of the steps
  bool interrupted = false;
  bool resumable = false;  // there is a checkpoint of its end
};

// Where a run of this scene, loaded from `path_or_name`, goes when nothing else is said: out/NAME. The scene.toml in the folder of a run
// goes beside that folder, under its name with the first number that is free: FOLDER_2.
std::string default_directory(const std::string& path_or_name, const Scene& scene);

// Writes frames, stats.csv, scene.toml and final.ply into options.directory, and keeps a list of them there (.firn). With
// options.overwrite, what is on the list of an earlier run is removed first, and nothing else. Throws UserError, with nothing changed,
// when another run is writing into the folder or a file that is not on its list is in the way.
RunSummary run(const Scene& scene, const RunOptions& options);

// Goes on with a run from its last checkpoint, and writes what the run would have written had it never stopped: every later file is the
// same, and stats.csv but for its seconds. Throws UserError, with nothing changed, when the folder has no checkpoint that fits its scene
// and this program, or a run is writing into it. A damaged checkpoint is warned of, and the one before it is used.
RunSummary resume(const std::string& directory, const ResumeOptions& options);

struct CheckReport {
  struct Body {
    std::string shape;
    std::size_t particles;
    double mass;       // kg
    double content;    // m³ (2D: m²) of the shape; 0: not known
    double start = 0;  // s: it comes in then
  };
  struct Obstacle {
    std::string shape;
    Vector size;  // m, of the box around it as it is described; a plane has none
    bool moves;
  };
  struct Flow {
    std::string shape;
    double particles_per_second;
    double particles, mass;  // in all, kg
  };
  std::vector<Body> snow;  // with a window: what is in it at the start
  std::vector<Obstacle> colliders;
  std::vector<Flow> sources;
  std::vector<std::string> sinks;  // their shapes
  std::size_t particles = 0, blocks = 0;
  double bytes = 0;                        // expected memory
  std::optional<double> critical_density;  // kg/m³, density-limited: rho_c of (M21)
  double time_step = 0;                    // s, of the first step
  double steps = 0;                        // expected for the whole run
  std::optional<double> seconds;  // expected for the whole run, if all steps cost what the timed ones do; empty: it starts without snow
  int timed_steps = 0;            // the first ones, that were taken to know
  int least_iterations = 0;       // of the solve, for all of the snow, that such a step was taken to have; 0: there is none
  int threads = 0;                // on which
  std::vector<std::string> warnings;
};
// threads: 0 means all cores. Not `timed`: no steps are taken, and how long the run will take stays open.
CheckReport check(const Scene& scene, const SetupProgress& setup = {}, int threads = 0, bool timed = true);

struct BenchOptions {
  int steps = 50;  // measured, in five parts
  int warmup = 5;  // steps before them
  int threads = 0;
  Backend backend = Backend::kCpu;
};

struct BenchReport {
  std::string scene, backend, precision, kernel, integrator;
  std::string device;  // the GPU; empty on the CPU
  std::size_t particles = 0;
  int steps = 0, threads = 0;
  double ns_per_particle_step = 0;       // median of the parts
  double ns_min = 0, ns_max = 0;         // the quickest and the slowest part
  double ns_per_particle_iteration = 0;  // semi-implicit; median
  double iterations_per_step = 0;
  double bytes_per_particle = 0;
  double serial_fraction = 0;                          // of the time, outside of what all threads share; telling with one thread
  std::vector<std::pair<std::string, double>> phases;  // ns per particle per step; medians
  // How quick the machine was just before or just after, whichever was better: one thread, float FMAs in registers, and copying
  // memory far larger than the caches (bytes read plus written).
  double fma_gflops = 0, copy_gb_s = 0;
};
// Wants at least one step.
BenchReport bench(const Scene& scene, const BenchOptions& options);

}  // namespace firn
