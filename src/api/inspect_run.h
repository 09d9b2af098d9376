// What the folder of a run has in it.
#pragma once

#include <string>

#include "firn/convert.h"

namespace firn {

// Nothing but the list, stats.csv, scene.toml and names of files is read. Throws UserError for a folder that is not a run's.
FileReport inspect_run(const std::string& folder);

}  // namespace firn
