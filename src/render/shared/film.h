// A film made of pictures by ffmpeg, which gets them through a socket as they are drawn.
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "core/processes.h"
#include "render/shared/image.h"

namespace firn {

// Throws UserError when no film can be written there: an ending that is not known, no such folder. RunError: there is no ffmpeg.
void check_film(const std::string& path);

// Whatever goes wrong with ffmpeg does not stop the pictures: it is remembered and told by finish().
class Film {
 public:
  // A film of the kind that the ending of `path` says, all pictures `width` × `height`.
  Film(const std::string& path, int width, int height, double fps);
  // Without finish() there is no film, and one that was there before stays.
  ~Film();
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(const Image& image);
  // Waits for ffmpeg and puts the film in its place. Returns what went wrong; empty: the film is there.
  std::string finish();

 private:
  void start(int width, int height, double fps);
  void close_input();
  bool wait_for_ffmpeg();
  std::string last_words() const;

  std::string path_, temporary_;
  int input_ = -1;  // our end of the socket
  pid_t process_ = -1;
  std::optional<RemovedAtSignal> not_left_behind_;
  std::optional<EndedAtSignal> not_left_at_work_;
  FILE* messages_ = nullptr;  // what ffmpeg says
  std::string failure_;
};

}  // namespace firn
