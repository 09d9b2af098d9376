// A scene as the user describes it: plain data, SI units, y up. Reading and writing it as TOML.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/error.h"

namespace firn {

using Vector = std::array<double, 3>;      // z is 0 in 2D scenes
using Quaternion = std::array<double, 4>;  // w, x, y, z

enum class Integrator { kExplicit, kSemiImplicit, kDensityLimited };
enum class Kernel { kCubic, kQuadratic };
inline constexpr const char* kKernelNames[] = {"cubic", "quadratic"};  // in scenes and files
enum class Transfer { kFlip, kApic };
enum class ContactRule { kHeld, kPaper };
enum class Tangent { kPlastic, kElastic };
enum class Precision { kFloat, kDouble };
enum class Sampling { kJittered, kPoisson, kRegular };
enum class InitialVolume { kShape, kGrid };
enum class Interpolation { kLinear, kSmooth };
enum class Tone { kFilmic, kSrgb };
enum class LightShape { kRectangle, kDisc, kSphere };
enum class Look { kMatte, kMetal };
enum class ShapeKind {
  kSphere,
  kBox,
  kCylinder,
  kCone,
  kTorus,
  kCapsule,
  kWedge,
  kPlane,
  kMesh,
  kVolume,
  kSequence,
  kHeightfield,
  kText,
  kUnion,
  kDifference,
  kIntersection,
  kParticles
};

struct SimulationSettings {
  int dimension = 3;
  double spacing = 0;   // h, m
  double duration = 0;  // s
  double fps = 24;      // frames per second
  Vector gravity{0, -9.81, 0};
  double settle = 0;  // s: before t = 0 snow that is not thrown comes to rest under gravity, damped, for so long
  Location spacing_location{};
  Location duration_location{};
};

struct SolverSettings {
  Integrator integrator = Integrator::kSemiImplicit;
  std::optional<double> time_step;  // s; empty: chosen every step
  double beta = 1.0;                // semi-implicit: 1/2 trapezoidal, 1 backward Euler
  double tolerance = 1e-4;          // of the conjugate residuals, relative
  int max_iterations = 500;         // of the conjugate residuals
  Kernel kernel = Kernel::kCubic;
  Transfer transfer = Transfer::kFlip;
  double flip_ratio = 0.95;                  // alpha of (M10)
  double flip_step = 5e-4;                   // s: alpha acts once in this time, however long steps are; 0: once a step, as printed
  std::optional<double> reference_spacing;   // m: damping and cracks are those of a grid of this spacing; empty: of the scene's own
  ContactRule contact = ContactRule::kHeld;  // what bodies do to the snow: hold it, or (M19) as printed
  Tangent tangent = Tangent::kPlastic;       // semi-implicit: snow resists as it will yield, or as if it could not
  double critical_density = 4;               // density-limited: c of (M21), the multiple of a third of the least density
  Precision precision = Precision::kFloat;
  double courant = 0.5;         // C of the elastic time step limit
  double cell_fraction = 0.25;  // of a cell, the most a particle may cross in an automatic step
  bool sleep = true;            // snow that lies still is not computed until something moves near it
};

// Defaults: Stomakhin et al. 2013, table 2.
struct Material {
  std::string name = "default";
  double young_modulus = 1.4e5;  // Pa
  double poisson_ratio = 0.2;
  double hardening = 10;
  double critical_compression = 2.5e-2;
  double critical_stretch = 7.5e-3;
  double density = 400;                  // kg/m³
  double hardening_limit = 100;          // the hardening factor stays in [1/L, L]
  std::optional<double> softening = {};  // instead of hardening where J_P > 1; empty: hardening × spacing / reference_spacing
};

// The geometry of one body; which members count depends on `kind`.
struct Shape {
  ShapeKind kind = ShapeKind::kSphere;
  Vector center{0, 0, 0};           // sphere, box, cylinder, cone, torus, wedge
  double radius = 0;                // sphere, cylinder, capsule; cone: at its foot; torus: of the ring
  double tube = 0;                  // torus: radius of the tube
  double height = 0;                // cylinder, cone: along the y axis; heightfield: of white over black; text: of capital letters
  Vector size{0, 0, 0};             // box, wedge: full edges
  double angle = 0;                 // wedge: opening at the top edge, degrees; 0: the sides end at the bottom edges
  Vector a{0, 0, 0}, b{0, 0, 0};    // capsule: ends of its axis
  Vector point{0, 0, 0};            // plane
  Vector normal{0, 1, 0};           // plane, towards the free side
  Quaternion rotation{1, 0, 0, 0};  // about `center`; files: about their own origin
  std::string file;              // mesh, volume, particles: resolved path; heightfield: of a PNG; sequence: with # for the frame's number
  Vector translate{0, 0, 0};     // files: where their own origin goes
  Vector scale{1, 1, 1};         // files: of their coordinates, first of all
  double thickness = 0;          // mesh, sequence, m: above 0 it is a sheet of that thickness and need not be closed
  double threshold = 0.5;        // volume, sequence: where fog ends, of its largest value
  double fps = 0;                // sequence: frames per second; 0: the scene's
  double start = 0;              // sequence, s: when its first frame is due
  std::string formula;           // heightfield: height in metres of x and z, from `center` on; instead of a picture
  double length = 0, width = 0;  // heightfield, m: along x and z, about `center`
  double depth = 0;              // heightfield, m: below `center`; text: along z
  std::string text, font;        // text: UTF-8, and the path of a font file
  std::vector<Shape> parts;      // union, difference, intersection: each placed in the world
};

// One number for each parameter of snow that can vary from particle to particle.
struct SnowFactors {
  double stiffness;  // of young_modulus
  double hardening;
  double critical_compression;
  double critical_stretch;
  double density;
};
constexpr SnowFactors all_factors(double x) { return {x, x, x, x, x}; }

// Smooth random variation: a parameter is multiplied by (1 + amplitude)^n, n a noise of the position between -1 and 1, the same n for
// all of them.
struct SnowNoise {
  double scale = 0;  // m, size of the largest features
  int octaves = 3;   // each one halves size and strength
  std::uint32_t seed = 1;
  SnowFactors amplitude = all_factors(0);
  Location location;
};

// Snow less than `depth` below the shape's surface has its parameters multiplied.
struct SnowShell {
  double depth = 0;  // m
  SnowFactors factor = all_factors(1);
  Location location;
};

// Snow between two heights, or above or below one, is of another material.
struct SnowLayer {
  std::optional<double> above, below;  // world y, m; at least one
  std::string material;
};

struct Snow {
  Shape shape;
  Vector velocity{0, 0, 0};  // m/s
  Vector spin{0, 0, 0};      // rad/s about the shape's centre; 2D: z only
  Vector stretch{1, 1, 1};   // elastic, per axis, at the start: below 1 the snow is squeezed and will push out
  std::string material = "default";
  std::vector<SnowLayer> layers;   // instead of `material` where they are; the last one wins
  std::optional<SnowShell> shell;  // then this
  std::vector<SnowNoise> noise;    // then these
  double particles_per_cell = 8;
  Sampling sampling = Sampling::kJittered;
  InitialVolume initial_volume = InitialVolume::kShape;  // V⁰ is mass over density, or what the grid sees (M5)
  double start = 0;                                      // s: it is not there before
  std::uint32_t seed = 1;
  Location location;  // of the shape's key
};

struct MotionKey {
  double t = 0;  // s
  Vector position{0, 0, 0};
  Quaternion rotation{1, 0, 0, 0};
};

struct Collider {
  Shape shape;
  std::string name;  // in stats.csv; empty: collider_0, by its number
  double friction = 0;
  bool sticky = false;
  Vector velocity{0, 0, 0};                              // m/s
  Vector spin{0, 0, 0};                                  // rad/s; 2D: z only
  std::optional<Vector> pivot;                           // of the spin, at t = 0; default: the shape's own origin
  std::vector<MotionKey> keys;                           // instead of velocity and spin
  Interpolation interpolation = Interpolation::kLinear;  // between keys
  // In pictures; nothing of it changes the run.
  bool visible = true;
  Look look = Look::kMatte;
  std::optional<Vector> colour;     // what it throws back of red, green and blue light; empty: as its look has it
  std::optional<double> roughness;  // of metal; empty: that of brushed steel
  Location location;
};

// Snow that comes in while the run goes on.
struct Source {
  Shape shape;
  double rate = 0;            // kg/s (2D: per metre of depth)
  Vector velocity{0, 0, 0};   // m/s
  double start = 0;           // s
  std::optional<double> end;  // s; empty: as long as the run lasts
  std::string material = "default";
  double particles_per_cell = 8;
  std::uint32_t seed = 1;
  Location location;
};

// Takes away every particle that gets into it.
struct Sink {
  Shape shape;
  double start = 0;           // s
  std::optional<double> end;  // s; empty: as long as the run lasts
  Location location;
};

// What gets out of this box is taken away.
struct Domain {
  Vector lower{0, 0, 0}, upper{0, 0, 0};
};

// A box that moves with a collider, or evenly. Only the snow in it is computed: what gets out is taken away, and where the box comes to
// for the first time there is the snow that the shapes of `Scene::snow` have there.
struct Window {
  std::optional<int> follow;              // number of the collider; empty: it moves from the world's origin with `velocity`
  Vector velocity{0, 0, 0};               // m/s
  Vector lower{0, 0, 0}, upper{0, 0, 0};  // m, from the collider's origin
  Location location;
};

// What a run can write of its grid: m_i and v_i of (M4), f_i of (M6).
enum class GridField { kMass, kVelocity, kForce };
inline constexpr const char* kGridFieldNames[] = {"mass", "velocity", "force"};  // in scenes and files

struct OutputSettings {
  std::vector<std::string> formats{"ply"};
  std::vector<GridField> grid;    // written of the nodes, beside the particles
  int subframes = 1;              // written frames per frame: of 4, three are between whole ones
  double fpc_error = 0;           // m; fpc: the most a position may be wrong; 0: nothing is
  bool vdb_points = false;        // vdb: the particles as well
  double checkpoint_minutes = 5;  // of wall time between checkpoints; 0: none for the time's sake
  int checkpoint_frames = 0;      // a checkpoint after every so many frames; 0: none for their sake

