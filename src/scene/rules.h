// What a value of a scene may be. A rule carries the limits of one key, reads its value and writes it: read() throws UserError at the entry
// for what is not allowed, write() gives the TOML of a value, nothing where the key is left out. Members that are optional go by the rule
// of what they hold.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "firn/scene.h"

namespace firn::schema {

struct Key {
  constexpr Key(const char* key_name) : name(key_name) {}  // implicit: most keys are optional
  constexpr Key(const char* key_name, bool is_required) : name(key_name), required(is_required) {}
  std::string_view name;
  bool required = false;
};
constexpr Key required(const char* name) { return {name, true}; }

struct Entry;  // a key that is there, and
class Reader;  // the table it stands in (scene/visitors.h)

// Numbers from low to high; an open end does not belong to them.
struct Range {
  double low;
  double high;
  bool open_low = false;
  bool open_high = false;

  bool contains(double value) const;
  // "at least 0 and at most 100"
  std::string text() const;
  // What to answer to a value outside: "greater than 0, allowed: 1e-06 to 100"
  std::string text_for(double value) const;

  void read(const Entry& entry, const Reader& in, double& value) const;
  void read(const Entry& entry, const Reader& in, int& value) const;
  void read(const Entry& entry, const Reader& in, std::uint32_t& value) const;
  std::string write(double value, int dimension) const;
  std::string write(int value, int dimension) const;
  std::string write(std::uint32_t value, int dimension) const;
};
constexpr Range above(double low, double high) { return {low, high, true, false}; }
constexpr Range between(double low, double high) { return {low, high, true, true}; }

// What a rule has beside its limits: how values of one type are read and written.
#define FIRN_READS_AND_WRITES(type)                                   \
  void read(const Entry& entry, const Reader& in, type& value) const; \
  std::string write(const type& value, int dimension) const

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// What scenes call a value.
template <class E, std::size_t N>
std::string_view name_in(const Choice<E> (&names)[N], E value) {
  for (const Choice<E>& choice : names)
    if (choice.value == value) return choice.name;
  return "";
}

// The index of the entry's text among `now`.
std::size_t pick(const Entry& entry, const std::vector<std::string_view>& names);
// Solids of revolution have no place in a 2D scene.
inline bool needs_three_dimensions(ShapeKind kind) {
  return kind == ShapeKind::kCylinder || kind == ShapeKind::kCone || kind == ShapeKind::kTorus;
}
// Throws for one that has none.
void check_dimension(const Entry& entry, const Reader& in, ShapeKind kind);
std::string quoted(std::string_view text);

template <class E>
struct Choices {
  std::span<const Choice<E>> all;

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> list;
    for (const Choice<E>& choice : all) list.push_back(choice.name);
    return list;
  }
  void read(const Entry& entry, const Reader& in, E& value) const {
    value = all[pick(entry, names())].value;
    if constexpr (std::same_as<E, ShapeKind>) check_dimension(entry, in, value);
  }
  std::string write(E value, int) const {
    for (const Choice<E>& choice : all)
      if (choice.value == value) return quoted(choice.name);
    return {};
  }
};

struct Flag {
  FIRN_READS_AND_WRITES(bool);
};
// 2 or 3, and the length of every vector from then on.
struct Dimension {
  FIRN_READS_AND_WRITES(int);
};
struct AutoOr {
  Range range;
  FIRN_READS_AND_WRITES(std::optional<double>);
};
// A number of frames, kept as the seconds they last.
struct FrameCount {
  double fps;
  Range duration;
  FIRN_READS_AND_WRITES(double);
};
// 0 in the scene means "not given" and is not written.
struct Opening {
  Range range;
  FIRN_READS_AND_WRITES(double);
};
// The number of a collider that moves.
struct MovingCollider {
  FIRN_READS_AND_WRITES(int);
};

// A vector with this limit on every component.
struct Components {
  Range range;
  FIRN_READS_AND_WRITES(Vector);
};
struct Position {
  FIRN_READS_AND_WRITES(Vector);
};
struct Sizes {
  Range range;
  FIRN_READS_AND_WRITES(Vector);
};
struct Direction {
  FIRN_READS_AND_WRITES(Vector);
};
struct Spin {
  Range range;
  FIRN_READS_AND_WRITES(Vector);
};
// One factor for all axes, or one for each.
struct Scale {
  Range range;
  FIRN_READS_AND_WRITES(Vector);
};
// Where cameras and lights are: three components in a 2D scene, too.
struct PointInSpace {
  FIRN_READS_AND_WRITES(Vector);
};
struct DirectionInSpace {
  FIRN_READS_AND_WRITES(Vector);
};
// Red, green and blue.
struct Channels {
  Range range;
  FIRN_READS_AND_WRITES(Vector);
};
struct Rotation {
  FIRN_READS_AND_WRITES(Quaternion);
};
using Pair = std::array<double, 2>;
// Width and height of a rectangle.
struct Edges {
  Range range;
  FIRN_READS_AND_WRITES(Pair);
};

