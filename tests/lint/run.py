#!/usr/bin/python3
"""Looks at the repository without building it; `make lint`.

    run.py                                       all checks
    run.py --only include_graph file_names       some of them
    run.py --build build --tidy-seconds 40       clang-tidy takes its commands from there, and no longer than this

Every finding is one line, FILE:LINE: what is wrong; the exit code is 1 when there is one. test_lint.py plants a mistake for every check.
"""
import argparse
import sys
import time
from pathlib import Path

import coverage
import docs
import layers
import style
import tidy
from tree import Tree

ROOT = Path(__file__).resolve().parents[2]

CHECKS = {
    "clang_format": style.clang_format,
    "include_graph": layers.include_graph,
    "include_cycles": layers.include_cycles,
    "header_users": layers.header_users,
    "lengths": style.lengths,
    "machine_paths": style.machine_paths,
    "file_names": docs.file_names,
    "file_names_in_sources": docs.file_names_in_sources,
    "links": docs.links,
    "scene_keys": docs.scene_keys,
    "commands": docs.commands,
    "make_targets": docs.make_targets,
    "man_page": docs.man_page,
    "coverage": coverage.coverage,
    "clang_tidy": None,  # last: it takes what time there is
}


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--tidy-seconds", type=float, default=40)
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS), metavar="CHECK")
    return parser.parse_args()


def main():
    options = read_options()
    tree, begin, count = Tree(ROOT), time.monotonic(), 0
    for name in options.only:
        check = CHECKS[name] or (lambda tree: tidy.clang_tidy(tree, options.build, options.tidy_seconds))
        for finding in check(tree):
            print(f"{finding} [{name}]")
            count += 1
    print(f"lint: {count or 'no'} finding{'' if count == 1 else 's'} in {len(tree.files)} files, {time.monotonic() - begin:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