  bool checkpoints() const { return checkpoint_minutes > 0 || checkpoint_frames > 0; }
};

// Where the camera is at a time.
struct CameraKey {
  double t = 0;                               // s
  Vector position{0, 0, 0}, target{0, 0, 0};  // m
  double fov = 27;                            // degrees
};

// A lamp. Rectangles and discs shine to one side.
struct AreaLight {
  LightShape shape = LightShape::kRectangle;
  Vector center{0, 0, 0};            // m
  Vector target{0, 0, 0};            // m, what a rectangle or disc faces
  std::array<double, 2> size{1, 1};  // m, width and height of a rectangle
  double radius = 1;                 // m, of a disc or sphere
  Vector colour{1, 1, 1};            // linear red, green and blue
  double strength = 1;               // radiance; 1: it looks as bright as snow in the sun
};

// How the run is shown; nothing of it changes the run. Defaults of the snow: Stomakhin et al. 2013.
struct RenderSettings {
  int width = 960, height = 540;                         // pixels
  std::optional<Vector> position, target;                // m; both, or neither: the camera finds its place by itself
  double fov = 27;                                       // degrees, between the picture's lower and upper edge; a long lens distorts little
  std::vector<CameraKey> keys;                           // instead of position and target
  Interpolation interpolation = Interpolation::kLinear;  // between keys
  double shutter = 0;                                    // part of the time from frame to frame that it is open: blurs what moves
  double exposure = 0;                                   // stops
  double white_balance = 0.9;          // how far the albedo is turned so that deep snow, which is blue, looks white: 0 to 1
  Tone tone = Tone::kFilmic;           // how light becomes the picture's colours
  std::optional<Vector> sun;           // towards it; empty: from the side of the camera
  std::optional<double> sun_strength;  // 1: as on a clear winter day; empty: 1, but 0 under a sky image without `sun`
  double sky_strength = 1;             // 1: as on a clear winter day, or as the image is
  std::string sky_image;               // path of an OpenEXR or Radiance file, all directions around; empty: a clear sky
  double sky_turn = 0;                 // degrees about +y, of the image
  std::vector<AreaLight> lights;
  double extinction = 724;        // 1/m, of snow with 400 kg/m³; in proportion to the density
  Vector albedo{0.9, 0.95, 1.0};  // of a scattering, red, green and blue
  double anisotropy = 0.5;        // mean cosine of a scattering (Henyey and Greenstein 1941)
  double voxel = 0;               // m, of the grid that light goes through; 0: chosen
  Location location;              // of the camera's key
  Location sky_location;          // of the image's key
};

struct Scene {
  std::string name;                   // file name without folder and ending, and variants
  std::vector<std::string> variants;  // those that the scene's text has
  SimulationSettings simulation;
  SolverSettings solver;
  std::vector<Material> materials;  // at least "default"
  std::vector<Snow> snow;
  std::vector<Source> sources;
  std::vector<Collider> colliders;
  std::vector<Sink> sinks;
  std::optional<Domain> domain;
  std::optional<Window> window;
  OutputSettings output;
  RenderSettings render;

