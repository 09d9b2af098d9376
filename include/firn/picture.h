// Pictures and films of frames.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace firn {

// What the colours of the snow show. All frames of a film share one scale, and a legend in the corner of the pictures tells it.
enum class ColourBy {
  kNone,      // nothing: it is as white as snow
  kSpeed,     // m/s
  kJp,        // J_P: packed below 1, torn above
  kDensity,   // kg/m³, at present
  kMaterial,  // by its name in the scene
};

// What quick pictures show of the method itself, with a legend of how long arrows are. All but the normals come from the nodes that a run
// has written (output.grid).
enum class Show {
  kNodes,     // of the grid, where there is snow
  kVelocity,  // at nodes, before forces, (M4)
  kForce,     // at nodes, of the snow's stress, (M6)
  kNormals,   // of colliders, at their surface
};

// Which whole frames of a run are shown, by their numbers. Where the camera stands and what colours mean goes by all frames all the same:
// the picture of a frame does not depend on the range.
struct FrameRange {
  long first = 0;
  std::optional<long> last;  // empty: to the end
  int every = 1;             // the first, the one so many later, and so on; a film of them is as long as of all

  bool contains(long frame) const { return frame >= first && (!last || frame <= *last) && (frame - first) % every == 0; }
  bool is_all() const { return first == 0 && !last && every == 1; }
};

struct PreviewOptions {
  int width = 960;  // pixels
  int height = 540;
  ColourBy colour = ColourBy::kNone;
  std::vector<Show> show;  // drawn over the snow, which is darkened for it
  FrameRange frames;
  bool film = true;                                   // also a film, when there is more than one frame
  std::string film_path;                              // empty: DIR/preview/preview.mp4
  std::function<void(const std::string&)> setup;      // told what is being done before pictures that may take long; may be empty
  std::function<void(int done, int total)> progress;  // after every picture; may be empty
  std::function<void(const std::string&)> warn;       // told of frames that are missing or cannot be read; may be empty
};

struct PreviewResult {
  std::vector<std::string> pictures;    // paths, in the order of the frames
  std::string film;                     // path; empty without one
  std::string warning;                  // why there is no film though one was asked for; empty when all went well
  std::vector<std::string> unreadable;  // paths of frames of a run that could not be read and have no picture
};

// Quick pictures. Of a run's folder: every DIR/frame_NNNN (of any format that can be read) as DIR/preview/frame_NNNN.png and the film
// DIR/preview/preview.mp4, with the bodies of DIR/scene.toml. Of one frame: its picture in the folder preview beside it, with
// the scene.toml beside it where there is one. Throws UserError when there is nothing to draw or a frame lacks what the colours are to
// show, RunError when a file cannot be written.
PreviewResult preview(const std::string& dir_or_frame, const PreviewOptions& options);

// One film of several runs side by side, each with its own camera and its name: options.film_path, and no pictures. It goes by the time of
// the runs: the last picture of a shorter one stays. The colours of all of them share one scale. Throws like preview().
PreviewResult compare(const std::vector<std::string>& runs, const PreviewOptions& options);

enum class Quality { kDraft, kGood, kFinal };
// Samples per pixel, where nothing else is asked for.
int samples_of(Quality quality);

struct RenderProgress {
  int picture = 0;          // the one being made, from 1
  int pictures = 0;         // in all
  double fraction = 0;      // of this picture
  double seconds_left = 0;  // of all
};

struct RenderOptions {
  Quality quality = Quality::kGood;
  std::optional<int> samples;        // a pixel, instead of the quality's
  std::optional<int> width, height;  // pixels; empty: the scene's
  ColourBy colour = ColourBy::kNone;
  FrameRange frames;
  std::uint32_t seed = 1;                               // of the samples
  bool exr = false;                                     // also OpenEXR files, of light before it is developed
  bool volume = false;                                  // also OpenVDB files of the density that light goes through, kg/m³
  std::string film;                                     // path (.mp4, .mov, .webm or .gif); empty: none
  std::string sheet;                                    // path of a PNG of some pictures at a glance; empty: none
  int sheet_frames = 6;                                 // pictures on it, spread over the run
  std::function<void(const std::string&)> setup;        // told what is being done before a picture that may take long; may be empty
  std::function<void(const RenderProgress&)> progress;  // now and then, from any thread but never from two at once; may be empty
  std::function<bool()> interrupted;                    // asked now and then, likewise: true ends the work with what there is; may be empty
  std::function<void(const std::string&)> warn;         // told of frames that are missing or cannot be read; may be empty
};

struct RenderResult {
  std::vector<std::string> pictures;    // paths, in the order of the frames
  std::string film, sheet;              // paths; empty without them
  bool interrupted = false;             // the last picture may then have fewer samples than asked for:
  int samples = 0;                      // a pixel, of the last picture
  std::string warning;                  // why there is no film though one was asked for; empty when all went well
  std::vector<std::string> unreadable;  // paths of frames of a run that could not be read and have no picture
};

// Path-traced pictures of 3D runs: snow as a volume that light gets into, the look and the camera of the scene's [render]. Frames as for
// preview; pictures are DIR/render/frame_NNNN.png (and .exr, .vdb). They do not depend on the number of threads. A picture that takes long
// is written again and again while it gets better. Throws UserError when there is nothing to draw, a frame lacks what the
// colours are to show or the run is 2D, RunError when a file cannot be written.
RenderResult render(const std::string& dir_or_frame, const RenderOptions& options);

}  // namespace firn
