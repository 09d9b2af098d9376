#!/usr/bin/env python3
"""Runs the gallery's scenes, makes their strips and films and writes docs/gallery.md; what is done is not done again, what was
interrupted goes on.

    run.py --build BUILD [--variant small|medium|paper] [--alone] [--page] [SCENE ...]
"""
import argparse
import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

from PIL import Image

from texts import CHAPTERS, COMPARED, DENSITY_LIMITED, DENSITY_LIMITED_SPANS, LOOK_FOR, PAPER

ROOT = Path(__file__).resolve().parents[1]
RESULTS, IMAGES = ROOT / "benchmarks/results/gallery", ROOT / "docs/images/gallery"
COLUMNS = ["scene", "variant", "particles", "frames", "time_step", "iterations", "core_seconds_per_frame", "processor", "numbers", "spans"]
SHOWN = 4            # pictures of a strip
SIZE = (480, 270)
SAMPLES = 16         # of a pixel; they are denoised


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="default: all of the page")
    parser.add_argument("--build", type=Path, default=Path("build"), help="folder in which firn was built; runs are kept in its gallery/")
    parser.add_argument("--variant", default="medium")
    parser.add_argument("--alone", action="store_true", help="without the variants that are compared")
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


def core_seconds(command):
    """Runs it; what the cores computed for it, which other programs on the machine hardly change."""
    process = subprocess.Popen(command)
    try:
        _, result, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)  # it writes a checkpoint
        _, result, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(result)
    return usage.ru_utime + usage.ru_stime, process.returncode


def simulate(firn, scene, variant, folder):
    """Runs a scene to its end; the file `core_seconds` has a line for each part of a run that was interrupted."""
    state, times = status(folder), folder / "core_seconds"
    if state == "none" or (state == "begun" and not any((folder / "checkpoints").glob("*"))):
        times.unlink(missing_ok=True)
        command = [firn, "run", scene, "--variant", variant, "-o", folder, "--overwrite"]
    elif state == "begun":
        command = [firn, "resume", folder]
    else:
        return
    seconds, result = core_seconds(command)
    with open(times, "a") as file:
        file.write(f"{seconds:.2f}\n")
    if result:
        raise subprocess.CalledProcessError(result, command)


def stats(folder):
    with open(folder / "stats.csv", newline="") as file:
        return list(csv.DictReader(file))


def picture_frames(folder):
    last = len(list(folder.glob("frame_[0-9]*.ply"))) - 1
    return sorted({round(k * last / (SHOWN - 1)) for k in range(SHOWN)})


def picture(firn, folder, frame):
    two_dimensional = "dimension = 2" in (folder / "scene.toml").read_text()
    what = (["preview", folder, "--frames", str(frame), "--no-film"] if two_dimensional else
            ["render", folder, "--frames", str(frame), "--spp", str(SAMPLES), "--size", f"{SIZE[0]}x{SIZE[1]}"])
    subprocess.run([firn, *what], check=True, stdout=subprocess.DEVNULL)
    where = folder / ("preview" if two_dimensional else "render") / f"frame_{frame:04d}.png"
    return Image.open(where).convert("RGB").resize(SIZE)


def strip(firn, name, shown):
    """A picture of pictures: shown has folders and frames. Nothing is done where it is newer than the runs."""
    if name.exists() and all(name.stat().st_mtime > (folder / "final.ply").stat().st_mtime for folder, _ in shown):
        return
    sheet = Image.new("RGB", (SIZE[0] * len(shown), SIZE[1]))
    for k, (folder, frame) in enumerate(shown):
        sheet.paste(picture(firn, folder, frame), (SIZE[0] * k, 0))
    IMAGES.mkdir(parents=True, exist_ok=True)
    sheet.quantize(255).save(name, optimize=True)


def film(firn, folder):
    if not (folder / "preview/preview.mp4").exists():
        subprocess.run([firn, "preview", folder], check=True, stdout=subprocess.DEVNULL)


def processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown"


