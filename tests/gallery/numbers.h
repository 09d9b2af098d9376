// The numbers that stand for what the gallery's pictures claim, by scene: tests ask for them at the small size, docs/gallery.md shows
// them at the others.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "firn/simulation.h"
#include "measures.h"

namespace firn::test {

struct Number {
  std::string what;  // with its unit
  double value;
};
using Numbers = std::vector<Number>;

inline double value_of(const Numbers& numbers, std::string_view what) {
  for (const Number& number : numbers)
    if (number.what == what) return number.value;
  throw std::logic_error(fmt::format("no number called {}", what));
}

// A run whose moments can be looked at, in the order of their times: one that is computed, or one in a folder.
struct Moments {
  Moments(Scene of, std::function<Frame(double time)> look, std::function<double(std::size_t collider)> done)
      : scene(std::move(of)), at(std::move(look)), work(std::move(done)) {}

  Scene scene;
  std::function<Frame(double time)> at;
  std::function<double(std::size_t collider)> work;  // of the snow on the body until the moment last looked at, J

  Frame end() const { return at(scene.simulation.duration); }
  double cell() const { return scene.simulation.spacing; }

  // Particles of a body of snow: their ids are those that follow the bodies before it.
  Which body(const Frame& frame, std::size_t number) const {
    if (snow_.empty()) snow_ = check(scene).snow;  // which sets the scene up once more
    std::uint64_t first = 0, size = 0;
    for (std::size_t k = 0; k <= number; ++k) {
      first += size;
      size = snow_[k].particles;
    }
    return [&frame, first, size](std::size_t i) { return frame.id[i] >= first && frame.id[i] < first + size; };
  }

