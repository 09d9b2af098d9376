#!/usr/bin/env python3
"""Drops the block of presets.toml on the wedge once per preset: a sheet of pictures and a table of what became of the block.

    docs/images/sources/presets.py [--firn build/firn] [--out out/presets] [--sheet docs/images/presets.png]

Needs ffmpeg for the sheet. What is there from an earlier call in --out is not run again.
"""

import argparse
import collections
import pathlib
import struct
import subprocess

PRESETS = ["powder", "packed", "wet", "icy", "muddy", "crust", "chunky"]
VARIED = ("packed, varied", ["snow.noise={ scale = 0.06, stiffness = 3, critical_compression = 1, critical_stretch = 2 }",
                             "snow.shell={ depth = 0.02, stiffness = 3, critical_stretch = 2 }"])
SPACING = 0.01  # m, of presets.toml
FRAME = "frame_0007.ply"
COLUMNS = 4  # of the sheet
PICTURE = (480, 360)

LOOSENED = 1.05  # J_P from which snow has lost most of its stiffness: it counts as torn
SOLID = 3  # torn-free particles that make a cell of the grid part of a piece
PIECE = 20  # cells that make a piece


def run(firn, out, name, settings):
    folder = out / name.replace(", ", "_")
    if not (folder / "final.ply").exists():
        command = [firn, "run", str(pathlib.Path(__file__).with_suffix(".toml")), "-o", str(folder), "--threads", "1", "--overwrite"]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run(command, check=True)
    subprocess.run([firn, "preview", str(folder / FRAME), "--width", str(PICTURE[0]), "--height", str(PICTURE[1])], check=True)
    return folder


def read_frame(path):
    """Positions and J_P of a binary PLY that firn has written."""
    data = path.read_bytes()
    header, body = data.split(b"end_header\n", 1)
    lines = header.decode().split("\n")
    properties = [line.split()[1:] for line in lines if line.startswith("property")]
    names = [name for _, name in properties]
    row = struct.Struct("<" + "".join({"float": "f", "double": "d", "uint": "I", "ushort": "H"}[kind] for kind, _ in properties))
    picked = [names.index(name) for name in ("x", "y", "z", "jp")]
    return [tuple(values[i] for i in picked) for values in row.iter_unpack(body)]


def find_pieces(particles):
    """Groups of neighbouring grid cells full of snow that is not torn; particles in each."""
    cells = collections.Counter(tuple(int(c // SPACING) for c in p[:3]) for p in particles if p[3] < LOOSENED)
    left = {cell for cell, count in cells.items() if count >= SOLID}
    pieces = []
    while left:
        piece, border = [], [left.pop()]
        while border:
            cell = border.pop()
            piece.append(cell)
            for axis in range(3):
                for step in (-1, 1):
                    near = cell[:axis] + (cell[axis] + step,) + cell[axis + 1 :]
                    if near in left:
                        left.remove(near)
                        border.append(near)
        if len(piece) >= PIECE:
            pieces.append(sum(cells[cell] for cell in piece))
    return sorted(pieces, reverse=True)


def measure(folder):
    particles = read_frame(folder / FRAME)
    jp = sorted(p[3] for p in particles)
    count = len(particles)
    pieces = find_pieces(particles)
    torn = sum(j >= LOOSENED for j in jp) / count
    largest = pieces[0] / count if pieces else 0
    return len(pieces), largest, torn, jp[count // 20], jp[count // 2], jp[-count // 20]


def make_sheet(folders, target):
    width, height = PICTURE
    inputs, labels, places = [], [], []
    for i, (name, folder) in enumerate(folders.items()):
        inputs += ["-i", str(folder / "preview" / pathlib.Path(FRAME).with_suffix(".png"))]
        text = name.replace(",", r"\,")
        labels.append(f"[{i}]drawtext=text='{text}':x=14:y=12:fontsize=28:fontcolor=white[p{i}];")
        places.append(f"{i % COLUMNS * width}_{i // COLUMNS * height}")
    pictures = "".join(f"[p{i}]" for i in range(len(folders)))
    graph = "".join(labels) + f"{pictures}xstack=inputs={len(folders)}:layout={'|'.join(places)}"
    subprocess.run(["ffmpeg", "-v", "error", "-y", *inputs, "-filter_complex", graph, str(target)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firn", default="build/firn")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/presets"))
    parser.add_argument("--sheet", type=pathlib.Path, default=pathlib.Path("docs/images/presets.png"))
    options = parser.parse_args()
    kinds = [(name, []) for name in PRESETS] + [VARIED]
    folders = {}
    for name, settings in kinds:
        preset = "materials.block.preset=" + name.split(",")[0]
        folders[name] = run(options.firn, options.out, name, [preset, *settings])
    make_sheet(folders, options.sheet)
    print("| snow | pieces | largest | torn | J_P: 5 % | half | 95 % |\n|---|---|---|---|---|---|---|")
    for name, folder in folders.items():
        pieces, largest, torn, *jp = measure(folder)
        print(f"| {name} | {pieces} | {100 * largest:.0f} % | {100 * torn:.0f} % | " + " | ".join(f"{j:.3f}" for j in jp) + " |")


if __name__ == "__main__":
    main()