def measure(build, scene, variant, folder):
    rows = stats(folder)
    steps, frames = sum(int(row["steps"]) for row in rows), max(len(rows) - 1, 1)
    iterations = sum(float(row["iterations"]) for row in rows)
    seconds = sum(float(line) for line in (folder / "core_seconds").read_text().split())
    numbers = subprocess.run([build / "tests/gallery_numbers", scene, folder], check=True, capture_output=True, text=True).stdout
    return {"scene": scene, "variant": variant, "particles": max(int(row["particles"]) for row in rows), "frames": frames,
            "time_step": f"{float(rows[-1]['time']) / max(steps, 1):.3g}", "iterations": f"{iterations / max(steps, 1):.1f}",
            "core_seconds_per_frame": f"{seconds / frames:.3g}", "processor": processor(),
            "numbers": "; ".join(line.replace("\t", ": ") for line in numbers.splitlines()), "spans": spans(scene, rows)}


def spans(scene, rows):
    """Seconds of computing until the times of Battad and Dong's table."""
    def until(time):
        return sum(float(value) for row in rows if float(row["time"]) < time + 1e-9 for key, value in row.items()
                   if key.startswith("seconds_") and key != "seconds_output")
    return " ".join(f"{until(time):.2g}" for time in DENSITY_LIMITED_SPANS) if scene in DENSITY_LIMITED else ""


def load_table():
    table = {}
    for path in sorted(RESULTS.glob("*.csv")):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                table[row["scene"], row["variant"]] = {**dict.fromkeys(COLUMNS, ""), **row}
    return table


