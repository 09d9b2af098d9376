"""What `run.py` runs: one configuration per row of the table, in the order of the plot."""
from dataclasses import dataclass
from pathlib import Path

SCENES = Path(__file__).parent / "scenes"
BALL = "bench_ball"  # of the gallery; spacing 0.005, 523 638 particles
BALL_SPACING = 0.005


@dataclass(frozen=True)
class Configuration:
    name: str
    scene: str = BALL
    spacing: float = BALL_SPACING
    quick_spacing: float = 0.02  # some thousand particles
    steps: int = 50
    warmup: int = 5
    settings: tuple = ()  # of --set
    program: str = "firn"

    def arguments(self, quick):
        spacing = self.quick_spacing if quick else self.spacing
        steps, warmup = (5, 1) if quick else (self.steps, self.warmup)
        scene = self.scene if self.scene == BALL else str(SCENES / f"{self.scene}.toml")
        settings = (f"simulation.spacing={spacing}", *self.settings)
        return [scene, "--steps", str(steps), "--warmup", str(warmup), *(a for s in settings for a in ("--set", s))]


CONFIGURATIONS = (
    Configuration("ball"),
    Configuration("ball, quadratic", settings=("solver.kernel=quadratic",)),
    Configuration("ball, double", settings=("solver.precision=double",)),
    Configuration("ball, APIC", settings=("solver.transfer=apic",)),
    Configuration("ball, AVX2 build", program="firn-avx2"),
    Configuration("ball, 100 k", spacing=0.00868),
    Configuration("ball, 10 M", spacing=0.00187, steps=20),
    Configuration("ball, 2D", scene="ball_2d", spacing=8.66e-4, quick_spacing=5e-3),
    Configuration("many balls", scene="many_balls"),
    Configuration("impact", scene="impact", warmup=500),
    Configuration("settled heap", scene="settled_heap", spacing=0.006, warmup=500),
    Configuration("small heap, never asleep", scene="settled_heap", spacing=0.012, warmup=500, settings=("solver.sleep=false",)),
    Configuration("small heap, asleep", scene="settled_heap", spacing=0.012, steps=500, warmup=6500),
    Configuration("implicit", scene="implicit", steps=20),
)
TEXTBOOK = Configuration("textbook", program="textbook")

# (what, its numerator, its denominator), each a configuration's name and a number of threads.
RATIOS = (
    ("textbook / firn, cubic", ("textbook", 1), ("ball", 1)),
    ("textbook / firn, quadratic as the textbook", ("textbook", 1), ("ball, quadratic", 1)),
    ("AVX2 build / native build", ("ball, AVX2 build", 1), ("ball", 1)),
    ("10 M / 100 k particles", ("ball, 10 M", 1), ("ball, 100 k", 1)),
    ("many balls / one ball", ("many balls", 1), ("ball", 1)),
    ("impact / ball", ("impact", 1), ("ball", 1)),
    ("heap asleep / never asleep", ("small heap, asleep", 1), ("small heap, never asleep", 1)),
    ("3D / 2D", ("ball", 1), ("ball, 2D", 1)),
    ("2 threads / 1 thread", ("ball", 2), ("ball", 1)),
)
