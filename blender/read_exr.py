"""The channels of an OpenEXR file: flat, scanlines, ZIP or no compression, halves and floats. Blender opens files of several layers
in its compositor only."""
import struct
import zlib

import numpy

MAGIC = 20000630
TILED_DEEP_OR_PARTS = 0x1A00             # bits of the version that stand for another layout
LINES_OF_BLOCK = {0: 1, 2: 1, 3: 16}     # compression none, ZIPS, ZIP
TYPES = {0: "<u4", 1: "<f2", 2: "<f4"}


def attributes(data):
    """{name: bytes} of the header, and where it ends."""
    magic, version = struct.unpack_from("<iI", data)
    if magic != MAGIC or version & TILED_DEEP_OR_PARTS:
        raise ValueError("not a flat OpenEXR file of scanlines")
    found, at = {}, 8
    while data[at]:
        name_end = data.index(b"\0", at)
        value = data.index(b"\0", name_end + 1) + 5  # behind the name of the type and the size
        (size,) = struct.unpack_from("<i", data, value - 4)
        found[data[at:name_end].decode()] = data[value:value + size]
        at = value + size
    return found, at + 1


def channels_of(data):
    """(name, type) in the order of the file."""
    found, at = [], 0
    while data[at]:
        end = data.index(b"\0", at)
        (kind,) = struct.unpack_from("<i", data, end + 1)
        found.append((data[at:end].decode(), numpy.dtype(TYPES[kind])))
        at = end + 17
    return found


def unpacked(data, size):
    """ZIP: differences of bytes, those at even places first."""
    if len(data) == size:  # what would not get smaller is left as it is
        return data
    steps = numpy.frombuffer(zlib.decompress(data), numpy.uint8).astype(numpy.int64)
    steps[1:] -= 128
    sums = (numpy.cumsum(steps) & 255).astype(numpy.uint8)
    mixed = numpy.empty_like(sums)
    half = (size + 1) // 2
    mixed[0::2], mixed[1::2] = sums[:half], sums[half:]
    return mixed.tobytes()


def read_exr(file):
    """{channel: rows of numbers, from the top}."""
    data = file.read_bytes()
    header, at = attributes(data)
    x0, y0, x1, y1 = struct.unpack("<4i", header["dataWindow"])
    width, height, lines = x1 - x0 + 1, y1 - y0 + 1, LINES_OF_BLOCK[header["compression"][0]]
    channels = channels_of(header["channels"])
    planes = {name: numpy.empty((height, width), numpy.float64) for name, _ in channels}
    line_size = width * sum(kind.itemsize for _, kind in channels)
    for (place,) in struct.iter_unpack("<Q", data[at:at + 8 * -(-height // lines)]):
        first, packed_size = struct.unpack_from("<2i", data, place)
        rows = range(first - y0, min(first - y0 + lines, height))
        block = unpacked(data[place + 8:place + 8 + packed_size], line_size * len(rows))
        offset = 0
        for row in rows:
            for name, kind in channels:
                planes[name][row] = numpy.frombuffer(block, kind, width, offset)
                offset += width * kind.itemsize
    return planes
