"""The files that gallery scenes come with: python3 make_files.py FOLDER.

walking/legs_####.ply   two legs that walk along +x, 24 a second, with the same points in every file (scene walking)
digging/strokes.csv     the strokes of an ice ax (scene digging)
points.obj              a ball of points (scene points)
disc.ply                a disc of 1,000 particles with their masses (scene disc_2d)
"""
import math
import pathlib
import random
import struct
import sys

# ---------------------------------------------------------------------------------------------------------------- walking
FPS, SECONDS = 24, 3.2
STEP = 0.62          # m from one print to the next of the other foot
STEP_TIME = 0.62     # s
THIGH, SHIN, ANKLE = 0.46, 0.46, 0.10
SURFACE, SUNK = 0.20, 0.10  # of the snow, which begins at x = 0, and how deep a foot goes into it
LIFT = 0.20          # of a foot on its way


def smooth(u):
    u = min(max(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)


def ground(x):
    """Height of the sole of a foot that stands at x: on the ground before the snow, in a print after."""
    return 0.0 if x < -0.05 else SURFACE - SUNK


def foot(side, t):
    """Place of the sole under the ankle, and pitch of the foot (positive: toes down), at time t: a foot stands for a step, then swings."""
    phase = t / STEP_TIME - (0.0 if side > 0 else 1.0)
    step = math.floor(phase / 2)
    u = phase / 2 - step                      # 0 … ½ standing, ½ … 1 on its way
    start = 2 * STEP * step + (0.0 if side > 0 else STEP) - 0.55
    here, there = start, start + 2 * STEP
    stand = 0.56
    if u < stand:
        settle = 1 - smooth(u / 0.10)         # the foot comes down into the snow during the first tenth
        heel_off = smooth((u - 0.40) / (stand - 0.40))
        y = ground(here) + (SUNK + 0.02) * settle * (1 if here > -0.05 else 0)
        return here, y + 0.03 * heel_off, -8 * settle + 28 * heel_off
    w = (u - stand) / (1 - stand)
    x = here + (there - here) * smooth(w)
    high = ground(there) + (SUNK + 0.02) * (1 if there > -0.05 else 0)
    low = ground(here) + 0.03
    y = low + (high - low) * smooth(w) + LIFT * math.sin(math.pi * w)
    return x, y, 28 + (-8 - 28) * smooth(w)


def knee(hip, ankle):
    dx, dy = ankle[0] - hip[0], ankle[1] - hip[1]
    d = min(math.hypot(dx, dy), (THIGH + SHIN) * 0.999)
    a = math.acos((THIGH * THIGH + d * d - SHIN * SHIN) / (2 * THIGH * d))
    angle = math.atan2(dy, dx) + a
    return hip[0] + THIGH * math.cos(angle), hip[1] + THIGH * math.sin(angle)


def with_area(vertices, faces):
    """Without the triangles at the poles, where points fall together."""
    return [f for f in faces if all(math.dist(vertices[f[i]], vertices[f[i - 1]]) > 1e-7 for i in range(3))]


def tube(points, radii, z, around=14, cap=4):
    """A closed rounded tube along points of the plane of walking."""
    along, r = [], []
    first, last = points[0], points[-1]

    def direction(a, b):
        d = math.hypot(b[0] - a[0], b[1] - a[1])
        return (b[0] - a[0]) / d, (b[1] - a[1]) / d

    d0, d1 = direction(points[0], points[1]), direction(points[-2], points[-1])
    for i in range(cap, 0, -1):
        s = math.pi / 2 * i / cap
        along.append((first[0] - d0[0] * radii[0] * math.sin(s), first[1] - d0[1] * radii[0] * math.sin(s)))
        r.append(radii[0] * math.cos(s))
    for k in range(len(points) - 1):
        for j in range(6):
            u = j / 6
            along.append(tuple(points[k][d] + (points[k + 1][d] - points[k][d]) * u for d in range(2)))
            r.append(radii[k] + (radii[k + 1] - radii[k]) * u)
    for i in range(cap + 1):
        s = math.pi / 2 * i / cap
        along.append((last[0] + d1[0] * radii[-1] * math.sin(s), last[1] + d1[1] * radii[-1] * math.sin(s)))
        r.append(radii[-1] * math.cos(s))
    vertices, faces = [], []
    for i in range(len(along)):
        a, b = along[max(i - 1, 0)], along[min(i + 1, len(along) - 1)]
        t = direction(a, b)
        for j in range(around):
            phi = 2 * math.pi * j / around
            side, out = r[i] * math.cos(phi), r[i] * math.sin(phi)
            vertices.append((along[i][0] - t[1] * side, along[i][1] + t[0] * side, z + out))
    for i in range(len(along) - 1):
        for j in range(around):
            k = (j + 1) % around
            p, q, s, t = i * around + j, i * around + k, (i + 1) * around + j, (i + 1) * around + k
            faces += [(p, q, s), (q, t, s)]
    return vertices, with_area(vertices, faces)


def boot(x, y, pitch, z, around=20, rings=12):
    """A rounded shoe whose sole is flat: 0.29 m long, 0.11 m wide, 0.11 m high; turned about the ball of the foot."""
    c, s = math.cos(math.radians(-pitch)), math.sin(math.radians(-pitch))
    vertices, faces = [], []

    def power(v, e):
        return math.copysign(abs(v) ** e, v)

    for i in range(rings + 1):
        lat = math.pi * (i / rings - 0.5)
        for j in range(around):
            lon = 2 * math.pi * j / around
            px = 0.145 * power(math.cos(lat), 0.5) * power(math.cos(lon), 0.7)
            pz = 0.055 * power(math.cos(lat), 0.5) * power(math.sin(lon), 0.7)
            py = 0.055 * power(math.sin(lat), 0.6) + 0.055
            px += 0.055                       # the ankle is over the back half
            lx, ly = px - 0.12, py
            vertices.append((x + 0.12 + c * lx - s * ly, y + s * lx + c * ly, z + pz))
    for i in range(rings):
        for j in range(around):
            k = (j + 1) % around
            p, q, a, b = i * around + j, i * around + k, (i + 1) * around + j, (i + 1) * around + k
            faces += [(p, a, q), (q, a, b)]
    return vertices, with_area(vertices, faces)


def legs(t):
    vertices, faces = [], []

    def add(part):
        base = len(vertices)
        vertices.extend(part[0])
        faces.extend(tuple(base + k for k in face) for face in part[1])

    x = {side: foot(side, t) for side in (1, -1)}
    middle = STEP * t / STEP_TIME - 0.80 + 0.5 * STEP
    hip = (middle, 0.93 + (SURFACE - SUNK) * smooth((middle + 0.35) / 0.5))
    for side in (1, -1):
        fx, fy, pitch = x[side]
        c, s = math.cos(math.radians(-pitch)), math.sin(math.radians(-pitch))
        lx, ly = -0.12, ANKLE                 # the ankle turns with the shoe
        ankle = (fx + 0.12 + c * lx - s * ly, fy + s * lx + c * ly)
        bend = knee(hip, ankle)
        z = 0.10 * side
        add(tube([hip, bend], [0.085, 0.062], z))
        add(tube([bend, ankle], [0.062, 0.045], z))
        add(boot(fx, fy, pitch, z))
    return vertices, faces


def write_ply(path, vertices, faces):
    with open(path, "wb") as out:
        out.write((f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty float x\nproperty float y\n"
                   f"property float z\nelement face {len(faces)}\nproperty list uchar ushort vertex_indices\nend_header\n").encode())
        for v in vertices:
            out.write(struct.pack("<3f", *v))
        for f in faces:
            out.write(struct.pack("<B3H", 3, *f))


def make_walking(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for frame in range(int(FPS * SECONDS) + 1):
        write_ply(folder / f"legs_{frame:04d}.ply", *legs(frame / FPS))


# ---------------------------------------------------------------------------------------------------------------- digging
def make_strokes(path):
    """Keys of the ax's head: raised, struck into the bank, torn out along it. Strokes follow one another across the bank."""
    lines = ["t, x, y, z, rx, ry, rz"]
    t = 0.0
    for stroke in range(5):
        x, z, depth = 0.10 - 0.10 * stroke, 0.14 * math.sin(2.4 * stroke), 0.10 + 0.02 * (stroke % 2)
        ready, hit, torn, away = (x + 0.05, 0.62, z, 50), (x, 0.25 - depth + 0.16, z, -8), (x - 0.20, 0.33, z, 22), (x - 0.12, 0.55, z, 45)
        for dt, key in ((0.0 if stroke == 0 else 0.14, ready), (0.09, hit), (0.14, torn), (0.10, away)):
            t += dt
            lines.append(f"{t:.3f}, {key[0]:.3f}, {key[1]:.3f}, {key[2]:.3f}, 0, 0, {key[3]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


# ----------------------------------------------------------------------------------------------------------------- points
def make_points(path):
    """A ball of 10 000 points, filled evenly in volume, half a metre over the ground."""
    draw = random.Random(1)
    lines = ["# a ball of points, radius 0.2 m"]
    for _ in range(10000):
        while True:
            p = [draw.uniform(-1, 1) for _ in range(3)]
            if sum(c * c for c in p) <= 1:
                break
        lines.append(f"v {0.2 * p[0]:.5f} {0.5 + 0.2 * p[1]:.5f} {0.2 * p[2]:.5f}")
    path.write_text("\n".join(lines) + "\n")


def make_disc(path):
    """Two dimensions: 1,000 particles of 400 kg/m³, radius 0.5 m, spread evenly (sunflower): enough for cells of 0.05 m, not for 0.01."""
    count, radius, height = 1000, 0.5, 1.5
    volume = math.pi * radius * radius / count
    lines = ["ply", "format ascii 1.0", f"element vertex {count}", *(f"property float {name}" for name in ("x", "y", "mass", "volume")),
             "end_header"]
    for k in range(count):
        r, turn = radius * math.sqrt((k + 0.5) / count), k * math.pi * (3 - math.sqrt(5))
        lines.append(f"{r * math.cos(turn):.6f} {height + r * math.sin(turn):.6f} {400 * volume:.6f} {volume:.9f}")
    path.write_text("\n".join(lines) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    make_walking(folder / "walking")
    make_strokes(folder / "digging" / "strokes.csv")
    make_points(folder / "points.obj")
    make_disc(folder / "disc.ply")


main()
