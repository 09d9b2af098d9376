// From the colliders a user names to bodies: level sets for the solver, triangles for pictures.
#pragma once

#include <optional>
#include <string>

#include "build/form.h"
#include "collide/body.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "geometry/mesh.h"

namespace firn {

// h: the grid spacing that anchors the body to the lattice.
BodyModel make_body(const Collider& collider, const Form& form, double h);

// All colliders of a scene, in order. Throws UserError at the collider's place; appends warnings. `setup` is told what takes long.
std::vector<BodyModel> make_bodies(const Scene& scene, std::vector<std::string>& warnings, const SetupProgress& setup = {});

// make_form with the places of the scene: in what it throws, and before what it warns of. `most_content`: of snow; nothing: of a body.
Form make_form_at(const Shape& shape, const Scene& scene, const Location& where, std::vector<std::string>& warnings,
                  std::optional<double> most_content = {});

// What is made for a shape that takes long: "level set of ship.obj". Empty for others.
std::string work_on(const Shape& shape);

// The triangles of colliders for pictures, where a level set would round their edges.

// At time t (s), in the body's own frame; clean and facing outwards (repair.h). Of compounds and text, whose parts have edges,
// they are made (contour.h). None of a body that is known by distances only: analytic shapes, `.vdb` files, sheets with a thickness, and
// sequences that do not keep their points from frame to frame.
// Throws UserError at the collider's place.
std::optional<Mesh> body_mesh(const Collider& collider, const Scene& scene, double t);

// Triangles of any shape but planes and particles at time t (s), in its own frame, as a page shows it: those above where there are some,
// else made from its formula or its distances. None of a sequence without triangles. Throws UserError.
Mesh shown_mesh(Shape shape, const Scene& scene, double t);

}  // namespace firn
