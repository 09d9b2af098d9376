#include "core/memory.h"

#include <unistd.h>

#include <fstream>
#include <string>

namespace firn {

double available_memory() {
  std::ifstream info("/proc/meminfo");
  std::string word;
  while (info >> word) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && info >> kilobytes) return kilobytes * 1024;
  }
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace firn
