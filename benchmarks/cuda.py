#!/usr/bin/env python3
"""Measures the CUDA backend: a falling block of snow (benchmarks/scenes/gpu_block.toml) of 1, 8 and 64 million particles, fresh and after
its impact, in 1e9 particle-steps a second. Writes results/<gpu>.csv beside this file."""
import argparse
import csv
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SIZES = {"1m": [], "8m": ["--variant", "8m"], "64m": ["--variant", "64m"]}
METHODS = {"quadratic APIC": ("quadratic", "apic"), "quadratic FLIP": ("quadratic", "flip"), "cubic FLIP": ("cubic", "flip")}
MOMENTS = {"fresh": 18, "late": 500}  # steps before the measured ones
COLUMNS = ("name", "size", "moment", "particles", "gigaparticles_per_second", "ns_per_particle_step", "ns_min", "ns_max",
           "ns_per_particle_iteration", "iterations_per_step", "bytes_per_particle", "sort", "solve", "gather", "device")


def measure(firn, size, settings, warmup, steps):
    command = [firn, "bench", HERE / "scenes" / "gpu_block.toml", *SIZES[size], "--backend", "cuda", "--json", "--warmup", warmup,
               "--steps", steps]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--firn", type=Path, required=True)
    parser.add_argument("--sizes", default=",".join(SIZES), help="some of " + ",".join(SIZES))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    args = parser.parse_args()
    jobs = [(name, size, moment, [f"solver.kernel={kernel}", f"solver.transfer={transfer}"])
            for size in args.sizes.split(",") for name, (kernel, transfer) in METHODS.items() for moment in MOMENTS]
    jobs += [("quadratic, implicit", size, "fresh", ["solver.integrator=semi-implicit"]) for size in args.sizes.split(",") if size != "64m"]
    rows = []
    for name, size, moment, settings in jobs:
        try:
            report = measure(args.firn, size, settings, MOMENTS[moment], args.steps)
        except RuntimeError as error:
            print(f"{name}, {size}, {moment}: FAILED: {error}", flush=True)
            continue
        row = report | report["phases"] | {"name": name, "size": size, "moment": moment}
        row["gigaparticles_per_second"] = round(1 / report["ns_per_particle_step"], 3)
        rows.append({key: row[key] for key in COLUMNS})
        sort = row["sort"] / report["ns_per_particle_step"]
        print(f"{name:20} {size:4} {moment:6} {row['gigaparticles_per_second']:8.3f} G/s  sort {sort:.0%}"
              f"  {report['bytes_per_particle']:.0f} B  iteration {report['ns_per_particle_iteration']:.3f} ns"
              f" x {report['iterations_per_step']:.1f}", flush=True)
    if not rows:
        return 1
    args.out.mkdir(parents=True, exist_ok=True)
    device = re.sub(r"[^a-z0-9]+", "-", rows[0]["device"].lower()).strip("-")
    with open(args.out / f"{device}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
