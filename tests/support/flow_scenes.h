// Scenes for tests in which snow comes and goes.
#pragma once

#include "support/random_snow.h"

namespace firn::test {

inline Shape box_shape(const Vector& center, const Vector& size) {
  Shape shape;
  shape.kind = ShapeKind::kBox;
  shape.center = center;
  shape.size = size;
  return shape;
}

inline Snow block(const Vector& center, const Vector& size) {
  Snow snow;
  snow.shape = box_shape(center, size);
  return snow;
}

// A box that gives out snow downwards.
inline Source spout(const Vector& center, double edge, double rate) {
  Source source;
  source.shape = box_shape(center, {edge, edge, edge});
  source.rate = rate;
  source.velocity = {0, -2, 0};
  return source;
}

inline Sink drain(const Vector& point, const Vector& normal) {
  Sink sink;
  sink.shape.kind = ShapeKind::kPlane;
  sink.shape.point = point;
  sink.shape.normal = normal;
  return sink;
}

// A blade pushes a layer of snow along rough ground, and a window goes with it. h = 0.02 m, 1 m/s.
inline Scene plough(int dimension, double length) {
  Scene scene = empty_scene(dimension, 0.02);
  Snow layer;
  layer.shape = box_shape({length / 2, 0.05, 0}, {length, 0.1, 0.12});
  layer.particles_per_cell = 4;
  scene.snow.push_back(layer);
  Collider blade;
  blade.shape = box_shape({-0.05, 0.09, 0}, {0.06, 0.1, 0.3});
  blade.velocity = {1, 0, 0};
  scene.colliders.push_back(blade);
  scene.colliders.push_back(ground(0.4));
  Window window;
  window.follow = 0;
  window.lower = {-0.25, -0.3, -0.3};
  window.upper = {0.5, 0.5, 0.3};
  scene.window = window;
  return scene;
}

// Initial snow, a source, a sink, a domain and a window, all of them at work.
inline Scene everything_flows(int dimension) {
  Scene scene = plough(dimension, 3);
  scene.sources.push_back(spout({0.2, 0.25, 0}, 0.06, dimension == 3 ? 1.2 : 12));
  Sink hole;
  hole.shape.kind = ShapeKind::kSphere;
  hole.shape.center = {0.3, 0.02, 0};
  hole.shape.radius = 0.05;
  scene.sinks.push_back(hole);
  scene.domain = Domain{{-1, -0.5, -0.065}, {5, 0.9, 0.065}};
  return scene;
}

inline std::int64_t balance(const Simulation& s, std::size_t initial) {
  return static_cast<std::int64_t>(initial) + s.emitted() - static_cast<std::int64_t>(s.particles()) - s.killed() - s.left();
}

}  // namespace firn::test
