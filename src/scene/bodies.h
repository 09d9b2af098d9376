// From the colliders a user names to the bodies the solver and the pictures test against.
#pragma once

#include "collide/body.h"
#include "scene/form.h"

namespace firn {

// h: the grid spacing that anchors the body to the lattice.
BodyModel make_body(const Collider& collider, const Form& form, double h);

// All colliders of a scene, in order. Throws UserError at the collider's place; appends warnings.
std::vector<BodyModel> make_bodies(const Scene& scene, std::vector<std::string>& warnings);

// make_form with the places of the scene: in what it throws, and before what it warns of.
Form make_form_at(const Shape& shape, const Scene& scene, const Location& where, std::vector<std::string>& warnings, bool needs_content);

}  // namespace firn
