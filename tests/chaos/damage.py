"""Damaged files: cut off, flipped, doubled, with numbers that lie, through every command that reads them. All are answered."""
import json
import os
import re
import shutil
import struct
import zlib
from pathlib import Path

from scenes import SceneMaker, scene_text
from whole import expect_whole

FUZZ_SEEDS = Path(__file__).resolve().parent.parent / "fuzz/corpus"
LYING_NUMBERS = (b"-1", b"0", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"-inf", b"4294967296", b"99999999999999999999", b"1e9999",
                 b"0x10", b"1.5", b"", b"2147483648", b"--1", b"1e", b'"1"', b"true", b"[1]", "½".encode())
LYING_WORDS = tuple(struct.pack(order + kind, value) for order in "<>" for kind, value in (
    ("I", 0xFFFFFFFF), ("I", 0x7FFFFFFF), ("I", 0x80000000), ("I", 0), ("I", 1 << 20), ("Q", 1 << 62),
    ("f", float("nan")), ("f", float("inf")), ("f", 1e38), ("d", 1e300), ("d", float("-inf"))))
NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")


def place(random, data, most=None):
    """Heads lie more often than bodies: half of the places are among the first bytes."""
    end = len(data) if most is None else most
    return random.randrange(min(end, 400) if random.random() < 0.5 else end) if end > 0 else 0


def stretch_of(random, data):
    begin = place(random, data)
    return begin, min(len(data), begin + random.choice((1, 4, 16, 100, 5000)))


def cut_off(random, data):
    return data[:place(random, data)]


def flipped(random, data):
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8, 50))):
        if data:
            data[place(random, data)] ^= 1 << random.randrange(8)
    return bytes(data)


def overwritten(random, data):
    begin, end = stretch_of(random, data)
    return data[:begin] + random.randbytes(end - begin) + data[end:]


def with_more(random, data):
    at = place(random, data)
    more = random.choice((random.randbytes(random.choice((1, 100))), b"\0" * 64, b"\n" * 50, b"(" * 5000, b"[" * 5000, b"a" * 300000))
    return data[:at] + more + data[at:]


def doubled(random, data):
    begin, end = stretch_of(random, data)
    return data[:end] + data[begin:end] * random.choice((1, 1, 100)) + data[end:]


def without_some(random, data):
    begin, end = stretch_of(random, data)
    return data[:begin] + data[end:]


def lying_number(random, data):
    """Of a text; the text at the head of a binary file is one, too."""
    numbers = list(NUMBER.finditer(data[:100000]))
    if not numbers:
        return lying_word(random, data)
    number = random.choice(numbers)
    return data[:number.start()] + random.choice(LYING_NUMBERS) + data[number.end():]


def lying_word(random, data):
    word = random.choice(LYING_WORDS)
    at = place(random, data, len(data) - len(word))
    at -= at % random.choice((1, 4))
    return data[:at] + word + data[at + len(word):]


def of_another_system(random, data):
    ways = (lambda: data.replace(b"\n", b"\r"), lambda: data.replace(b"\n", b"\r\n"), lambda: b"\xef\xbb\xbf" + data,
            lambda: data.decode("latin-1").encode("utf-16"), lambda: data.replace(b".", b","), lambda: data.replace(b" ", b"\t"))
    return random.choice(ways)()


def nothing_of_it(random, data):
    return random.choice((b"", b"\n", b"\0" * len(data), random.randbytes(len(data)), b"x" * 1000000, data[::-1]))


WAYS = (cut_off, flipped, overwritten, with_more, doubled, without_some, lying_number, lying_number, lying_word, of_another_system,
        nothing_of_it)


def with_right_checksums(data):
    """PNG and FPC files find damage by their checksums; made right again, the numbers behind them are believed."""
    if data[:4] == b"\x89PNG":
        out, at = data[:8], 8
        while at + 12 <= len(data):
            length = struct.unpack(">I", data[at:at + 4])[0]
            body = data[at + 4:at + 8 + length]
            out += data[at:at + 4] + body + struct.pack(">I", zlib.crc32(body))
            at += 12 + length
        return out
    if data[:8] == b"firn.fpc" and len(data) > 72:
        end = min(max(struct.unpack("<I", data[12:16])[0], 72), len(data)) - 4
        data = data[:end] + struct.pack("<I", zlib.crc32(data[:end])) + data[end + 4:]
        length = struct.unpack("<I", data[end + 4:end + 8].ljust(4, b"\0"))[0]
        body = data[end + 12:end + 12 + length]
        return data[:end + 8] + struct.pack("<I", zlib.crc32(body)) + data[end + 12:]
    return data


def damaged(random, data):
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(WAYS)(random, data)
    return with_right_checksums(data) if random.random() < 0.7 else data


# --- what is damaged, and who reads it

