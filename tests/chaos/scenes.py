"""Random valid scenes: every section, shape and key, materials over all they may be. They must run, and what they write must be whole."""
import json
import math
import re

from shapes import Shapes
from whole import expect_whole

PRESETS = {"powder": 100, "packed": 400, "wet": 500, "icy": 700, "muddy": 600, "crust": 450, "chunky": 350}  # density, kg/m³
DENSITY = 400.0  # of snow that does not say
FORMATS = ("ply", "vdb", "vtp", "bgeo", "usda", "fpc")
MOST_STEPS = 60
MOST_PARTICLES = 4000

# Snow may do what no step can follow; then the run says at which step, and exits with 1.
PHYSICAL = re.compile(r"step \d+ .* failed: |a particle is too far from the others")
# What a scene of random numbers runs into and may be refused for. The exit code is 2 then.
NO_NUMBER = re.compile(r"(?<![\w/.])[-+]?(nan|inf)(?![\w/.])")
REFUSED = re.compile(r"lies wholly inside collider|has no particles|the (noise|shell|layers?) makes|the shape has no inside|"
                     r"encloses nothing|particles lie \d+ cells apart|of the domain|window")


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def scene_text(scene):
    """Sections are dicts, lists of dicts are [[section]]s; materials are dicts of dicts."""
    lines = []
    for name, section in scene.items():
        tables = [(f"[[{name}]]", table) for table in section] if isinstance(section, list) else [(f"[{name}]", section)]
        if name == "materials":
            tables = [(f"[materials.{key}]", table) for key, table in section.items()]
        for head, table in tables:
            lines += [head, *(f"{key} = {toml(value)}" for key, value in table.items()), ""]
    return "\n".join(lines)


