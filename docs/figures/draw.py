#!/usr/bin/env python3
"""The figures of docs/theory.md, in docs/images, from tables that `theory_tables` makes with firn's own code; and pictures of
`firn preview --show` for docs/scenes.md.

    draw.py --build BUILD
"""
import argparse
import subprocess
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parent / "images"
INK, GRID, PARTICLE, NODE = "#30343b", "#dfe3e8", "#8fb3d3", "#30343b"
VELOCITY, FORCE, OLD = "#2f6690", "#c8553d", "#aeb6c0"
CUBIC, QUADRATIC = "#2f6690", "#d9885b"
TIME = "0.038"       # s: the ball has hit the ground and is being packed
FLOOR = 0.095        # m, as the scene has it
SPACING = 0.1        # m


def save(figure, name):
    path = IMAGES / name
    figure.savefig(path, dpi=120, bbox_inches="tight", pad_inches=0.08, facecolor="white")
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(255).save(path, optimize=True)
    print(path)


def kernels(table):
    figure, panels = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
    for axes, column, title in zip(panels, ("N", "dN"), ("N(s), the weight", "N′(s), its slope")):
        for name, colour, reach in (("cubic", CUBIC, 2), ("quadratic", QUADRATIC, 1.5)):
            rows = np.sort(table[table["kernel"] == name], order="s")
            ends = [(-reach, 0.0), *zip(rows["s"], rows[column]), (reach, 0.0)]
            axes.plot(*zip(*ends), color=colour, lw=2.2, label=f"{name}, {4 if name == 'cubic' else 3} nodes")
            axes.plot([-2.4, -reach], [0, 0], color=colour, lw=2.2)
            axes.plot([reach, 2.4], [0, 0], color=colour, lw=2.2)
        axes.set_title(title, loc="left", fontsize=11, fontweight="bold", color=INK)
        axes.set_xlabel("s = (x_p − x_i)/h, cells", color=INK)
        axes.set_xlim(-2.4, 2.4)
        axes.set_xticks(np.arange(-2, 2.1, 0.5))
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(colors=INK, labelsize=9)
        axes.grid(color=GRID)
        axes.set_axisbelow(True)
    panels[0].legend(frameon=False, labelcolor=INK, loc="upper right", fontsize=9)
    save(figure, "theory_kernels.png")


