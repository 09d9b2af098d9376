// For programs that end at a signal, at once and not by returning from main.
#pragma once

namespace firn {

// Removes the temporary files of this process and ends the programs that it has started. For signal handlers, before _exit().
void clean_up_at_signal() noexcept;

}  // namespace firn
