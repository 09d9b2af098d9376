#!/usr/bin/env python3
"""Runs the gallery's scenes, makes their strips and films and writes docs/gallery.md; what is done is not done again, what was
interrupted goes on.

    run.py --build BUILD [--variant small|medium|paper] [--page] [SCENE ...]
"""
import argparse
import csv
import os
import subprocess
import sys
from pathlib import Path

from PIL import Image

from texts import CHAPTERS, DENSITY_LIMITED, LOOK_FOR, PAPER

ROOT = Path(__file__).resolve().parents[1]
RESULTS, IMAGES = ROOT / "benchmarks/results/gallery", ROOT / "docs/images/gallery"
COLUMNS = ["scene", "variant", "particles", "frames", "time_step", "iterations", "seconds_per_frame", "threads", "processor"]
SHOWN = 4            # pictures of a strip
SIZE = (480, 270)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="default: all of the page")
    parser.add_argument("--build", type=Path, default=Path("build"), help="folder in which firn was built; runs are kept in its gallery/")
    parser.add_argument("--variant", default="medium")
    parser.add_argument("--page", action="store_true", help="only write docs/gallery.md anew from the tables there are")
    arguments = parser.parse_args()
    known = [scene for _, scenes in CHAPTERS for scene in scenes]
    if unknown := [name for name in arguments.scenes if name not in known]:
        parser.error(f"no such scene: {', '.join(unknown)}; there are {', '.join(known)}")
    arguments.scenes = arguments.scenes or known
    return arguments


def status(folder):
    """How far a run is: "none", "begun" or "finished"."""
    record = folder / ".firn"
    if not record.exists():
        return "none"
    ends = [line for line in record.read_text().splitlines() if line.startswith("ended")]  # a run that went on has several
    return "finished" if ends and ends[-1] == "ended finished" else "begun"


def simulate(firn, scene, variant, folder):
    state = status(folder)
    if state == "none" or (state == "begun" and not any((folder / "checkpoints").glob("*"))):
        subprocess.run([firn, "run", scene, "--variant", variant, "-o", folder, "--overwrite"], check=True)
    elif state == "begun":
        subprocess.run([firn, "resume", folder], check=True)


def stats(folder):
    with open(folder / "stats.csv", newline="") as file:
        return list(csv.DictReader(file))


def picture_frames(folder):
    last = len(list(folder.glob("frame_[0-9]*.ply"))) - 1
    return sorted({round(k * last / (SHOWN - 1)) for k in range(SHOWN)})


def strip(firn, scene, variant, folder):
    frames = picture_frames(folder)
    name = IMAGES / f"{scene}_{variant}.png"
    if name.exists() and name.stat().st_mtime > (folder / "final.ply").stat().st_mtime:
        return
    two_dimensional = "dimension = 2" in (folder / "scene.toml").read_text()
    pictures = []
    for frame in frames:
        if two_dimensional:
            subprocess.run([firn, "preview", folder, "--frames", str(frame), "--no-film"], check=True, stdout=subprocess.DEVNULL)
        else:
            subprocess.run([firn, "render", folder, "--frames", str(frame), "--size", f"{SIZE[0]}x{SIZE[1]}"], check=True,
                           stdout=subprocess.DEVNULL)
        where = folder / ("preview" if two_dimensional else "render") / f"frame_{frame:04d}.png"
        pictures.append(Image.open(where).convert("RGB").resize(SIZE))
    sheet = Image.new("RGB", (SIZE[0] * len(pictures), SIZE[1]))
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (SIZE[0] * k, 0))
    IMAGES.mkdir(parents=True, exist_ok=True)
    sheet.quantize(255).save(name, optimize=True)
    subprocess.run([firn, "preview", folder], check=True, stdout=subprocess.DEVNULL)


def processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"


def measure(scene, variant, folder):
    rows = stats(folder)
    steps = sum(int(row["steps"]) for row in rows)
    seconds = sum(float(value) for row in rows for key, value in row.items() if key.startswith("seconds_") and key != "seconds_output")
    iterations = sum(float(row["iterations"]) for row in rows)

    return {"scene": scene, "variant": variant, "particles": max(int(row["particles"]) for row in rows), "frames": len(rows) - 1,
            "time_step": f"{float(rows[-1]['time']) / max(steps, 1):.3g}", "iterations": f"{iterations / max(steps, 1):.1f}",
            "seconds_per_frame": f"{seconds / max(len(rows) - 1, 1):.3g}", "threads": os.cpu_count(), "processor": processor()}


