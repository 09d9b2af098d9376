"""Opens the volumes of a run in Blender, ready to render with Cycles:

    blender --python blender/import_run.py -- out/snowball_drop
    blender --background --python blender/import_run.py -- out/snowball_drop --save snow.blend --render snow.png --frame 8

Scene frame N is frame N of the run, a unit is a metre, and z is up. docs/formats.md, "Blender", has the details.
"""
import argparse
import json
import math
import sys
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bodies
import check
import snow_material
import stage
from run_folder import RunError, body_triangles, frames_per_second, read_scene, volume_frames

FRAMES_LOOKED_AT = 24     # for the camera: the ends and some between
THINNEST_SNOW = 1.0       # kg/m³: less is spray
GROUND_EXTENT = 50        # half the width of planes, over the size of the snow


def size_of(text):
    width, _, height = text.partition("x")
    return int(width), int(height)


def arguments():
    parser = argparse.ArgumentParser(prog="blender --python import_run.py --", description="opens the volumes of a run of firn")
    parser.add_argument("folder", help="output folder of a run with frame_*.vdb")
    parser.add_argument("--save", metavar="FILE", help="write a .blend")
    parser.add_argument("--render", metavar="FILE", help="write a picture (.png) of one frame")
    parser.add_argument("--frame", type=int, metavar="N", help="the frame to show; default: the last")
    parser.add_argument("--size", type=size_of, default=(1280, 720), metavar="WxH", help="of pictures; default: 1280x720")
    parser.add_argument("--samples", type=int, default=128, help="of Cycles, per pixel; default: 128")
    parser.add_argument("--check", action="store_true", help="print what Blender found in the frames, as JSON")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])


def clear_scene():
    """What Blender starts with: a cube, a lamp, a camera."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item, do_unlink=True)


def set_up_time(frames, fps):
    scene = bpy.context.scene
    scene.render.fps = max(1, math.ceil(fps))       # a whole number, and a divisor for rates like 23.976
    scene.render.fps_base = scene.render.fps / fps
    scene.frame_start, scene.frame_end = min(frames), max(frames)
    scene.unit_settings.system = "METRIC"
    scene.unit_settings.scale_length = 1.0


def add_snow(frames):
    """The volume sequence and its parent, which turns it."""
    turned = stage.turned_parent()
    first = min(frames)
    volume = bpy.data.volumes.new("snow")
    volume.filepath = str(frames[first].resolve())
    volume.is_sequence = True
    volume.frame_duration = max(frames) - first + 1
    volume.frame_start, volume.frame_offset = first, first - 1   # scene frame N shows file N
    volume.velocity_unit = "SECOND"                              # of the grid `velocity`: for motion blur
    volume.materials.append(snow_material.snow_material())
    snow = bpy.data.objects.new("snow", volume)
    snow.parent = turned
    bpy.context.scene.collection.objects.link(snow)
    return snow, turned


class SnowSurface:
    """Where the snow is, in the world: Blender's own box of a volume is that of its leaves, up to seven voxels wider on every side."""

    def __init__(self, snow):
        self.item = bpy.data.objects.new("surface of snow", bpy.data.meshes.new("surface of snow"))
        bpy.context.scene.collection.objects.link(self.item)
        surface = self.item.modifiers.new("surface", "VOLUME_TO_MESH")
        surface.object, surface.grid_name, surface.threshold = snow, "density", THINNEST_SNOW

    def points(self, frame):
        bpy.context.scene.frame_set(frame)
        evaluated = self.item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return [vertex.co.copy() for vertex in evaluated.data.vertices]

    def remove(self):
        bpy.data.meshes.remove(self.item.data)


def box_of(points):
    return [Vector(map(limit, zip(*points))) for limit in (min, max)]


def corners_of(low, high):
    return [Vector((x, y, z)) for x in (low.x, high.x) for y in (low.y, high.y) for z in (low.z, high.z)]


def import_run(options):
    frames = volume_frames(options.folder)
    scene = read_scene(options.folder)
    fps = frames_per_second(scene)
    shown_frame = max(frames) if options.frame is None else options.frame
    if shown_frame not in frames:
        raise RunError(f"{options.folder} has no volume of frame {shown_frame}; it has {min(frames)} to {max(frames)}")
    clear_scene()
    set_up_time(frames, fps)
    stage.set_up_cycles(options.size, options.samples)
    snow, turned = add_snow(frames)
    numbers = sorted(frames)
    looked_at = sorted({numbers[round(k * (len(numbers) - 1) / FRAMES_LOOKED_AT)] for k in range(FRAMES_LOOKED_AT + 1)})
    surface = SnowSurface(snow)
    boxes = [box_of(points) for frame in looked_at if (points := surface.points(frame))]
    surface.remove()
    if not boxes:
        raise RunError(f"{options.folder} has no snow in its volumes")
    low, high = box_of([corner for box in boxes for corner in box])
    camera = stage.add_camera(corners_of(low, high), scene.get("simulation", {}).get("dimension") == 2)
    shown = bodies.add_bodies(scene.get("collider", []), body_triangles(options.folder), turned, numbers, fps,
                              GROUND_EXTENT * (high - low).length)
    bpy.context.view_layer.update()
    bodies.hide_planes_before(turned.matrix_world.inverted() @ camera.location, shown)
    stage.add_light()
    bpy.context.scene.frame_set(shown_frame)
    return snow, frames


def check_run(snow, frames):
    """What Blender finds in every frame, and what Cycles does in the last."""
    module, surface, found = check.openvdb(), SnowSurface(snow), []
    for number, file in sorted(frames.items()):
        points = surface.points(number)
        found.append(check.frame_report(snow, number, box_of(points) if points else None))
        found[-1]["mass"] = check.mass_of(file, module) if module else None
    surface.remove()
    leaves = [snow.matrix_world @ Vector(corner) for corner in snow.evaluated_get(bpy.context.evaluated_depsgraph_get()).bound_box]
    return {"frames": found, "mass_seen_by_cycles": check.mass_seen_by_cycles(snow, *box_of(leaves))}


def main():
    options = arguments()
    try:
        snow, frames = import_run(options)
    except RunError as error:
        sys.exit(f"error: {error}")
    if options.check:
        print(json.dumps(check_run(snow, frames)))
    if options.save:
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(options.save).resolve()))
    if options.render:
        bpy.context.scene.render.filepath = str(Path(options.render).resolve())
        bpy.ops.render.render(write_still=True)


main()
