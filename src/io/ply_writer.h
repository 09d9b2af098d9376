// A PLY file written piece by piece, so that a large state never stands in memory twice.
#pragma once

#include <memory>
#include <string>

#include "firn/frame.h"
#include "io/file.h"

namespace firn {

class PlyWriter {
 public:
  // `count`: particles in all. Which columns the file has is decided by the first piece.
  PlyWriter(std::string path, std::size_t count, const PlyOptions& options);
  ~PlyWriter();

  // The next particles, in id order over all pieces. Throws RunError.
  void append(const Frame& piece);
  void commit();

 private:
  template <class Real>
  void write_rows(const Frame& piece);

  std::string path_;
  std::size_t count_, written_ = 0;
  PlyOptions options_;
  AtomicFile file_;
  bool started_ = false;
};

}  // namespace firn
