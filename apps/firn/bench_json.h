// A benchmark's report as JSON. Scripts read it: keys are added, never changed.
#pragma once

#include <nlohmann/json.hpp>

#include "firn/simulation.h"

inline nlohmann::ordered_json to_json(const firn::BenchReport& r) {
  nlohmann::ordered_json j{{"scene", r.scene},
                           {"backend", r.backend},
                           {"device", r.device},
                           {"precision", r.precision},
                           {"kernel", r.kernel},
                           {"integrator", r.integrator},
                           {"particles", r.particles},
                           {"steps", r.steps},
                           {"threads", r.threads},
                           {"ns_per_particle_step", r.ns_per_particle_step},
                           {"ns_min", r.ns_min},
                           {"ns_max", r.ns_max},
                           {"ns_per_particle_iteration", r.ns_per_particle_iteration},
                           {"iterations_per_step", r.iterations_per_step},
                           {"bytes_per_particle", r.bytes_per_particle},
                           {"serial_fraction", r.serial_fraction}};
  for (const auto& [name, ns] : r.phases) j["phases"][name] = ns;
  j["calibration"] = {{"fma_gflops", r.fma_gflops}, {"copy_gb_s", r.copy_gb_s}};
  return j;
}
