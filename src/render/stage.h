// The collision bodies of a scene at one moment, to be drawn: rays hit them, they shade each other and the snow.
#pragma once

#include <optional>
#include <vector>

#include "collide/body.h"
#include "render/camera.h"
#include "render/scenery.h"

namespace firn {

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
  // Of p to the nearest body; negative inside one.
  float distance(const Float3& p) const;
  // Of the direction to the planes' normals: above 0 it points to the free side of all of them.
  float least_slope(const Float3& direction) const;
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
