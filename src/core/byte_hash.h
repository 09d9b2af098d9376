// A number for many bytes, which other bytes do not have: 128 bits by xxHash.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace firn {

class ByteHash {
 public:
  ByteHash();
  ~ByteHash();

  void add(std::string_view bytes);
  // 32 hexadecimal digits of all bytes so far.
  std::string digits() const;

 private:
  struct Sum;
  std::unique_ptr<Sum> sum_;
};

}  // namespace firn