def a_scene(case):
    """A random scene; it may have become one that runs for long."""
    file = case.folder / "scene.toml"
    text = scene_text(SceneMaker(case.random, case.good).make())
    file.write_bytes(damaged(case.random, text.encode()))
    if case.random.random() < 0.6:
        return case.firn("check", file, may_take_long=True)
    return case.firn("run", file, "-o", case.folder / "out", "--steps", 2, "--threads", 1, may_take_long=True)


def a_frame(case):
    kind = case.random.choice(("ply", "ply", "vtp", "bgeo", "usda", "fpc", "vdb"))
    names = [case.good / f"run{d}/frame_0001.{kind}" for d in (2, 3)] + sorted((FUZZ_SEEDS / "frame").glob(f"*.{kind}"))
    if kind == "ply":
        names.append(case.good / "run3/final.ply")
    file = copy_damaged(case, case.random.choice(names), f"frame_0001.{kind}")
    readers = ["info", "info --json", "preview", "render", "convert", "surface", "folder"]
    readers += {"ply": ["particles"], "vdb": ["volume", "volume"]}.get(kind, [])
    reader = case.random.choice(readers) if kind != "vdb" else case.random.choice(("info", "volume"))
    if reader.startswith("info"):
        outcome = case.firn(*reader.split(), file)
        if outcome.code == 0 and "--json" in reader:
            json.loads(outcome.out)
        return outcome
    if reader == "preview":
        return case.firn("preview", file, "--width", 48, "--height", 32)
    if reader == "render":
        return case.firn("render", file, "--spp", 1, "--size", "24x16")
    if reader == "convert":
        return convert(case, file, case.random.choice(("ply", "vtp", "bgeo", "usda", "fpc", "vdb")))
    if reader == "surface":
        return convert(case, file, "obj")
    if reader == "folder":
        shutil.copy(case.good / "run3/scene.toml", case.folder)
        shutil.copy(case.good / "run3/frame_0000.ply", case.folder)
        return case.firn("preview", case.folder, "--no-film", "--width", 48, "--height", 32)
    return in_a_scene(case, "snow", {"shape": reader, "file": str(file)})


def convert(case, file, kind):
    result = case.folder / f"new/frame_0002.{kind}"
    outcome = case.firn("convert", file, result, "--spacing", 0.02)
    if outcome.code == 0 and kind != "ply":  # the attributes of a PLY file need not be finite: they are as they were
        expect_whole(case, case.folder / "new")
    return outcome


def a_mesh(case):
    names = [case.good / f"mesh.{kind}" for kind in ("obj", "ply", "stl", "gltf")]
    names += [file for file in sorted((FUZZ_SEEDS / "mesh").iterdir()) if file.suffix != ".raw"]
    source = case.random.choice(names)
    file = copy_damaged(case, source, "mesh" + source.suffix)
    if case.random.random() < 0.4:
        return case.firn("info", file)
    keys = {"shape": "mesh", "file": str(file), "scale": 0.05, "translate": [0.0, 0.3, 0.0]}
    if case.random.random() < 0.3:
        keys["thickness"] = 0.04
    return in_a_scene(case, case.random.choice(("snow", "collider")), keys)


def a_sequence(case):
    for number in range(3):
        shutil.copy(case.good / f"walk_{number:04}.obj", case.folder)
    file = case.folder / f"walk_{case.random.randrange(3):04}.obj"
    file.write_bytes(damaged(case.random, file.read_bytes()))
    return in_a_scene(case, "collider", {"shape": "sequence", "file": str(case.folder / "walk_####.obj"), "scale": 0.05, "fps": 100})


def a_height_field(case):
    file = copy_damaged(case, case.good / case.random.choice(("hills.png", "hills16.png")), "hills.png")
    keys = {"shape": "heightfield", "center": [0.0, 0.3, 0.0], "file": str(file), "length": 0.2, "width": 0.2, "depth": 0.05, "height": 0.1}
    return in_a_scene(case, case.random.choice(("snow", "collider")), keys)


def a_font(case):
    if not (case.good / "font.ttf").exists():
        return a_mesh(case)
    file = copy_damaged(case, case.good / "font.ttf", "font.ttf")
    keys = {"shape": "text", "center": [0.0, 0.3, 0.0], "text": "snöw", "font": str(file), "height": 0.1, "depth": 0.1}
    return in_a_scene(case, "snow", keys)


def a_sky(case):
    source = case.good / case.random.choice(("sky.hdr", "sky.exr"))
    file = copy_damaged(case, source, "sky" + source.suffix)
    shutil.copy(case.good / "run3/frame_0001.ply", case.folder)
    text = (case.good / "run3/scene.toml").read_text().replace("[render]", f"[render]\nsky_image = {json.dumps(str(file))}")
    (case.folder / "scene.toml").write_text(text)
    return case.firn("render", case.folder / "frame_0001.ply", "--spp", 1, "--size", "24x16")


