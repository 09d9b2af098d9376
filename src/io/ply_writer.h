// A PLY file written piece by piece, so that a large state never stands in memory twice.
#pragma once

#include <string>
#include <vector>

#include "firn/frame.h"
#include "io/attributes.h"
#include "io/file.h"

namespace firn {

class PlyWriter {
 public:
  // `count`: particles in all. Which columns the file has, and their precision, is decided by the first piece with particles.
  PlyWriter(std::string path, std::size_t count);

  // The next particles, in id order over all pieces. Throws RunError.
  void append(const Frame& piece);
  void commit();

 private:
  template <class Real>
  void write_rows(const Frame& piece);

  std::string path_;
  std::size_t count_, written_ = 0;
  AtomicFile file_;
  std::vector<Field> fields_;  // empty: not decided yet
};

}  // namespace firn
