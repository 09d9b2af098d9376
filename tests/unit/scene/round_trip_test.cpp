// to_toml writes a scene so that it reads back as the same scene, to the last bit.
#include <random>
#include <tuple>

#include "scene/schema.h"
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

using namespace schema;

auto fields(const SimulationSettings& s) { return std::tie(s.dimension, s.spacing, s.duration, s.fps, s.gravity); }
auto fields(const SolverSettings& s) {
  return std::tie(s.integrator, s.time_step, s.beta, s.tolerance, s.max_iterations, s.kernel, s.transfer, s.flip_ratio, s.precision,
                  s.critical_density, s.courant, s.cell_fraction, s.sleep, s.flip_step, s.reference_spacing, s.contact, s.tangent);
}
auto fields(const Material& m) {
  return std::tie(m.name, m.young_modulus, m.poisson_ratio, m.hardening, m.critical_compression, m.critical_stretch, m.density,
                  m.hardening_limit, m.softening);
}
auto fields(const Shape& s) {
  return std::tie(s.kind, s.center, s.radius, s.tube, s.height, s.size, s.angle, s.a, s.b, s.point, s.normal, s.rotation, s.file,
                  s.translate, s.scale, s.thickness, s.threshold, s.fps, s.start, s.formula, s.length, s.width, s.depth, s.text, s.font);
}
auto fields(const Snow& s) {
  return std::tie(s.velocity, s.spin, s.material, s.start, s.particles_per_cell, s.initial_volume, s.sampling, s.seed);
}
auto fields(const SnowFactors& f) { return std::tie(f.stiffness, f.hardening, f.critical_compression, f.critical_stretch, f.density); }
auto fields(const SnowNoise& n) { return std::tuple_cat(std::tie(n.scale, n.octaves, n.seed), fields(n.amplitude)); }
auto fields(const SnowShell& s) { return std::tuple_cat(std::tie(s.depth), fields(s.factor)); }
auto fields(const SnowLayer& l) { return std::tie(l.above, l.below, l.material); }
auto fields(const MotionKey& k) { return std::tie(k.t, k.position, k.rotation); }
auto fields(const Collider& c) {
  return std::tie(c.friction, c.sticky, c.interpolation, c.velocity, c.spin, c.pivot, c.visible, c.look, c.colour, c.roughness);
}

auto fields(const Source& s) { return std::tie(s.rate, s.velocity, s.start, s.end, s.material, s.particles_per_cell, s.seed); }
auto fields(const Sink& s) { return std::tie(s.start, s.end); }
auto fields(const Domain& d) { return std::tie(d.lower, d.upper); }
auto fields(const CameraKey& k) { return std::tie(k.t, k.position, k.target, k.fov); }
auto fields(const AreaLight& l) { return std::tie(l.shape, l.center, l.target, l.size, l.radius, l.colour, l.strength); }
auto fields(const RenderSettings& r) {
  return std::tie(r.width, r.height, r.position, r.target, r.fov, r.interpolation, r.shutter, r.exposure, r.white_balance, r.tone, r.sun,
                  r.sun_strength, r.sky_strength, r.sky_image, r.sky_turn, r.extinction, r.albedo, r.anisotropy, r.voxel);
}
auto fields(const Window& w) { return std::tie(w.follow, w.velocity, w.lower, w.upper); }

template <class T>
void expect_same(const std::optional<T>& a, const std::optional<T>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (a) {
    EXPECT_TRUE(fields(*a) == fields(*b));
  }
}

