"""How files look: clang-format, their length and width, and paths that exist on one machine only."""
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import Finding

CODE_FOLDERS = ("src", "apps", "include", "tests", "benchmarks")
CODE_ENDINGS = (".h", ".cpp", ".cu")
WIDE_ENDINGS = CODE_ENDINGS + (".in", ".py", ".mjs", ".cmake", "CMakeLists.txt")
LONGEST_FILE = 400
WIDEST_LINE = 140

# Spelt so that they do not find themselves.
MACHINE_PATH = re.compile(r"(?<![\w.~*)}-])/(?:hom[e]|roo[t]|wor[k]|User[s])/[\w.]+")
TEMPORARY_PATH = re.compile(r"(?<![\w.~*)}-])/tm[p]/[\w.]+")
# Loopback addresses are those of every machine.
PRIVATE_HOST = re.compile(r"https?://(?!localhost\b|127\.)(?:10\.|192\.168\.|[\w.-]+\.(?:internal|local|corp|lan)\b|[\w.-]+:\d)")


def clang_format(tree):
    names = tree.under(CODE_FOLDERS, CODE_ENDINGS)
    chunks = [names[i::16] for i in range(16)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [finding for found in pool.map(lambda chunk: _format_findings(tree, chunk), chunks) for finding in found]


def _format_findings(tree, names):
    if not names:
        return
    command = ["clang-format", "--dry-run", "--fno-color-diagnostics", *names]
    done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
    places = {}
    for name, line in re.findall(r"^(.+?):(\d+):\d+: warning: .*-Wclang-format-violations", done.stderr, re.M):
        places.setdefault(name, []).append(int(line))
    for name, lines in places.items():
        yield Finding(name, lines[0], f"not as clang-format writes it ({len(lines)}x; clang-format -i)")
    if done.returncode != 0 and not places:
        yield Finding(names[0], 1, "clang-format failed: " + done.stderr.strip().replace("\n", " "))


def lengths(tree):
    for name in tree.files:
        if name.startswith("src/"):
            count = len(tree.text(name).splitlines())
            if count > LONGEST_FILE:
                yield Finding(name, LONGEST_FILE + 1, f"{count} lines: files in src/ have at most {LONGEST_FILE}")
        if name.endswith(WIDE_ENDINGS):
            for number, line in tree.lines(name):
                if len(line) > WIDEST_LINE:
                    yield Finding(name, number, f"{len(line)} columns: lines have at most {WIDEST_LINE}")


def machine_paths(tree):
    for name in tree.files:
        if tree.is_binary(name):
            continue
        for number, line in tree.lines(name):
            for what, pattern in (("a path of one machine", MACHINE_PATH), ("a private host", PRIVATE_HOST)):
                if found := pattern.search(line):
                    yield Finding(name, number, f"{what}: {found[0]}")
            if not name.startswith("tests/") and (found := TEMPORARY_PATH.search(line)):
                yield Finding(name, number, f"a path of one machine: {found[0]}")
