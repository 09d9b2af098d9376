"""Undamaged files of every kind that the program reads: meshes, pictures, skies, motions, and runs of the program itself."""
import base64
import json
import math
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
FORMATS = ("ply", "vdb", "vtp", "bgeo", "usda", "fpc")

# A ball falls; it has a collider of a name, so that pictures have a body.
RUN = """[simulation]
dimension = {dimension}
spacing = 0.02
fps = 24
frames = 2
[solver]
time_step = 2e-3
[[snow]]
shape = "sphere"
center = {center}
radius = 0.05
velocity = {velocity}
[[collider]]
shape = "plane"
point = {point}
normal = {normal}
friction = 0.3
[render]
width = 32
height = 18
"""


def octahedron(stretch=1.0):
    """Closed, of edge length about 1.4, with an edge in no plane of the axes."""
    points = [(1, 0.1, 0), (-1, -0.1, 0), (0, stretch, 0.1), (0, -stretch, -0.1), (0.1, 0, 1), (-0.1, 0, -1)]
    sides = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    return points, sides


def obj(points, sides):
    lines = [f"v {x:.6g} {y:.6g} {z:.6g}" for x, y, z in points] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in sides]
    return ("\n".join(lines) + "\n").encode()


def ply(points, sides):
    head = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\nproperty float x\nproperty float y\nproperty float z\n"
            f"element face {len(sides)}\nproperty list uchar int vertex_indices\nend_header\n")
    return head.encode() + b"".join(struct.pack("<3f", *p) for p in points) + b"".join(struct.pack("<B3i", 3, *s) for s in sides)


def stl(points, sides):
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in sides)
    return b"firn chaos".ljust(80) + struct.pack("<I", len(sides)) + triangles


def gltf(points, sides):
    body = b"".join(struct.pack("<3f", *p) for p in points) + b"".join(struct.pack("<3H", *s) for s in sides)
    split = 12 * len(points)
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3",
                       "min": [min(p[d] for p in points) for d in range(3)], "max": [max(p[d] for p in points) for d in range(3)]},
                      {"bufferView": 1, "componentType": 5123, "count": 3 * len(sides), "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": split},
                        {"buffer": 0, "byteOffset": split, "byteLength": len(body) - split}],
        "buffers": [{"byteLength": len(body), "uri": "data:application/octet-stream;base64," + base64.b64encode(body).decode()}],
    }, indent=1).encode()


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def grey_png(width=24, height=16, bits=8):
    """A hill in the middle."""
    rows = b""
    for y in range(height):
        rows += b"\0"
        for x in range(width):
            hill = math.exp(-((x / width - 0.5) ** 2 + (y / height - 0.5) ** 2) * 8)
            rows += struct.pack(">B" if bits == 8 else ">H", int(hill * (2 ** bits - 1)))
    header = struct.pack(">2I5B", width, height, bits, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")


def radiance_sky(width=16):
    """Old, uncoded pixels, as readers must take them from pictures so narrow; bright above."""
    height = width // 2
    pixels = b"".join(bytes((200 - 10 * y, 180, 150 + x, 128 + (y == 0))) for y in range(height) for x in range(width))
    return f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=1.0\n\n-Y {height} +X {width}\n".encode() + pixels


def motion(dimension=3):
    """As CSV and as JSON."""
    turn = {2: "rz", 3: "rx,ry,rz"}[dimension]
    place = {2: "x,y", 3: "x,y,z"}[dimension]
    rows = [[0.05 * k, 0.01 * k, -0.02 * k] + [0.0] * (dimension - 2) + [5.0 * k] * len(turn.split(",")) for k in range(5)]
    csv = f"# from a tracker\nt,{place},{turn}\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    keys = [{"t": row[0], "position": row[1:1 + dimension]} for row in rows]
    return csv.encode(), json.dumps(keys, indent=1).encode()


def make(folder, program):
    """Writes them all into `folder`, once."""
    folder.mkdir(parents=True)
    shape = octahedron()
    for name, write in {"mesh.obj": obj, "mesh.ply": ply, "mesh.stl": stl, "mesh.gltf": gltf}.items():
        (folder / name).write_bytes(write(*shape))
    for number in range(3):
        (folder / f"walk_{number:04}.obj").write_bytes(obj(*octahedron(1 + 0.1 * number)))
    (folder / "hills.png").write_bytes(grey_png())
    (folder / "hills16.png").write_bytes(grey_png(bits=16))
    (folder / "sky.hdr").write_bytes(radiance_sky())
    for dimension in (2, 3):
        csv, keys = motion(dimension)
        (folder / f"motion{dimension}.csv").write_bytes(csv)
        (folder / f"motion{dimension}.json").write_bytes(keys)
    if FONT.exists():
        (folder / "font.ttf").write_bytes(FONT.read_bytes())
    for dimension in (2, 3):
        values = {"center": [0, 0.1, 0], "velocity": [0.5, -2, 0], "point": [0, 0, 0], "normal": [0, 1, 0]}
        text = RUN.format(dimension=dimension, **{key: value[:dimension] for key, value in values.items()})
        (folder / f"ball{dimension}.toml").write_text(text)
        subprocess.run([program, "run", folder / f"ball{dimension}.toml", "-o", folder / f"run{dimension}", "--formats", ",".join(FORMATS),
                        "--threads", "1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ball = (folder / "ball3.toml").read_text()
    (folder / "film.toml").write_text(ball.replace("spacing = 0.02", "spacing = 0.015").replace("0.05", "0.06"))
    subprocess.run([program, "run", folder / "film.toml", "-o", folder / "film", "--frames", "8"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    subprocess.run([program, "run", folder / "ball3.toml", "-o", folder / "checkpointed", "--checkpoint-frames", "1", "--frames", "3"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([program, "render", folder / "run3/frame_0001.ply", "--spp", "1", "--size", "32x16", "--exr"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    next((folder / "run3/render").glob("*.exr")).rename(folder / "sky.exr")
    shutil.rmtree(folder / "run3/render")