template <class T>
void expect_same(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(fields(a[i]) == fields(b[i])) << i;
    if constexpr (requires { a[i].shape.parts; }) {
      EXPECT_TRUE(fields(a[i].shape) == fields(b[i].shape)) << i;
      expect_same(a[i].shape.parts, b[i].shape.parts);
    }
    if constexpr (requires { a[i].parts; }) expect_same(a[i].parts, b[i].parts);
    if constexpr (requires { a[i].keys; }) expect_same(a[i].keys, b[i].keys);
    if constexpr (requires { a[i].noise; }) {
      expect_same(a[i].noise, b[i].noise);
      expect_same(a[i].layers, b[i].layers);
      EXPECT_EQ(a[i].shell.has_value(), b[i].shell.has_value());
      if (a[i].shell && b[i].shell) {
        EXPECT_TRUE(fields(*a[i].shell) == fields(*b[i].shell)) << i;
      }
    }
  }
}

void expect_same(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_TRUE(fields(a.simulation) == fields(b.simulation));
  EXPECT_TRUE(fields(a.solver) == fields(b.solver));
  expect_same(a.materials, b.materials);
  expect_same(a.snow, b.snow);
  expect_same(a.sources, b.sources);
  expect_same(a.colliders, b.colliders);
  expect_same(a.sinks, b.sinks);
  expect_same(a.domain, b.domain);
  expect_same(a.window, b.window);
  EXPECT_EQ(a.output.formats, b.output.formats);
  EXPECT_EQ(a.output.grid, b.output.grid);
  EXPECT_EQ(a.output.subframes, b.output.subframes);
  EXPECT_EQ(a.output.fpc_error, b.output.fpc_error);
  EXPECT_EQ(a.output.vdb_points, b.output.vdb_points);
  EXPECT_TRUE(fields(a.render) == fields(b.render));
  expect_same(a.render.keys, b.render.keys);
  expect_same(a.render.lights, b.render.lights);
  EXPECT_EQ(a.frames(), b.frames());
}

void expect_round_trip(const Scene& scene) {
  const std::string text = to_toml(scene);
  SCOPED_TRACE(text);
  Scene again;
  ASSERT_NO_THROW(again = parse_scene(text, scene.name + ".toml"));
  expect_same(scene, again);
  EXPECT_EQ(to_toml(again), text);
}

// Visitor that gives every key a random value that its rule allows.
class Randomizer {
 public:
  Randomizer(unsigned seed, int dimension, std::string file) : random_(seed), dimension_(dimension), file_(std::move(file)) {}

  template <class T, class Rule>
  void field(const Key&, T& value, const Rule& rule) {
    set(value, rule);
  }
  template <class T, class Rule>
  bool instead(const Key&, T& value, const Rule& rule) {
    return coin() && set(value, rule);
  }

  bool coin() { return uniform(0, 1) < 0.5; }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  // Inside the range, of any magnitude that is there.
  double in(const Range& range) {
    if (range.low < 0) return uniform(range.low, range.high) * std::pow(10, -uniform(0, 20));
    const double low = std::max(range.low, range.high * 1e-30);
    return std::min(low * std::pow(range.high / low, uniform(0.01, 0.99)), range.high);
  }
  Vector vector(const Range& range) { return {in(range), in(range), dimension_ == 3 ? in(range) : 0}; }

