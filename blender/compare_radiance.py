"""Renders the same snow in the same light with firn and with Cycles, and compares the mean radiance:

    blender --background --factory-startup --python blender/compare_radiance.py -- --firn build/firn
    blender --background --factory-startup --python blender/compare_radiance.py -- --firn build/firn FRAME.ply --cases thin

Both get the density that `firn render --volume` writes, without bodies. Exit code 1 when a mean differs by more than 5 %.
docs/theory.md, "Pictures: light in snow", has the numbers.
"""
import argparse
import json
import math
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).resolve().parent))
import daylight
import snow_material
import stage
from read_exr import read_exr

ALLOWED = 0.05                      # of a mean radiance
VIEW_FROM = Vector((1, 0.75, 1.25))  # y up, as all that firn is told
TO_SUN = Vector((1, 0.8, -0.2))     # from the side: lit and shaded snow in one picture
FOV = 24.0                          # degrees
FILLED = 0.8                        # of the picture's height, by a ball about the snow
MOSTLY = 0.5                        # of a pixel's samples
MOST_BOUNCES = 1024                 # Cycles allows no more
MOST_STEPS = 65536                  # likewise
HALF_A_VOXEL = 0.5                  # by which Cycles (of Blender 3.4) shows a volume too far along each axis of its grid
CHANNELS = "RGB"
BALL = """[simulation]
spacing = 0.005
frames = 1

[[snow]]
shape = "sphere"
center = [0.3, 0.2, -0.1]
radius = 0.04
"""


class Problem(Exception):
    """In one line."""


@dataclass(frozen=True)
class Case:
    sun: float = 1.0
    sky: float = 1.0
    extinction: float = snow_material.EXTINCTION
    albedo: tuple = snow_material.SINGLE_SCATTERING_ALBEDO
    anisotropy: float = snow_material.ANISOTROPY


CASES = {
    "sky": Case(sun=0.0),
    "sun": Case(sky=0.0),
    "both": Case(),
    "thin": Case(extinction=60.0),
    "even": Case(albedo=(0.5, 0.8, 0.98), anisotropy=0.0),
    "forward": Case(albedo=(0.7, 0.99, 0.9), anisotropy=0.8),
}


def arguments():
    parser = argparse.ArgumentParser(prog="blender --background --python compare_radiance.py --",
                                     description="firn's light in snow beside that of Cycles")
    parser.add_argument("frame", nargs="?", type=Path, help="a frame with masses; default: a ball of 8 cm")
    parser.add_argument("--firn", type=Path, required=True, help="the program")
    parser.add_argument("--folder", type=Path, default=Path("out/compare_radiance"), help="where to write; default: %(default)s")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="default: all")
    parser.add_argument("--size", type=int, default=48, help="of the pictures, pixels; default: %(default)s")
    parser.add_argument("--spp", type=int, default=512, help="of firn, per pixel; default: %(default)s")
    parser.add_argument("--samples", type=int, default=128, help="of Cycles, per pixel; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="of the samples of both; default: %(default)s")
    parser.add_argument("--step", type=float, default=0.25, help="of Cycles, in voxels; default: %(default)s")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])


