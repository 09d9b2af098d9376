"""Do the documents say what is there? Files, links, keys of scenes, commands, flags and targets."""
import fnmatch
import posixpath
import re

from markdown import SPAN, Page
from program import Program
from tree import Finding

# Files of these kinds are the repository's wherever they are named; others may be a user's own.
OWN_KINDS = (".h", ".cpp", ".cu", ".in", ".py", ".mjs", ".cmake", ".md", ".*", "CMakeLists.txt", "Makefile")
MADE_FOLDERS = ("out", "build")  # by running or building
PATH_WORD = re.compile(r"[\w./*{},+-]+")
SCHEMA_KEY = re.compile(r'\b\w+\.(?:field|instead)\(\s*(?:required\()?\s*"(\w+)"')
TOML_KEY = re.compile(r"(?:^|[{,])\s*([A-Za-z_]\w*)\s*=(?!=)")


def pages(tree):
    return [Page(name, tree.text(name)) for name in tree.files if name.endswith(".md") and not name.startswith("tests/")]


def _expand_braces(word):
    """fit.{h,cpp} is fit.h and fit.cpp."""
    if not (found := re.match(r"(.*?)\{([^{}]*)\}(.*)", word)):
        return [word]
    return [whole for choice in found[2].split(",") for whole in _expand_braces(found[1] + choice + found[3])]


def _exists(tree, word):
    """As a file or folder, or as the end of the path of one."""
    word = word.rstrip("/")
    return any(fnmatch.fnmatchcase(path, pattern) for paths in (tree.files, tree.folders) for path in paths
               for pattern in (word, "*/" + word))


def _claims_to_exist(tree, word):
    if not PATH_WORD.fullmatch(word) or not re.search(r"[a-z]", word) or word.startswith(("/", ".", "-", "*")):
        return False
    first, slash, rest = word.partition("/")
    if first in MADE_FOLDERS or first.isupper():
        return False
    if word.endswith((*OWN_KINDS, "/")) or (slash and first in tree.folders):
        return True
    is_source_folder = f"src/{first}" in tree.folders or f"tests/{first}" in tree.folders
    return bool(slash) and is_source_folder and "." not in rest


def _named_files(page):
    """(line, word) of all that may be a file."""
    for number, code in page.spans():
        for word in code.split():
            yield number, word.rstrip(".,;:")
    for block in page.blocks:
        if block.language in ("sh", "bash"):
            for number, line in block.lines:
                yield from ((number, word.rstrip(".,;:")) for word in line.split() if "/" in word)


def file_names(tree):
    for page in pages(tree):
        for number, word in _named_files(page):
            for one in _expand_braces(word):
                if _claims_to_exist(tree, one) and not _exists(tree, one):
                    yield Finding(page.name, number, f"no such file or folder: {one}")


def file_names_in_sources(tree):
    """Whole paths that comments, scripts and build files name, and sources that comments of C++ name by any part of their path."""
    path = re.compile(r"(?<![\w./{}$-])(?:src|include|apps|docs|tests|benchmarks|blender|paraview)/[\w/.-]+\.(?:h|cpp|cu|py|md)\b")
    in_comment = re.compile(r"(?<![\w./{}$<-])\w[\w/]*\.(?:h|cpp|cu)\b")
    for name in tree.files:
        if name.endswith((".h", ".cpp", ".cu", ".py", ".cmake", "CMakeLists.txt", "Makefile")) and not name.startswith("tests/lint/"):
            for number, line in tree.lines(name):
                comment = line.partition("// ")[2] if name.endswith((".h", ".cpp", ".cu")) else ""
                for word in dict.fromkeys(path.findall(line) + in_comment.findall(comment)):
                    if not _exists(tree, word):
                        yield Finding(name, number, f"no such file: {word}")


def links(tree):
    anchors = {page.name: page.anchors() for page in pages(tree)}
    for page in pages(tree):
        for number, target in page.links():
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page.name), path)) if path else page.name
            if file not in tree.files and file not in tree.folders:
                yield Finding(page.name, number, f"link to a file that is not there: {target}")
            elif anchor and anchor not in anchors.get(file, ()):
                yield Finding(page.name, number, f"link to a heading that is not there: {target}")


def schema_keys(tree):
    """{key: (file, line)} of all keys that the program knows."""
    keys = {}
    for file in tree.under(["src"], [".h", ".cpp"]):
        for number, line in tree.lines(file):
            for key in SCHEMA_KEY.findall(line):
                keys.setdefault(key, (file, number))
    return keys


