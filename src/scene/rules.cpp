#include "scene/rules.h"

#include <fmt/format.h>

namespace firn::schema {

bool Range::contains(double value) const {
  const bool high_enough = open_low ? value > low : value >= low;
  const bool low_enough = open_high ? value < high : value <= high;
  return high_enough && low_enough;
}

std::string Range::text() const {
  return fmt::format("{} {} and {} {}", open_low ? "greater than" : "at least", low, open_high ? "less than" : "at most", high);
}

std::string Range::text_for(double value) const {
  if (value <= 0 && low > 0) return fmt::format("greater than 0, allowed: {} to {}", low, high);
  return text();
}

}  // namespace firn::schema
