#!/usr/bin/python3
"""Attacks the program: random valid scenes, damaged files, signals, full disks, links and other surprises in folders, and
runs that are killed and go on.

    run.py --firn build/firn --folder build/chaos                       the short attack, part of `make test`
    run.py --firn build/firn --folder build/chaos --size long           300 scenes, 1,000 damaged files: part of `make soak`
    run.py --firn build/firn --folder build/chaos --only scenes --seed 1 --case 17     one case again

The folder keeps every case that failed, with its files, its commands and what was wrong. docs/reliability.md says what must hold.
"""
import argparse
import collections
import shutil
import sys
import time
import traceback
from pathlib import Path

import damage
import disks
import folders
import good_files
import resumes
import scenes
import signals
from harness import Case

# {attack: (one case, how many in the short and in the long version)}
ATTACKS = {
    "scenes": (scenes.attack, 10, 300),
    "damage": (damage.attack, 60, 1000),
    "signals": (signals.attack, 6, 60),
    "disks": (disks.attack, 5, 40),
    "resumes": (resumes.attack, 10, 50),
    "flips": (resumes.flip_a_bit, 20, 1000),
    "folders": (folders.attack, len(folders.SURPRISES), 3 * len(folders.SURPRISES)),
}


def run_case(name, attack, options, number):
    """The case when it failed or was asked for, with its files kept; else what came of it."""
    folder = options.folder / f"{name}-{options.seed}-{number}"
    for old in (folder, folder.with_name(folder.name + ".log")):
        shutil.rmtree(old, ignore_errors=True)
    case = Case(name, options.seed, number, folder, options.firn, options.folder / "good")
    begin = time.monotonic()
    try:
        attack(case)
    except Exception:  # a case that the attack itself stumbles over has found something, too
        case.fault("the attack failed: " + traceback.format_exc(limit=-3))
    case.seconds = time.monotonic() - begin
    replay = f"run.py --firn {options.firn} --folder {options.folder} --only {name} --seed {options.seed} --case {number}"
    story = [*case.faults, "", "again:", "  " + replay, "", "commands:", *case.commands, ""]
    (case.log / "story.txt").write_text("\n".join(story), errors="replace")
    if not case.faults and options.case is None:
        shutil.rmtree(folder)
        shutil.rmtree(case.log)
    return case


def run_attack(name, options):
    attack, short, long = ATTACKS[name]
    count = long if options.size == "long" else short
    numbers = [options.case] if options.case is not None else range(options.count or count)
    begin, endings, failed, answer = time.monotonic(), collections.Counter(), 0, 0.0
    for number in numbers:
        case = run_case(name, attack, options, number)
        endings[case.ending] += 1
        answer = max(answer, case.answer)
        if case.faults:
            failed += 1
            print(f"FAIL  {name} {number}: {case.faults[0]}\n      see {case.log / 'story.txt'}", flush=True)
        elif options.verbose:
            print(f"ok    {name} {number}: {case.ending}, {case.seconds:.1f} s", flush=True)
    told = ", ".join(f"{count} {ending}" for ending, count in endings.most_common())
    told += f"; the longest answer to a signal took {answer:.1f} s" if answer else ""
    print(f"{name:8} {len(numbers):5} cases, {failed} failed, {time.monotonic() - begin:.0f} s: {told}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firn", type=Path, required=True, help="the program")
    parser.add_argument("--folder", type=Path, required=True, help="where to work, and to keep what failed")
    parser.add_argument("--size", choices=("short", "long"), default="short")
    parser.add_argument("--only", choices=ATTACKS, action="append", help="these attacks; may be given many times")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="this one only, and keep its files")
    parser.add_argument("--count", type=int, help="cases of each attack")
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="replace")  # names of files may be any bytes
    options.firn, options.folder = options.firn.resolve(), options.folder.resolve()
    shutil.rmtree(options.folder / "good", ignore_errors=True)
    good_files.make(options.folder / "good", options.firn)
    failed = sum(run_attack(name, options) for name in options.only or ATTACKS)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
