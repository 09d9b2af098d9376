// Many pictures at a glance.
#pragma once

#include <vector>

#include "render/image.h"

namespace firn {

// The pictures, all of one size, row by row in a grid with thin gaps between them. They are scaled down where the sheet would be wider
// than `widest`. Cells that are left over show the colour of the gaps. Fewer pictures than columns make one shorter row.
inline constexpr int kSheetWidth = 1920;
Image contact_sheet(const std::vector<Image>& pictures, int columns, int widest = kSheetWidth);

}  // namespace firn