  void set(double& value, const Range& range) { value = in(range); }
  void set(int& value, const Range& range) { value = static_cast<int>(in(range)); }
  void set(std::uint32_t& value, const Range& range) { value = static_cast<std::uint32_t>(in(range)); }
  void set(bool& value, Flag) { value = coin(); }
  void set(int& value, Dimension) { value = dimension_; }
  void set(std::optional<double>& value, const AutoOr& rule) {
    value.reset();
    if (coin()) value = in(rule.range);
  }
  void set(std::optional<double>& value, const Range& range) {
    value.reset();
    if (coin()) value = in(range);
  }
  bool set(std::optional<int>& value, MovingCollider) {
    value = 0;
    return true;
  }
  bool set(double&, const FrameCount&) { return false; }
  void set(double& value, const Opening& rule) { value = coin() ? 0 : in(rule.range); }
  void set(Vector& value, const Components& rule) { value = vector(rule.range); }
  void set(Vector& value, Position) { value = vector({-100, 100}); }
  void set(std::optional<Vector>& value, Position) {
    value.reset();
    if (coin()) value = vector({-100, 100});
  }
  void set(Vector& value, const Sizes& rule) { value = vector(rule.range); }
  void set(Vector& value, Direction) { value = {uniform(-9, 9), uniform(1, 9), dimension_ == 3 ? uniform(-9, 9) : 0}; }
  Vector in_space(const Range& range) {
    return {uniform(range.low, range.high), uniform(range.low, range.high), uniform(range.low, range.high)};
  }
  void set(Vector& value, PointInSpace) { value = in_space({-100, 100}); }
  void set(std::optional<Vector>& value, PointInSpace) { value = in_space({-100, 100}); }
  void set(std::optional<Vector>& value, DirectionInSpace) {
    value.reset();
    if (coin()) value = in_space({1, 9});
  }
  void set(Vector& value, const Channels& rule) { value = in_space(rule.range); }
  void set(std::array<double, 2>& value, const Edges& rule) { value = {in(rule.range), in(rule.range)}; }
  void set(std::vector<AreaLight>& lights, AreaLights) {
    lights.resize(coin() ? 0 : 3);
    for (AreaLight& light : lights) describe(*this, light);
  }
  void set(std::optional<Vector>& value, const Channels& rule) {
    value.reset();
    if (coin()) value = in_space(rule.range);
  }
  void set(Vector& value, const Spin& rule) { value = dimension_ == 3 ? vector(rule.range) : Vector{0, 0, in(rule.range)}; }
  void set(Quaternion& value, Rotation) {
    value = {uniform(-1, 1), 0, 0, uniform(-1, 1)};
    if (dimension_ == 3) value = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    double squared = 0;
    for (const double x : value) squared += x * x;
    for (double& x : value) x /= std::sqrt(squared);
  }
  void set(std::string& value, ExistingFile) { value = file_; }
  bool set(std::string& value, AnyText) {
    value = "a \"b\"\n\xc3\xa4";
    return true;
  }
  void set(std::string& value, ColumnName) { value = "body-" + std::to_string(names_++) + "_A"; }
  void set(std::string& value, FilePattern) { value = file_.substr(0, file_.find_last_of('/')) + "/walk_##.obj"; }
  void set(std::string& value, MaterialName) { value = coin() ? "default" : "other-1_A"; }
  void set(Material&, PresetName) {}
  void set(std::vector<SnowNoise>& noise, Noises) {
    noise.resize(coin() ? 0 : 2);
    for (SnowNoise& one : noise) describe(*this, one);
  }
  void set(std::optional<SnowShell>& shell, Shell) {
    if (coin()) describe(*this, shell.emplace());
  }
  void set(std::vector<SnowLayer>& layers, Layers) {
    layers.resize(coin() ? 0 : 3);
    for (SnowLayer& layer : layers) {
      describe(*this, layer);
      layer.above = in(kHeight);
      layer.below = in(kHeight);
      if (coin() || *layer.above >= *layer.below) (coin() ? layer.above : layer.below).reset();
    }
  }
  void set(std::vector<std::string>& value, const Formats&) { value = {"vdb", "ply"}; }
  void set(std::vector<GridField>& value, const GridFieldList&) {
    value = coin() ? std::vector<GridField>{} : std::vector{GridField::kForce, GridField::kMass};
  }
  bool set(std::vector<MotionKey>& keys, MotionKeys) { return set_keys(keys); }
  bool set(std::vector<CameraKey>& keys, const CameraKeys&) { return set_keys(keys); }
  template <class TimeKey>
  bool set_keys(std::vector<TimeKey>& keys) {
    keys.resize(3);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      describe(*this, keys[i]);
      keys[i].t = static_cast<double>(i) + uniform(0, 0.99);
    }
    return true;
  }
  void set(Vector& value, const Scale& rule) {
    value = vector(rule.range);
    if (dimension_ == 2) value[2] = std::sqrt(value[0] * value[1]);
  }
  void set(std::vector<Shape>& parts, Parts) {
    parts.resize(2);
    for (Shape& part : parts) {
      do set(part.kind, kPartShapes);
      while (part.kind == ShapeKind::kUnion || part.kind == ShapeKind::kDifference || part.kind == ShapeKind::kIntersection);
      describe(*this, part);
    }
  }
  bool set(std::vector<MotionKey>&, MotionFile) { return false; }
  template <class E>
  void set(E& value, const Choices<E>& choices) {
    value = choices.all[std::uniform_int_distribution<std::size_t>(0, choices.all.size() - 1)(random_)].value;
    if constexpr (std::is_same_v<E, ShapeKind>)
      if (dimension_ == 2 && needs_three_dimensions(value)) value = ShapeKind::kBox;
  }

  std::mt19937 random_;
  int dimension_;
  int names_ = 0;
  std::string file_;
};

