"""What bodies do to snow: does it stay, slide, rest and split as it should?"""
import math

import numpy as np

import draw
from runs import METHODS, WAYS, Case

G = 9.81
H = 0.02  # m, where the spacing is not what varies


def slope(degrees, over_tangent):
    """Gravity tilted by so much, friction as a part of the tangent of it."""
    angle = math.radians(degrees)
    return {"simulation.gravity": f"[{G * math.sin(angle)}, {-G * math.cos(angle)}]", "collider.0.friction": over_tangent * math.tan(angle)}


def ways_and_methods(quick):
    return [(way, method) for way in WAYS for method in (list(METHODS)[:1] if quick else METHODS)]


def creep(runner, quick):
    """A block that friction can hold, 35 degrees, 1.05 times the tangent: cells it has slipped."""
    spacings = (0.04, 0.02) if quick else (0.04, 0.02, 0.01, 0.005)
    cases = [Case("block", slope(35, 1.05) | {"simulation.spacing": h, "simulation.fps": 40, "simulation.duration": 0.2 if quick else 2}
                  | METHODS[method] | WAYS[way], {"way": way, "method": method, "h": h})
             for way, method in ways_and_methods(quick) for h in spacings]
    rows, curves = [], []
    for case, run in zip(cases, runner.run(cases)):
        times, means = np.array([(t, p["x"].mean(dtype=float)) for t, p in run.frames()]).T
        slip = (means - means[0]) / case.about["h"]
        middle = len(slip) // 2
        rows.append(case.about | {"slip_first_half_cells": slip[middle], "creep_second_half_cells": slip[-1] - slip[middle]})
        curves.append((case.about, times, slip))
    return rows, lambda path: draw.creep(curves, path)


def slide(runner, quick):
    """Acceleration on 25 degrees from 0.5 to 1.5 s, friction from none to 1.2 times the tangent."""
    parts = (0, 0.6, 1.1) if quick else (0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.2)
    begin, end = (0.1, 0.2) if quick else (0.5, 1.5)
    cases = [Case("block", slope(25, part) | {"simulation.fps": 10, "simulation.duration": end} | METHODS[method] | WAYS[way],
                  {"way": way, "method": method, "friction_over_tangent": part})
             for way, method in ways_and_methods(quick) for part in parts]
    rows = []
    for case, run in zip(cases, runner.run(cases)):
        speed = run.stats["momentum_x"] / run.stats["mass"]
        acceleration = (run.at(speed, end) - run.at(speed, begin)) / (end - begin)
        part = case.about["friction_over_tangent"]
        right = G * math.sin(math.radians(25)) * max(0, 1 - part)
        rows.append(case.about | {"acceleration": acceleration, "expected": right, "over_expected": acceleration / right if right else "",
                                  "speed_at_end": run.at(speed, end)})
    return rows, lambda path: draw.slide(rows, path)


def gap(runner, quick):
    """Between a level floor and the lowest particle, 1 s after a drop of 1.5 cells, with the floor anywhere in a cell."""
    offsets = (0, 0.5) if quick else (0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.999)
    level = {"simulation.gravity": f"[0, {-G}]", "collider.0.friction": 0.5, "simulation.fps": 10,
             "simulation.duration": 0.1 if quick else 1}
    cases = []
    for way, method in ways_and_methods(quick):
        for offset in offsets:
            moved = {"collider.0.point": f"[0, {offset * H}]", "snow.center": f"[0, {0.04 + (1.5 + offset) * H}]"}
            cases.append(Case("block", level | moved | METHODS[method] | WAYS[way], {"way": way, "method": method, "offset_cells": offset}))
    rows = []
    for case, run in zip(cases, runner.run(cases)):
        lowest = float(run.final()["y"].min())
        rows.append(case.about | {"gap_cells": lowest / H - case.about["offset_cells"]})
    return rows, lambda path: draw.gap(rows, path)


def write_mirrored(path, middle):
    """Particles in pairs about x = `middle`, as an ascii PLY."""
    points = [(middle + side * (0.003 + 0.007 * i), 0.13 + 0.0066 * j) for i in range(40) for j in range(24) for side in (-1, 1)]
    path.write_text(f"ply\nformat ascii 1.0\nelement vertex {len(points)}\nproperty double x\nproperty double y\nend_header\n"
                    + "".join(f"{x!r} {y!r}\n" for x, y in points))


def ridge(runner, quick):
    """Snow falls on a ridge that lies on a node or between two; mirrored snow, and snow sampled as usual."""
    offsets = (0, 0.25) if quick else (0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875)
    cases = []
    for offset in offsets:
        file = runner.folder / f"mirrored_{offset}.ply"
        write_mirrored(file, offset * H)
        for way, method in ways_and_methods(quick):
            moved = {"collider.0.center": f"[{offset * H}, 0]"} | METHODS[method] | WAYS[way]
            about = {"way": way, "method": method, "offset_cells": offset}
            cases.append(Case("ridge_plain", moved | {"snow.center": f"[{offset * H}, 0.206]"}, {"snow": "sampled"} | about))
            moved.pop("snow.initial_volume", None)  # particle files always have the grid's
            cases.append(Case("ridge_mirrored", moved | {"snow.file": file}, {"snow": "mirrored"} | about))
    rows = []
    for case, run in zip(cases, runner.run(cases)):
        x = run.final()["x"].astype(float) - case.about["offset_cells"] * H
        rows.append(case.about | {"share_left": float(np.mean(x < 0)), "mean_x_cells": float(x.mean()) / H})
    rows.sort(key=lambda row: (row["snow"], row["way"], row["method"], row["offset_cells"]))
    return rows, lambda path: draw.ridge(rows, path)


def place(runner, quick):
    """The wedge scene moved as a whole across a cell, along x or y: its energy after the impact should not change."""
    offsets = (0, 0.5) if quick else (0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875)
    cases = []
    for way, method in ways_and_methods(quick):
        for axis in "xy":
            for offset in offsets:
                x, y = (offset * H, 0) if axis == "x" else (0, offset * H)
                cases.append(Case("wedge", {"collider.0.center": f"[{x}, {y}]", "snow.center": f"[{x}, {0.21 + y}]"} | METHODS[method]
                                  | WAYS[way], {"along": axis, "way": way, "method": method, "offset_cells": offset}))
    rows = []
    for case, run in zip(cases, runner.run(cases)):
        rows.append(case.about | {f"energy_{t}": run.at(run.energy(), t) for t in (0.05, 0.1, 0.2)})
    return rows, lambda path: draw.place(rows, path)