 private:
  mutable std::vector<CheckReport::Body> snow_;
};

inline Numbers pieces_and_spread(const Moments& run) {
  const Frame end = run.end();
  const Pieces pieces = pieces_of(end, run.cell(), 400, 3);
  const double torn = share_of(end, [&](std::size_t i) { return end.jp[i] > 1.05; });
  return {{"pieces", static_cast<double>(pieces.count(1e-3))},
          {"largest piece", pieces.largest()},
          {"powder", pieces.powder()},
          {"torn", torn},
          {"spread, m", spread_of(end)}};
}

inline Numbers kept_by_the_wall(const Moments& run) {
  const Frame end = run.end();
  return {{"kept by the wall", share_of(end, [&](std::size_t i) { return end.position[i][1] > 0.2; })}};
}

inline Numbers tube_of_the_plough(const Moments& run) {
  const Frame end = run.end();
  const double blade = 0.2 + 2.0 * run.scene.simulation.duration, layer = 0.22;
  const Which ahead = [&](std::size_t i) {
    return end.position[i][0] > blade && end.position[i][0] < blade + 1.0 && std::abs(end.position[i][2]) < 0.4 &&
           end.position[i][1] > layer;
  };
  double top = 0;
  for (std::size_t i = 0; i < end.size(); ++i)
    if (ahead(i)) top = std::max(top, end.position[i][1]);
  return {{"turning of the tube, 1/s", turning_of(end, ahead)}, {"tube over the layer, m", top - layer}};
}

// How far a point is from the hill of rolling_snowball.
inline double over_the_hill(const Point& x) { return 0.2419 * x[0] + 0.9703 * x[1]; }

// What of the hill's cover turns with the ball, as a share of the ball's mass: near it, off the hill, and as fast as if it were one body.
inline double gathered_by_the_ball(const Frame& frame, const Which& ball, const Which& cover, double depth_of_cover) {
  const Point middle = middle_of(frame, ball), speed = velocity_of(frame, ball);
  const double turning = turning_of(frame, ball);
  double radius = 0;
  for (std::size_t i = 0; i < frame.size(); ++i)
    if (ball(i)) radius += frame.mass[i] * length_of(minus(frame.position[i], middle));
  radius *= 4.0 / 3.0 / mass_of(frame, ball);  // of a ball the mean distance from the middle is 3/4 of it
  const Which gathered = [&](std::size_t i) {
    const Point from = minus(frame.position[i], middle);
    const Point as_one{speed[0] - turning * from[1], speed[1] + turning * from[0], speed[2]};
    return cover(i) && length_of(from) < 1.6 * radius && over_the_hill(frame.position[i]) > 1.3 * depth_of_cover &&
           length_of(minus(frame.velocity[i], as_one)) < 0.35 * std::abs(turning) * radius;
  };
  return mass_of(frame, gathered) / mass_of(frame, ball);
}

inline Numbers rolling_ball(const Moments& run) {
  const double duration = run.scene.simulation.duration;
  const auto pushed = [&](const Frame& frame) { return middle_of(frame, run.body(frame, 2))[0]; };
  const Frame start = run.at(0);
  double depth = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    if (run.body(start, 0)(i)) depth = std::max(depth, over_the_hill(start.position[i]));
  const double way_before = middle_of(start, run.body(start, 1))[0], snowman = pushed(start);
  const Frame rolling = run.at(0.7 * duration);  // it has not met the snowman yet
  const Which ball = run.body(rolling, 1);
  Numbers numbers{{"gathered, of the ball's mass", gathered_by_the_ball(rolling, ball, run.body(rolling, 0), depth)},
                  {"way until then, m", middle_of(rolling, ball)[0] - way_before},
                  {"turning of the ball, 1/s", turning_of(rolling, ball)},
                  {"the snowman's way until then, m", pushed(rolling) - snowman}};
  numbers.push_back({"the snowman's way, m", pushed(run.end()) - snowman});
  return numbers;
}

// The legs go where their files say, so that a print is as deep as a foot goes: what differs is the work it takes.
inline Numbers footprint(const Moments& run) {
  const double depth = 0.2 - surface_at(run.end(), 0.14, -0.10, 0.04);  // the first one, left by then
  return {{"depth of a print, m", depth}, {"work of the legs, J", -run.work(0)}};
}

inline Numbers rest_on_the_slope(const Moments& run) {
  const Point before = middle_of(run.at(run.scene.simulation.duration - 0.3));
  const Frame end = run.end();
  double gap = 1e9;
  for (const auto& x : end.position) gap = std::min(gap, (0.4226 * x[0] + 0.9063 * x[1]) / run.cell());
  const Point after = middle_of(end);
  return {{"slide in 0.3 s, cells", std::hypot(after[0] - before[0], after[1] - before[1]) / run.cell()},
          {"gap above the slope, cells", gap}};
}

inline Numbers ball_in_the_block(const Moments& run) {
  const Frame end = run.end();
  const Pieces pieces = pieces_of(end, run.cell(), 400, 3);
  const Which ball = run.body(end, 1);
  const Which in_one = [&](std::size_t i) { return pieces.of[i] == 0; };
  return {
      {"of the ball, in one piece with the block", mass_of(end, [&](std::size_t i) { return ball(i) && in_one(i); }) / mass_of(end, ball)},
      {"of all, in that piece and of the block", share_of(end, [&](std::size_t i) { return !ball(i) && in_one(i); })}};
}

inline Numbers push_of_the_small_ball(const Moments& run) {
  const auto place = [&](const Frame& frame) { return middle_of(frame, run.body(frame, 0))[0]; };
  const double before = place(run.at(0));
  return {{"the big ball's way, m", place(run.end()) - before}};
}

inline Numbers height_at_the_end(const Moments& run) {
  double top = 0;
  for (const Frame end = run.end(); const auto& x : end.position) top = std::max(top, x[1]);
  return {{"height, m", top}};
}

// Empty: there is nothing to measure in this scene.
inline Numbers numbers_of(const std::string& scene, const Moments& run) {
  static const std::map<std::string, Numbers (*)(const Moments&)> kBy{
      {"snowball_drop", pieces_and_spread},
      {"double_smash", pieces_and_spread},
      {"wedge", pieces_and_spread},
      {"wall_sticky", kept_by_the_wall},
      {"wall_slippery", kept_by_the_wall},
      {"snowplow", tube_of_the_plough},
      {"rolling_snowball", rolling_ball},
      {"walking", footprint},
      {"ball_slope", rest_on_the_slope},
      {"ball_block", ball_in_the_block},
      {"small_into_big", push_of_the_small_ball},
      {"disc_2d", height_at_the_end},
      {"density_column", height_at_the_end},
  };
  const auto found = kBy.find(scene);
  return found == kBy.end() ? Numbers{} : found->second(run);
}

}  // namespace firn::test