def run_firn(options, *command):
    done = subprocess.run([str(part) for part in (options.firn.resolve(), *command)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(f"firn {command[0]}: {done.stderr.strip()}")
    return done.stdout


def frame_to_compare(options):
    """A copy, so that its scene has no bodies; the ball, unless another one is given."""
    folder = options.folder / "snow"
    folder.mkdir(parents=True, exist_ok=True)
    frame = options.frame
    if frame is None:
        scene = options.folder / "ball.toml"
        scene.write_text(BALL)
        run_firn(options, "run", scene, "-o", options.folder / "ball", "--overwrite")
        frame = options.folder / "ball/frame_0000.ply"
    copy = folder / "frame_0000.ply"
    run_firn(options, "convert", frame, copy, "--overwrite")
    return copy


@dataclass(frozen=True)
class View:
    """y up, metres."""
    position: Vector
    target: Vector


def view_of(options, frame):
    box = json.loads(run_firn(options, "info", frame, "--json"))["box"]
    numbers = [float(number) for number in re.findall(r"[-+.\de]+\d", box)]
    low, high = Vector(numbers[:3]), Vector(numbers[3:6])
    centre, radius = 0.5 * (low + high), 0.5 * max(high - low)
    return View(centre + radius / FILLED / math.tan(math.radians(FOV / 2)) * VIEW_FROM.normalized(), centre)


def firn_picture(options, frame, view, case):
    size = options.size
    keys = {"width": size, "height": size, "position": list(view.position), "target": list(view.target), "fov": FOV, "sun": list(TO_SUN),
            "sun_strength": case.sun, "sky_strength": case.sky, "white_balance": 0, "extinction": case.extinction,
            "albedo": list(case.albedo), "anisotropy": case.anisotropy}
    section = "".join(f"{key} = {value}\n" for key, value in keys.items())
    snow = f"[simulation]\nspacing = 1\nframes = 1\n\n[[snow]]\nshape = \"particles\"\nfile = \"{frame.name}\"\n\n"
    (frame.parent / "scene.toml").write_text(f"{snow}[render]\n{section}")
    run_firn(options, "render", frame, "--quality", "final", "--spp", options.spp, "--seed", options.seed, "--exr", "--volume")
    return read_exr(frame.parent / "render/frame_0000.exr")


def add_camera(view):
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.location = daylight.z_up(view.position)
    camera.rotation_euler = daylight.z_up(view.position - view.target).to_track_quat("Z", "Y").to_euler()
    camera.data.sensor_fit, camera.data.angle = "VERTICAL", math.radians(FOV)
    distance = (view.position - view.target).length
    camera.data.clip_start, camera.data.clip_end = 1e-3 * distance, 1e3 * distance


def add_snow(file, case):
    volume = bpy.data.volumes.new("snow")
    volume.filepath = str(file.resolve())
    volume.render.precision = "FULL"
    volume.materials.append(snow_material.snow_material(case.albedo, case.extinction, case.anisotropy))
    snow = bpy.data.objects.new("snow", volume)
    snow.parent = stage.turned_parent()
    volume.grids.load()
    snow.location = -HALF_A_VOXEL * volume.grids["density"].matrix_object.to_scale()
    bpy.context.scene.collection.objects.link(snow)


def set_up_cycles(options):
    """Nothing that trades truth for less noise."""
    scene, cycles = bpy.context.scene, bpy.context.scene.cycles
    stage.set_up_cycles((options.size, options.size), options.samples)
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = cycles.light_sampling_threshold = 0.0
    cycles.volume_bounces = cycles.max_bounces = MOST_BOUNCES
    cycles.volume_step_rate, cycles.volume_max_steps = options.step, MOST_STEPS
    cycles.seed, cycles.pixel_filter_type = options.seed, "BOX"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.render.image_settings.exr_codec = "ZIP"


def cycles_picture(options, volume, view, case):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    set_up_cycles(options)
    add_camera(view)
    add_snow(volume, case)
    daylight.add_sky(case.sky)
    if case.sun > 0:
        daylight.add_sun(TO_SUN, case.sun)
    file = options.folder / "cycles.exr"
    bpy.context.scene.render.filepath = str(file.resolve())
    bpy.ops.render.render(write_still=True)
    return read_exr(file)


def means(picture, pixels):
    return numpy.array([picture[channel][pixels].mean() for channel in CHANNELS])


def compare(options, name, frame, view):
    """A row for the whole picture and one for the snow; the largest difference."""
    case, begin = CASES[name], time.monotonic()
    ours = firn_picture(options, frame, view, case)
    middle = time.monotonic()
    theirs = cycles_picture(options, frame.parent / "render/frame_0000.vdb", view, case)
    print(f"{name}: firn took {middle - begin:.0f} s, Cycles {time.monotonic() - middle:.0f} s")
    snow = 1 - ours["albedo.R"] > MOSTLY * (1 - case.albedo[0])  # the sky's is 1
    rows, worst = [], 0.0
    for what, pixels in (("picture", numpy.ones_like(snow)), ("snow", snow)):
        a, b = means(ours, pixels), means(theirs, pixels)
        difference = a / b - 1
        worst = max(worst, abs(difference).max())
        rows.append(f"{name:8} {what:8} " + " ".join(f"{x:7.4f} {y:7.4f} {100 * d:+6.2f} %" for x, y, d in zip(a, b, difference)))
    return rows, worst


def main():
    options = arguments()
    try:
        frame = frame_to_compare(options)
        view = view_of(options, frame)
        results = [compare(options, name, frame, view) for name in options.cases]
    except Problem as problem:
        sys.exit(f"error: {problem}")
    print("case     mean of  " + " ".join(f"{channel}: firn  Cycles         " for channel in CHANNELS))
    print("\n".join(row for rows, _ in results for row in rows))
    worst = max(worst for _, worst in results)
    print(f"largest difference {100 * worst:.2f} %, allowed {100 * ALLOWED:g} %")
    sys.exit(1 if worst > ALLOWED else 0)


main()
