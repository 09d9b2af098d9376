"""Runs that are killed, interrupted or find a damaged checkpoint, and go on: what they write is what the run that never stopped wrote."""
import csv
import math
import shutil
import signal

TEMPLATE = """[simulation]
dimension = {dimension}
spacing = {spacing}
fps = {fps}
duration = {duration}
{simulation}
[solver]
integrator = "{integrator}"
transfer = "{transfer}"
precision = "{precision}"
kernel = "{kernel}"
{solver}
{bodies}
"""
FLOOR = '[[collider]]\nshape = "plane"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\nfriction = 0.5\n'
FLOOR_2D = FLOOR.replace("[0, 0, 0]", "[0, 0]").replace("[0, 1, 0]", "[0, 1]")


def ball(case):
    return dict(spacing=0.03, bodies=FLOOR + '[[snow]]\nshape = "sphere"\ncenter = [0, 0.21, 0]\nradius = 0.15\nvelocity = [1, -5, 0]\n')


def flat_ball(case):
    return dict(dimension=2, spacing=0.01,
                bodies=FLOOR_2D + '[[snow]]\nshape = "sphere"\ncenter = [0, 0.21]\nradius = 0.15\nvelocity = [1, -5]\n')


def fixed_steps(case):
    return dict(flat_ball(case), fixed=True)


def falling_snow(case):
    """From a source, thin enough for particles that are alone; some is taken away, some comes later."""
    return dict(spacing=0.04, bodies=FLOOR + """[[source]]
shape = "box"
center = [0, 0.5, 0]
size = [0.5, 0.05, 0.5]
rate = 20
end = 0.2
velocity = [0, -2, 0]
[[snow]]
shape = "box"
center = [0, 0.1, 0]
size = [0.3, 0.2, 0.3]
[[snow]]
shape = "sphere"
center = [0, 0.5, 0]
radius = 0.1
start = 0.11
[[sink]]
shape = "box"
center = [0.3, 0.1, 0]
size = [0.2, 0.3, 1]
""")


def window(case):
    return dict(spacing=0.06, fps=24, duration=0.5, bodies=FLOOR + """[[snow]]
shape = "box"
center = [1.75, 0.12, 0]
size = [3.5, 0.24, 0.6]
[[collider]]
shape = "sphere"
center = [0.1, 0.2, 0]
radius = 0.2
velocity = [3, 0, 0]
[window]
follow = 1
lower = [-0.6, -0.3, -0.5]
upper = [0.8, 0.8, 0.5]
""")


def asleep(case):
    return dict(dimension=2, spacing=0.02, fps=10, duration=2, bodies=FLOOR_2D + """[[snow]]
shape = "box"
center = [0, 0.05]
size = [0.6, 0.1]
[[snow]]
shape = "sphere"
center = [0.5, 0.06]
radius = 0.05
velocity = [-0.5, 0]
""")


def varied(case):
    return dict(spacing=0.04, bodies=FLOOR + """[materials.hard]
preset = "crust"
[[snow]]
shape = "box"
center = [0, 0.16, 0]
size = [0.4, 0.3, 0.4]
velocity = [0, -4, 0]
layers = [{ above = 0.2, material = "hard" }]
noise = { scale = 0.08, stiffness = 1, critical_compression = 0.5, critical_stretch = 1 }
""")


def deforming(case):
    """A box that a sequence of meshes raises and bends."""
    for k in range(8):
        lift = 0.03 * math.sin(k)
        corners = [(x, y + (lift if y > 0 else 0), z) for x in (-0.3, 0.3) for y in (-0.1, 0.05) for z in (-0.3, 0.3)]
        faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
        text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join("f " + " ".join(map(str, f)) + "\n" for f in faces)
        (case.folder / f"leg_{k:03}.obj").write_text(text)
    return dict(spacing=0.05, fps=40, duration=0.2, bodies="""[[snow]]
shape = "box"
center = [0, 0.2, 0]
size = [0.4, 0.2, 0.4]
[[collider]]
shape = "sequence"
file = "leg_###.obj"
fps = 40
friction = 0.5
""")


SCENES = (ball, flat_ball, fixed_steps, falling_snow, window, asleep, varied, deforming)


