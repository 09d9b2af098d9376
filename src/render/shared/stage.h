// What a picture shows beside the snow: bodies made once for a film, and as rays meet them. Embree stays behind this header.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collide/body.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "geometry/mesh.h"
#include "render/shared/camera.h"
#include "render/shared/vector.h"

namespace firn {

// Rays against triangles. Embree finds the triangle and stays behind this header.

class MeshRays {
 public:
  // Wants a clean mesh that faces outwards. Throws RunError when memory does not suffice.
  explicit MeshRays(const Mesh& mesh);
  ~MeshRays();

  // Rays start from here, so that single precision suffices wherever in its frame the mesh lies; m.
  const Vec<double, 3>& middle() const { return middle_; }

  struct Hit {
    float t;
    Float3 face;    // normal of the triangle, towards where the ray came from
    Float3 normal;  // the same for shading: smooth but for sharp edges
  };
  // The first triangle on the ray, which is in metres from the middle. Triangles are seen from both sides.
  std::optional<Hit> trace(const Ray& ray, float farthest) const;

 private:
  struct Tree;

  Vec<double, 3> middle_;
  std::unique_ptr<const Tree> tree_;
};

// What a picture shows beside the snow: a scene and its bodies, made once for all pictures of a film.

class Scenery {
 public:
  // Throws UserError when a file that the scene names is not what it was. `setup` is told what takes long.
  explicit Scenery(Scene s, const SetupProgress& setup = {});

  Scene scene;
  std::vector<BodyModel> bodies;  // of the colliders, in order

  // The triangles of a body; null where it has none. Those of a deforming one are made anew every time, from its files.
  std::shared_ptr<const MeshRays> mesh(std::size_t body, double time) const;
  // The same without any work: null of a deforming body too.
  std::shared_ptr<const MeshRays> mesh_at_hand(std::size_t body) const { return meshes_[body]; }

 private:
  std::vector<std::shared_ptr<const MeshRays>> meshes_;  // of bodies that keep their shape
};

// What a body is made of.
struct BodyLook {
  bool is_metal;
  Colour colour;    // what it throws back; of metal, of light that falls straight onto it
  float roughness;  // of metal
};

struct StageHit {
  float t;        // along the ray, view units
  Float3 normal;  // for shading: smooth also where the body is made of triangles
  Float3 face;    // of the surface itself
  Float3 local;   // the point in the body's own frame, for a pattern that moves with it
  bool is_plane;
  int body;              // its number on the stage
  const BodyLook* look;  // the stage has it
};

// Where rays meet bodies that are made of triangles.
enum class Triangles {
  kAll,     // on all of them
  kAtHand,  // deforming bodies by their distances, with rounded edges: quick to make, for what need not be exact
};

// What a ray looks for.
enum class Rays {
  kSight,  // what the eye sees
  kLight,  // where light comes from
};

class Stage {
 public:
  Stage() = default;
  // Without the bodies that the scene calls invisible.
  Stage(const Scenery* scenery, const Camera& camera, double time, Triangles triangles = Triangles::kAll);

  // Takes away what the camera's eye is behind or inside of: it would hide everything, or shut out the light that shows the rest. Walls and
  // ceilings that are left between the sun and the snow are seen, but let all light through: they have no end, and it would be night.
  void open_to(const Camera& camera);

  // Planes are seen from their free side only, so that none of them can hide what it holds.
  std::optional<StageHit> trace(const Ray& ray, float farthest, Rays rays = Rays::kSight) const;
  // Just off the surface where p was met, by no more than it takes not to meet it again, and on the free side of all planes.
  Float3 departure(const StageHit& hit, const Float3& p) const;
  // 1: nothing between p and the light, 0: hidden; in between near an edge. Planes do not count: the sun stands on their free side.
  float light(const Float3& p, const Float3& direction) const;
  // The part of the sky that bodies close to p leave free.
  float openness(const Float3& p, const Float3& normal) const;
  // The distance from p to the nearest body; negative inside one.
  float distance(const Float3& p) const;
  // The least cosine of the direction to the planes' normals: above 0 it points to the free side of all of them.
  float least_slope(const Float3& direction) const;
  // The same of walls and ceilings alone.
  float least_wall_slope(const Float3& direction) const;
  // On the free side of all planes and outside of all bodies.
  bool is_free(const Float3& p) const { return distance(p) > 0; }

 private:
  struct Piece {
    Body<float, 3> form;  // its shape, in metres and its own frame; where it stands is below
    Float3 origin;
    Mat<float, 3> rotation;
    float metres;  // in a view unit
    float bound;   // radius about the origin; planes: 0
    bool is_plane;
    bool lets_light_through;
    int body;
    BodyLook look;
    std::shared_ptr<const MeshRays> mesh;  // null: distances are all there is
    Float3 mesh_origin;                    // where the middle of the mesh stands

    Float3 plane_normal() const { return rotation * form.solid.axis; }
    // In the body's own frame, distances in view units.
    Surface<float, 3> surface(const Float3& p) const;
    StageHit hit(const Ray& ray, float t) const;
    StageHit hit(const Ray& ray, const MeshRays::Hit& found) const;
  };
  static Piece make_piece(const Scenery& scenery, std::size_t at, const Camera& camera, double time, Triangles triangles);
  static std::optional<float> trace_plane(const Piece& piece, const Ray& ray);
  static std::optional<float> trace_solid(const Piece& piece, const Ray& ray, float farthest);
  static std::optional<MeshRays::Hit> trace_mesh(const Piece& piece, const Ray& ray, float farthest);

  std::vector<Piece> pieces_;
  std::vector<std::shared_ptr<const LevelSet>> held_;  // what the pieces' shapes point at
};

}  // namespace firn
