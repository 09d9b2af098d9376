// The formulas of materials/ and collide/ on a GPU: the same source gives the same numbers as on the CPU. Built where nvcc is
// found; run by hand on a machine with a GPU (exit 0: they agree, 1: they do not, 77: no GPU here).
#include <cmath>
#include <cstdio>
#include <vector>

#include "collide/body.h"
#include "collide/solid.h"
#include "materials/snow_strain.h"

namespace firn {
namespace {

constexpr int kOutputs = 20;

// Everything a particle's step needs, boiled down to a few numbers.
template <class T, int D>
FIRN_HD void evaluate_all(int seed, T* out) {
  unsigned state = 2654435761u * static_cast<unsigned>(seed + 1);
  const auto random = [&state] {
    state = state * 1664525u + 1013904223u;
    return T(state >> 8) * T(1.0 / (1 << 24)) - T(0.5);
  };
  Mat<T, D> F = Mat<T, D>::identity(), dF;
  for (T& x : F.a) x += T(0.1) * random();
  for (T& x : dF.a) x = random();
  const SnowParameters<T> snow{T(58333), T(38889), T(10), T(0.975), T(1.0075), T(4.6), T(10)};
  const PlasticResult<T, D> plastic = yield(F, T(1), snow);
  const Lame<T> lame = hardened(snow, T(0.9) + T(0.2) * random());
  const Mat<T, D> R = polar(plastic.F_E).R;
  const Mat<T, D> P = first_piola(plastic.F_E, R, lame);
  const Mat<T, D> dP = piola_derivative(plastic.F_E, R, lame, dF);
  Solid<T, D> solid{};
  solid.kind = SolidKind::kWedge;
  solid.half = Vec<T, D>::filled(T(0.4));
  solid.side_cos = T(0.8);
  solid.side_sin = T(0.6);
  Vec<T, D> x, v;
  for (int d = 0; d < D; ++d) {
    x[d] = random();
    v[d] = random();
  }
  const Surface<T, D> surface = evaluate(solid, x);
  const Response<T, D> response = respond(v, surface.n, Vec<T, D>::zero(), T(0.3), false);
  for (int k = 0; k < kOutputs; ++k) out[k] = T(0);
  for (int k = 0; k < 4; ++k) {
    out[k] = plastic.F_E.a[k];
    out[4 + k] = P.a[k] * T(1e-5);
    out[8 + k] = dP.a[k] * T(1e-5);
  }
  out[12] = plastic.J_P;
  out[13] = surface.phi;
  out[14] = response.v[0];
  out[15] = response.v[1];
  if constexpr (D == 3) {
    const StrainResult<T> by_strain = yield_by_strain(F, T(1), snow);
    const Symmetric<T> E = left_strain(by_strain.plastic.F_E);
    const Symmetric<T> series = kirchhoff_by_series(E, determinant(by_strain.plastic.F_E), Lame<T>{snow.mu0, snow.lambda0});
    out[16] = by_strain.plastic.F_E.a[5];
    out[17] = by_strain.plastic.J_P;
    out[18] = by_strain.kirchhoff.xy * T(1e-5);
    out[19] = series.xy * T(1e-5);
  }
}

template <class T, int D>
__global__ void evaluate_kernel(int n, T* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) evaluate_all<T, D>(i, out + i * kOutputs);
}

template <class T, int D>
bool agrees(const char* name, double bound) {
  constexpr int n = 100000;
  std::vector<T> device(static_cast<std::size_t>(n) * kOutputs);
  T* memory = nullptr;
  if (cudaMalloc(&memory, device.size() * sizeof(T)) != cudaSuccess) return false;
  evaluate_kernel<T, D><<<(n + 127) / 128, 128>>>(n, memory);
  if (cudaMemcpy(device.data(), memory, device.size() * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  cudaFree(memory);
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    T host[kOutputs];
    evaluate_all<T, D>(i, host);
    for (int k = 0; k < kOutputs; ++k) largest = std::fmax(largest, std::fabs(double(host[k]) - double(device[i * kOutputs + k])));
  }
  std::printf("%s: largest difference %.2e, allowed %.0e\n", name, largest, bound);
  return largest <= bound;
}

}  // namespace
}  // namespace firn

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no GPU here\n");
    return 77;
  }
  using firn::agrees;
  const bool good = agrees<float, 2>("2D float", 1e-3) & agrees<float, 3>("3D float", 1e-3) & agrees<double, 2>("2D double", 1e-10) &
                    agrees<double, 3>("3D double", 1e-10);
  return good ? 0 : 1;
}
