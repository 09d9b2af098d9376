// The file of a checkpoint: bytes, compressed, with a checksum over every one of them. After eight bytes that name the format come records:
// one that says what is in the file, those with the bytes, and one that ends it.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "core/bytes.h"

namespace firn {

// What a checkpoint is of.
struct CheckpointHead {
  std::string program;   // that wrote it, with its version
  std::string variant;   // of the solver: steps of another give other bits
  std::string scene;     // its name
  std::string contents;  // a fingerprint of what of the scene the run depends on
  double time = 0;       // s
  std::int64_t steps = 0, frames = 0;
  std::uint64_t particles = 0;
};

// Bytes for AtomicFile: the beginning, then records of at most a few MB each, then the end. May be made on any thread.
std::string checkpoint_start(const CheckpointHead& head);
std::string checkpoint_record(std::string_view bytes);
std::string checkpoint_end(const std::string& hash);  // of the state

// Reads one. Whatever is wrong with the file is a UserError that names it.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);

  const CheckpointHead& head() const { return head_; }
  // The next bytes, at most so many; 0: all have been read, and the end was there.
  std::size_t read(char* to, std::size_t size);
  // All that is left, so that damage shows.
  void read_to_end();
  // The hash that the end has; of a file that was read to its end.
  const std::string& hash() const { return hash_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  // Sets record_; says of which kind it was.
  std::uint32_t next_record();

  std::string path_;
  std::ifstream file_;
  CheckpointHead head_;
  std::string record_, hash_;
  std::size_t at_ = 0;  // in the record
  bool ended_ = false;
};

}  // namespace firn
