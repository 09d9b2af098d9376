// The colours and the light of the pictures: a low sun and a clear winter sky over frozen ground, and snow is the brightest thing.
#pragma once

#include "render/shared/stage.h"
#include "render/shared/vector.h"

namespace firn {

inline constexpr Colour kSunlight{0.80f, 0.755f, 0.67f};
inline constexpr Colour kSkylight{0.21f, 0.29f, 0.42f};     // from straight above
inline constexpr Colour kGroundlight{0.11f, 0.12f, 0.14f};  // thrown back from below
inline constexpr Colour kSnowGlow{0.15f, 0.19f, 0.26f};     // out of snow that hides the sky: white inside, so never dark
inline constexpr Colour kSnowAlbedo{0.93f, 0.945f, 0.96f};

// The colour of snow in 2D pictures, by J_P.
Colour snow_on_paper(float jp);

// The sky behind everything.
Colour backdrop(const Float3& direction);

// Light from the sky on a surface that faces `normal`, nothing in its way.
inline Colour skylight(const Float3& normal) { return mix(kGroundlight, kSkylight, 0.5f + 0.5f * normal[1]); }

// What a collider is made of, with what its scene does not say.
BodyLook look_of(const Collider& collider);

// What a body throws back at a point; `footprint`: a pixel's size there, view units.
Colour body_albedo(const StageHit& hit, float footprint);

// How much of what is `distance` away is lost in the haze; what is to be seen, at `subject`, is not.
float haze(float distance, float subject);

// Towards the sun: from the side of the camera, and on the free side of all planes.
Float3 choose_sun(const Camera& camera, const Stage& stage);

}  // namespace firn
