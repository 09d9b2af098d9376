// The frames of a run on the disk.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "firn/frame.h"
#include "protocol.h"

namespace firn::studio {

// Throws UserError when there is no such frame, or none that can be read.
Frame recorded_frame(const std::filesystem::path& folder, int number);
// Whether it is there.
bool has_frame(const std::filesystem::path& folder, int number);
// Waits, some seconds at most, for a frame that is on its way to the disk.
void await_frame(const std::filesystem::path& folder, int number, const std::atomic<bool>& is_cancelled);

// Where a particle was: t, x, y, z of every frame up to `last`, or of some where they are large.
std::vector<std::array<double, 4>> recorded_path(const std::filesystem::path& folder, int last, double fps, std::uint32_t id);

// The table stats.csv from row `from` on, as "columns" and "rows". Empty where there is none yet.
Json recorded_series(const std::filesystem::path& folder, std::size_t from);

}  // namespace firn::studio