class SceneMaker:
    def __init__(self, random, good):
        self.random = random
        self.dimension = 3 if random.random() < 0.65 else 2
        self.size = self.of_any_size(0.05, 50)                     # m, of the whole scene
        cells = random.randint(9, 14) if self.dimension == 3 else random.randint(14, 40)
        self.spacing = float(f"{self.size / (2 * cells):.4g}")     # bodies are about half as large
        self.shapes = Shapes(random, self.dimension, self.spacing, good)
        self.wild = random.random() < 0.3                          # anything the limits allow
        far = min(random.choice((0, 0, 100, 1e5)) * self.size, 8e5) if self.wild else 0  # m; a million is the limit
        self.middle = self.vector(far) + [0.0] * (3 - self.dimension)

    def chance(self, part):
        return self.random.random() < part

    def of_any_size(self, least, most):
        return float(f"{math.exp(self.random.uniform(math.log(least), math.log(most))):.5g}")

    def vector(self, most):
        return [float(f"{self.random.uniform(-most, most):.5g}") for _ in range(self.dimension)]

    def spin(self, most):
        return self.vector(most) if self.dimension == 3 else float(f"{self.random.uniform(-most, most):.5g}")

    def make(self):
        self.scene = {"simulation": self.simulation(), "solver": self.solver(), "materials": self.materials()}
        bodies = self.random.choice((0, 1, 1, 1, 2))
        if bodies:
            self.scene["snow"] = [self.snow(number) for number in range(bodies)]
        if not bodies or self.chance(0.2):
            self.scene["source"] = [self.source()]
        if self.chance(0.85):
            self.scene["collider"] = [self.collider(number) for number in range(self.random.choice((1, 1, 2, 3)))]
        if self.chance(0.2):
            self.scene["sink"] = [self.sink()]
        if self.chance(0.15):
            self.scene["domain"] = {"lower": self.box_corner(-2), "upper": self.box_corner(2)}
        if self.chance(0.12):
            self.add_window()
        self.scene["output"] = self.output()
        self.scene["render"] = self.render()
        return self.scene

    def box_corner(self, times):
        return self.shifted([times * self.size] * 3)[:self.dimension]

    def simulation(self):
        keys = {"dimension": self.dimension, "spacing": self.spacing, "fps": self.of_any_size(24, 2000),
                "frames": self.random.randint(1, 3)}
        if self.chance(0.3):
            keys["gravity"] = self.vector(20 if not self.wild else 1e5)
        if self.chance(0.1):
            keys["settle"] = self.of_any_size(1e-4, 1e-2)
        return keys

    def solver(self):
        random = self.random
        options = {
            "integrator": lambda: random.choice(("explicit", "semi-implicit", "density-limited")),
            "beta": lambda: random.choice((0.5, 0.7, 1.0)),
            "tolerance": lambda: self.of_any_size(1e-9, 0.1),
            "max_iterations": lambda: random.choice((5, 50, 500)),
            "kernel": lambda: random.choice(("cubic", "quadratic")),
            "transfer": lambda: random.choice(("flip", "apic")),
            "critical_density": lambda: self.of_any_size(0.1, 1000),
            "flip_ratio": lambda: random.choice((0.0, 0.5, 0.95, 1.0)),
            "precision": lambda: random.choice(("float", "double")),
            "courant": lambda: random.uniform(0.05, 0.6),
            "cell_fraction": lambda: random.uniform(0.05, 0.95),
            "sleep": lambda: random.random() < 0.5,
        }
        keys = {name: choose() for name, choose in options.items() if self.chance(0.5)}
        if self.chance(0.15):
            keys["time_step"] = self.of_any_size(1e-6, 1e-3)
        if keys.get("integrator") == "density-limited":
            keys.pop("transfer", None)  # it knows FLIP only
        return keys

    def materials(self):
        return {name: self.material() for name in ("default", "other", "third")[:self.random.randint(1, 3)]}

    def material(self):
        if self.chance(0.5):
            return {"preset": self.random.choice(list(PRESETS))}
        ranges = {"young_modulus": (1e3, 1e7), "poisson_ratio": (0.01, 0.45), "hardening": (0.1, 20), "critical_compression": (1e-3, 0.2),
                  "critical_stretch": (1e-4, 0.1), "density": (10, 1000), "hardening_limit": (1, 1000), "softening": (0.1, 20)}
        if self.wild:
            ranges = {"young_modulus": (1e-6, 1e12), "poisson_ratio": (1e-9, 0.49), "hardening": (1e-6, 100),
                      "critical_compression": (1e-9, 0.999), "critical_stretch": (1e-9, 10), "density": (1e-6, 1e5),
                      "hardening_limit": (1, 1e6), "softening": (1e-6, 100)}
        return {name: self.of_any_size(*range) for name, range in ranges.items() if self.chance(0.7)}

    def any_material(self):
        return self.random.choice(list(self.scene["materials"]))

    def speed(self):
        return self.of_any_size(1e-3, 1e5) if self.wild and self.chance(0.3) else self.size * self.random.uniform(0, 10)

    def place(self, number, height):
        """Bodies stand side by side along x, so that few of them overlap."""
        return self.shifted([(number - 0.5) * 0.9 * self.size, height, self.random.uniform(-0.1, 0.1) * self.size])

    def shifted(self, point):
        """The whole scene may stand far from the world's origin."""
        return [c + m for c, m in zip(point, self.middle)]

    def snow(self, number):
        across = self.random.uniform(0.6, 1) * self.size
        cells = (across / self.spacing / 2) ** self.dimension
        keys = self.shapes.make(self.place(number, 0.6 * self.size), across)
        keys["velocity"] = self.vector(self.speed())
        keys["material"] = self.any_material()
        keys["particles_per_cell"] = max(1.0, min(self.of_any_size(1, 16), MOST_PARTICLES / cells))
        options = {"spin": lambda: self.spin(10), "stretch": lambda: [self.random.uniform(0.9, 1.1) for _ in range(self.dimension)],
                   "sampling": lambda: self.random.choice(("jittered", "poisson")), "seed": lambda: self.random.randint(0, 4294967295),
                   "initial_volume": lambda: self.random.choice(("shape", "grid")),
                   "start": lambda: self.random.random() * self.scene["simulation"]["frames"] / self.scene["simulation"]["fps"],
                   "layers": lambda: [{"above": 0.6 * self.size, "material": self.any_material()}],
                   "shell": lambda: {"depth": 2 * self.spacing, "stiffness": self.of_any_size(0.5, 2),
                                     "density": self.of_any_size(0.8, 1.2)},
                   "noise": lambda: {"scale": 4 * self.spacing, "octaves": self.random.randint(1, 5), "stiffness": 0.5,
                                     "critical_stretch": 0.2, "seed": self.random.randint(0, 99)}}
        keys.update({name: choose() for name, choose in options.items() if self.chance(0.25)})
        if keys.get("initial_volume") == "grid":
            keys.pop("start", None)  # snow that comes later finds no grid to ask
        return keys

    def source(self):
        keys = self.shapes.make(self.place(1, 1.3 * self.size), 0.5 * self.size, self.random.choice(("sphere", "box", "capsule")))
        seconds = self.scene["simulation"]["frames"] / self.scene["simulation"]["fps"]
        keys["velocity"] = self.vector(self.speed())
        keys["material"] = self.any_material()
        material = self.scene["materials"][keys["material"]]
        density = PRESETS[material["preset"]] if "preset" in material else material.get("density", DENSITY)
        particles = self.random.uniform(10, 500)
        keys["rate"] = particles * density * self.spacing ** self.dimension / 8 / seconds
        if self.chance(0.3):
            keys["start"] = 0.3 * seconds
        return keys

    def collider(self, number):
        if number == 0 and self.chance(0.7):
            keys = {"shape": "plane", "point": self.shapes.point(*self.middle), "normal": [0.0, 1.0, 0.0][:self.dimension]}
        else:
            kind = "sequence" if self.chance(0.1) else None
            keys = self.shapes.make(self.place(number, -0.2 * self.size), 0.7 * self.size, kind)
        options = {"name": lambda: f"body_{number}", "friction": lambda: self.random.choice((0, 0.3, 1, 100)),
                   "sticky": lambda: self.chance(0.5),
                   "look": lambda: "metal", "colour": lambda: [0.2, 0.5, 1.0], "visible": lambda: self.chance(0.5)}
        keys.update({name: choose() for name, choose in options.items() if self.chance(0.3)})
        self.move(keys)
        return keys

    def move(self, keys):
        if self.chance(0.3):
            keys["velocity"] = self.vector(self.speed())
            if self.chance(0.5):
                keys["spin"] = self.spin(20)
        elif self.chance(0.2):
            start = keys.get("center") or keys.get("translate") or keys.get("point") or self.shapes.point(0, 0, 0)
            keys["keys"] = [{"t": 0.01 * k, "position": [c + 0.01 * k * self.size for c in start]} for k in range(3)]
            keys["interpolation"] = self.random.choice(("linear", "smooth"))
        elif self.chance(0.1):
            kind = self.random.choice(("csv", "json"))
            keys["keys_file"] = str(self.shapes.good / f"motion{self.dimension}.{kind}")

    def sink(self):
        kind = self.random.choice(("sphere", "box"))
        keys = self.shapes.make(self.place(0, -0.8 * self.size), self.size, kind)
        if self.chance(0.3):
            keys["start"] = 0.01
        return keys

    def add_window(self):
        for snow in self.scene.get("snow", []):
            snow.pop("sampling", None)  # a window wants its points from a lattice
        low, high = self.box_corner(-1.5), self.box_corner(1.5)
        self.scene["window"] = {"lower": low, "upper": high, "velocity": self.vector(self.size)}

    def render(self):
        keys = {"width": 24, "height": 16}
        corner = self.shifted([1.5 * self.size, 0.8 * self.size, 2.0 * self.size])
        target = self.shifted([0.0, 0.3 * self.size, 0.0])
        options = {"fov": lambda: self.random.uniform(1, 160), "exposure": lambda: self.random.uniform(-20, 20),
                   "shutter": lambda: self.random.choice((0.0, 0.5, 1.0)), "white_balance": lambda: self.random.random(),
                   "tone": lambda: self.random.choice(("filmic", "srgb")), "sun": lambda: [1.0, self.random.uniform(-1, 1), 0.3],
                   "extinction": lambda: self.of_any_size(1e-3, 1e6), "anisotropy": lambda: self.random.uniform(-0.95, 0.95),
                   "sky_image": lambda: str(self.shapes.good / self.random.choice(("sky.hdr", "sky.exr"))),
                   "lights": lambda: [{"shape": "sphere", "center": corner, "radius": 0.1 * self.size,
                                       "strength": self.of_any_size(1e-3, 1e6)}]}
        keys.update({name: choose() for name, choose in options.items() if self.chance(0.15)})
        if self.chance(0.3):
            keys["keys"] = [{"t": t, "position": [c + t for c in corner], "target": target} for t in (0.0, 0.1)]
        elif self.chance(0.3):
            keys.update(position=corner, target=target)
        return keys

    def output(self):
        formats = self.random.sample(FORMATS, self.random.choice((1, 1, 2)))
        keys = {"formats": formats if "ply" in formats else ["ply", *formats]}
        if self.chance(0.1):
            keys["grid"] = self.random.sample(("mass", "velocity", "force"), self.random.randint(0, 3))
        if self.chance(0.2):
            keys["subframes"] = self.random.randint(1, 3)
        if self.chance(0.2):
            keys["vdb_points"] = True
        if self.chance(0.2):
            keys["fpc_error"] = 1e-3 * self.spacing
        return keys