// Text that is not empty.
struct AnyText {
  FIRN_READS_AND_WRITES(std::string);
};
// Part of a column's name in a table.
struct ColumnName {
  FIRN_READS_AND_WRITES(std::string);
};
struct ExistingFile {
  FIRN_READS_AND_WRITES(std::string);
};
// Files numbered one after the other, # for the number.
struct FilePattern {
  FIRN_READS_AND_WRITES(std::string);
};
struct MaterialName {
  FIRN_READS_AND_WRITES(std::string);
};
struct Formats {
  Choices<std::string_view> choices;
  FIRN_READS_AND_WRITES(std::vector<std::string>);
};

// Any of them, or none.
struct GridFieldList {
  Choices<GridField> choices;
  FIRN_READS_AND_WRITES(std::vector<GridField>);
};

// All numbers of a kind of snow.
struct PresetName {
  FIRN_READS_AND_WRITES(Material);
};
struct MotionKeys {
  FIRN_READS_AND_WRITES(std::vector<MotionKey>);
};
// Keys that stand in a file of their own; a scene has them as if they were written in it.
struct MotionFile {
  FIRN_READS_AND_WRITES(std::vector<MotionKey>);
};
struct CameraKeys {
  double fov;  // of keys that do not say
  FIRN_READS_AND_WRITES(std::vector<CameraKey>);
};
struct AreaLights {
  FIRN_READS_AND_WRITES(std::vector<AreaLight>);
};
// Shapes that make up another one.
struct Parts {
  FIRN_READS_AND_WRITES(std::vector<Shape>);
};
// One table or a list of them.
struct Noises {
  FIRN_READS_AND_WRITES(std::vector<SnowNoise>);
};
struct Shell {
  FIRN_READS_AND_WRITES(SnowShell);
};
struct Layers {
  FIRN_READS_AND_WRITES(std::vector<SnowLayer>);
};

#undef FIRN_READS_AND_WRITES

// Limits and names of the values in a scene.

// Limits catch slips of units and signs and keep the arithmetic of the solvers far from overflow.
inline constexpr Range kSpacing{1e-6, 100};       // m
inline constexpr Range kDuration{1e-6, 1e4};      // s
inline constexpr Range kFps{0.01, 1e5};           // 1/s
inline constexpr Range kTimeStep{1e-12, 1};       // s
inline constexpr Range kFlipStep{0, 1};           // s
inline constexpr Range kTime{-1e4, 1e4};          // s
inline constexpr Range kComingTime{0, 1e4};       // s; what came before the run is not there
inline constexpr Range kSettle{0, 100};           // s
inline constexpr Range kLength = above(0, 1e6);   // m
inline constexpr Range kSpeed{-1e5, 1e5};         // m/s
inline constexpr Range kSpin{-1e5, 1e5};          // rad/s
inline constexpr Range kAcceleration{-1e5, 1e5};  // m/s²
inline constexpr Range kIterations{1, 1e6};
inline constexpr Range kFraction{0, 1};
inline constexpr Range kBeta{0.5, 1};           // below 1/2 the semi-implicit step is unstable
inline constexpr Range kTolerance{1e-14, 0.1};  // double precision ends near 1e-16
inline constexpr Range kCriticalDensity{0.1, 1000};
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
// The points on each axis of a cell that come nearest to so many in it.
inline double points_per_axis(double per_cell, int dimension) { return std::round(std::pow(per_cell, 1.0 / dimension)); }
inline constexpr Range kSeed{0, std::numeric_limits<std::uint32_t>::max()};
inline constexpr Range kFriction{0, 100};
inline constexpr Range kScale = above(0, 1e6);
inline constexpr Range kThickness{0, 1e3};  // m
inline constexpr Range kDepth{0, 1e6};      // m
inline constexpr Range kThreshold = between(0, 1);
inline constexpr Range kRate = above(0, 1e9);            // kg/s; a large avalanche carries 1e7
inline constexpr Range kOpeningAngle = between(0, 180);  // degrees
inline constexpr Range kNoiseScale{1e-6, 1e6};           // m
inline constexpr Range kOctaves{1, 10};                  // a thousandth of the scale
inline constexpr Range kAmplitude{0, 1e3};
inline constexpr Range kFactor{1e-3, 1e3};
inline constexpr Range kHeight{-1e6, 1e6};   // m
inline constexpr Range kRoughness{0.05, 1};  // smoother, only a mirror image of the sun would be left of its light
inline constexpr Range kSubframes{1, 100};
inline constexpr Range kFpcError{0, 1};  // m
inline constexpr Range kCheckpointMinutes{0, 1e6};
inline constexpr Range kCheckpointFrames{0, 1e6};
inline constexpr Range kPixels{16, 8192};
inline constexpr Range kFieldOfView{1, 160};  // degrees; from a long telephoto lens to where edges are all that is seen
inline constexpr Range kStops{-20, 20};       // moonlight to sunlight is 19
inline constexpr Range kStrength{0, 100};
inline constexpr Range kTurn{-360, 360};             // degrees
inline constexpr Range kRadiance{0, 1e6};            // of lamps; the sun's is 1e4
inline constexpr Range kExtinction = above(0, 1e6);  // 1/m
inline constexpr Range kAnisotropy{-0.95, 0.95};     // at ±1 light is not scattered at all
inline constexpr Range kVoxel{0, 100};               // m
inline constexpr double kMostFrames = 1e6;
inline constexpr std::size_t kMostLights = 100;  // all of them are asked at every scattering