def save(row):
    RESULTS.mkdir(parents=True, exist_ok=True)
    size = row["variant"].split(",")[0]
    table = {key: value for key, value in load_table().items() if key[1].split(",")[0] == size}
    table[row["scene"], row["variant"]] = row
    with open(RESULTS / f"{size}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table[key] for key in sorted(table))


def published(scene, row):
    """The published figure, and how many times more work a core of ours does in its time."""
    if scene in PAPER:
        particles, grid, minutes = PAPER[scene]
        ours = float(row["core_seconds_per_frame"]) / int(row["particles"])
        ratio = minutes * 60 * 8 / particles / ours
        return f"{particles:.2g}, {grid}, {minutes} min a frame; {ratio:.0f} × per core and particle"
    return ""


def measured(rows):
    """A table of the numbers that stand for what the pictures show (tests/gallery/numbers.h)."""
    by_row = [dict(pair.rsplit(": ", 1) for pair in row["numbers"].split("; ")) for row in rows if row["numbers"]]
    if not by_row:
        return []
    names = list(by_row[0])
    return [f"| variant | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|",
            *(f"| {row['variant']} | {' | '.join(numbers.get(name, '') for name in names)} |" for row, numbers in zip(rows, by_row)), ""]


def times_of_density_limited(table):
    lines = ["Seconds for 0.1, 0.5, 1 and 5 simulated seconds, theirs with drawing:", "",
             "| scene | theirs | firn | for 5 s |", "|---|---|---|---|"]
    for scene, theirs in DENSITY_LIMITED.items():
        row = table.get((scene, "medium")) or table.get((scene, "small"))
        if row and row["spans"]:
            ours = [float(seconds) for seconds in row["spans"].split()]
            both = [", ".join(f"{seconds:.3g}" for seconds in times) for times in (theirs, ours)]
            lines += [f"| {scene} | {both[0]} | {both[1]} | {theirs[-1] / ours[-1]:.0f} × |"]
    return lines + [""]


def write_page():
    table = load_table()
    lines = ["# Gallery", "",
             "What the documents that firn follows show, as scenes that come with the program: `firn run NAME`, `firn scenes` lists "
             "them. `--variant small` takes seconds to a minute on two cores, `medium` is the default, `paper` has the particles of the "
             "published scene. `make gallery` (`VARIANT=small|medium|paper`, `SCENES=\"castle wedge\"`) makes runs, strips, films and this "
             "page.", "",
             "Published figures: Stomakhin et al. 2013, table 3, on 8 cores of Xeon X5550 (2.67 GHz), and Battad and Dong, table 1, on a "
             "Core i3-2100. "
             "Ours are core-seconds: what all cores together computed for a run, reading, writing and setting up included, on a machine "
             "that did other things as well. The factor compares them per particle and frame; frames per second, lengths and speeds of the "
             "paper's scenes are not published, ours are in the scene files. Of the snowplow's 3.9e6 particles it is not said whether all "
             "were in the moving grid at once: its 2.1 minutes are 32 µs a particle and frame, those of the other nine 225 to 1,460. "
             "Rows of `medium` of `crust`, `digging`, `double_smash`, `snowball_drop`, `snowplow`, `wall_slippery`, `wall_sticky` and "
             "`wedge`, and the dropped snowball at `paper`, were measured with automatic steps twice as long as they are now.", ""]
    for chapter, scenes in CHAPTERS:
        lines += [f"## {chapter}", ""]
        if scenes[0] in DENSITY_LIMITED:
            lines += times_of_density_limited(table)
        for scene in scenes:
            lines += [f"### {scene}", ""]
            rows = [row for (name, _), row in sorted(table.items()) if name == scene]
            at, others = COMPARED.get(scene, (None, []))
            beside = f"Side by side {'at their ends' if at is None else f'after {at:g} s'}: as it is, `{'`, `'.join(others)}`."
            for which, alt, below in (("", scene, ""), ("_compared", f"{scene}: {', '.join(others)}", beside)):
                image = next((f"images/gallery/{scene}{which}_{size}.png" for size in ("paper", "medium", "small")
                              if (IMAGES / f"{scene}{which}_{size}.png").exists()), None)
                if image:
                    lines += [f"![{alt}]({image})", "", *([below, ""] if below else [])]
            lines += [LOOK_FOR[scene], ""]
            if rows:
                lines += ["| variant | particles | frames | mean Δt, s | iterations | core-seconds a frame | processor | published |",
                          "|---|---|---|---|---|---|---|---|"]
                lines += [f"| {row['variant']} | {int(row['particles']):,} | {row['frames']} | {row['time_step']} | {row['iterations']} | "
                          f"{row['core_seconds_per_frame']} | {row['processor']} | {published(scene, row)} |" for row in rows]
                lines += [""]
                lines += measured(rows)
    (ROOT / "docs/gallery.md").write_text("\n".join(lines).rstrip() + "\n")


def make(arguments, firn, scene):
    runs = {}
    at, others = COMPARED.get(scene, (None, []))
    if arguments.alone or arguments.variant == "paper":  # where that would take hours more
        others = []
    for more in ["", *others]:
        variant = ",".join(filter(None, [arguments.variant, more]))
        folder = (arguments.build / "gallery" / f"{scene}_{variant.replace(',', '_')}").resolve()
        print(f"== {scene}, {variant}", flush=True)
        simulate(firn, scene, variant, folder)
        save(measure(arguments.build, scene, variant, folder))
        film(firn, folder)
        runs[variant] = folder
    own = next(iter(runs.values()))
    strip(firn, IMAGES / f"{scene}_{arguments.variant}.png", [(own, frame) for frame in picture_frames(own)])
    if others:
        strip(firn, IMAGES / f"{scene}_compared_{arguments.variant}.png", [(folder, frame_at(folder, at)) for folder in runs.values()])


def frame_at(folder, time):
    if time is None:
        return picture_frames(folder)[-1]
    return next(k for k, row in enumerate(stats(folder)) if float(row["time"]) > time - 1e-6)


def main():
    arguments = parse_arguments()
    firn = (arguments.build / "firn").resolve()
    for scene in [] if arguments.page else arguments.scenes:
        try:
            make(arguments, firn, scene)
        except subprocess.CalledProcessError as error:
            sys.exit(f"{scene}: {error}")
        write_page()
    write_page()


main()
