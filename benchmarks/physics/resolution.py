"""Does the time step or the spacing decide how snow looks?"""
import numpy as np

import draw
from runs import WAYS, Case

MOMENTS = (0.05, 0.1, 0.2)  # s, of energies
MEASURES = ("spread", "energy_0.05", "energy_0.1", "energy_0.2", "largest")
REFERENCE = {"ball": 0.02, "wedge": 0.02, "ball_3d": 0.02}  # m
DENSITY = 400  # kg/m³ of fresh snow
TORN = 1.05  # J_P
SEEDS = (1, 2, 3, 4)  # where cracks run is chance: means over these
EXPLICIT_STEPS = (1e-5, 2e-5, 5e-5, 1e-4, "auto")
LONGER_STEPS = (1e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, "auto")
STEPS = [("explicit", dt) for dt in EXPLICIT_STEPS] + [("semi-implicit", dt) for dt in LONGER_STEPS]


def largest_piece(positions, mass, cell):
    """Share of the mass in the largest group of cells, joined by their faces, that are filled to at least a quarter of fresh snow."""
    keys = np.floor(positions / cell).astype(int)
    cells, index = np.unique(keys, axis=0, return_inverse=True)
    weight = np.bincount(index.ravel(), mass)
    left = {tuple(c): w for c, w in zip(cells, weight) if w >= 0.25 * DENSITY * cell ** positions.shape[1]}
    best = 0
    while left:
        start, piece = left.popitem()
        border = [start]
        while border:
            here = border.pop()
            for axis in range(len(here)):
                for side in (-1, 1):
                    there = here[:axis] + (here[axis] + side,) + here[axis + 1:]
                    if there in left:
                        piece += left.pop(there)
                        border.append(there)
        best = max(best, piece)
    return best / mass.sum()


def measures(scene, run):
    """What the snow looks like: 95 % are nearer to the middle than the spread, energies, the largest piece, the torn share."""
    p = run.final()
    positions = np.stack([p[axis].astype(float) for axis in ("xyz" if scene == "ball_3d" else "xy")], axis=1)
    distance = np.linalg.norm(positions - positions.mean(axis=0), axis=1)
    values = {"spread": float(np.quantile(distance, 0.95))}
    values |= {f"energy_{t}": run.at(run.energy(), t) for t in MOMENTS}
    values["largest"] = float(largest_piece(positions, p["mass"].astype(float), REFERENCE[scene]))
    steps = int(run.stats["steps"].sum())
    return values | {"torn": float(np.mean(p["jp"] > TORN)), "steps": steps, "mean_step": float(run.stats["time"][-1] / steps)}


def means(found):
    """Of the measures of some seeds, and by how much a single run differs (the standard deviation, per cent)."""
    values = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    if len(found) > 1:
        values |= {f"scatter_{m}": 100 * float(np.std([one[m] for one in found], ddof=1)) / values[m] for m in MEASURES}
    return values | {"seeds": len(found)}


def rows_of(runner, cases_of_seeds):
    """A row for each list of cases that differ in their seeds."""
    runs = iter(runner.run([case for cases in cases_of_seeds for case in cases]))
    rows = []
    for cases in cases_of_seeds:
        found = [(case, next(runs)) for case in cases]
        stopped = any(run.failed for _, run in found)
        rows.append(cases[0].about | ({"result": "stopped"} if stopped else
                                      {"result": "done"} | means([measures(case.scene, run) for case, run in found])))
    return rows


def seeds_of(way, quick):
    """As printed one is enough: it differs by far more."""
    return SEEDS if way == "now" and not quick else SEEDS[:1]


def add_deviations(rows, same, reference):
    """Deviation of each measure, per cent, from the row that is the reference among those that have the keys `same` in common."""
    of = {tuple(row[key] for key in same): row for row in rows if reference(row)}
    for row in rows:
        usual = of.get(tuple(row[key] for key in same))
        for measure in MEASURES:
            if row["result"] == "done" and usual and usual["result"] == "done":
                row[f"off_{measure}"] = 100 * (row[measure] / usual[measure] - 1)
    return rows