def _keys_of_tables(page):
    """(line, key): the first column of tables of keys, and the column "keys" of the table of shapes."""
    rows = page.rows()
    shapes = {name for row in rows if row.header[1:2] == ["keys"] for name in SPAN.findall(row.cells[0])}
    for row in rows:
        if row.header[0].startswith("key"):
            yield from ((row.line, key) for key in SPAN.findall(row.cells[0]))
        elif row.header[1:2] == ["keys"]:
            yield from ((row.line, key) for key in SPAN.findall(row.cells[1]) if key not in shapes)


def _keys_of_examples(page):
    for block in page.blocks:
        if block.language == "toml":
            for number, line in block.lines:
                plain = re.sub(r'"[^"]*"', '""', line).partition("#")[0]
                yield from ((number, key) for key in TOML_KEY.findall(plain))


def _sections(tree):
    """The names that stand for whole sections, as the headings of docs/scenes.md have them."""
    text = tree.text("docs/scenes.md")
    return set(re.findall(r"^#+ `\[+(\w+)", text, re.M))


def scene_keys(tree):
    if "docs/scenes.md" not in tree.files:
        return
    known, sections = schema_keys(tree), _sections(tree)
    documented = set()
    for page in pages(tree):
        in_tables = list(_keys_of_tables(page)) if page.name == "docs/scenes.md" else []
        documented |= {key for _, key in in_tables}
        for number, key in in_tables + [(n, k) for n, k in _keys_of_examples(page) if k not in sections]:
            if key not in known:
                yield Finding(page.name, number, f"the program knows no key '{key}'")
    in_text = {code for _, code in Page("", tree.text("docs/scenes.md")).spans()}
    for key, (file, number) in known.items():
        if key not in documented | in_text:
            yield Finding(file, number, f"key '{key}' is not in docs/scenes.md")


def _program_commands(page):
    """(line, words after the program's name) of calls of firn."""
    for number, words in page.commands():
        if words[0] == "firn" or words[0].endswith("/firn"):
            yield number, words[1:]
    for row in page.rows():  # flags that a table tells of a command
        if (spans := SPAN.findall(row.cells[0])) and spans[0].startswith("firn "):
            flags = [code.split()[0] for cell in row.cells[1:] for code in SPAN.findall(cell) if code.startswith("--")]
            yield row.line, spans[0].split()[1:2] + flags


def commands(tree):
    program = Program(tree)
    for page in pages(tree):
        for number, words in _program_commands(page):
            verb = words[0] if words else ""
            if re.fullmatch(r"[a-z]\w*", verb) and verb not in program.verbs:
                yield Finding(page.name, number, f"firn has no command '{verb}'")
                continue
            known = program.verbs.get(verb, program.common_flags)
            for flag in (word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)):
                if flag not in known and flag not in program.common_flags:
                    yield Finding(page.name, number, f"firn {verb} has no flag {flag}".replace("  ", " "))


def make_targets(tree):
    if "Makefile" not in tree.files:
        return
    targets = set(re.findall(r"^([a-z][\w-]*):(?!=)", tree.text("Makefile"), re.M))
    for page in pages(tree):
        for number, words in page.commands():
            if words[0] != "make":
                continue
            for word in words[1:]:
                if re.fullmatch(r"[a-z][\w-]*", word) and word not in targets:
                    yield Finding(page.name, number, f"the Makefile has no target '{word}'")


MAN_PAGE = "man/firn.1"


def _man_sections(tree):
    """{verb: {flag: line}} of the man page; "" stands for what is outside of the verbs' sections."""
    sections, verb = {"": {}}, ""
    for number, line in tree.lines(MAN_PAGE):
        plain = line.replace("\\-", "-")
        if heading := re.match(r'\.S[SH] "?(?:firn (\w+))?', plain):
            verb = heading[1] or ""
            sections.setdefault(verb, {})
        if not plain.startswith('.\\"') and (verb or plain.startswith(".B")):
            for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", plain):
                sections[verb].setdefault(flag, number)
    return sections


def man_page(tree):
    """Every verb with exactly its flags."""
    if MAN_PAGE not in tree.files:
        return
    program, sections = Program(tree), _man_sections(tree)
    for verb, flags in program.verbs.items():
        if verb not in sections:
            yield Finding(MAN_PAGE, 1, f"no section 'firn {verb}'")
            continue
        for flag in sorted(flags - set(sections[verb])):
            yield Finding(MAN_PAGE, 1, f"flag {flag} is not in the section 'firn {verb}'")
        for flag in sorted(set(sections[verb]) - flags - program.common_flags):
            yield Finding(MAN_PAGE, sections[verb][flag], f"firn {verb} has no flag {flag}")
    for verb in set(sections) - set(program.verbs) - {""}:
        yield Finding(MAN_PAGE, 1, f"firn has no command '{verb}'")
