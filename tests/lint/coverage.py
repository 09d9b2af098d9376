"""docs/coverage.md: is there what its tables name, and are its counts right?

What code on the page means is seen by its form alone:

    `castle`                    a gallery scene
    `firn run castle --variant small --set solver.beta=1`
    `firn …`, `make …`, `--set` commands, targets and flags (which of them exist is also checked in all documents)
    `solver.beta`, `solver.kernel = "cubic"`      a key of a section in docs/scenes.md; values in quotes are there, too
    `[window]`, `[[snow]]`      a section
    `Wall`, `Wall.StickyHolds`  a suite of tests, a test
    `src/math/vec.h`            a file or folder by its whole path; `.ptc` is only a kind of file
    (M4)                        a formula of docs/theory.md
"""
import collections
import re

from markdown import LINK, SPAN, Page
from program import Program
from tree import Finding

PAGE, SCENES, THEORY = "docs/coverage.md", "docs/scenes.md", "docs/theory.md"
STATES = ("yes", "partly", "not")
SUMMARY = [*STATES, "left out", "all"]
ID = re.compile(r"\b([A-Z])(\d\d)\b")
FORMULA = re.compile(r"\((M\d+)\)")
TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.M)
KEY = re.compile(r"([a-z]+)\.(\w+)(?:\s*=\s*(.*))?")
SECTION = re.compile(r"\[{1,2}([a-z]+)\]{1,2}")
BODIES = ("snow", "source", "collider", "sink")


def _keys_of_sections(page):
    """{section: its keys} of docs/scenes.md; bodies have those of their shapes as well."""
    section_of, section = {}, None
    for number, line in page.prose:
        if heading := re.match(r"(#+) (?:`\[+(\w+))?", line):
            if heading[2] or len(heading[1]) < 4:  # smaller headings are parts of their section
                section = heading[2]
        section_of[number] = section
    keys, of_shapes = collections.defaultdict(set), set()
    for row in page.rows():
        if row.header[0] == "key" and section_of[row.line]:
            keys[section_of[row.line]] |= set(SPAN.findall(row.cells[0]))
        elif row.header[1:2] == ["keys"]:
            of_shapes |= set(SPAN.findall(row.cells[1]))
    keys.update({section: set() for section in section_of.values() if section and section not in keys})
    for body in BODIES:
        if body in keys:
            keys[body] |= of_shapes | {"shape"}
    return keys


class _Known:
    """All that the page may name."""

    def __init__(self, tree):
        self.tree = tree
        scenes = Page(SCENES, tree.text(SCENES)) if SCENES in tree.files else Page(SCENES, "")
        self.keys = _keys_of_sections(scenes)
        self.values = {word.strip('"') for _, code in scenes.spans() for word in re.findall(r'"[\w-]+"|^\w+$', code)}
        names = {name[len("scenes/"):-len(".toml")]: name for name in tree.files if re.fullmatch(r"scenes/\w+\.toml", name)}
        self.variants = {scene: set(re.findall(r"^\[variants\.(\w+)\]", tree.text(file), re.M)) for scene, file in names.items()}
        tests = [test for name in tree.under(["tests"], [".cpp", ".h"]) for test in TEST.findall(tree.text(name))]
        self.tests = {suite for suite, _ in tests} | {f"{suite}.{name}" for suite, name in tests}
        self.formulas = set(re.findall(r"^\((M\d+)\)", tree.text(THEORY), re.M)) if THEORY in tree.files else set()
        program = Program(tree)
        self.flags = program.common_flags.union(*program.verbs.values())

    def wrong_in(self, code):
        """What is wrong with a piece of code, or None."""
        if code.startswith("firn "):
            return self._wrong_in_command(code.split()[1:])
        if code.startswith("make "):
            return None
        if code.startswith("--"):
            return None if code.split()[0] in self.flags else f"firn has no flag {code}"
        if found := SECTION.fullmatch(code):
            return None if found[1] in self.keys else f"scenes have no section {code}"
        if "/" in code:
            path = code.rstrip("/")
            return None if path in self.tree.files or path in self.tree.folders else f"no such file or folder: {code}"
        if re.fullmatch(r"\.\w+", code):
            return None
        if re.fullmatch(r"[A-Z]\w*(\.\w+)?", code):
            return None if code in self.tests else f"no such test: {code}"
        if found := KEY.fullmatch(code):
            return self._wrong_in_key(found[1], found[2], found[3])
        if re.fullmatch(r"[a-z]\w*", code):
            return None if code in self.variants else f"no such scene: {code}"
        return f"neither a scene, a key, a test, a file nor a command: {code}"

    def _wrong_in_key(self, section, key, value=None):
        if section not in self.keys:
            return f"scenes have no section '{section}'"
        if key not in self.keys[section]:
            return f"section '{section}' has no key '{key}'"
        unknown = [word for word in re.findall(r'"([^"]*)"', value or "") if word not in self.values]
        return f'{SCENES} has no value "{unknown[0]}" for {section}.{key}' if unknown else None

    def _wrong_in_command(self, words):
        if words[0] not in ("run", "check", "scenes", "bench") or len(words) < 2 or not re.fullmatch(r"[a-z]\w*", words[1]):
            return None
        scene = words[1]
        if scene not in self.variants:
            return f"no such scene: {scene}"
        for flag, value in zip(words[2:], words[3:]):
            if flag == "--variant":
                if unknown := [name for name in value.split(",") if name not in self.variants[scene]]:
                    return f"scene {scene} has no variant '{unknown[0]}'"
            elif flag == "--set":
                path = value.partition("=")[0].split(".")
                if wrong := self._wrong_in_key(path[0], path[-1]):
                    return wrong
        return None


