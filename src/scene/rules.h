// What a value may be. A rule carries the limits of one key; how it is read, written or tested follows from its type.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace firn::schema {

struct Key {
  constexpr Key(const char* key_name) : name(key_name) {}  // implicit: most keys are optional
  constexpr Key(const char* key_name, bool is_required) : name(key_name), required(is_required) {}
  std::string_view name;
  bool required = false;
};
constexpr Key required(const char* name) { return {name, true}; }

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
};
constexpr Range above(double low, double high) { return {low, high, true, false}; }
constexpr Range between(double low, double high) { return {low, high, true, true}; }

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

// `later` are names of the design that this version does not have yet.
template <class E>
struct Choices {
  std::span<const Choice<E>> now;
  std::span<const std::string_view> later;
};

struct Flag {};
struct Dimension {};  // 2 or 3, and the length of every vector from then on
struct AutoOr {
  Range range;
};
// A number of frames, kept as the seconds they last.
struct FrameCount {
  double fps;
  Range duration;
};
// A vector with this limit on every component.
struct Components {
  Range range;
};
struct Position {};
struct Sizes {
  Range range;
};
struct Direction {};
// Of cameras and lights: three components in a 2D scene, too.
struct PointInSpace {};
struct DirectionInSpace {};
// Red, green and blue.
struct Channels {
  Range range;
};
// Width and height of a rectangle.
struct Edges {
  Range range;
};
struct AreaLights {};
struct Rotation {};
struct Spin {
  Range range;
};
// 0 in the scene means "not given" and is not written.
struct Opening {
  Range range;
};
// Text that is not empty.
struct AnyText {};
// Part of a column's name in a table.
struct ColumnName {};
// A number that need not be there.
struct Maybe {
  Range range;
};
struct ExistingFile {};
// Files numbered one after the other, # for the number.
struct FilePattern {};
struct MaterialName {};
struct PresetName {};
struct MotionKeys {};
struct CameraKeys {
  double fov;  // of keys that do not say
};
// One factor for all axes, or one for each.
struct Scale {
  Range range;
};
// Shapes that make up another one.
struct Parts {};
// Keys that stand in a file of their own; a scene has them as if they were written in it.
struct MotionFile {};
// One table or a list of them.
struct Noises {};
struct Shell {};
struct Layers {};
struct MovingCollider {};  // its number
struct Formats {
  Choices<std::string_view> choices;
};

}  // namespace firn::schema