// What comes and goes, as far as its values fit together.
void add_flow(Randomizer& random, Scene& scene) {
  const auto order = [](auto& flow) {
    if (flow.end) flow.end = flow.start + std::abs(*flow.end) + 1;
  };
  const auto spread = [](auto& box) {
    for (int d = 0; d < 3; ++d) box.upper[d] = box.lower[d] + (box.upper[d] == 0 ? 0 : std::abs(box.upper[d]) + 1e-3);
  };
  scene.sources.resize(2);
  for (Source& source : scene.sources) {
    describe(random, source);
    order(source);
  }
  scene.sinks.resize(2);
  for (Sink& sink : scene.sinks) {
    describe(random, sink);
    order(sink);
  }
  if (random.coin()) {
    describe(random, scene.domain.emplace());
    spread(*scene.domain);
  }
  if (random.coin()) {
    scene.colliders[0].keys.resize(2);
    scene.colliders[0].keys[1].t = 1;
    scene.colliders[0].velocity = scene.colliders[0].spin = {0, 0, 0};
    scene.colliders[0].pivot.reset();
    describe(random, scene.window.emplace());
    spread(*scene.window);
  }
}

Scene random_scene(unsigned seed, const std::string& file) {
  Scene scene;
  scene.name = "random";
  Randomizer random(seed, seed % 2 == 0 ? 2 : 3, file);
  describe(random, scene.simulation);
  scene.simulation.spacing = 0.01;
  scene.simulation.duration = 1 / scene.simulation.fps;
  if (random.coin())
    scene.simulation = {scene.simulation.dimension, 0.1 + 1e-17 * seed, 1.0 / 3, 29.97, scene.simulation.gravity, 0, {}, {}};
  describe(random, scene.solver);
  if (scene.solver.integrator == Integrator::kDensityLimited) scene.solver.transfer = Transfer::kFlip;
  scene.materials.resize(2);
  scene.materials[1].name = "other-1_A";
  for (Material& material : scene.materials) describe(random, material);
  scene.snow.resize(4);
  for (Snow& snow : scene.snow) {
    describe(random, snow);
    if (snow.start > 0) snow.initial_volume = InitialVolume::kShape;
    if (snow.sampling == Sampling::kRegular) snow.particles_per_cell = std::pow(1 + seed % 9, scene.simulation.dimension);
  }
  scene.colliders.resize(4);
  for (Collider& collider : scene.colliders) {
    describe(random, collider);
    if (collider.keys.empty()) collider.interpolation = Interpolation::kLinear;
    if (collider.look != Look::kMetal) collider.roughness.reset();
  }
  add_flow(random, scene);
  describe(random, scene.render);
  if (scene.render.keys.empty()) scene.render.interpolation = Interpolation::kLinear;
  if (random.coin()) scene.render.position = scene.render.target = std::nullopt;
  return scene;
}

TEST(RoundTrip, TheGallery) {
  for (const GalleryEntry& entry : gallery()) expect_round_trip(load_scene(entry.name));
}

