// Grey pictures as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firn {

struct GreyPicture {
  int width = 0, height = 0;
  std::vector<double> values;  // row by row from the top: 0 black, 1 white, as stored, without gamma
};

// 1 to 16 bits a pixel, without colour or transparency. Throws UserError for anything else, and for more than `most_pixels`.
GreyPicture read_grey_png(const std::string& path, std::size_t most_pixels);

}  // namespace firn
