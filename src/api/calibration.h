// How quick this machine is at the moment: two loops that every benchmark report carries, so that figures from noisy or different
// machines can be compared.
#pragma once

namespace firn {

struct Calibration {
  double fma_gflops = 0;  // fused multiply-adds in registers, float, one thread; an FMA counts as two operations
  double copy_gb_s = 0;   // copying memory far larger than the caches, one thread; bytes read plus bytes written
};

// Takes about a third of a second and, for as long, 256 MiB.
Calibration calibrate();

// The better figure of each: a neighbour who disturbed one of the two does not count.
Calibration better(const Calibration& a, const Calibration& b);

}  // namespace firn
