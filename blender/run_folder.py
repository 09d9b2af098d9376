"""The folder of a run: its volume frames and its scene. Plain Python, without Blender."""
import json
import re
from pathlib import Path

DEFAULT_FPS = 24.0
WHOLE_FRAME = re.compile(r"frame_(\d+)\.vdb$")  # frames between frames, frame_0012_1.vdb, have no place in Blender's sequences

# What TOML writes otherwise than JSON, beside texts, which are left as they are: `key =` and a comma behind the last item.
NOT_JSON = re.compile(r'("(?:[^"\\]|\\.)*")|([A-Za-z_][\w-]*)\s*=|,(?=\s*[\]}])')


class RunError(Exception):
    """A mistake that the user can mend, in one line."""


def volume_frames(folder):
    """{number: file} of the volumes, by number."""
    folder = Path(folder)
    if not folder.is_dir():
        raise RunError(f"{folder} is not a folder: give the output folder of a run")
    found = {int(match[1]): file for file in sorted(folder.iterdir()) if (match := WHOLE_FRAME.match(file.name))}
    if not found:
        raise RunError(f"{folder} has no frame_*.vdb: run with --formats vdb, or firn convert '{folder}' '{folder}/*.vdb'")
    missing = sorted(set(range(min(found), max(found) + 1)) - set(found))
    if missing:
        print(f"note: frame {missing[0]} is missing ({len(missing)} in all); Blender shows no snow there")
    return found


def body_triangles(folder):
    """{number of a collider: (points, triangles)} of those that are meshes, height fields, text or compounds, in their own frames."""
    file, found, first, points = Path(folder) / "bodies.obj", {}, 0, None
    if not file.exists():
        return found
    for line in file.read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "o":
            first += len(points) if points is not None else 0
            points, triangles = [], []
            found[int(rest.rpartition("_")[2])] = (points, triangles)
        elif kind == "v":
            points.append(tuple(map(float, rest.split())))
        elif kind == "f":
            triangles.append(tuple(int(corner.partition("/")[0]) - 1 - first for corner in rest.split()))
    return found


def json_of(text):
    def replace(match):
        if match[1]:
            return match[1]
        return f'"{match[2]}":' if match[2] else ""

    return json.loads(NOT_JSON.sub(replace, text))


def assignments(text):
    """The lines of a TOML file as ("[section]", None) and (key, value as text); lists may go over several lines."""
    key, value = None, ""
    for line in text.splitlines():
        if key is None and line.startswith("["):
            yield line.strip(), None
            continue
        if key is None:
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals:
                key = None
                continue
        else:
            value += " " + line.strip()
        if value.count("[") == value.count("]"):
            yield key, value
            key = None


def read_scene(folder):
    """The run's scene.toml, in the form in which firn writes it: {section: {key: value}}, and lists of those for [[section]]."""
    file = Path(folder) / "scene.toml"
    scene, section = {}, {}
    if not file.exists():
        print(f"note: {file} is not there: {DEFAULT_FPS:g} frames a second, no bodies")
        return scene
    for key, value in assignments(file.read_text(encoding="utf-8")):
        if value is not None:
            section[key] = json_of(value)
        elif key.startswith("[["):
            section = {}
            scene.setdefault(key.strip("[]"), []).append(section)
        else:
            section = scene.setdefault(key.strip("[]"), {})
    return scene


def frames_per_second(scene):
    return float(scene.get("simulation", {}).get("fps", DEFAULT_FPS))
