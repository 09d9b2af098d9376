#!/usr/bin/env python3
"""Reads a classic .bgeo (version 5) by the format's description alone and prints what is in it as JSON.

    read_bgeo.py FILE

{"points": N, "attributes": {NAME: {"type", "size", "sum", "min", "max"}}}, numbers per component; P is the position.
"""
import json
import struct
import sys

TYPES = {0: "float", 1: "int", 4: "index", 5: "vector"}


class Reader:
    """Big-endian values one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        values = struct.unpack_from(">" + layout, self.data, self.at)
        self.at += struct.calcsize(">" + layout)
        return values

    def text(self):
        (length,) = self.take("h")
        if length == -1:
            (length,) = self.take("i")
        return self.take(f"{length}s")[0].decode()


def read_definition(reader):
    name = reader.text()
    size, kind = reader.take("Hi")
    if kind not in TYPES:
        sys.exit(f"attribute {name} is of type {kind}")
    if TYPES[kind] == "index":
        (strings,) = reader.take("i")
        for _ in range(strings):
            reader.text()
    else:
        reader.take(f"{size}i")  # defaults
    return name, size, TYPES[kind]


def summary(kind, size, rows):
    columns = list(zip(*rows)) or [()] * size
    return {
        "type": kind,
        "size": size,
        "sum": [sum(c) for c in columns],
        "min": [min(c, default=None) for c in columns],
        "max": [max(c, default=None) for c in columns],
    }


def main():
    with open(sys.argv[1], "rb") as file:
        reader = Reader(file.read())
    magic, letter, version = reader.take("4s1si")
    if (magic, letter, version) != (b"Bgeo", b"V", 5):
        sys.exit("not a classic .bgeo of version 5")
    points, primitives, _, _, point_attributes, _, _, detail_attributes = reader.take("8i")
    definitions = [("P", 3, "vector"), ("w", 1, "float")]
    definitions += [read_definition(reader) for _ in range(point_attributes)]
    layout = "".join(f"{size}{'i' if kind in ('int', 'index') else 'f'}" for _, size, kind in definitions)
    rows = [reader.take(layout) for _ in range(points)]

    attributes, first = {}, 0
    for name, size, kind in definitions:
        attributes[name] = summary(kind, size, [row[first : first + size] for row in rows])
        first += size
    weights = attributes.pop("w")
    if points and (weights["min"], weights["max"]) != ([1.0], [1.0]):
        sys.exit("a weight that is not 1")
    if primitives == 0 and detail_attributes == 0 and reader.data[reader.at :] != b"\x00\xff":
        sys.exit("the file does not end behind its points")
    print(json.dumps({"points": points, "attributes": attributes}))


main()
