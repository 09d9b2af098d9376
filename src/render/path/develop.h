// How traced light becomes a picture: exposure and tone curves for develop() (render/image.h).
#pragma once

#include "render/image.h"

namespace firn {

// As film shows light: a toe that deepens the dark, middle grey (0.18) and the tones about it as they are, a shoulder on which sunlit
// snow (1) is just under white and what is brighter still has form. Hues stay; only the brightest colours bleach.
Colour filmic(const Colour& light);

// As it is, as far as a picture can show it: sRGB without a look.
Colour clipped(const Colour& light);

// The same curve for light that is doubled with each stop.
ToneCurve exposed(double stops, ToneCurve tone);

}  // namespace firn
