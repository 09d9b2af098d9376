// Kinds of snow by name: what preset = "..." of a material stands for.
#pragma once

#include <vector>

#include "firn/scene.h"

namespace firn {

// Each has its preset's name.
const std::vector<Material>& presets();

}  // namespace firn
