"""Whether files under their final names are whole: frames with finite numbers, pictures to their last byte, tables of full lines."""
import math
import re
import struct
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))
from particles import read_ply  # noqa: E402  the reader that `make interop` compares with

# Names that a run, its pictures and films may leave; anything else is a temporary that was forgotten.
FINAL_NAMES = re.compile(
    r"(frame_\d{4,}(_\d+)?|final)\.(ply|vtp|bgeo|usda|fpc|vdb|png|exr|obj)|frames(\.manifest)?\.(usda|pvd)"
    r"|nodes_\d{4,}(_\d+)?\.(vdb|vtp)|nodes\.pvd|stats\.csv|scene\.toml|bodies\.obj"
    r"|(preview|render|film|sheet|both)\.(mp4|webm|png)|\.firn"
    r"|step_\d{8,}\.state")


def ply_fault(path):
    """None, or what is wrong with the particles of a PLY file of firn's own."""
    try:
        count = int(re.search(rb"element vertex (\d+)", path.read_bytes()[:2000]).group(1))
        columns = read_ply(path).columns
    except (AttributeError, KeyError, struct.error, ValueError) as problem:
        return f"{path.name} is not whole: {problem!r}"
    if count != (len(columns["x"]) if columns else 0):
        return f"{path.name} has other than the {count} particles of its header"
    for name, values in columns.items():
        if not all(map(math.isfinite, values)):
            return f"{path.name}: {name} is not finite"
    return None


def png_fault(path):
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        return f"{path.name} is not a PNG"
    at, kind = 8, b""
    while at + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 4:at + 8 + length]
        if data[at + 8 + length:at + 12 + length] != struct.pack(">I", zlib.crc32(body)):
            return f"{path.name} is damaged at byte {at}"
        at += 12 + length
    return None if kind == b"IEND" and at == len(data) else f"{path.name} is cut off"


def csv_fault(path):
    text = path.read_text()
    if text and not text.endswith("\n"):
        return f"{path.name} ends within a line"
    lines = [line.split(",") for line in text.splitlines()]
    if len({len(line) for line in lines}) > 1:
        return f"{path.name} has lines of different lengths"
    for line in lines[1:]:
        for name, value in zip(lines[0], line):
            try:
                if not math.isfinite(float(value)):
                    return f"{path.name}: {name} is {value}"
            except ValueError:
                pass  # a word, such as the rule that set the time step
    return None


def film_fault(path):
    """MP4 is a list of boxes; a film that was not finished has no index."""
    data, at, kinds = path.read_bytes(), 0, []
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if length < 8:
            break
        kinds.append(kind)
        at += length
    return None if b"moov" in kinds and at == len(data) else f"{path.name} is not a whole film"


OTHER_FRAMES = (".vtp", ".bgeo", ".usda", ".fpc", ".vdb")  # for which the program itself must do
READERS = {".ply": ply_fault, ".png": png_fault, ".mp4": film_fault, ".csv": csv_fault}


def expect_whole(case, folder, tidy=True):
    """Everything under `folder` can be read; `tidy`: and there is nothing else."""
    latest = {}  # frames and nodes of each format that only the program reads: the last one is the one that a run was at
    for path in sorted(Path(folder).rglob("*")):
        if path.is_dir() or path.is_symlink():
            continue
        if not FINAL_NAMES.fullmatch(path.name):
            case.expect(not tidy, f"{path.relative_to(folder)} was left behind")
        elif path.suffix in READERS:
            fault = READERS[path.suffix](path)
            case.expect(not fault, fault)
        elif path.suffix in OTHER_FRAMES and path.name.startswith(("frame_", "nodes_")):
            latest[path.name[:6], path.suffix] = path
    for path in latest.values():
        if path not in case.whole:
            case.firn("info", path, codes={0})
            case.whole.add(path)