inline constexpr Choice<Integrator> kIntegratorNames[] = {
    {"explicit", Integrator::kExplicit}, {"semi-implicit", Integrator::kSemiImplicit}, {"density-limited", Integrator::kDensityLimited}};
inline constexpr Choice<Kernel> kKernelChoices[] = {{kKernelNames[0], Kernel::kCubic}, {kKernelNames[1], Kernel::kQuadratic}};
inline constexpr Choice<Transfer> kTransferNames[] = {{"flip", Transfer::kFlip}, {"apic", Transfer::kApic}};
inline constexpr Choice<ContactRule> kContactNames[] = {{"held", ContactRule::kHeld}, {"paper", ContactRule::kPaper}};
inline constexpr Choice<Tangent> kTangentNames[] = {{"plastic", Tangent::kPlastic}, {"elastic", Tangent::kElastic}};
inline constexpr Choice<Precision> kPrecisionNames[] = {{"float", Precision::kFloat}, {"double", Precision::kDouble}};
inline constexpr Choice<Sampling> kSamplingNames[] = {
    {"jittered", Sampling::kJittered}, {"poisson", Sampling::kPoisson}, {"regular", Sampling::kRegular}};
inline constexpr Choice<InitialVolume> kInitialVolumeNames[] = {{"shape", InitialVolume::kShape}, {"grid", InitialVolume::kGrid}};
inline constexpr Choice<Interpolation> kInterpolationNames[] = {{"linear", Interpolation::kLinear}, {"smooth", Interpolation::kSmooth}};
inline constexpr Choice<Tone> kToneNames[] = {{"filmic", Tone::kFilmic}, {"srgb", Tone::kSrgb}};
inline constexpr Choice<LightShape> kLightShapeNames[] = {
    {"rectangle", LightShape::kRectangle}, {"disc", LightShape::kDisc}, {"sphere", LightShape::kSphere}};
inline constexpr Choice<Look> kLookNames[] = {{"matte", Look::kMatte}, {"metal", Look::kMetal}};
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

inline constexpr Choice<GridField> kGridFieldChoices[] = {
    {kGridFieldNames[0], GridField::kMass}, {kGridFieldNames[1], GridField::kVelocity}, {kGridFieldNames[2], GridField::kForce}};

inline constexpr Choices<ShapeKind> kSnowShapes{kSnowShapeNames};
inline constexpr Choices<ShapeKind> kSourceShapes{kBodyShapeNames};
inline constexpr Choices<ShapeKind> kColliderShapes{kColliderShapeNames};
inline constexpr Choices<ShapeKind> kSinkShapes{kPartShapeNames};
inline constexpr Choices<ShapeKind> kPartShapes{kPartShapeNames};
inline constexpr Choices<LightShape> kLightShapes{kLightShapeNames};

}  // namespace firn::schema
