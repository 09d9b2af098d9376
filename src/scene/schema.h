// Every key of a scene, once: its name, the member that holds it and the rule for its values. A visitor decides what happens with
// it: Names lists, Reader reads, Writer writes. The default of a key is the default of its member in firn/scene.h.
//
// A visitor has
//   field(Key, member, rule)            one key
//   instead(Key, member, rule) -> bool  a key that, when used, stands instead of the fields that follow
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "firn/scene.h"
#include "scene/rules.h"

namespace firn::schema {

// Limits catch slips of units and signs and keep the arithmetic of the solvers far from overflow.
inline constexpr Range kSpacing{1e-6, 100};       // m
inline constexpr Range kDuration{1e-6, 1e4};      // s
inline constexpr Range kFps{0.01, 1e5};           // 1/s
inline constexpr Range kTimeStep{1e-12, 1};       // s
inline constexpr Range kTime{-1e4, 1e4};          // s
inline constexpr Range kSourceTime{0, 1e4};       // s; what came before the run is not there
inline constexpr Range kLength = above(0, 1e6);   // m
inline constexpr Range kSpeed{-1e5, 1e5};         // m/s
inline constexpr Range kSpin{-1e5, 1e5};          // rad/s
inline constexpr Range kAcceleration{-1e5, 1e5};  // m/s²
inline constexpr Range kIterations{1, 1e6};
inline constexpr Range kFraction{0, 1};
inline constexpr Range kBeta{0.5, 1};             // below 1/2 the semi-implicit step is unstable
inline constexpr Range kTolerance{1e-14, 0.1};    // double precision ends near 1e-16
inline constexpr Range kCourant = above(0, 0.6);  // beyond, explicit steps go unstable
inline constexpr Range kCellFraction = between(0, 1);
inline constexpr Range kStiffness = above(0, 1e12);   // Pa; diamond: 1.2e12
inline constexpr Range kPoissonRatio{0, 0.49};        // at 0.5 lambda of (M13) is infinite
inline constexpr Range kHardening{0, 100};            // e^100 still fits a double
inline constexpr Range kCompression = between(0, 1);  // 1 − theta_c must stay positive
inline constexpr Range kStretch = above(0, 10);
inline constexpr Range kInitialStretch{0.5, 2};
inline constexpr Range kDensity = above(0, 1e5);  // kg/m³
inline constexpr Range kHardeningLimit{1, 1e6};
inline constexpr Range kParticlesPerCell{1, 1000};
inline constexpr Range kSeed{0, std::numeric_limits<std::uint32_t>::max()};
inline constexpr Range kFriction{0, 100};
inline constexpr Range kScale = above(0, 1e6);
inline constexpr Range kThickness{0, 1e3};  // m
inline constexpr Range kDepth{0, 1e6};      // m
inline constexpr Range kThreshold = between(0, 1);
inline constexpr Range kRate = above(0, 1e9);  // kg/s; a large avalanche carries 1e7
inline constexpr Range kOpeningAngle = between(0, 180);  // degrees
inline constexpr Range kNoiseScale{1e-6, 1e6};  // m
inline constexpr Range kOctaves{1, 10};         // a thousandth of the scale
inline constexpr Range kAmplitude{0, 1e3};
inline constexpr Range kFactor{1e-3, 1e3};
inline constexpr Range kHeight{-1e6, 1e6};  // m
inline constexpr Range kSubframes{1, 100};
inline constexpr Range kFpcError{0, 1};  // m
inline constexpr double kMostFrames = 1e6;

inline constexpr Choice<Integrator> kIntegratorNames[] = {{"explicit", Integrator::kExplicit},
                                                          {"semi-implicit", Integrator::kSemiImplicit}};
inline constexpr std::string_view kLaterIntegrators[] = {"density-limited"};
inline constexpr Choice<Kernel> kKernelNames[] = {{"cubic", Kernel::kCubic}, {"quadratic", Kernel::kQuadratic}};
inline constexpr Choice<Transfer> kTransferNames[] = {{"flip", Transfer::kFlip}, {"apic", Transfer::kApic}};
inline constexpr Choice<Precision> kPrecisionNames[] = {{"float", Precision::kFloat}, {"double", Precision::kDouble}};
inline constexpr Choice<Sampling> kSamplingNames[] = {{"jittered", Sampling::kJittered}, {"poisson", Sampling::kPoisson}};
inline constexpr Choice<Interpolation> kInterpolationNames[] = {{"linear", Interpolation::kLinear}, {"smooth", Interpolation::kSmooth}};
inline constexpr Choice<ShapeKind> kPlaneName{"plane", ShapeKind::kPlane}, kSequenceName{"sequence", ShapeKind::kSequence},
    kParticlesName{"particles", ShapeKind::kParticles};
inline constexpr Choice<ShapeKind> kBodyShapeNames[] = {{"sphere", ShapeKind::kSphere},
                                                        {"box", ShapeKind::kBox},
                                                        {"cylinder", ShapeKind::kCylinder},
                                                        {"cone", ShapeKind::kCone},
                                                        {"torus", ShapeKind::kTorus},
                                                        {"capsule", ShapeKind::kCapsule},
                                                        {"wedge", ShapeKind::kWedge},
                                                        {"mesh", ShapeKind::kMesh},
                                                        {"volume", ShapeKind::kVolume},
                                                        {"heightfield", ShapeKind::kHeightfield},
                                                        {"text", ShapeKind::kText},
                                                        {"union", ShapeKind::kUnion},
                                                        {"difference", ShapeKind::kDifference},
                                                        {"intersection", ShapeKind::kIntersection}};
template <class... More>
constexpr auto body_shapes_and(const More&... more) {
  std::array<Choice<ShapeKind>, std::size(kBodyShapeNames) + sizeof...(more)> all;
  const auto rest = std::copy(std::begin(kBodyShapeNames), std::end(kBodyShapeNames), all.begin());
  const Choice<ShapeKind> last[] = {more...};
  std::copy(std::begin(last), std::end(last), rest);
  return all;
}
inline constexpr auto kSnowShapeNames = body_shapes_and(kParticlesName);
inline constexpr auto kColliderShapeNames = body_shapes_and(kPlaneName, kSequenceName);
inline constexpr auto kPartShapeNames = body_shapes_and(kPlaneName);
inline constexpr Choice<std::string_view> kFormatNames[] = {{"ply", "ply"},   {"vdb", "vdb"},   {"vtp", "vtp"},
                                                            {"bgeo", "bgeo"}, {"usda", "usda"}, {"fpc", "fpc"}};

inline constexpr Choices<ShapeKind> kSnowShapes{kSnowShapeNames, {}};
inline constexpr Choices<ShapeKind> kSourceShapes{kBodyShapeNames, {}};
inline constexpr Choices<ShapeKind> kColliderShapes{kColliderShapeNames, {}};
inline constexpr Choices<ShapeKind> kSinkShapes{kPartShapeNames, {}};
inline constexpr Choices<ShapeKind> kPartShapes{kPartShapeNames, {}};

// Solids of revolution have no place in a 2D scene.
inline bool needs_three_dimensions(ShapeKind kind) {
  return kind == ShapeKind::kCylinder || kind == ShapeKind::kCone || kind == ShapeKind::kTorus;
}

inline std::string_view name_of(ShapeKind kind) {
  for (const Choice<ShapeKind>& choice : kColliderShapeNames)
    if (choice.value == kind) return choice.name;
  return kParticlesName.name;
}

// A section to read into, or a constant one to write.
template <class S, class Section>
concept Like = std::same_as<std::remove_const_t<S>, Section>;

template <class V, Like<SimulationSettings> S>
void describe(V& v, S& s) {
  v.field("dimension", s.dimension, Dimension{});
  v.field(required("spacing"), s.spacing, kSpacing);
  v.field("fps", s.fps, kFps);
  if (!v.instead("frames", s.duration, FrameCount{s.fps, kDuration})) v.field(required("duration"), s.duration, kDuration);
  v.field("gravity", s.gravity, Components{kAcceleration});
}

template <class V, Like<SolverSettings> S>
void describe(V& v, S& s) {
  v.field("integrator", s.integrator, Choices<Integrator>{kIntegratorNames, kLaterIntegrators});
  v.field("time_step", s.time_step, AutoOr{kTimeStep});
  v.field("beta", s.beta, kBeta);
  v.field("tolerance", s.tolerance, kTolerance);
  v.field("max_iterations", s.max_iterations, kIterations);
  v.field("kernel", s.kernel, Choices<Kernel>{kKernelNames, {}});
  v.field("transfer", s.transfer, Choices<Transfer>{kTransferNames, {}});
  v.field("flip_ratio", s.flip_ratio, kFraction);
  v.field("precision", s.precision, Choices<Precision>{kPrecisionNames, {}});
  v.field("courant", s.courant, kCourant);
  v.field("cell_fraction", s.cell_fraction, kCellFraction);
  v.field("sleep", s.sleep, Flag{});
}

template <class V, Like<Material> S>
void describe(V& v, S& s) {
  v.field("preset", s, PresetName{});  // first: it sets what the others then change
  v.field("young_modulus", s.young_modulus, kStiffness);
  v.field("poisson_ratio", s.poisson_ratio, kPoissonRatio);
  v.field("hardening", s.hardening, kHardening);
  v.field("critical_compression", s.critical_compression, kCompression);
  v.field("critical_stretch", s.critical_stretch, kStretch);
  v.field("density", s.density, kDensity);
  v.field("hardening_limit", s.hardening_limit, kHardeningLimit);
}

// The geometry keys of the shape that `s.kind` says; a visitor knows the kind by then.
template <class V, Like<Shape> S>
void describe(V& v, S& s) {
  const ShapeKind kind = s.kind;
  const bool is_block = kind == ShapeKind::kBox || kind == ShapeKind::kWedge;
  const bool is_turned = kind == ShapeKind::kCylinder || kind == ShapeKind::kCone;
  const bool is_torus = kind == ShapeKind::kTorus;
  const bool is_sequence = kind == ShapeKind::kSequence;
  const bool is_file = kind == ShapeKind::kMesh || kind == ShapeKind::kVolume || is_sequence;
  const bool is_heightfield = kind == ShapeKind::kHeightfield, is_text = kind == ShapeKind::kText;
  if (kind == ShapeKind::kSphere || is_block || is_turned || is_torus || is_heightfield || is_text)
    v.field(required("center"), s.center, Position{});
  if (kind == ShapeKind::kCapsule) {
    v.field(required("a"), s.a, Position{});
    v.field(required("b"), s.b, Position{});
  }
  if (kind == ShapeKind::kSphere || kind == ShapeKind::kCapsule || is_turned || is_torus)
    v.field(required("radius"), s.radius, kLength);
  if (is_torus) v.field(required("tube"), s.tube, kLength);
  if (is_turned) v.field(required("height"), s.height, kLength);
  if (is_block) v.field(required("size"), s.size, Sizes{kLength});
  if (kind == ShapeKind::kWedge) v.field("angle", s.angle, Opening{kOpeningAngle});
  if (is_sequence) {
    v.field(required("file"), s.file, FilePattern{});
    v.field("fps", s.fps, Opening{kFps});
    v.field("start", s.start, kTime);
  } else if (is_file || kind == ShapeKind::kParticles) {
    v.field(required("file"), s.file, ExistingFile{});
  }
  if (is_file) {
    v.field("translate", s.translate, Position{});
    v.field("scale", s.scale, Scale{kScale});
  }
  if (is_heightfield) {
    if (!v.instead("formula", s.formula, AnyText{})) {
      v.field(required("file"), s.file, ExistingFile{});
      v.field(required("height"), s.height, kLength);
    }
    v.field(required("length"), s.length, kLength);
    v.field("width", s.width, Opening{kLength});
    v.field("depth", s.depth, kDepth);
  }
  if (is_text) {
    v.field(required("text"), s.text, AnyText{});
    v.field(required("font"), s.font, ExistingFile{});
    v.field(required("height"), s.height, kLength);
    v.field("depth", s.depth, Opening{kLength});
  }
  if (is_block || is_turned || is_torus || is_file || is_heightfield || is_text) v.field("rotation", s.rotation, Rotation{});
  if (kind == ShapeKind::kMesh || is_sequence) v.field("thickness", s.thickness, kThickness);
  if (kind == ShapeKind::kVolume || is_sequence) v.field("threshold", s.threshold, kThreshold);
  if (kind == ShapeKind::kPlane) {
    v.field(required("point"), s.point, Position{});
    v.field(required("normal"), s.normal, Direction{});
  }
  if (kind == ShapeKind::kUnion || kind == ShapeKind::kDifference || kind == ShapeKind::kIntersection)
    v.field(required("parts"), s.parts, Parts{});
}

template <class V, Like<SnowFactors> S>
void describe(V& v, S& s, const Range& range) {
  v.field("stiffness", s.stiffness, range);
  v.field("hardening", s.hardening, range);
  v.field("critical_compression", s.critical_compression, range);
  v.field("critical_stretch", s.critical_stretch, range);
  v.field("density", s.density, range);
}

template <class V, Like<SnowNoise> S>
void describe(V& v, S& s) {
  v.field(required("scale"), s.scale, kNoiseScale);
  v.field("octaves", s.octaves, kOctaves);
  v.field("seed", s.seed, kSeed);
  describe(v, s.amplitude, kAmplitude);
}

template <class V, Like<SnowShell> S>
void describe(V& v, S& s) {
  v.field(required("depth"), s.depth, kLength);
  describe(v, s.factor, kFactor);
}

template <class V, Like<SnowLayer> S>
void describe(V& v, S& s) {
  v.field("above", s.above, Maybe{kHeight});
  v.field("below", s.below, Maybe{kHeight});
  v.field(required("material"), s.material, MaterialName{});
}

template <class V, Like<Snow> S>
void describe(V& v, S& s) {
  v.field(required("shape"), s.shape.kind, kSnowShapes);
  describe(v, s.shape);
  const bool is_sampled = s.shape.kind != ShapeKind::kParticles;  // a file has its own points
  v.field("velocity", s.velocity, Components{kSpeed});
  if (is_sampled) {
    v.field("spin", s.spin, Spin{kSpin});
    v.field("stretch", s.stretch, Sizes{kInitialStretch});
  }
  v.field("material", s.material, MaterialName{});
  if (is_sampled) {
    v.field("layers", s.layers, Layers{});
    v.field("shell", s.shell, Shell{});
    v.field("noise", s.noise, Noises{});
  }
  v.field("particles_per_cell", s.particles_per_cell, kParticlesPerCell);
  if (!is_sampled) return;
  v.field("sampling", s.sampling, Choices<Sampling>{kSamplingNames, {}});
  v.field("seed", s.seed, kSeed);
}

template <class V, Like<MotionKey> S>
void describe(V& v, S& s) {
  v.field(required("t"), s.t, kTime);
  v.field(required("position"), s.position, Position{});
  v.field("rotation", s.rotation, Rotation{});
}

template <class V, Like<Collider> S>
void describe(V& v, S& s) {
  v.field(required("shape"), s.shape.kind, kColliderShapes);
  describe(v, s.shape);
  v.field("friction", s.friction, kFriction);
  v.field("sticky", s.sticky, Flag{});
  v.field("interpolation", s.interpolation, Choices<Interpolation>{kInterpolationNames, {}});
  if (v.instead("keys", s.keys, MotionKeys{})) return;
  if (v.instead("keys_file", s.keys, MotionFile{})) return;
  v.field("velocity", s.velocity, Components{kSpeed});
  v.field("spin", s.spin, Spin{kSpin});
  v.field("pivot", s.pivot, Position{});
}

template <class V, Like<Source> S>
void describe(V& v, S& s) {
  v.field(required("shape"), s.shape.kind, kSourceShapes);
  describe(v, s.shape);
  v.field(required("rate"), s.rate, kRate);
  v.field("velocity", s.velocity, Components{kSpeed});
  v.field("start", s.start, kSourceTime);
  v.field("end", s.end, kSourceTime);
  v.field("material", s.material, MaterialName{});
  v.field("particles_per_cell", s.particles_per_cell, kParticlesPerCell);
  v.field("seed", s.seed, kSeed);
}

template <class V, Like<Sink> S>
void describe(V& v, S& s) {
  v.field(required("shape"), s.shape.kind, kSinkShapes);
  describe(v, s.shape);
  v.field("start", s.start, kTime);
  v.field("end", s.end, kTime);
}

template <class V, Like<Domain> S>
void describe(V& v, S& s) {
  v.field(required("lower"), s.lower, Position{});
  v.field(required("upper"), s.upper, Position{});
}

template <class V, Like<Window> S>
void describe(V& v, S& s) {
  v.field(required("lower"), s.lower, Position{});
  v.field(required("upper"), s.upper, Position{});
  if (!v.instead("follow", s.follow, MovingCollider{})) v.field(required("velocity"), s.velocity, Components{kSpeed});
}

template <class V, Like<OutputSettings> S>
void describe(V& v, S& s) {
  v.field("formats", s.formats, Formats{{kFormatNames, {}}});
  v.field("subframes", s.subframes, kSubframes);
  v.field("fpc_error", s.fpc_error, kFpcError);
  v.field("vdb_points", s.vdb_points, Flag{});
}

// Visitor: the keys of a section, in order.
struct Names {
  std::vector<std::string_view> all;

  template <class T, class Rule>
  void field(const Key& key, const T&, const Rule&) {
    add(key.name);
  }
  template <class T, class Rule>
  bool instead(const Key& key, const T&, const Rule&) {
    add(key.name);
    return false;
  }

  // Once, also when several shapes are listed together.
  void add(std::string_view name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
};

template <class Section>
Names names_of(Section section) {
  Names names;
  describe(names, section);
  return names;
}

}  // namespace firn::schema
