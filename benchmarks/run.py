#!/usr/bin/env python3
"""Runs the benchmarks and writes <results>/<cpu-model>.csv and .png; see README.md beside this file."""
import argparse
import csv
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import plot
from configurations import CONFIGURATIONS, RATIOS, TEXTBOOK

HERE = Path(__file__).parent
THREADS = (1, 2)
PHASES = ("sort", "scatter", "grid", "solve", "gather")
COLUMNS = ("name", "threads", "particles", "ns_per_particle_step", "ns_min", "ns_max", "ns_per_particle_iteration", "iterations_per_step",
           "bytes_per_particle", "serial_fraction", *PHASES, "fma_gflops", "copy_gb_s", "compiler", "firn")
KERNEL_PREFIX = "kernel: "


def output_of(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def row_of_report(name, report):
    row = {key: report[key] for key in COLUMNS if key in report}
    return row | {"name": name} | report["phases"] | report["calibration"]


def run_configuration(configuration, threads, programs, quick):
    command = [*programs[configuration.program], *configuration.arguments(quick)]
    if configuration is not TEXTBOOK:
        command += ["--threads", threads, "--json"]
    return [row_of_report(configuration.name, json.loads(output_of(command)))]


def run_kernels(program, quick):
    repetitions, seconds = (2, 0.01) if quick else (5, 0.2)
    report = json.loads(output_of([program, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
                                   f"--benchmark_min_time={seconds}"]))
    calibration = {key: float(report["context"][key]) for key in ("fma_gflops", "copy_gb_s")}
    times = {}
    for run in report["benchmarks"]:
        if run["run_type"] == "iteration":
            times.setdefault(run["run_name"], []).append(1e9 / run["items_per_second"])
    return [{"name": KERNEL_PREFIX + name, "threads": 1, "ns_per_particle_step": statistics.median(ns), "ns_min": min(ns),
             "ns_max": max(ns)} | calibration for name, ns in times.items()]


def run_all(build, avx2_build, quick):
    """All rows, and the names of what failed."""
    programs = {"firn": [build / "firn", "bench"], "firn-avx2": [avx2_build / "firn", "bench"],
                "textbook": [build / "benchmarks/textbook"]}
    jobs = [(f"{c.name}, {threads} thread{'s' * (threads > 1)}", lambda c=c, t=threads: run_configuration(c, t, programs, quick))
            for c in CONFIGURATIONS for threads in THREADS]
    jobs.append((TEXTBOOK.name, lambda: run_configuration(TEXTBOOK, 1, programs, quick)))
    jobs.append(("kernels", lambda: run_kernels(build / "benchmarks/kernels", quick)))
    rows, failed = [], []
    for number, (name, job) in enumerate(jobs, 1):
        print(f"[{number}/{len(jobs)}] {name} ...", end="", flush=True)
        begin = time.monotonic()
        try:
            new = job()
            rows += new
            figure = f"{new[0]['ns_per_particle_step']:.1f} ns" if len(new) == 1 else f"{len(new)} kernels"
            print(f" {figure}  ({time.monotonic() - begin:.0f} s)", flush=True)
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            failed.append(name)
            print(f" FAILED: {error}", flush=True)
    return rows, failed


def compiler_of(build):
    """The first line of the compiler's --version."""
    cache = (build / "CMakeCache.txt").read_text()
    path = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE).group(1)
    return output_of([path, "--version"]).splitlines()[0]


def cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown cpu"


def write_csv(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.5g}" if isinstance(value, float) else value for key, value in row.items()})


def print_table(rows):
    print(f"\n{'':42}threads  particles  ns/particle/step       min       max  ns/iteration  GFLOP/s   GB/s")
    for row in rows:
        iteration = row.get("ns_per_particle_iteration") or 0
        print(f"{row['name']:42}{row['threads']:7}{row.get('particles', ''):>11}{row['ns_per_particle_step']:18.1f}{row['ns_min']:10.1f}"
              f"{row['ns_max']:10.1f}{f'{iteration:.1f}' if iteration else '':>14}{row['fma_gflops']:9.0f}{row['copy_gb_s']:7.1f}")


def print_ratios(rows):
    ns = {(row["name"], row["threads"]): row["ns_per_particle_step"] for row in rows}
    print("\nratios of ns per particle per step")
    for what, above, below in RATIOS:
        print(f"{what:44}{ns[above] / ns[below]:8.2f}" if above in ns and below in ns else f"{what:44}       –")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=Path("build"), help="built with FIRN_BENCHMARKS=ON")
    parser.add_argument("--avx2-build", type=Path, default=Path("build-avx2"), help="built with FIRN_ISA=avx2")
    parser.add_argument("--results", type=Path, help="folder to write to (default: benchmarks/results; with --quick the build folder)")
    parser.add_argument("--quick", action="store_true", help="everything small, to see that it runs; the figures mean nothing")
    arguments = parser.parse_args()
    if not arguments.results:
        arguments.results = arguments.build / "benchmarks" / "quick" if arguments.quick else HERE / "results"
    return arguments


def main():
    arguments = parse_arguments()
    rows, failed = run_all(arguments.build, arguments.avx2_build, arguments.quick)
    if rows:
        about = {"compiler": compiler_of(arguments.build), "firn": output_of([arguments.build / "firn", "--version"]).split()[-1]}
        rows = [row | about for row in rows]
        arguments.results.mkdir(parents=True, exist_ok=True)
        model = cpu_model()
        stem = arguments.results / (re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-"))
        print_table(rows)
        print_ratios(rows)
        if not failed:  # a table with holes would replace a whole one
            write_csv(stem.with_suffix(".csv"), rows)
            plot.draw(rows, model, KERNEL_PREFIX, stem.with_suffix(".png"))
            print(f"\nwritten: {stem}.csv, {stem}.png")
    if failed:
        print("failed: " + "; ".join(failed))
        sys.exit(1)


if __name__ == "__main__":
    main()
