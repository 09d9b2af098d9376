"""The pictures of the sections."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from PIL import Image

INK, GRID = "#30343b", "#e3e6ea"
COLOURS = {"printed": "#d9885b", "paper's keys": "#d9885b", "now": "#2f6690"}
LABELS = {"printed": "as printed", "now": "now", "paper's keys": "contact, damping and tangent as printed"}
SCENE_NAMES = {"ball": "ball, 2D", "wedge": "wedge, 2D", "ball_3d": "ball, 3D",
               "explosion": "ξ 100, L 1e6, 2 m/s", "times_200": "ξ 100, θ_c 0.3, 8 m/s",
               "sticky_pic": "ν 0.49, sticky, PIC", "jp_explicit": "ν 0.49, θ_c 0.3, explicit APIC",
               "jp_semi_implicit": "ξ 100, semi-implicit APIC", "jp_apic_powder": "powder on a stone, APIC"}
MARKERS = {"explicit FLIP": "o", "explicit APIC": "s", "semi-implicit": "^", "explicit": "o"}
DASHES = {"explicit": "-", "semi-implicit": (0, (4, 2))}
MEASURE_NAMES = {"spread": "spread (p95), m", "energy_0.05": "energy at 0.05 s, J", "energy_0.1": "energy at 0.1 s, J",
                 "energy_0.2": "energy at 0.2 s, J", "largest": "largest piece, share"}
SKY, FLOOR = "#161c26", "#3b4654"


def finish(axes, title, x_label=None, y_label=None):
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold", color=INK)
    axes.set_xlabel(x_label, color=INK, fontsize=9)
    axes.set_ylabel(y_label, color=INK, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=INK, labelsize=8)
    axes.grid(color=GRID)
    axes.set_axisbelow(True)


def legend(figure, handles):
    """Above the panels; `save` makes room for it."""
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(handles), frameon=False, fontsize=9, labelcolor=INK)


def way_handles(ways=("printed", "now")):
    return [Line2D([], [], color=COLOURS[way], lw=2, label=LABELS[way]) for way in ways]


def method_handles(methods):
    return [Line2D([], [], color=INK, lw=0, marker=MARKERS[method], label=method) for method in methods]


def save(figure, path, dpi=110, colours=128):
    """With few colours: a third of the bytes."""
    figure.savefig(path, dpi=dpi, bbox_inches="tight", pad_inches=0.08)
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(colours).save(path, optimize=True)


def creep(curves, path):
    spacings = sorted({about["h"] for about, _, _ in curves}, reverse=True)
    methods = list(dict.fromkeys(about["method"] for about, _, _ in curves))
    figure, panels = plt.subplots(1, len(methods), figsize=(11, 3.8), sharey=True, squeeze=False, layout="constrained")
    for axes, method in zip(panels[0], methods):
        for about, times, slip in curves:
            if about["method"] == method:
                axes.plot(times, slip, color=COLOURS[about["way"]], lw=0.8 + 0.6 * spacings.index(about["h"]))
                axes.annotate(f"{about['h']:g}", (times[-1], slip[-1]), (3, 0), textcoords="offset points", va="center", fontsize=7,
                              color=COLOURS[about["way"]], annotation_clip=False)
        axes.set_yscale("symlog", linthresh=0.1)
        finish(axes, method, "time, s", "slip, cells" if method == methods[0] else None)
    legend(figure, way_handles() + [Line2D([], [], lw=0, label="at the curves: h in m")])
    save(figure, path)


def slide(rows, path):
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    left.plot([0, 1, 1.2], [1, 0, 0], color=INK, lw=1, zorder=1)
    full = max(row["expected"] for row in rows)
    for row in rows:
        part = row["friction_over_tangent"]
        style = {"marker": MARKERS[row["method"]], "color": COLOURS[row["way"]], "s": 30, "linewidth": 0}
        left.scatter(part, row["acceleration"] / full, **style)
        if row["expected"]:
            middle.scatter(part, 100 * (row["over_expected"] - 1), **style)
        else:
            right.scatter(part, max(1e-8, abs(row["speed_at_end"])), **style)
    finish(left, "Acceleration down 25° (line: Coulomb)", "friction over tangent", "over g sin θ")
    middle.axhline(0, color=INK, lw=1, zorder=1)
    finish(middle, "Below the tangent: its error", "friction over tangent", "% of g (sin θ − μ cos θ)")
    right.set_yscale("log")
    right.set_ylim(5e-9, 1)
    right.set_xticks(sorted({row["friction_over_tangent"] for row in rows if not row["expected"]}))
    finish(right, "Above the tangent: speed at 1.5 s", "friction over tangent", "m/s")
    legend(figure, way_handles() + method_handles(dict.fromkeys(row["method"] for row in rows)))
    save(figure, path)


def across_a_cell(axes, rows, value):
    for way, method in dict.fromkeys((row["way"], row["method"]) for row in rows):
        some = [row for row in rows if (row["way"], row["method"]) == (way, method)]
        axes.plot([row["offset_cells"] for row in some], [row[value] for row in some], color=COLOURS[way], marker=MARKERS[method],
                  ms=5, lw=1.2)


def gap(rows, path):
    figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
    across_a_cell(axes, rows, "gap_cells")
    axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    finish(axes, "Gap below resting snow", "floor above a row of nodes, cells", "cells")
    legend(figure, way_handles() + method_handles(dict.fromkeys(row["method"] for row in rows)))
    save(figure, path)


def ridge(rows, path):
    figure, panels = plt.subplots(2, 2, figsize=(10, 6), sharex=True, sharey="row", layout="constrained")
    for column, (snow, title) in enumerate((("mirrored", "Mirrored snow"), ("sampled", "Sampled snow"))):
        some = [row for row in rows if row["snow"] == snow]
        for line, (value, label, right) in enumerate((("share_left", "share left of the ridge", 0.5),
                                                      ("mean_x_cells", "mean x − ridge, cells", 0))):
            axes = panels[line][column]
            axes.axhline(right, color=INK, lw=1)
            across_a_cell(axes, some, value)
            finish(axes, title if line == 0 else "", "ridge right of a node, cells" if line else None, None if column else label)
    legend(figure, way_handles() + method_handles(dict.fromkeys(row["method"] for row in rows)))
    save(figure, path)


def place(rows, path):
    figure, panels = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True, layout="constrained")
    for axes, axis, title in zip(panels, "xy", ("Moved sideways", "Moved up")):
        across_a_cell(axes, [row for row in rows if row["along"] == axis], "energy_0.1")
        finish(axes, title, "ridge from a node, cells", "energy at 0.1 s, J/m" if axis == "x" else None)
        axes.set_ylim(0, 1.1 * max(row["energy_0.1"] for row in rows))
    legend(figure, way_handles() + method_handles(dict.fromkeys(row["method"] for row in rows)))
    save(figure, path)


def energy(curves, rows, path):
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    figure, panels = plt.subplots(2, 3, figsize=(11, 5.6), sharex=True, sharey=True, layout="constrained")
    for axes, scene in zip(panels.flat, scenes):
        axes.axhline(1, color=INK, lw=0.8)
        for about, time, ratio in curves:
            if about["scene"] == scene:
                axes.plot(time, ratio, color=COLOURS[about["way"]], lw=1.8)
        before = next(row["most_ratio_without_limits"] for row in rows if row["scene"] == scene)
        if before:
            axes.text(0.97, 0.93, f"without limits: up to {before:,.0f}" if before >= 10 else f"without limits: up to {before:.1f}",
                      transform=axes.transAxes, ha="right", va="top", fontsize=8, color="#a33b20")
        finish(axes, SCENE_NAMES[scene])
    for axes in panels[-1]:
        axes.set_xlabel("time over length of the run", color=INK, fontsize=9)
    for axes in panels[:, 0]:
        axes.set_ylabel("(E − gravity − bodies) / E₀", color=INK, fontsize=9)
    panels[0][0].set_ylim(-0.25, 1.3)
    legend(figure, way_handles(("paper's keys", "now")))
    save(figure, path)


def resolution(rows, key, label, path):
    """A panel for each scene and measure: the value over the step or the spacing; a band of 15 % about the reference of today."""
    rows = [row for row in rows if row["result"] == "done"]
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    figure, panels = plt.subplots(len(scenes), len(MEASURE_NAMES), figsize=(15, 0.6 + 2.7 * len(scenes)), squeeze=False,
                                  layout="constrained")
    for line, scene in zip(panels, scenes):
        for axes, (measure, name) in zip(line, MEASURE_NAMES.items()):
            here = [row for row in rows if row["scene"] == scene]
            usual = next(row[measure] for row in here if row["way"] == "now" and row[f"off_{measure}"] == 0)
            axes.axhspan(0.85 * usual, 1.15 * usual, color="#dbe9f2", zorder=0)
            for way, integrator in dict.fromkeys((row["way"], row["integrator"]) for row in here):
                some = [row for row in here if (row["way"], row["integrator"]) == (way, integrator)]
                lined = sorted((row[key], row[measure]) for row in some if row.get("step") != "auto")
                if lined:
                    axes.plot(*zip(*lined), color=COLOURS[way], ls=DASHES[integrator], marker=MARKERS[integrator], ms=4.5, lw=1.4)
                chosen = [(row[key], row[measure]) for row in some if row.get("step") == "auto"]
                if chosen:
                    axes.scatter(*zip(*chosen), marker="*", s=70, color=COLOURS[way], edgecolor="white", linewidth=0.6, zorder=4)
            axes.set_xscale("log")
            axes.set_ylim(bottom=0)
            finish(axes, f"{SCENE_NAMES[scene]}: {name}", label if scene == scenes[-1] else None)
            axes.title.set_fontsize(9)
            if key == "h":
                ticks = sorted({row["h"] for row in here})
                axes.set_xticks(ticks, [f"{h:g}" for h in ticks])
                axes.minorticks_off()
    handles = [Line2D([], [], color=INK, ls=DASHES[i], marker=MARKERS[i], label=i) for i in ("explicit", "semi-implicit")]
    handles += [Line2D([], [], color=INK, lw=0, marker="*", ms=9, label="automatic step")] if key == "mean_step" else []
    handles += [plt.Rectangle((0, 0), 1, 1, color="#dbe9f2", label="±15 % of the reference")]
    legend(figure, way_handles() + handles)
    save(figure, path, dpi=95)


def snow_colours(jp):
    """White fresh, blue torn, warm packed."""
    t = np.clip(np.log(jp.astype(float)) / np.log(2), -1, 1)[:, None]
    white, torn, packed = (np.array(c) for c in ((0.96, 0.98, 1.0), (0.36, 0.60, 0.90), (1.0, 0.80, 0.62)))
    return np.where(t > 0, white + t * (torn - white), white - t * (packed - white))


def pictures(names, titles, rows, particle_masses, path):
    """Rows of final particles on a dark ground, all at the same scale in a row of scenes."""
    views = {"ball": ((0.1, 2.5), (-0.06, 0.6)), "wedge": ((-1.2, 1.2), (-1.6, 0.2))}
    heights = [np.ptp(views[name.split(",")[0]][1]) / np.ptp(views[name.split(",")[0]][0]) for name in names]
    width = 12.5 / len(titles)
    figure, panels = plt.subplots(len(names), len(titles), figsize=(13, width * sum(heights) + 0.5), height_ratios=heights, squeeze=False,
                                  layout="constrained")
    figure.get_layout_engine().set(h_pad=0.02, w_pad=0.02, hspace=0, wspace=0)
    for axes, title in zip(panels[0], titles):
        axes.set_title(title, fontsize=10, color=INK)
    for line, name, particles in zip(panels, names, rows):
        scene, way = name.split(", ")
        x_range, y_range = views[scene]
        for axes, p, mass in zip(line, particles, particle_masses):
            axes.set_facecolor(SKY)
            if scene == "ball":
                axes.axhspan(-1, 0, color=FLOOR)
            else:
                axes.fill([-0.2, 0, 0.2], [-0.1, 0.1, -0.1], color=FLOOR)
            if p is None:
                axes.text(0.5, 0.5, "stopped", transform=axes.transAxes, color="white", ha="center")
            else:
                inch_per_m = width / np.ptp(x_range)
                side = np.sqrt(mass / 400) * inch_per_m * 72
                axes.scatter(p["x"], p["y"], s=max(0.12, (1.4 * side) ** 2), c=snow_colours(p["jp"]), linewidth=0, rasterized=True)
            axes.set(xlim=x_range, ylim=y_range, aspect="equal", xticks=[], yticks=[])
            axes.spines[:].set_visible(False)
        line[0].set_ylabel(f"{scene}\n{LABELS[way]}", fontsize=10, color=COLOURS[way], fontweight="bold")
    save(figure, path, dpi=100, colours=64)
