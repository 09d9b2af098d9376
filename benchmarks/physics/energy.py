"""Does energy come from nothing? Scenes made so that it would."""
import numpy as np

import draw
from runs import PRINTED, Case

# Most energy over that at the start, of a firn without the limits of theory.md, "Energy that stays", which cannot be
# switched off any more.
BEFORE = {"explosion": 9069 / 25, "times_200": 53116 / 116, "sticky_pic": 254 / 27, "jp_explicit": 192 / 104,
          "jp_semi_implicit": 11571 / 52}
FRAMES = 120


def energies(runner, quick):
    lengths = {"explosion": 0.1, "times_200": 0.25, "sticky_pic": 0.25, "jp_explicit": 0.25, "jp_semi_implicit": 0.25,
               "jp_apic_powder": 1.2}
    printed = {key: value for key, value in PRINTED.items() if key != "solver.sleep"}
    cases = [Case(f"energy_{name}", {"simulation.duration": length / (10 if quick else 1), "simulation.fps": FRAMES / length, **settings},
                  {"scene": name, "way": way})
             for name, length in lengths.items() for way, settings in (("paper's keys", printed), ("now", {}))]
    rows, curves = [], []
    for case, run in zip(cases, runner.run(cases)):
        work = (run.stats["gravity_work"] + run.stats["body_work"]).cumsum()
        ratio = (run.energy() - work) / run.energy()[0]
        total = {key: float(run.stats[key].sum()) for key in ("gravity_work", "body_work", "plastic_work", "numerical_work")}
        rows.append(case.about | {"energy_at_start": float(run.energy()[0]), "most_energy": float(run.energy().max()),
                                  "most_ratio": float(ratio.max()), "ratio_at_end": float(ratio[-1]),
                                  "largest_rise": float((ratio - np.minimum.accumulate(ratio)).max()),  # from any earlier moment
                                  "most_ratio_without_limits": BEFORE.get(case.about["scene"], "")} | total
                    | {key: int(run.stats[key].sum()) for key in ("relaxed", "capped", "rejected", "steps")}
                    | {"jp_max": float(run.stats["jp_max"].max())})
        curves.append((case.about, run.stats["time"] / lengths[case.about["scene"]], ratio))
    return rows, lambda path: draw.energy(curves, rows, path)
