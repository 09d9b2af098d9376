// What a call complains of.
#pragma once

#include <string>

#include "firn/error.h"

namespace firn::test {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace firn::test
