"""What the checks compare with: the particles of a frame, by a reader of their own for the PLY files of firn."""
import struct
from dataclasses import dataclass

LETTERS = {"uint": "I", "ushort": "H", "float": "f", "double": "d"}
VECTORS = {"position": ("x", "y", "z"), "velocity": ("vx", "vy", "vz")}


@dataclass(frozen=True)
class Particles:
    columns: dict  # {name of the property: values}

    def __len__(self):
        return len(self.columns["x"])

    def attribute(self, name):
        """Its components."""
        return [self.columns[part] for part in VECTORS.get(name, (name,))]

    def attributes(self):
        parts = {part for names in VECTORS.values() for part in names}
        return [*VECTORS, *(name for name in self.columns if name not in parts)]

    def sums(self, name):
        return [sum(values) for values in self.attribute(name)]

    def box(self):
        """(low, high)"""
        return [[limit(axis) for axis in self.attribute("position")] for limit in (min, max)]

    def mass(self):
        return sum(self.columns["mass"])


def read_ply(file):
    data = file.read_bytes()
    header, _, body = data.partition(b"end_header\n")
    properties = [line.split()[1:] for line in header.decode().splitlines() if line.startswith("property")]
    rows = struct.iter_unpack("<" + "".join(LETTERS[kind] for kind, _ in properties), body)
    return Particles(dict(zip((name for _, name in properties), zip(*rows))))
