// The model's part of what comes and goes: sinks, domain, window, and the time step limits of snow that comes in.
#pragma once

#include "scene/population.h"

namespace firn {

// Everything but the inflows. With a window also the origin of the block lattice: the window's first cell.
void add_outflow(const Scene& scene, Model& model, std::vector<std::string>& warnings);

void add_inflows(const Scene& scene, const Forms& forms, Model& model);

// kg; never more than any particle of a body that a window may reach.
double lightest_fresh(const Scene& scene, const Snow& snow);

// Particles that sources give out in the scene's duration.
double particles_to_come(const Scene& scene, const Population& population);

// How long fresh snow stays in its source at most, s: it crosses the shape with its velocity and gravity. Infinite where neither moves it.
double time_to_clear(const Scene& scene, const Source& source, const Form& form);

}  // namespace firn
