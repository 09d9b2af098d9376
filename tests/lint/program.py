"""The verbs and flags of the program, read from the sources of its command line."""
import re

FUNCTION = re.compile(r"^(?:Command|void) (add_\w+)\(CLI::App& \w+[^{;]*\{\n(.*?)^\}", re.M | re.S)
VERB = re.compile(r'add_subcommand\(\s*"(\w+)"')
FLAGS = re.compile(r'"((?:-\w,)?--[a-z][\w-]*(?:,--[a-z][\w-]*)*)"')
CALL = re.compile(r"\b(add_\w+)\(")


class Program:
    """verbs: {name: its flags}; common_flags: those of the program itself."""

    def __init__(self, tree):
        sources = [tree.text(name) for name in tree.under(["apps/firn"], [".cpp", ".h"])]
        bodies = {name: body for text in sources for name, body in FUNCTION.findall(text)}
        self.verbs = {verb: _flags_of(body, bodies) for body in bodies.values() for verb in VERB.findall(body)}
        outside = "".join(FUNCTION.sub("", text) for text in sources)
        self.common_flags = _own_flags(outside) | {"--help"}


def _own_flags(text):
    return {flag for group in FLAGS.findall(text) for flag in group.split(",") if flag.startswith("--")}


def _flags_of(body, bodies):
    """The flags that a function adds, itself and through others."""
    flags = _own_flags(body)
    for name in CALL.findall(body):
        if name in bodies:
            flags |= _flags_of(bodies[name], bodies)
    return flags
