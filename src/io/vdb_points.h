// The particles of a frame as a grid of OpenVDB points. Only for the .cpp files that know OpenVDB.
#pragma once

#include <openvdb/Grid.h>

#include "io/frame_view.h"

namespace firn {

// Named `points`, with every column the frame has as an attribute of the same name; the position is `P`.
openvdb::GridBase::Ptr make_points_grid(const FrameView& frame, double spacing);

}  // namespace firn
