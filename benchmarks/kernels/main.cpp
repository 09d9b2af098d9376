// Runs the kernels; the machine's own speed goes into the report's context.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "api/measure.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const firn::Calibration machine = firn::calibrate();
  benchmark::AddCustomContext("fma_gflops", fmt::format("{:.1f}", machine.fma_gflops));
  benchmark::AddCustomContext("copy_gb_s", fmt::format("{:.1f}", machine.copy_gb_s));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