class Steps:
    """Ten panels of one step."""

    def __init__(self, nodes, particles):
        self.n, self.p = nodes, particles
        self.figure, panels = plt.subplots(2, 5, figsize=(17, 8.2), layout="constrained")
        self.panels = list(panels.flat)
        self.speed = 5.5            # m/s that an arrow of one cell stands for
        self.slow = 1.6 * self.speed    # the same of particles, which are closer together
        self.force = np.hypot(nodes["fx"], nodes["fy"]).max() / 1.6

    def panel(self, number, title, text, grid=True):
        axes = self.panels[number - 1]
        axes.set_title(f"{number}  {title}", loc="left", fontsize=12.5, fontweight="bold", color=INK)
        axes.text(0.0, -0.03, text, transform=axes.transAxes, va="top", fontsize=10, color=INK, linespacing=1.35)
        x0, x1, y0, y1 = 0.21, 1.29, -0.14, 0.94
        if grid:
            for k in range(-3, 14):
                axes.axvline(k * SPACING, color=GRID, lw=0.8, zorder=0)
                axes.axhline(k * SPACING, color=GRID, lw=0.8, zorder=0)
        axes.fill_between([x0, x1], y0, FLOOR, color="#d8cfc4", zorder=0.5, lw=0)
        axes.plot([x0, x1], [FLOOR, FLOOR], color="#8a7b6a", lw=1.5, zorder=0.6)
        axes.set_xlim(x0, x1)
        axes.set_ylim(y0, y1)
        axes.set_aspect("equal")
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_color("#b7bec7")
        return axes

    def bar(self, axes, dots, label, ticks):
        """In the sky of the panel."""
        bar = self.figure.colorbar(dots, cax=axes.inset_axes([0.06, 0.945, 0.34, 0.022]), orientation="horizontal", ticks=ticks)
        bar.ax.tick_params(labelsize=8, colors=INK, length=2, pad=1)
        bar.outline.set_visible(False)
        axes.text(0.43, 0.956, label, transform=axes.transAxes, fontsize=8.5, color=INK, va="center")

    def particles(self, axes, colour=PARTICLE, x="x", y="y", size=26, **more):
        return axes.scatter(self.p[x], self.p[y], s=size, c=colour, lw=0, zorder=2, **more)

    def nodes(self, axes, scale=90):
        axes.scatter(self.n["x"], self.n["y"], s=scale * self.n["mass"] / self.n["mass"].max(), c=NODE, lw=0, zorder=3)

    def arrows(self, axes, table, x, y, u, v, colour, unit, width=0.0045, order=4):
        axes.quiver(table[x], table[y], table[u] * SPACING / unit, table[v] * SPACING / unit, color=colour, angles="xy",
                    scale_units="xy", scale=1, width=width, headwidth=4, headlength=5, headaxislength=4.5, minlength=0, zorder=order)

    def node_velocities(self, axes, name, before=None):
        shown = self.n[self.n["mass"] > 0.004 * self.n["mass"].max()]
        if before:
            self.arrows(axes, shown, "x", "y", f"{before}x", f"{before}y", OLD, self.speed, order=3.5)
        self.arrows(axes, shown, "x", "y", f"{name}x", f"{name}y", VELOCITY, self.speed)

    def draw(self):
        axes = self.panel(1, "Particles to grid", "mass m_i (dots) and velocity v_i (arrows)\nfrom the particles around each node (M4)")
        self.particles(axes)
        self.nodes(axes)
        self.node_velocities(axes, "v")

        axes = self.panel(2, "Volumes", "once, before the first step: each particle's\ndensity on the grid gives its volume V⁰ (M5)")
        dots = self.particles(axes, self.p["volume"] * 1e4, cmap="viridis", size=44)
        self.bar(axes, dots, "V⁰, cm²", (30, 40, 50))

        axes = self.panel(3, "Forces", "f_i of the stress in the particles (M6):\nwhat is squeezed pushes its nodes apart")
        self.particles(axes)
        self.arrows(axes, self.n, "x", "y", "fx", "fy", FORCE, self.force)

        axes = self.panel(4, "Grid velocities", "v* = v + Δt (f/m + g) (M7)\ngrey: before")
        self.particles(axes)
        self.node_velocities(axes, "star_", "v")

        axes = self.panel(5, "Collisions on the grid", "bodies take what goes into them,\nfriction slows what slides; grey: v*")
        self.particles(axes)
        self.node_velocities(axes, "collided_", "star_")

        axes = self.panel(6, "Time integration", "the semi-implicit solve (M17) gives vⁿ⁺¹;\ngrey: before it")
        self.particles(axes)
        self.node_velocities(axes, "new_", "collided_")

        axes = self.panel(7, "Deformation", "∇v stretches F_E; what is beyond the\nlimits becomes plastic (M8)")
        change = 1e2 * (self.p["new_je"] * self.p["new_jp"] / (self.p["je"] * self.p["jp"]) - 1)
        most = np.abs(change).max()
        self.particles(axes, "#aab2bb", size=62)
        dots = self.particles(axes, change, cmap="RdBu", vmin=-most, vmax=most, size=44)
        self.bar(axes, dots, "change of volume\nin this step, %", np.linspace(-np.floor(most), np.floor(most), 3))

        axes = self.panel(8, "Grid to particles", "v_p from the nodes: FLIP with a share\nof PIC (M10); grey: before")
        self.particles(axes, size=16)
        self.arrows(axes, self.p, "x", "y", "vx", "vy", OLD, self.slow, width=0.0035, order=3.5)
        self.arrows(axes, self.p, "x", "y", "gathered_x", "gathered_y", VELOCITY, self.slow, width=0.0035)

        axes = self.panel(9, "Collisions of particles", "those inside a body or on it, red, are\nheld as nodes are in step 5; grey: before",
                          grid=False)
        self.particles(axes, size=16)
        self.arrows(axes, self.p, "x", "y", "gathered_x", "gathered_y", OLD, self.slow, width=0.0035, order=3.5)
        changed = self.p[np.hypot(self.p["new_vx"] - self.p["gathered_x"], self.p["new_vy"] - self.p["gathered_y"]) > 1e-9]
        self.arrows(axes, self.p, "x", "y", "new_vx", "new_vy", VELOCITY, self.slow, width=0.0035)
        axes.scatter(changed["x"], changed["y"], s=26, c=FORCE, lw=0, zorder=5)

        axes = self.panel(10, "Motion", "x_p ← x_p + Δt v_p; grey: before.\nThe grid is forgotten", grid=False)
        self.particles(axes, OLD, size=26)
        self.particles(axes, VELOCITY, "new_x", "new_y", size=20)
        save(self.figure, "theory_ten_steps.png")


def shown(firn, folder, scene, frame, name, *more):
    """Two previews of a run side by side."""
    grid = 'output.grid=["mass", "velocity", "force"]'
    subprocess.run([firn, "run", scene, "-o", folder, "--frames", str(frame), "--set", grid, *more], check=True, stdout=subprocess.DEVNULL)
    pictures = []
    for what in ("nodes,velocity,normals", "force"):
        subprocess.run([firn, "preview", folder, "--frames", str(frame), "--no-film", "--width", "720", "--height", "405", "--show", what],
                       check=True, stdout=subprocess.DEVNULL)
        pictures.append(Image.open(Path(folder) / "preview" / f"frame_{frame:04d}.png").convert("RGB"))
    both = Image.new("RGB", (2 * 720 + 8, 405), "white")
    for at, picture in zip((0, 728), pictures):
        both.paste(picture, (at, 0))
    both.save(IMAGES / name, optimize=True)
    print(IMAGES / name)


def read(path):
    return np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    build = parser.parse_args().build.resolve()
    tables, firn = build / "docs" / "figures" / "theory_tables", build / "firn"
    with tempfile.TemporaryDirectory() as folder:
        kernel_table, nodes, particles = (Path(folder) / name for name in ("kernels.csv", "nodes.csv", "particles.csv"))
        subprocess.run([tables, "kernels", kernel_table], check=True)
        subprocess.run([tables, "step", HERE / "ten_steps.toml", TIME, nodes, particles], check=True)
        kernels(read(kernel_table))
        Steps(read(nodes), read(particles)).draw()
        shown(firn, Path(folder) / "flat", HERE / "shown_2d.toml", 3, "shown_2d.png")
        shown(firn, Path(folder) / "solid", "snowball_drop", 3, "shown_3d.png", "--set", "simulation.spacing=0.03")


main()
