// Takes the noise of few samples out of a traced picture.
#pragma once

#include <vector>

#include "render/path/traced_picture.h"

namespace firn {

// The light of the picture with every pixel a mean of those around it that show the same thing in the same light. The same thing: first
// seen albedo, normal and depth agree. The same light: small patches about the two differ by no more than their variances make likely
// (non-local means: Buades et al. 2005; with variances and features: Rousselle et al. 2012, 2013). Single outshining samples are dimmed
// first. Edges stay, the mean of the picture stays to about 1 %, pixels without variance stay as they are, bit by bit. The result does
// not depend on the number of threads.
std::vector<Colour> denoise(const TracedPicture& picture);

}  // namespace firn