def _wrong_in_row(row, known):
    if len(row.cells) != 4:
        return [f"{len(row.cells)} columns instead of 4"]
    state, where = row.cells[2], row.cells[3]
    wrong = [f"{THEORY} has no formula ({label})" for label in FORMULA.findall(where) if label not in known.formulas]
    if state not in STATES:
        wrong.append(f"'{state}' is none of {', '.join(STATES)}")
    elif state == "not" and not re.match(r"not in firn\b|later\b", where):
        wrong.append("what is not there says 'not in firn' or 'later' first")
    elif state != "not" and not (SPAN.search(where) or LINK.search(where) or FORMULA.search(where)):
        wrong.append("names nothing that shows it")
    return wrong


def _ids(page, rows):
    """[(line, letter, number, state)] of the tables' rows and of the line of what is left out."""
    of_rows = [(row.line, *found.groups(), row.cells[2]) for row in rows if len(row.cells) > 2 and (found := ID.fullmatch(row.cells[0]))]
    left_out = [(number, *found, "left out") for number, line in page.prose if line.startswith("Left out:") for found in ID.findall(line)]
    return of_rows + left_out


def _wrong_ids(ids):
    seen = {}
    for line, letter, number, _ in ids:
        if (letter, number) in seen:
            yield line, f"{letter}{number} is there twice"
        seen[letter, number] = line
    for letter in sorted({letter for letter, _ in seen}):
        numbers = {int(number) for other, number in seen if other == letter}
        for missing in sorted(set(range(1, max(numbers) + 1)) - numbers):
            yield 1, f"{letter}{missing:02} is missing"


def _wrong_counts(page, ids):
    counts = collections.Counter()
    for _, letter, _, state in ids:
        for whose in (letter, ""):
            counts.update([(whose, state), (whose, "all")])
    rows = [row for row in page.rows() if row.header[2:] == SUMMARY]
    for letter in sorted({letter for _, letter, _, _ in ids} - {row.cells[1] for row in rows}):
        yield 1, f"the summary has no row of {letter}"
    for row in rows:
        for name, said in zip(SUMMARY, row.cells[2:]):
            if said != str(there := counts[row.cells[1], name]):
                yield row.line, f"{row.cells[0]}, {name}: {said} in the summary, {there} in the tables"


def coverage(tree):
    if PAGE not in tree.files:
        return
    page, known = Page(PAGE, tree.text(PAGE)), _Known(tree)
    yield from (Finding(PAGE, line, wrong) for line, code in page.spans() if (wrong := known.wrong_in(code)))
    rows = [row for row in page.rows() if row.header[0] == "id"]
    for row in rows:
        if not ID.fullmatch(row.cells[0]):
            yield Finding(PAGE, row.line, f"'{row.cells[0]}' is no id")
        yield from (Finding(PAGE, row.line, f"{row.cells[0]}: {wrong}") for wrong in _wrong_in_row(row, known))
    ids = _ids(page, rows)
    for line, wrong in [*_wrong_ids(ids), *_wrong_counts(page, ids)]:
        yield Finding(PAGE, line, wrong)
