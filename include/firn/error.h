// The two kinds of failure a caller has to tell apart.
#pragma once

#include <stdexcept>
#include <string>

namespace firn {

// Where in the user's text something stands. Line and column count from 1; 0 means "no position".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

// "FILE:LINE:COL", or less when parts are unknown.
std::string to_string(const Location& where);

// The user's mistake: a bad flag, scene or file. what() is one line "FILE:LINE:COL: what is wrong, what is allowed".
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message) : std::runtime_error(message) {}
  UserError(const Location& where, const std::string& message);
};

// A scene that names a file outside of the folders that files may be read from.
class ForbiddenFile : public UserError {
 public:
  using UserError::UserError;
};

// Anything that goes wrong while the program does its work: a simulation that cannot go on, a disk that is full.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace firn
