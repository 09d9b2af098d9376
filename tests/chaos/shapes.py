"""Random shapes about a place, of a given size, in two and three dimensions."""
from good_files import FONT

ONLY_SOLID = ("cylinder", "cone", "torus")
SIMPLE = ("sphere", "box", "capsule", "wedge") + ONLY_SOLID
SAMPLED = ("mesh", "volume", "heightfield", "text", "union", "difference", "intersection")
BALL_ACROSS = 0.1      # m, of the ball whose volume good_files has
OCTAHEDRON_ACROSS = 2


class Shapes:
    def __init__(self, random, dimension, spacing, good):
        self.random, self.dimension, self.spacing, self.good = random, dimension, spacing, good

    def point(self, *components):
        return [float(f"{c:.7g}") for c in components[:self.dimension]]

    def length(self, least, most):
        return float(f"{self.random.uniform(least, most):.6g}")

    def rotation(self):
        if self.dimension == 2:
            return self.length(-4, 4)
        if self.random.random() < 0.5:
            return [self.length(-180, 180) for _ in range(3)]
        return [self.length(-1, 1) for _ in range(3)] + [1.0]

    def turned(self, keys):
        if self.random.random() < 0.5:
            keys["rotation"] = self.rotation()
        return keys

    def kinds(self, more=()):
        """Simple ones are as frequent as all that must be sampled, which take longer."""
        random = self.random
        kinds = SIMPLE if random.random() < 0.6 else SAMPLED + tuple(more)
        if self.dimension == 2:
            kinds = [kind for kind in kinds if kind not in ONLY_SOLID]
        return random.choice([kind for kind in kinds if kind != "text" or FONT.exists()])

    def make(self, center, across, kind=None):
        """Keys of a shape that lies within a ball about `center` and fills much of it."""
        kind = kind or self.kinds()
        return {"shape": kind, **getattr(self, kind)(center, across)}

    def sphere(self, center, across):
        return {"center": self.point(*center), "radius": self.length(0.3, 0.5) * across}

    def box(self, center, across):
        return self.turned({"center": self.point(*center), "size": [self.length(0.3, 0.55) * across for _ in range(self.dimension)]})

    def wedge(self, center, across):
        keys = self.box(center, across)
        if self.random.random() < 0.5:
            keys["angle"] = self.length(20, 160)
        return keys

    def capsule(self, center, across):
        reach = [self.length(-0.2, 0.2) * across for _ in range(3)]
        return {"a": self.point(*(c - r for c, r in zip(center, reach))), "b": self.point(*(c + r for c, r in zip(center, reach))),
                "radius": self.length(0.15, 0.25) * across}

    def cylinder(self, center, across):
        return self.turned({"center": self.point(*center), "radius": self.length(0.2, 0.4) * across,
                            "height": self.length(0.3, 0.6) * across})

    cone = cylinder

    def torus(self, center, across):
        return self.turned({"center": self.point(*center), "radius": 0.3 * across, "tube": self.length(0.1, 0.2) * across})

    def placed(self, file, center, scale):
        return self.turned({"file": str(file), "translate": self.point(*center), "scale": scale})

    def mesh(self, center, across):
        file = self.good / ("mesh." + self.random.choice(("obj", "ply", "stl", "gltf")))
        keys = self.placed(file, center, self.length(0.6, 1) * across / OCTAHEDRON_ACROSS)
        if self.random.random() < 0.2:
            keys["thickness"] = 2 * self.spacing
        return keys

    def volume(self, center, across):
        scale = 0.6 * across / BALL_ACROSS
        middle = (0, 0.1 * scale, 0)  # of the ball in its file
        keys = {"file": str(self.good / "run3/frame_0000.vdb"), "scale": scale, "threshold": self.length(0.3, 0.7)}
        return {**keys, "translate": self.point(*(c - m for c, m in zip(center, middle)))}

    def sequence(self, center, across):
        return {**self.placed(self.good / "walk_####.obj", center, self.length(0.6, 1) * across / OCTAHEDRON_ACROSS),
                "fps": self.length(5, 50), "start": self.length(-0.1, 0.1)}

    def heightfield(self, center, across):
        keys = {"center": self.point(*center), "length": 0.6 * across, "depth": 0.3 * across}
        if self.random.random() < 0.7:
            keys["width"] = 0.5 * across
        if self.random.random() < 0.5:
            wave = 8 / across
            keys["formula"] = f"{0.1 * across:.4g}*sin({wave:.4g}*x)*cos({wave:.4g}*z) + " \
                              f"{0.05 * across:.4g}*noise({wave:.4g}*x, {wave:.4g}*z)"
        else:
            keys["file"] = str(self.good / self.random.choice(("hills.png", "hills16.png")))
            keys["height"] = 0.2 * across
        return keys

    def text(self, center, across):
        keys = {"center": self.point(*center), "text": self.random.choice(("8", "B", "ö", "o\no")), "font": str(self.good / "font.ttf"),
                "height": 0.35 * across}
        if self.random.random() < 0.7:
            keys["depth"] = 0.5 * across
        return keys

    def parts(self, center, across, least):
        first = self.make(center, across, self.random.choice(("sphere", "box")))
        beside = [c + self.length(-0.2, 0.2) * across for c in center]
        return {"parts": [first, self.make(beside, least * across, self.random.choice(("sphere", "box", "capsule")))]}

    def union(self, center, across):
        return self.parts(center, 0.8 * across, 1)

    def difference(self, center, across):
        return self.parts(center, across, 0.6)

    def intersection(self, center, across):
        keys = self.parts(center, across, 1.5)
        if self.random.random() < 0.5:
            keys["parts"][1] = self.plane([c + 0.1 * across for c in center])
        return keys

    def plane(self, point):
        normal = [self.length(-0.3, 0.3), 1.0, self.length(-0.3, 0.3)]
        return {"shape": "plane", "point": self.point(*point), "normal": normal[:self.dimension]}