def a_motion(case):
    kind = case.random.choice(("csv", "json"))
    file = copy_damaged(case, case.good / f"motion3.{kind}", f"motion.{kind}")
    keys = {"shape": "sphere", "center": [0.0, -0.2, 0.0], "radius": 0.1, "keys_file": str(file)}
    return in_a_scene(case, "collider", keys)


def a_run_folder(case):
    """One of its files is damaged, missing, a folder, or of another run."""
    run = case.folder / "out"
    shutil.copytree(case.good / "run3", run)
    file = case.random.choice([file for file in sorted(run.rglob("*")) if file.is_file()])
    how = case.random.randrange(6)
    if how == 0:
        file.unlink()
    elif how == 1:
        file.unlink()
        file.mkdir()
    elif how == 2:
        others = sorted(path for path in (case.good / "run2").glob("*") if path.is_file())
        shutil.copy(case.random.choice(others), file)
    else:
        file.write_bytes(damaged(case.random, file.read_bytes()))
    command = case.random.choice(("preview", "render", "convert", "info", "run", "run"))
    if command == "preview":
        return case.firn("preview", run, "--width", 48, "--height", 32, *case.random.choice(([], ["--no-film"])))
    if command == "render":
        return case.firn("render", run, "--spp", 1, "--size", "24x16")
    if command == "convert":
        return case.firn("convert", run, case.folder / "converted/*.vtp")
    if command == "info":
        return case.firn("info", run)
    outcome = case.firn("run", case.good / "ball3.toml", "-o", run, "--overwrite", "--threads", 1, writes=[run])
    if outcome.code == 0:
        for name in ("frame_0002.ply", "final.ply", "stats.csv"):
            case.expect((run / name).is_file(), f"{name} of the new run is missing")
    return outcome


def a_command_line(case):
    """Words of a right one are damaged, doubled or left out."""
    random = case.random
    run = case.folder / "out"
    shutil.copytree(case.good / "run3", run)
    words = [str(word) for word in random.choice((
        ["run", case.good / "ball3.toml", "-o", case.folder / "new", "--frames", 1, "--threads", 1, "--subframes", 2,
         "--set", "snow.radius=0.04"],
        ["run", case.good / "ball3.toml", "-o", case.folder / "new", "--steps", 2, "--formats", "ply,vdb", "--backend", "cpu"],
        ["check", case.good / "ball3.toml", "--set", "simulation.spacing=0.02", "--set", "snow.0.velocity=[0, -1, 0]"],
        ["preview", run, "--width", 64, "--height", 36, "--no-film", "--colour", "speed"],
        ["render", run / "final.ply", "--quality", "draft", "--spp", 1, "--size", "24x16", "--seed", 1],
        ["convert", run, case.folder / "new/*.vdb", "--spacing", 0.02, "--kernel", "cubic", "--fps", 24],
        ["info", run / "final.ply", "--json"], ["scenes", "wedge"]))]
    at = random.randrange(len(words))
    new = damaged(random, words[at].encode()).replace(b"\0", b"")[:1000]
    while new.startswith(b"/") and not new.startswith(bytes(case.folder)):  # nothing is written outside
        new = new[1:]
    words[at:at + 1] = random.choice(([os.fsdecode(new)], [], [words[at], words[at]], [random.choice(LYING_NUMBERS).decode()]))
    return case.firn(*words, folder=case.folder, may_take_long=True, writes=[run])


def copy_damaged(case, source, name):
    file = case.folder / name
    file.write_bytes(damaged(case.random, source.read_bytes()))
    return file


def in_a_scene(case, section, keys):
    """In the place of the ball, or added to what it falls on."""
    ball = {"shape": "sphere", "center": [0.0, 0.6, 0.0], "radius": 0.05}
    scene = {"simulation": {"spacing": 0.02, "frames": 1, "fps": 1000.0}, "snow": [ball]}
    scene[section] = [keys]
    file = case.folder / "scene.toml"
    file.write_text(scene_text(scene))
    if case.random.random() < 0.5:
        return case.firn("check", file)
    return case.firn("run", file, "-o", case.folder / "out", "--steps", 2, "--threads", 1)


TARGETS = (a_scene, a_scene, a_scene, a_frame, a_frame, a_frame, a_mesh, a_mesh, a_sequence, a_height_field, a_font, a_sky, a_motion,
           a_run_folder, a_command_line)


def attack(case):
    target = case.random.choice(TARGETS)
    outcome = target(case)
    case.ending = {0: "read all the same", 1: "failed with a reason", 2: "refused with a reason"}.get(outcome.code, "stopped after 20 s")
