// A PLY file from its bytes; read_ply() (firn/frame.h) reads them from the disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "firn/frame.h"
#include "frame/frame_view.h"

namespace firn {

// `file` names it in errors. Throws UserError.
Frame parse_ply(const std::string& file, std::string_view bytes);

// A PLY file written piece by piece, so that a large state never stands in memory twice.

class PlyWriter {
 public:
  // `count`: particles in all. Which columns the file has, and their precision, is decided by the first piece with particles.
  PlyWriter(std::string path, std::size_t count);

  // The next particles, in id order over all pieces. Throws RunError.
  void append(const FrameView& piece);
  void commit();

 private:
  template <class Real>
  void write_rows(const FrameView& piece);

  std::string path_;
  std::size_t count_, written_ = 0;
  AtomicFile file_;
  std::vector<Field> fields_;  // empty: not decided yet
};

// The public write_ply() for any view.
void write_ply(const std::string& path, const FrameView& frame);

}  // namespace firn
