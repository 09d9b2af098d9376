#!/usr/bin/python3
"""The rules of the attack notice what they are for: programs that do wrong in one way each must be found out, a good one must not."""
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import harness
from harness import Case

# {what it does: (as a shell script, words of the fault)}; the argument is a file of the user's
PROGRAMS = {
    "is good": ("echo done; echo 'warning: coarse' >&2", None),
    "refuses with a line": ("echo 'error: x.toml:1:1: no' >&2; exit 2", None),
    "crashes": ("kill -SEGV $$", "ended by signal SIGSEGV"),
    "aborts with words of its own": ("echo 'terminate called' >&2; exit 1", "terminate called"),
    "fails without a word": ("exit 1", "0 lines of error"),
    "fails with two lines": ("echo 'error: a' >&2; echo 'error: b' >&2; exit 2", "2 lines of error"),
    "complains and exits with 0": ("echo 'error: a' >&2", "exit code 0 with 1 lines of error"),
    "has an exit code of its own": ("exit 3", "exit code 3"),
    "lets a library speak": ("echo 'libpng warning: bad' >&2", "strange line"),
    "prints no number": ("echo 'snow at -nan m'", "nan m"),
    "hangs": ("trap '' TERM; while :; do sleep 0.1; done", "hangs"),
    "takes long": ("sleep 30", "takes more than"),
    "leaves a process": ("sleep 30 & exit 0", "leaves processes running"),
    "loses a file": ('rm "$1"', "removed"),
    "changes a file": ('echo more >> "$1"', "changed"),
}


def faults_of(script):
    with tempfile.TemporaryDirectory() as name:
        return faults_in(script, Path(name))


def faults_in(script, folder):
    program = folder / "program"
    program.write_text("#!/bin/sh\n" + script + "\n")
    program.chmod(0o755)
    case = Case("rules", 1, 0, folder / "case", program, folder)
    mine = case.folder / "mine.txt"
    mine.write_text("mine")
    case.firn(mine)
    return case.faults


def main():
    harness.LONGEST, harness.LONGEST_WAITING, harness.STOPS_WITHIN = 1, 1.5, 0.5
    missed = 0
    with ProcessPoolExecutor(5) as side_by_side:  # the slow ones only wait
        all_faults = list(side_by_side.map(faults_of, (script for script, _ in PROGRAMS.values())))
    for (what, (script, words)), faults in zip(PROGRAMS.items(), all_faults):
        right = not faults if words is None else any(words in fault for fault in faults)
        missed += not right
        print(f"{'ok   ' if right else 'FAIL '} a program that {what}: {faults}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
