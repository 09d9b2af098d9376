"""What may include what: the layers of src/, include cycles, and headers that earn their file."""
import re
from collections import defaultdict
from pathlib import PurePosixPath

from tree import Finding

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
LAYER_CALL = re.compile(r"\bfirn_layer\(\s*(\w+)([^()]*)\)")
LINK_CALL = re.compile(r"\btarget_link_libraries\(\s*firn_(\w+)([^()]*)\)")
KEYWORDS = ("SOURCES", "LINKS", "FOLDER")
OWN_HEADER_REASON = "apart because"  # in the first line of a header with a single user


class Layer:
    def __init__(self, name, folder, sources, links):
        self.name, self.folder, self.sources, self.links = name, folder, sources, set(links)


def _without_comments(text):
    return re.sub(r"#.*", "", text)


def _arguments(words):
    """{keyword: its words} of a firn_layer call."""
    result, key = defaultdict(list), None
    for word in words:
        if word in KEYWORDS:
            key = word
        elif key:
            result[key].append(word)
    return result


def _layer_folder(tree, name, here, arguments):
    """The folder of a layer that is declared in the folder `here`; None when there is none."""
    if arguments["FOLDER"]:
        return f"src/{arguments['FOLDER'][0]}"
    if here != "src":
        return here
    tops = {"src/" + source.split("/")[0] for source in arguments["SOURCES"] if "/" in source and not source.startswith("$")}
    choices = [f"src/{name}", f"src/{name.replace('_', '/')}", *(tops if len(tops) == 1 else ())]
    return next((folder for folder in choices if folder in tree.folders), None)


def _source_paths(tree, here, folder, sources):
    """Sources are named from the folder of the CMakeLists.txt, or from the layer's own."""
    paths = {(PurePosixPath(base) / source).as_posix() for source in sources for base in (here, folder)}
    return paths & set(tree.files)


def read_layers(tree):
    """({name: Layer}, findings)"""
    layers, findings = {}, []
    for file in tree.under(["src"], ["CMakeLists.txt"]):
        here, text = PurePosixPath(file).parent.as_posix(), _without_comments(tree.text(file))
        for call in LAYER_CALL.finditer(text):
            name, arguments = call[1], _arguments(call[2].split())
            folder = _layer_folder(tree, name, here, arguments)
            if folder is None:
                findings.append(Finding(file, text[:call.start()].count("\n") + 1, f"layer {name} has no folder in src/"))
                continue
            links = [word.removeprefix("firn_") for word in arguments["LINKS"] if word.startswith("firn_")]
            layers[name] = Layer(name, folder, _source_paths(tree, here, folder, arguments["SOURCES"]), links)
    for file in tree.under(["src"], ["CMakeLists.txt"]):
        for name, words in LINK_CALL.findall(_without_comments(tree.text(file))):
            if name in layers:
                layers[name].links |= {word.removeprefix("firn_") for word in words.split() if word.startswith("firn_")}
    return layers, findings


def _reach(layers, name):
    """The layer and all that it links, directly or through others."""
    seen, ahead = set(), [name]
    while ahead:
        one = ahead.pop()
        if one in layers and one not in seen:
            seen.add(one)
            ahead.extend(layers[one].links)
    return seen


def _layers_of(layers, file):
    """The layer of a file; several for a header in a folder that has several layers and no source of the header's name."""
    folders = {layer.folder for layer in layers.values() if file.startswith(layer.folder + "/")}
    folder = max(folders, key=len, default=None)
    there = [layer for layer in layers.values() if layer.folder == folder]
    source = re.sub(r"\.\w+$", ".cpp", file)
    return [layer for layer in there if source in layer.sources] or there


def _resolve(tree, file, include):
    """The file that an #include "…" means, or None."""
    beside = (PurePosixPath(file).parent / include).as_posix()
    return next((path for path in (beside, f"src/{include}", f"include/{include}", f"apps/{include}") if path in tree.files), None)


def includes(tree):
    """(file, line, what it names, the file that is or None) of every include with quotes in src/, apps/ and include/."""
    for file in tree.under(["src", "apps", "include"], [".h", ".cpp", ".cu", ".in"]):
        for number, line in tree.lines(file):
            if found := INCLUDE.match(line):
                yield file, number, found[1], _resolve(tree, file, found[1])


def _refusal(layers, file, target):
    """Why the file may not include the target; None when it may."""
    if target is None:
        return "no such header in the repository"
    if target.startswith("include/"):
        return None
    if file.startswith("include/"):
        return "public headers include public headers only"
    if file.startswith("apps/"):
        return None if target.startswith("apps/") else "apps/ includes include/firn and its own files only"
    if not target.startswith("src/"):
        return "src/ includes include/firn and src/ only"
    own_layers, target_layers = _layers_of(layers, file), _layers_of(layers, target)
    if not own_layers:
        return "the file is in no layer"
    folders = {layer.folder for layer in own_layers}
    reach = {name for layer in own_layers for name in _reach(layers, layer.name)}
    if any(layer.folder in folders or layer.name in reach for layer in target_layers):
        return None
    return f"layer {'/'.join(layer.name for layer in own_layers)} does not link the layer of {target}"


def include_graph(tree):
    layers, findings = read_layers(tree)
    yield from findings
    for file, number, named, target in includes(tree):
        if reason := _refusal(layers, file, target):
            yield Finding(file, number, f'#include "{named}": {reason}')


def include_cycles(tree):
    edges = defaultdict(list)
    for file, number, _, target in includes(tree):
        if target and file.endswith(".h"):
            edges[file].append((target, number))
    done = set()
    for start in sorted(edges):
        yield from _cycles_from(start, edges, done, [])


def _cycles_from(file, edges, done, way):
    if file in done:
        return
    for target, number in edges.get(file, ()):
        if target in (ring := [*way, file]):
            yield Finding(file, number, "include cycle: " + " -> ".join([*ring[ring.index(target):], target]))
        else:
            yield from _cycles_from(target, edges, done, ring)
    done.add(file)


def _is_own_source(header, file):
    """ply.cpp, ply_read.cpp and the like beside ply.h."""
    stem = header.removesuffix(".h")
    return file.endswith(".cpp") and re.fullmatch(re.escape(stem) + r"(_\w+)?\.cpp", file) is not None


def header_users(tree):
    users = defaultdict(set)
    for file, _, _, target in includes(tree):
        if target and not _is_own_source(target, file):
            users[target].add(file)
    for header in tree.under(["src"], [".h"]):
        first_line = tree.text(header).partition("\n")[0]
        if len(users[header]) < 2 and OWN_HEADER_REASON not in first_line.lower():
            only = "".join(users[header]) or "nobody"
            yield Finding(header, 1, f'used by {only} alone: merge it, or say "{OWN_HEADER_REASON} …" in its first line')
