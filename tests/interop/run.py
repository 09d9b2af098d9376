#!/usr/bin/env python3
"""Lets other programs open a small run in all formats that they read, and compares: `make interop`.
A line per check, exit code 1 if one fails.

    run.py --firn build/firn --folder build/interop
"""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from checks import CHECKS, Failure, Run
from particles import read_ply

SCENE, FPS, FRAMES = "snowball_drop", 24.0, 3
SPACING = 0.03                         # m: some ten thousand particles
CENTRE = "[-0.4, 0.5, 0.3]"            # of the ball: no axis can be mistaken for another, nor for its opposite
FORMATS = "ply,vdb,vtp,bgeo,usda"      # .fpc is firn's own: no other program reads it


def make_run(firn, folder):
    """In a folder with a blank in its name: paths go through many hands here."""
    folder = folder / "a run"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([firn, "run", SCENE, "-o", folder, "--formats", FORMATS, "--frames", str(FRAMES),
                    "--set", f"simulation.spacing={SPACING}", "--set", f"snow.0.center={CENTRE}"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    frames = [read_ply(folder / f"frame_{number:04}.ply") for number in range(FRAMES + 1)]
    print(f"{SCENE}: {len(frames)} frames of {len(frames[-1])} particles as {FORMATS} in {folder}")
    return Run(folder, firn, SPACING, FPS, frames)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firn", type=Path, required=True, help="the program")
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    options = parser.parse_args()
    run = make_run(options.firn.resolve(), options.folder.resolve())
    failed = 0
    for name, check in CHECKS.items():
        try:
            print(f"ok    {name}: {check(run)}", flush=True)
        except (Failure, OSError, LookupError, TypeError, ValueError) as problem:
            failed += 1
            print(f"FAIL  {name}: {problem if isinstance(problem, Failure) else repr(problem)}", flush=True)
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks passed")
    sys.exit(1 if failed else 0)


main()
