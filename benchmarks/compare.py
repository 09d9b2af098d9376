#!/usr/bin/env python3
"""Compares two programs row by row of the benchmarks, in turn and on one thread, so that what else the machine does meets both:
the least of each counts.

    compare.py OLD_FIRN NEW_FIRN [--rounds 4] [--rows impact "ball, APIC"] [--new-set solver.contact=paper ...]
"""
import argparse
import json
import subprocess
import sys

from configurations import CONFIGURATIONS

ROWS = {configuration.name: configuration for configuration in CONFIGURATIONS if configuration.program == "firn"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=4, help="runs of each program and row")
    parser.add_argument("--rows", nargs="+", choices=sorted(ROWS), default=list(ROWS), metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--new-set", nargs="+", default=[], metavar="KEY=VALUE", help="keys for the new program alone")
    parser.add_argument("--quick", action="store_true", help="only see that it runs")
    return parser.parse_args()


def nanoseconds(program, configuration, settings, quick):
    """A particle and step, or iteration where steps have some; the fastest fifth of the steps."""
    command = [program, "bench", *configuration.arguments(quick), *(a for s in settings for a in ("--set", s)), "--threads", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    return report["ns_min"] / max(report.get("iterations_per_step", 0), 1), report["particles"]


def main():
    arguments = parse_arguments()
    print(f"{'row':28} {'particles':>10} {'old, ns':>9} {'new, ns':>9} {'new/old':>8}")
    for name in arguments.rows:
        least, particles = {}, {}
        for _ in range(arguments.rounds):
            for which, program, settings in (("old", arguments.old, []), ("new", arguments.new, arguments.new_set)):
                ns, particles[which] = nanoseconds(program, ROWS[name], settings, arguments.quick)
                least[which] = min(ns, least.get(which, ns))
        other = "" if particles["old"] == particles["new"] else f"  (old: {particles['old']} particles)"
        ratio = least["new"] / least["old"]
        print(f"{name:28} {particles['new']:10} {least['old']:9.1f} {least['new']:9.1f} {ratio:8.3f}{other}", flush=True)


main()