def attack(case):
    maker = SceneMaker(case.random, case.good)
    scene = maker.make()
    file, out = case.folder / "scene.toml", case.folder / "out"
    file.write_text(scene_text(scene))
    random = case.random
    steps = ["--steps", random.randint(2, MOST_STEPS)] if random.random() < 0.8 else []
    if random.random() < 0.25:
        expect_numbers(case, case.firn("check", file))
    outcome = case.firn("run", file, "-o", out, "--threads", random.choice((1, 2)), *steps, may_take_long=True)
    expect_numbers(case, outcome)
    case.ending = ending_of(case, outcome)
    if out.exists():
        expect_whole(case, out)
    if outcome.code == 0:
        look_again(case, scene, file, out, steps)


def expect_numbers(case, outcome):
    word = NO_NUMBER.search(outcome.out + outcome.err)
    case.expect(not word, f"prints a number that is none: {word and word.string[max(0, word.start() - 80):word.end() + 20]!r}")


def ending_of(case, outcome):
    if outcome.code == 1:
        case.expect(PHYSICAL.search(outcome.err), f"a valid scene fails: {outcome.errors}")
        return "stopped by the snow"
    if outcome.code == 2:
        case.expect(REFUSED.search(outcome.err), f"a valid scene is refused: {outcome.errors}")
        return "refused"
    return "stopped after 20 s" if outcome.stopped else "ran"