def load_table():
    table = {}
    for path in sorted(RESULTS.glob("*.csv")):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                table[row["scene"], row["variant"]] = row
    return table


def save(row):
    RESULTS.mkdir(parents=True, exist_ok=True)
    table = {key: value for key, value in load_table().items() if key[1] == row["variant"]}
    table[row["scene"], row["variant"]] = row
    with open(RESULTS / f"{row['variant']}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table[key] for key in sorted(table))


def published(scene, row):
    """The published figure, and how many times more work a core of ours does in its time."""
    if scene in PAPER:
        particles, grid, minutes = PAPER[scene]
        ours = float(row["seconds_per_frame"]) * int(row["threads"]) / int(row["particles"])
        ratio = minutes * 60 * 8 / particles / ours
        return f"{particles:.2g}, {grid}, {minutes} min a frame; {ratio:.0f} × per core and particle"
    if scene in DENSITY_LIMITED:
        particles, seconds = DENSITY_LIMITED[scene]
        ours = float(row["seconds_per_frame"]) * int(row["frames"])
        return f"{particles}, {seconds} s for 5 s; {seconds / ours:.0f} ×"
    return ""


def write_page():
    table = load_table()
    lines = ["# Gallery", "",
             "What the documents that firn follows show, as scenes that come with the program: `firn run NAME`, `firn scenes` lists "
             "them. `--variant small` takes seconds to a minute on two cores, `medium` is the default, `paper` has the particles of the "
             "published scene. `make gallery` (`VARIANT=small|medium|paper`, `SCENES=\"castle wedge\"`) makes runs, strips, films and this "
             "page.", "",
             "Published figures: Stomakhin et al. 2013, table 3, on 8 cores of Xeon X5550 (2.67 GHz), and Battad and Dong, table 1, on a "
             "Core i3-2100. The factor compares core-seconds per particle and frame; frames per second, lengths and speeds of the paper's "
             "scenes are not published, ours are in the scene files. Of the snowplow's 3.9e6 particles it is not said whether all were in "
             "the moving grid at once: its 2.1 minutes are 32 µs a particle and frame, those of the other nine 225 to 1,460.", ""]
    for chapter, scenes in CHAPTERS:
        lines += [f"## {chapter}", ""]
        for scene in scenes:
            lines += [f"### {scene}", ""]
            rows = [row for (name, _), row in sorted(table.items()) if name == scene]
            image = next((f"images/gallery/{scene}_{variant}.png" for variant in ("paper", "medium", "small")
                          if (IMAGES / f"{scene}_{variant}.png").exists()), None)
            if image:
                lines += [f"![{scene}]({image})", ""]
            lines += [LOOK_FOR[scene], ""]
            if rows:
                lines += ["| variant | particles | frames | mean Δt, s | iterations | s a frame | threads, processor | published |",
                          "|---|---|---|---|---|---|---|---|"]
                lines += [f"| {row['variant']} | {int(row['particles']):,} | {row['frames']} | {row['time_step']} | {row['iterations']} | "
                          f"{row['seconds_per_frame']} | {row['threads']}, {row['processor']} | {published(scene, row)} |" for row in rows]
                lines += [""]
    (ROOT / "docs/gallery.md").write_text("\n".join(lines).rstrip() + "\n")


def main():
    arguments = parse_arguments()
    firn = (arguments.build / "firn").resolve()
    for scene in [] if arguments.page else arguments.scenes:
        folder = (arguments.build / "gallery" / f"{scene}_{arguments.variant}").resolve()
        print(f"== {scene}, {arguments.variant}", flush=True)
        try:
            simulate(firn, scene, arguments.variant, folder)
            strip(firn, scene, arguments.variant, folder)
        except subprocess.CalledProcessError as error:
            sys.exit(f"{scene}: {error}")
        save(measure(scene, arguments.variant, folder))
        write_page()
    write_page()


main()