  int frames() const;  // whole frames in the duration
};

// The name of a collider in stats.csv: its own, or collider_0 by its number.
std::string name_of(const Scene& scene, std::size_t collider);

// Reads a scene file, or a gallery scene when `path_or_name` is one's name and no such file exists.
// `overrides` are "section.key=value" texts; bodies are addressed as snow.0.radius. They come after the changes of `variants`,
// some of the scene's. Throws UserError.
Scene load_scene(const std::string& path_or_name, const std::vector<std::string>& overrides = {},
                 const std::vector<std::string>& variants = {});

// The same from a text; `file` names it in errors and anchors relative paths. With `folders`, files that the scene names must lie in one of
// them, links followed (is_inside); of others nothing is looked at, so that the answer does not tell whether they are there.
Scene parse_scene(const std::string& toml, const std::string& file, const std::vector<std::string>& overrides = {},
                  const std::vector<std::string>& variants = {}, const std::vector<std::string>& folders = {});

// The scene fully resolved: every key with its value, paths absolute. parse_scene(to_toml(s)) is s again.
std::string to_toml(const Scene& scene);

struct GalleryEntry {
  std::string name;
  std::string summary;  // the file's header line
  std::string toml;
};
const std::vector<GalleryEntry>& gallery();

// Names of a scene's variants.
std::vector<std::string> variants_of(const GalleryEntry& entry);

// Every key of a scene as JSON text, for programs that make panels of it: sections with name, whether there may be many, and keys with
// name, type, unit, range, choices, default and help.
std::string scene_schema();

// Where the files that gallery scenes name are.
std::string gallery_folder();

// Kinds of snow by name: what preset = "..." of a material stands for. Each has its preset's name.
const std::vector<Material>& presets();

}  // namespace firn
