"""clang-tidy on what changed, as far as the time goes. Without its static analyzer, which takes three times as long as all the rest."""
import json
import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import Finding

WARNING = re.compile(r"^(.+?):(\d+):\d+: (?:warning|error): (.*)$", re.M)
INCLUDED = re.compile(r'^#include "(.+)"$', re.M)


def _base(tree):
    """The commit that changes count from: where the branch left origin/main, else the one before this; None when there is none."""
    head = tree.git("rev-parse", "HEAD").strip()
    for arguments in (["merge-base", "HEAD", "origin/main"], ["rev-parse", "--verify", "HEAD~1"]):
        try:
            base = tree.git(*arguments).strip()
        except subprocess.CalledProcessError:
            continue
        if base != head:
            return base
    return None


def changed_files(tree):
    """Files that differ from the base, also those not committed; None when there is nothing to compare with."""
    try:
        base = _base(tree)
    except (subprocess.CalledProcessError, FileNotFoundError):
        return None
    if base is None:
        return None
    differing = tree.git("diff", "--name-only", "-z", base).split("\0")
    untracked = tree.git("ls-files", "-z", "--others", "--exclude-standard").split("\0")
    return sorted({*differing, *untracked} & set(tree.files))


def _commands(build):
    """The build's commands, source by source, also where it compiles several of them at once."""
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        file = Path(entry["directory"], entry["file"])
        if not (file.parent.name == "Unity" and file.is_file()):
            yield entry
            continue
        for source in INCLUDED.findall(file.read_text()):
            yield {**entry, "command": entry["command"].replace(entry["file"], source), "file": source}


def _compiled(tree, build):
    """Sources that the build folder knows how to compile; None when there is no such folder."""
    if not (Path(build) / "compile_commands.json").is_file():
        return None
    files = {Path(entry["directory"], entry["file"]).resolve() for entry in _commands(build)}
    return {file.relative_to(tree.root.resolve()).as_posix() for file in files if file.is_relative_to(tree.root.resolve())}


def _own_database(build):
    """A folder with the build's commands less the precompiled headers, which are GCC's: so every file must include what it uses."""
    folder = Path(build) / "tidy"
    folder.mkdir(exist_ok=True)
    entries = list(_commands(build))
    for entry in entries:
        entry["command"] = re.sub(r" (-Winvalid-pch|-fpch-preprocess|-include \S*cmake_pch\.hxx)(?= )", "", entry["command"])
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


def _check(tree, build, name, end, changed):
    """The findings of one file; None when the time was over."""
    command = ["clang-tidy", "--quiet", "--checks=-clang-analyzer-*", "-p", str(build), str(tree.root.resolve() / name)]
    left = end - time.monotonic()
    if left <= 0:
        return None
    try:
        done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, timeout=left)
    except subprocess.TimeoutExpired:
        return None
    findings = set()
    for path, line, text in WARNING.findall(done.stdout):
        path = Path(tree.root, path).resolve()
        relative = path.relative_to(tree.root.resolve()).as_posix() if path.is_relative_to(tree.root.resolve()) else ""
        if relative in changed:
            findings.add(Finding(relative, int(line), text))
    if done.returncode != 0 and not findings:
        findings.add(Finding(name, 1, "clang-tidy failed: " + " ".join((done.stderr or done.stdout).split())[:300]))
    return findings


def clang_tidy(tree, build, seconds, say=print):
    """The findings in changed files; says what was not looked at."""
    changed, compiled = changed_files(tree), _compiled(tree, build)
    if compiled is None:
        say(f"clang-tidy: skipped, {build}/compile_commands.json is not there (make configure)")
        return []
    if changed is None:
        say("clang-tidy: skipped, there is no earlier commit to compare with")
        return []
    sources = [name for name in changed if name.endswith(".cpp") and name in compiled]
    sources.sort(key=lambda name: -(tree.root / name).stat().st_mtime)  # what somebody is at comes first
    if unknown := [name for name in changed if name.endswith(".cpp") and name not in compiled]:
        say("clang-tidy: not part of the build: " + " ".join(unknown))
    end = time.monotonic() + seconds
    database = _own_database(build)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: _check(tree, database, name, end, set(changed)), sources))
    if late := [name for name, result in zip(sources, results) if result is None]:
        say(f"clang-tidy: not reached within {seconds:g} s: " + " ".join(late))
    return sorted({finding for result in results if result for finding in result})