TEST(RoundTrip, RandomScenesOfEveryShapeWithEveryKey) {
  const TemporaryFolder folder;
  const std::string file = folder.write("o\"dd\\ n'\xc3\xa4me\t\x01 \xe2\x82\xac.ply", "ply\n");
  folder.write("walk_01.obj", "");
  folder.write("walk_02.obj", "");
  for (unsigned seed = 0; seed < 400 && !HasFailure(); ++seed) expect_round_trip(random_scene(seed, file));
}

TEST(RoundTrip, ValuesThatNeedEveryDigit) {
  for (const char* radius : {"0.1", "0.30000000000000004", "1e-300", "5e-324", "123456.78901234567", "1", "1e5"}) {
    const Scene scene = parse(kSimulation + "[[snow]]\nshape = \"sphere\"\ncenter = [0, 0, -0.0]\nradius = " + radius + "\n");
    EXPECT_EQ(scene.snow[0].shape.radius, std::strtod(radius, nullptr));
    expect_round_trip(scene);
  }
}

TEST(RoundTrip, NormalizedRotationsStayTheSameBits) {
  for (int i = 1; i < 200; ++i) {
    const std::string q = "[" + std::to_string(i) + ", 3, " + std::to_string(-7 * i) + ", 0.1]";
    expect_round_trip(parse(kSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nrotation = " + q + "\n"));
  }
}

TEST(RoundTrip, TheTextHasEveryKeyAndNothingOfTheMachine) {
  const std::string text = to_toml(parse(kMinimal));
  EXPECT_EQ(text,
            "[simulation]\ndimension = 3\nspacing = 0.01\nfps = 24.0\nduration = 1.0\ngravity = [0.0, -9.81, 0.0]\nsettle = 0.0\n"
            "\n[solver]\nintegrator = \"semi-implicit\"\ntime_step = \"auto\"\nbeta = 1.0\ntolerance = 0.0001\nmax_iterations = 500\n"
            "kernel = \"cubic\"\ntransfer = \"flip\"\nflip_ratio = 0.95\n"
            "flip_step = 0.0005\nreference_spacing = \"auto\"\ncontact = \"held\"\ntangent = \"plastic\"\n"
            "critical_density = 4.0\n"
            "precision = \"float\"\ncourant = 0.5\ncell_fraction = 0.25\n"
            "sleep = true\n"
            "\n[materials.default]\nyoung_modulus = 140000.0\npoisson_ratio = 0.2\nhardening = 10.0\ncritical_compression = 0.025\n"
            "critical_stretch = 0.0075\ndensity = 400.0\nhardening_limit = 100.0\nsoftening = \"auto\"\n"
            "\n[[snow]]\nshape = \"sphere\"\ncenter = [0.0, 1.0, 0.0]\nradius = 0.1\nvelocity = [0.0, 0.0, 0.0]\nspin = [0.0, 0.0, 0.0]\n"
            "stretch = [1.0, 1.0, 1.0]\nmaterial = \"default\"\nstart = 0.0\nparticles_per_cell = 8.0\n"
            "initial_volume = \"shape\"\nsampling = \"jittered\"\nseed = 1\n"
            "\n[output]\nformats = [\"ply\"]\ngrid = []\nsubframes = 1\nfpc_error = 0.0\nvdb_points = false\ncheckpoint_minutes = "
            "5.0\ncheckpoint_frames = 0\n"
            "\n[render]\nwidth = 960\nheight = 540\nfov = 27.0\ninterpolation = \"linear\"\nshutter = 0.0\nexposure = 0.0\nwhite_balance = "
            "0.9\ntone = \"filmic\"\n"
            "sky_strength = 1.0\nsky_turn = 0.0\nextinction = 724.0\nalbedo = [0.9, 0.95, 1.0]\nanisotropy = 0.5\nvoxel = 0.0\n");
}

}  // namespace
}  // namespace firn::scene_tests