def write_scene(case):
    random = case.random
    # Every kind comes in turn; what goes with it is by chance.
    keys = dict(dimension=3, fps=60, duration=0.3, simulation="", solver="",
                integrator=random.choice(("explicit", "semi-implicit")), transfer=random.choice(("flip", "apic")),
                precision=random.choice(("float", "float", "double")), kernel=random.choice(("cubic", "quadratic")))
    keys.update(SCENES[case.number % len(SCENES)](case))
    if keys.pop("fixed", False):
        keys["solver"] = "time_step = 0.0001\n"
        keys["integrator"] = "explicit"
    if random.random() < 0.2:
        keys["simulation"] = "settle = 0.02\n"
    keys["bodies"] += f'[output]\nsubframes = {random.choice((1, 1, 2))}\n'
    path = case.folder / "scene.toml"
    path.write_text(TEMPLATE.format(**keys))
    return path


def table(folder):
    """stats.csv but for its seconds."""
    with open(folder / "stats.csv", newline="") as file:
        return [{key: value for key, value in row.items() if not key.startswith("seconds")} for row in csv.DictReader(file)]


def expect_same(case, whole, pieces):
    names = lambda folder: {path.name for path in folder.iterdir() if path.suffix not in (".csv", "") and path.name != "scene.toml"}
    case.expect(names(whole) == names(pieces), f"other files: {sorted(names(whole) ^ names(pieces))}")
    for name in sorted(names(whole) & names(pieces)):
        case.expect((whole / name).read_bytes() == (pieces / name).read_bytes(), f"{name} is not the same")
    case.expect(table(whole) == table(pieces), "stats.csv is not the same")


def has_checkpoint(folder):
    return any((folder / "checkpoints").glob("step_*.state"))


def kill_somewhere(case, folder, process):
    """At a moment after the first checkpoint, also while files are being written. Says how."""
    random = case.random
    while not process.ended() and not has_checkpoint(folder):
        process.wait(0.002)
    process.wait(random.choice((0, random.uniform(0, 0.05), random.uniform(0, 0.6))))
    if process.ended():
        return "finished before"
    number = random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
    process.send(number)
    outcome = process.finish()
    if number != signal.SIGKILL:
        if outcome.code == -number:  # before the program has begun to catch it
            outcome.code = 128 + number
        case.judge(outcome, {0, 128 + number})
        if outcome.out.startswith("interrupted:"):
            case.expect(f"firn resume {folder}" in outcome.out, "does not say how to go on")
    return number.name


def attack(case):
    scene, whole, pieces = write_scene(case), case.folder / "whole", case.folder / "pieces"
    case.firn("run", scene, "-o", whole, "--threads", case.random.choice((1, 2)), "--set", "output.checkpoint_minutes=0", codes={0},
              may_take_long=True)
    often = case.random.choice(("output.checkpoint_minutes=0.0001", "output.checkpoint_minutes=0.001", "output.checkpoint_frames=1",
                                "output.checkpoint_frames=3"))
    process = case.start("run", scene, "-o", pieces, "--threads", case.random.choice((1, 2, 7)), "--set", often)
    case.ending = kill_somewhere(case, pieces, process)
    for _ in range(case.random.choice((0, 0, 1, 2))):
        kill_somewhere(case, pieces, case.start("resume", pieces, "--threads", case.random.choice((1, 2, 3))))
    case.firn("resume", pieces, "--threads", case.random.choice((1, 2, 7)), codes={0}, writes=[pieces], may_take_long=True)
    expect_same(case, whole, pieces)
    kept = list((pieces / "checkpoints").iterdir())
    case.expect(len(kept) <= 2, f"more than two checkpoints are kept: {kept}")


def flip_a_bit(case):
    """In the newest of two checkpoints, or in both: it is named, and the older one or nothing is used."""
    random, run = case.random, case.folder / "run"
    shutil.copytree(case.good / "checkpointed", run)
    newest = sorted((run / "checkpoints").glob("*.state"))[-1]
    before = newest.read_bytes()
    place = random.randrange(8 * len(before))
    damaged = bytearray(before)
    damaged[place // 8] ^= 1 << place % 8
    newest.write_bytes(damaged)
    outcome = case.firn("info", newest, codes={2})
    case.expect(str(newest) in outcome.err, f"the error does not name the file: {outcome.err}")
    case.ending = "named"
    if case.number % 20 == 0:
        outcome = case.firn("resume", run, codes={0}, writes=[run])
        case.expect("warning: " in outcome.err and newest.name in outcome.err, "no warning of the damaged checkpoint")
        expect_same(case, case.good / "checkpointed", run)
        case.ending = "fell back"
