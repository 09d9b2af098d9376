"""The parts of a Markdown file that checks look at: code in the text, fenced blocks, links, headings, tables."""
import re
from typing import NamedTuple

FENCE = re.compile(r"^\s*```(\w*)")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s]+)\)")


class Block(NamedTuple):
    language: str
    lines: list  # (number, text)


class Row(NamedTuple):
    line: int
    header: list  # cells of the table's first row
    cells: list


class Page:
    def __init__(self, name, text):
        self.name = name
        self.prose, self.blocks = [], []  # prose: (number, line) outside of fences
        block = None
        for number, line in enumerate(text.splitlines(), 1):
            if fence := FENCE.match(line):
                block = None if block else Block(fence[1], [])
                if block:
                    self.blocks.append(block)
            elif block:
                block.lines.append((number, line))
            else:
                self.prose.append((number, line))

    def spans(self):
        """(line, code) of `code` in the text."""
        return [(number, code) for number, line in self.prose for code in SPAN.findall(line)]

    def links(self):
        return [(number, target) for number, line in self.prose for target in LINK.findall(SPAN.sub("", line))]

    def anchors(self):
        """As GitHub makes them of headings."""
        result = set()
        for _, line in self.prose:
            if heading := re.match(r"#{1,6}\s+(.*?)\s*#*$", line):
                title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
                anchor = base = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
                count = 0
                while anchor in result:
                    count += 1
                    anchor = f"{base}-{count}"
                result.add(anchor)
        return result

    def rows(self):
        """The rows of all tables below their headers."""
        header, result = None, []
        for number, line in self.prose:
            if not line.startswith("|"):
                header = None
                continue
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if header is None:
                header = cells
            elif not set("".join(cells)) <= set("-: "):
                result.append(Row(number, header, cells))
        return result

    def commands(self):
        """(line, words of a shell command): from fenced blocks of shell, and from code in the text."""
        for block in self.blocks:
            if block.language in ("sh", "bash", "console"):
                yield from _commands_of_lines(block.lines)
        yield from _commands_of_lines(self.spans())


def _commands_of_lines(lines):
    begun = ""
    for number, line in lines:
        line = begun + re.sub(r"(^|\s)#.*", "", line).strip().removeprefix("$ ")
        if line.endswith("\\"):
            begun = line[:-1]
            continue
        begun = ""
        for command in re.split(r"&&|\|\||[;|]", line):
            if words := command.split():
                yield number, words
