// Every key of a scene, once: its name, the member that holds it and the rule for its values. A visitor decides what happens with
// it: Names lists, Reader reads, Writer writes. The default of a key is the default of its member in firn/scene.h.
//
// A visitor has
//   field(Key, member, rule)            one key
//   instead(Key, member, rule) -> bool  a key that, when used, stands instead of the fields that follow
#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <vector>

#include "firn/scene.h"
#include "scene/rules.h"

namespace firn::schema {

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
  v.field("settle", s.settle, kSettle);
}

template <class V, Like<SolverSettings> S>
void describe(V& v, S& s) {
  v.field("integrator", s.integrator, Choices<Integrator>{kIntegratorNames});
  v.field("time_step", s.time_step, AutoOr{kTimeStep});
  v.field("beta", s.beta, kBeta);
  v.field("tolerance", s.tolerance, kTolerance);
  v.field("max_iterations", s.max_iterations, kIterations);
  v.field("kernel", s.kernel, Choices<Kernel>{kKernelChoices});
  v.field("transfer", s.transfer, Choices<Transfer>{kTransferNames});
  v.field("flip_ratio", s.flip_ratio, kFraction);
  v.field("flip_step", s.flip_step, kFlipStep);
  v.field("reference_spacing", s.reference_spacing, AutoOr{kSpacing});
  v.field("contact", s.contact, Choices<ContactRule>{kContactNames});
  v.field("tangent", s.tangent, Choices<Tangent>{kTangentNames});
  v.field("critical_density", s.critical_density, kCriticalDensity);
  v.field("precision", s.precision, Choices<Precision>{kPrecisionNames});
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
  v.field("softening", s.softening, AutoOr{kHardening});
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
  if (kind == ShapeKind::kSphere || kind == ShapeKind::kCapsule || is_turned || is_torus) v.field(required("radius"), s.radius, kLength);
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
  v.field("above", s.above, kHeight);
  v.field("below", s.below, kHeight);
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
  v.field("start", s.start, kComingTime);
  v.field("particles_per_cell", s.particles_per_cell, kParticlesPerCell);
  if (!is_sampled) return;
  v.field("initial_volume", s.initial_volume, Choices<InitialVolume>{kInitialVolumeNames});
  v.field("sampling", s.sampling, Choices<Sampling>{kSamplingNames});
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
  v.field("name", s.name, ColumnName{});
  v.field("friction", s.friction, kFriction);
  v.field("sticky", s.sticky, Flag{});
  v.field("visible", s.visible, Flag{});
  v.field("look", s.look, Choices<Look>{kLookNames});
  v.field("colour", s.colour, Channels{kFraction});
  v.field("roughness", s.roughness, kRoughness);
  v.field("interpolation", s.interpolation, Choices<Interpolation>{kInterpolationNames});
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
  v.field("start", s.start, kComingTime);
  v.field("end", s.end, kComingTime);
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
  v.field("formats", s.formats, Formats{{kFormatNames}});
  v.field("grid", s.grid, GridFieldList{{kGridFieldChoices}});
  v.field("subframes", s.subframes, kSubframes);
  v.field("fpc_error", s.fpc_error, kFpcError);
  v.field("vdb_points", s.vdb_points, Flag{});
  v.field("checkpoint_minutes", s.checkpoint_minutes, kCheckpointMinutes);
  v.field("checkpoint_frames", s.checkpoint_frames, kCheckpointFrames);
}

template <class V, Like<CameraKey> S>
void describe(V& v, S& s) {
  v.field(required("t"), s.t, kTime);
  v.field(required("position"), s.position, PointInSpace{});
  v.field(required("target"), s.target, PointInSpace{});
  v.field("fov", s.fov, kFieldOfView);
}

template <class V, Like<AreaLight> S>
void describe(V& v, S& s) {
  v.field(required("shape"), s.shape, kLightShapes);
  v.field(required("center"), s.center, PointInSpace{});
  if (s.shape != LightShape::kSphere) v.field(required("target"), s.target, PointInSpace{});
  if (s.shape == LightShape::kRectangle) {
    v.field(required("size"), s.size, Edges{kLength});
  } else {
    v.field(required("radius"), s.radius, kLength);
  }
  v.field("colour", s.colour, Channels{kFraction});
  v.field(required("strength"), s.strength, kRadiance);
}

template <class V, Like<RenderSettings> S>
void describe(V& v, S& s) {
  v.field("width", s.width, kPixels);
  v.field("height", s.height, kPixels);
  v.field("fov", s.fov, kFieldOfView);  // before the keys, which have it from here
  if (!v.instead("keys", s.keys, CameraKeys{s.fov})) {
    v.field("position", s.position, PointInSpace{});
    v.field("target", s.target, PointInSpace{});
  }
  v.field("interpolation", s.interpolation, Choices<Interpolation>{kInterpolationNames});
  v.field("shutter", s.shutter, kFraction);
  v.field("exposure", s.exposure, kStops);
  v.field("white_balance", s.white_balance, kFraction);
  v.field("tone", s.tone, Choices<Tone>{kToneNames});
  v.field("sun", s.sun, DirectionInSpace{});
  v.field("sun_strength", s.sun_strength, kStrength);
  v.field("sky_strength", s.sky_strength, kStrength);
  v.field("sky_image", s.sky_image, ExistingFile{});
  v.field("sky_turn", s.sky_turn, kTurn);
  v.field("lights", s.lights, AreaLights{});
  v.field("extinction", s.extinction, kExtinction);
  v.field("albedo", s.albedo, Channels{kFraction});
  v.field("anisotropy", s.anisotropy, kAnisotropy);
  v.field("voxel", s.voxel, kVoxel);
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