def print_deviations(rows):
    """The largest of them over all steps or spacings."""
    print(f"  largest deviation, %{'':18}" + "".join(f"{measure:>13}" for measure in MEASURES))
    for scene, way in dict.fromkeys((row["scene"], row["way"]) for row in rows):
        here = [row for row in rows if (row["scene"], row["way"]) == (scene, way) and row["result"] == "done"]
        worst = [max((row[f"off_{measure}"] for row in here), key=abs) for measure in MEASURES]
        print(f"  {scene + ', ' + way:36}" + "".join(f"{value:13.0f}" for value in worst))


def step_case(scene, way, integrator, step, seed=1):
    return Case(scene, {"solver.integrator": integrator, "solver.time_step": step, "snow.seed": seed} | WAYS[way],
                {"scene": scene, "way": way, "integrator": integrator, "step": step}, may_fail=step != "auto")


def step(runner, quick):
    steps = [("explicit", "auto"), ("semi-implicit", 5e-4), ("semi-implicit", "auto")] if quick else STEPS
    cases = [[step_case(scene, way, integrator, dt, seed) for seed in seeds_of(way, quick)]
             for scene in ("ball", "wedge") for way in WAYS for integrator, dt in steps]
    rows = add_deviations(rows_of(runner, cases), ("scene", "way"),
                          lambda row: row["integrator"] == "explicit" and row["step"] == "auto")
    print_deviations(rows)
    return rows, lambda path: draw.resolution(rows, "mean_step", "step, s", path)


def spacing_case(scene, way, integrator, h, seed=1):
    """Printed, the spacing has nothing to refer to."""
    reference = {"solver.reference_spacing": REFERENCE[scene]} if way == "now" else {}
    return Case(scene, {"solver.integrator": integrator, "simulation.spacing": h, "snow.seed": seed} | reference | WAYS[way],
                {"scene": scene, "way": way, "integrator": integrator, "h": h})


def spacing(runner, quick):
    cases = []
    for scene, usual in REFERENCE.items():
        factors = (1, 0.5, 0.25) if scene == "ball_3d" else (2, 1, 0.5, 0.25)
        integrators = ("semi-implicit",) if scene == "ball_3d" else ("explicit", "semi-implicit")
        for way in WAYS:
            most = len(factors) - (scene == "ball_3d" and way == "printed")  # the finest takes minutes
            if quick:
                most = 1 if scene == "ball_3d" else 2
            seeds = seeds_of(way, quick or scene == "ball_3d")
            cases += [[spacing_case(scene, way, integrator, usual * f, seed) for seed in seeds]
                      for integrator in integrators for f in factors[:most]]
    rows = add_deviations(rows_of(runner, cases), ("scene", "way", "integrator"), lambda row: row["h"] == REFERENCE[row["scene"]])
    print_deviations(rows)
    return rows, lambda path: draw.resolution(rows, "h", "spacing h, m", path)


def pictures(runner, columns, case_of):
    """Final particles: a row for each scene and way, a column for each of the columns."""
    cases = [[case_of(scene, way, *column) for column in columns] for scene in ("ball", "wedge") for way in WAYS]
    flat = runner.run([case for row in cases for case in row])
    rows = [[None if run.failed else run.final() for run in flat[i:i + len(columns)]] for i in range(0, len(flat), len(columns))]
    return [f"{scene}, {way}" for scene in ("ball", "wedge") for way in WAYS], rows


def step_text(dt):
    return f"{dt:.0e} s".replace("e-0", "e-")


def step_pictures(runner, quick):
    columns = [("explicit", 1e-5), ("explicit", "auto"), ("semi-implicit", 1e-4), ("semi-implicit", 1e-3)]
    columns = columns[1:2] if quick else columns
    names, rows = pictures(runner, columns, step_case)
    titles = [f"{integrator}, {'automatic' if dt == 'auto' else step_text(dt)}" for integrator, dt in columns]
    return None, lambda path: draw.pictures(names, titles, rows, [400 * 0.02 ** 2 / 8] * len(columns), path)


def spacing_pictures(runner, quick):
    spacings = (0.04, 0.02) if quick else (0.04, 0.02, 0.01, 0.005)
    names, rows = pictures(runner, [("semi-implicit", h) for h in spacings], spacing_case)
    return None, lambda path: draw.pictures(names, [f"h = {h:g} m" for h in spacings], rows, [400 * h ** 2 / 8 for h in spacings], path)
