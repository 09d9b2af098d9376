#!/usr/bin/env python3
"""Measures what the physics does: tables into benchmarks/results/physics, pictures into docs/images; see ../README.md."""
import argparse
import sys
import tempfile
import time
from pathlib import Path

import contact
import energy
import resolution
from runs import RunFailed, Runner, default_jobs, write_csv

ROOT = Path(__file__).resolve().parents[2]
# Each gives the rows of its table (or none) and a function that draws its picture.
SECTIONS = {"contact_creep": contact.creep, "contact_slide": contact.slide, "contact_gap": contact.gap, "contact_ridge": contact.ridge,
            "contact_place": contact.place, "energy": energy.energies, "step": resolution.step, "spacing": resolution.spacing,
            "step_pictures": resolution.step_pictures, "spacing_pictures": resolution.spacing_pictures}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="some of: " + ", ".join(SECTIONS) + " (default: all)")
    parser.add_argument("--build", type=Path, default=Path("build"), help="folder in which firn was built")
    parser.add_argument("--firn", type=Path, help="the program (default: that of --build)")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="runs at a time, one thread each (default: one a core)")
    parser.add_argument("--quick", action="store_true", help="everything small, into the build folder, to see that it runs")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.sections if name not in SECTIONS]:
        parser.error(f"no such section: {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    arguments.firn = (arguments.firn or arguments.build / "firn").resolve()
    if not arguments.firn.is_file():
        parser.error(f"no program at {arguments.firn}")
    return arguments


def main():
    arguments = parse_arguments()
    tables, pictures = ROOT / "benchmarks/results/physics", ROOT / "docs/images"
    if arguments.quick:
        tables = pictures = arguments.build / "physics_quick"
    for folder in (tables, pictures):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="firn_physics_") as folder:
        runner = Runner(arguments.firn, folder, arguments.jobs)
        for name in arguments.sections or SECTIONS:
            begin = time.monotonic()
            print(f"{name} ...", flush=True)
            rows, draw_picture = SECTIONS[name](runner, arguments.quick)
            if rows:
                write_csv(tables / f"{name}.csv", rows)
            draw_picture(pictures / f"physics_{name}.png")
            print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)
    print(f"written to {tables} and {pictures}")


if __name__ == "__main__":
    try:
        main()
    except RunFailed as failure:
        sys.exit(f"failed: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
