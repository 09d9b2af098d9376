#pragma once

namespace firn {

// Memory a program could take now, bytes.
double available_memory();

}  // namespace firn
