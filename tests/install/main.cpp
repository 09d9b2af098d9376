// What a program that uses firn looks like.
#include <firn/simulation.h>

#include <cstdio>

int main() {
  const char* text =
      "simulation = { spacing = 0.02, duration = 0.1 }\nsnow = [{ shape = \"sphere\", center = [0, 0.1, 0], radius = 0.1 }]\n";
  firn::Simulation simulation(firn::parse_scene(text, "ball.toml"));
  const firn::StepInfo step = simulation.step(0.01);
  std::printf("firn %s: %zu particles, a step of %g s\n", firn::version(), simulation.particles(), step.dt);
  return simulation.steps() == 1 && step.dt > 0 && simulation.particles() > 1000 ? 0 : 1;
}
