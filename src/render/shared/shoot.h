// Taking pictures of a run: which frames, with what bodies, from where, into which files. How a picture is made is up to the caller.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firn/frame.h"
#include "firn/picture.h"
#include "firn/scene.h"
#include "io/formats.h"
#include "io/run_folder.h"
#include "render/shared/camera.h"
#include "render/shared/image.h"
#include "render/shared/stage.h"
#include "render/shared/tint.h"

namespace firn {

// One picture to be made.
struct Take {
  const Frame& frame;
  const Camera& camera;
  double time;         // s
  std::size_t number;  // from 0
  std::string path;    // of the frame
  std::string stem;    // path of its files, without their endings
};

struct ShootPlan {
  std::string folder;                                 // for the pictures, beside the frames
  int width, height;                                  // pixels
  std::string film;                                   // path; empty: none
  std::function<void(int done, int total)> progress;  // after every picture; may be empty
  std::vector<std::string> other_endings;             // of files that are made beside the .png
};

struct Pictures {
  std::vector<std::string> paths;  // in the order of the frames
  std::string film;                // path; empty without one
  std::string warning;             // why there is no film though one was planned
};

// What a few frames, spread over the film, tell about all of them.
struct Overview {
  Camera fitted;             // with all frames of the film in its picture
  std::optional<Tint> tint;  // with a scale for all of them; nothing for ColourBy::kNone
  std::size_t particles;     // of the frame with the most
  double particle_size;      // m, usual in that frame: edge of the cube (2D: square) that one stands for; 0: there are none
};

class Shoot {
 public:
  using Warn = std::function<void(const std::string& text)>;
  // Shows the whole frames in the range of a run's folder, or one frame. Throws UserError when there is nothing to see. Frames that are
  // missing or cannot be read are told to `warn`, and to `setup` what takes long before the first picture; both may be empty.
  explicit Shoot(const std::string& dir_or_frame, Warn warn = {}, const FrameRange& range = {}, SetupProgress setup = {});

  bool is_run() const { return is_run_; }
  std::size_t size() const { return shown_.size(); }
  std::string folder() const;                                                 // of the frames
  const Scenery* scenery() const { return scenery_ ? &*scenery_ : nullptr; }  // null: there is no scene beside the frame
  RenderSettings settings() const { return scenery_ ? scenery_->scene.render : RenderSettings{}; }

  double fps() const { return scenery_ ? scenery_->scene.simulation.fps : SimulationSettings{}.fps; }
  // Frames per second of a film of the frames that are shown.
  double film_fps() const { return fps() / every_; }

  // The k-th of the frames that are shown; nothing when it cannot be read, which `warn` was told.
  std::optional<Frame> frame(std::size_t k) { return read(shown_[k]); }
  double time(std::size_t k) const { return time_of(shown_[k]); }  // s
  const std::string& path(std::size_t k) const { return frames_[shown_[k]].path; }

  // For pictures of that size, their snow coloured `by`. Throws UserError when a frame lacks what the colours are to show.
  Overview overview(int width, int height, ColourBy by);
  // Every picture as PNG, until `make` returns none. `fitted` stands for what the scene does not say of the camera.
  Pictures take(const ShootPlan& plan, const Camera& fitted, const std::function<std::optional<Image>(const Take&)>& make);
  // Paths of frames of a run that could not be read: they have no picture. One that is alone is a UserError instead.
  const std::set<std::string>& unreadable() const { return unreadable_; }

 private:
  std::optional<Frame> read(std::size_t i);
  void list_film(const ShootPlan& plan, const std::string& folder);
  void list_files(const ShootPlan& plan, std::size_t i);
  int subframes() const { return scenery_ ? scenery_->scene.output.subframes : OutputSettings{}.subframes; }
  double time_of(std::size_t i) const { return frames_[i].number.time(fps(), subframes()); }
  std::vector<std::size_t> spread_frames() const;
  void find_run(const std::string& folder, const FrameRange& range);
  void find_frame(const std::string& file);

  bool is_run_;
  RunVisit visit_;  // before anything is read: no other run takes this one's place meanwhile
  Warn warn_;
  SetupProgress setup_;
  std::set<std::string> unreadable_;
  std::vector<FrameFile> frames_;   // all
  std::vector<std::size_t> shown_;  // of these
  int every_;                       // of the run's frames is shown
  std::optional<Scenery> scenery_;
};

// Throws UserError when a picture cannot be that large or small.
void check_picture_size(int width, int height);

// Finds the camera for a film: still, with the snow of all its frames in the picture and no wall in the way.

// What is to be seen, gathered from some frames of a film.
struct Subject {
  std::vector<Vec<double, 3>> points;  // a sample of the particles, without the few that fly off
  std::size_t particles = 0;           // of the frame with the most
  double particle_size = 0;            // m, in that frame: edge of the cube (2D: square) that one stands for; 0: there are none
  bool flat = false;                   // all in the x-y plane of a 2D scene
  std::vector<double> times;           // s, of the frames

  void add(const Frame& frame, const Scenery* scenery, double time);
};

// `aspect`: width over height of the picture. The lens is that of the scene.
Camera fit_camera(const Subject& subject, const Scenery* scenery, double aspect);

// The camera and the sun that a scene asks for in [render].

// At `time` (s). `fitted` found its place by itself (fit_camera): its view units stay, and it stands for whatever [render] does not say. 2D
// pictures are taken from the front, wherever the camera is said to be. Throws UserError when the way of the camera crosses that of its
// target.
Camera scene_camera(const RenderSettings& settings, double time, const Camera& fitted);

}  // namespace firn