def look_again(case, scene, file, out, steps):
    """What else must work on a run that is there."""
    random = case.random
    if random.random() < 0.2:  # the same bytes for any number of threads
        again = case.folder / "again"
        case.firn("run", file, "-o", again, "--threads", 3, *steps, codes={0}, may_take_long=True)
        for frame in sorted(out.glob("*.ply")):
            case.expect((again / frame.name).exists() and (again / frame.name).read_bytes() == frame.read_bytes(),
                        f"{frame.name} differs with another number of threads")
    if random.random() < 0.2:  # the scene as the run has written it
        case.firn("check", out / "scene.toml", codes={0})
    if random.random() < 0.2:  # the run goes on from its last state
        continued = {key: value for key, value in scene.items() if key not in ("snow", "source", "window")}
        continued["snow"] = [{"shape": "particles", "file": str(out / "final.ply")}]
        (case.folder / "on.toml").write_text(scene_text(continued))
        outcome = case.firn("run", case.folder / "on.toml", "-o", case.folder / "on", "--steps", 2, may_take_long=True)
        if outcome.code and "has no particles" not in outcome.err:
            case.expect(PHYSICAL.search(outcome.err), f"does not go on from its last state: {outcome.errors}")
    if random.random() < 0.25:
        case.firn("preview", out, "--no-film", "--width", 64, "--height", 36, codes={0})
        expect_whole(case, out)
    if scene["simulation"]["dimension"] == 3 and random.random() < 0.25:
        case.firn("render", out / "final.ply", "--spp", 1, codes={0})
        expect_whole(case, out)
    if random.random() < 0.25:
        kind = random.choice(("vtp", "bgeo", "usda", "fpc", "ply"))
        case.firn("convert", out, case.folder / f"converted/*.{kind}", codes={0})
        expect_whole(case, case.folder / "converted")

