"""The picture of a table of results: steps by phase beside single kernels."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PHASE_COLOURS = {"sort": "#c9ced6", "scatter": "#2f6690", "grid": "#81c3d7", "gather": "#16425b"}
KERNEL_COLOUR = "#3a7ca5"
SOLVE_COLOUR = "#d9885b"
INK = "#30343b"
HEIGHT = 0.68  # of a bar
ROOM = 1.12    # width of the plot over its longest bar; whiskers beyond it are cut


def finish_axes(axes, title, names, values):
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", color=INK, pad=30)
    axes.set_xlabel("ns per particle; less is better", color=INK)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlim(0, ROOM * max(values, default=1))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(colors=INK)
    axes.grid(axis="x", color="#e3e6ea")
    axes.set_axisbelow(True)
    axes.invert_yaxis()


def write_column(axes, x, heading, values):
    """Figures right of the plot, a row each; x in widths of it."""
    place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center", "fontsize": 9, "color": INK}
    axes.text(x, -0.75, heading, **place)
    for y, value in enumerate(values):
        if value:
            axes.text(x, y, f"{value:.0f}" if value >= 100 else f"{value:.1f}", **place)


def draw_whiskers(axes, rows):
    values = [row["ns_per_particle_step"] for row in rows]
    low = [value - row["ns_min"] for value, row in zip(values, rows)]
    high = [row["ns_max"] - value for value, row in zip(values, rows)]
    axes.errorbar(values, range(len(rows)), xerr=[low, high], fmt="none", ecolor="#8a5a44", elinewidth=1.2, capsize=3)


def draw_steps(axes, rows, two_threads):
    names = [row["name"] for row in rows]
    values = [row["ns_per_particle_step"] for row in rows]
    left = [0.0] * len(rows)
    for phase, colour in PHASE_COLOURS.items():
        width = [row.get(phase, 0) for row in rows]
        axes.barh(range(len(rows)), width, left=left, color=colour, height=HEIGHT, label=phase)
        left = [a + b for a, b in zip(left, width)]
    draw_whiskers(axes, rows)
    second = [two_threads.get(name) for name in names]
    places = [(value, y) for y, value in enumerate(second) if value]
    if places:
        axes.scatter(*zip(*places), marker="D", s=26, color="white", edgecolor="#c8553d", linewidth=1.4, zorder=4, label="2 threads")
    write_column(axes, 1.07, "1 thread", values)
    write_column(axes, 1.2, "2 threads", second)
    finish_axes(axes, "An explicit step, by phase (bars: one thread)", names, values)
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=6, handlelength=1.2,
                columnspacing=1.4, borderpad=0)


def draw_kernels(axes, rows, implicit, prefix):
    names = [row["name"].removeprefix(prefix) for row in rows]
    values = [row["ns_per_particle_step"] for row in rows]
    axes.barh(range(len(rows)), values, color=KERNEL_COLOUR, height=HEIGHT)
    draw_whiskers(axes, rows)
    for row in implicit:
        names.append(f"scene implicit, an iteration\nof {row['iterations_per_step']:.0f} a step")
        values.append(row["ns_per_particle_iteration"])
        axes.barh(len(names) - 1, values[-1], color=SOLVE_COLOUR, height=HEIGHT)
    write_column(axes, 1.13, "1 thread", values)
    finish_axes(axes, "Kernels", names, values)


def draw(rows, machine, kernel_prefix, path):
    kernels = [row for row in rows if row["name"].startswith(kernel_prefix)]
    others = [row for row in rows if row not in kernels]
    one_thread = [row for row in others if row["threads"] == 1]
    implicit = [row for row in one_thread if row["iterations_per_step"]]
    steps = [row for row in one_thread if row not in implicit]
    two_threads = {row["name"]: row["ns_per_particle_step"] for row in others if row["threads"] == 2}

    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 6), width_ratios=(1.45, 1), layout="constrained")
    draw_steps(left, steps, two_threads)
    draw_kernels(right, kernels, implicit, kernel_prefix)
    best = {key: max(row[key] for row in rows) for key in ("fma_gflops", "copy_gb_s")}
    figure.suptitle(f"firn {rows[0]['firn']} on {machine}, one thread of which does {best['fma_gflops']:.0f} GFLOP/s and copies "
                    f"{best['copy_gb_s']:.0f} GB/s. Whiskers: the quickest and the slowest part.", x=0.01, ha="left", fontsize=10,
                    color=INK)
    figure.savefig(path, dpi=130)
    plt.close(figure)
