// From the colliders a user names to the bodies the solver and the pictures test against.
#pragma once

#include <optional>
#include <string>

#include "collide/body.h"
#include "firn/simulation.h"
#include "scene/form.h"

namespace firn {

// h: the grid spacing that anchors the body to the lattice.
BodyModel make_body(const Collider& collider, const Form& form, double h);

// All colliders of a scene, in order. Throws UserError at the collider's place; appends warnings. `setup` is told what takes long.
std::vector<BodyModel> make_bodies(const Scene& scene, std::vector<std::string>& warnings, const SetupProgress& setup = {});

// make_form with the places of the scene: in what it throws, and before what it warns of. `most_content`: of snow; nothing: of a body.
Form make_form_at(const Shape& shape, const Scene& scene, const Location& where, std::vector<std::string>& warnings,
                  std::optional<double> most_content = {});

// Of a shape that takes long to make, what is made: "level set of ship.obj". Nothing of others.
std::string work_on(const Shape& shape);

}  // namespace firn
