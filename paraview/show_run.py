"""Shows the particles of a run in ParaView, with time in seconds:

    pvpython paraview/show_run.py out/snowball_drop --picture snow.png --color jp --frame 8

Without a screen: xvfb-run -a -s -noreset pvpython ... docs/formats.md, "ParaView", has the details.
"""
import argparse
import itertools
import json
import math
import sys
from pathlib import Path

from paraview import simple
from paraview.vtk.util.numpy_support import vtk_to_numpy

PALE_GREY = [0.93, 0.94, 0.96]
INK = [0.13, 0.15, 0.18]
VIEW_FROM = (0.35, 0.42, 1.0)   # y up: the front, from the right and above
ROOM = 1.25                     # about the snow, for the axes and the colour bar
TITLES = {"jp": "J_P: below 1 packed, above 1 loosened", "speed": "speed, m/s", "density": "density, kg/m³"}
# Packed, less so, as it was, loosened, torn: at the least J_P, its root, 1, the root of the greatest, that.
JP_COLOURS = ((0.10, 0.33, 0.66), (0.50, 0.72, 0.90), (0.97, 0.97, 0.95), (0.96, 0.68, 0.40), (0.74, 0.24, 0.16))
# Expressions of ParaView's calculator: what a particle weighs over the volume it has now.
EXPRESSIONS = {"speed": "mag(velocity)", "density": "mass/(volume*je*jp)"}
# The volume: for the spheres' size.
NEEDED = {"jp": ("volume", "jp"), "speed": ("volume", "velocity"), "density": ("volume", "mass", "je", "jp")}
SMALLEST_RANGE = 1e-3           # of colours
OUTLIERS = 0.02                 # the part of the particles that the ends of the colours leave out on either side


def size_of(text):
    width, _, height = text.partition("x")
    return [int(width), int(height)]


def arguments():
    parser = argparse.ArgumentParser(prog="pvpython show_run.py", description="shows the particles of a run of firn")
    parser.add_argument("folder", help="output folder of a run with frames.pvd")
    parser.add_argument("--picture", metavar="FILE", help="write a picture (.png) and end; else a window stays open")
    parser.add_argument("--color", choices=tuple(TITLES), default="jp", help="default: jp")
    parser.add_argument("--frame", type=int, metavar="N", help="the N-th of the frames, from 0; default: the last")
    parser.add_argument("--size", type=size_of, default=[1280, 720], metavar="WxH", help="of the picture; default: 1280x720")
    parser.add_argument("--check", action="store_true", help="print what ParaView found, as JSON, and end")
    return parser.parse_args()


def open_frames(folder):
    file = Path(folder) / "frames.pvd"
    if not file.exists():
        sys.exit(f"error: {folder} has no frames.pvd: run with --formats vtp, or firn convert '{folder}' '{folder}/*.vtp'")
    reader = simple.PVDReader(FileName=str(file.resolve()))
    reader.UpdatePipelineInformation()
    return reader


def arrays_of(source):
    """{name: number of components} of what the particles carry."""
    return {array.Name: array.GetNumberOfComponents() for array in source.PointData}


def report(reader, times):
    frames = []
    for time in times:
        reader.UpdatePipeline(time)
        information = reader.GetDataInformation()
        frames.append({"time": time, "points": information.GetNumberOfPoints(), "bounds": information.GetBounds(),
                       "arrays": arrays_of(reader)})
    return {"frames": frames}


def coloured(reader, color):
    """The particles with the array `color`."""
    missing = [name for name in NEEDED[color] if name not in arrays_of(reader)]
    if missing:
        sys.exit(f"error: the frames have no {missing[0]}, which --color {color} needs")
    if color not in EXPRESSIONS:
        return reader
    return simple.Calculator(Input=reader, Function=EXPRESSIONS[color], ResultArrayName=color)


def particle_radius(data):
    """Half the edge of a particle's cube, in 2D of its square: neighbours touch."""
    volume = vtk_to_numpy(data.GetPointData().GetArray("volume"))
    low_z, high_z = data.GetBounds()[4:]
    return 0.5 * float(volume.mean()) ** (1 / 2 if low_z == high_z else 1 / 3)


def range_of(data, color):
    """Without outliers."""
    values = sorted(vtk_to_numpy(data.GetPointData().GetArray(color)))
    cut = int(OUTLIERS * len(values))
    low, high = float(values[cut]), float(values[-1 - cut])
    return low, max(high, low + SMALLEST_RANGE)


def set_colours(table, color, low, high):
    """J_P is a factor: by its logarithm, with white where snow is as it was."""
    table.AutomaticRescaleRangeMode = "Never"
    if color != "jp":
        table.ApplyPreset("Viridis (matplotlib)", True)
        table.RescaleTransferFunction(low, high)
        return
    low, high = min(low, 1 - SMALLEST_RANGE), max(high, 1 + SMALLEST_RANGE)
    places = (low, math.sqrt(low), 1.0, math.sqrt(high), high)
    table.RGBPoints = [number for place, colour in zip(places, JP_COLOURS) for number in (place, *colour)]
    table.ColorSpace = "RGB"
    table.UseLogScale = 1


def show_particles(source, view, color, data):
    display = simple.Show(source, view)
    display.SetRepresentationType("Point Gaussian")
    display.ShaderPreset = "Sphere"
    display.GaussianRadius = particle_radius(data)
    simple.ColorBy(display, ("POINTS", color))
    table = simple.GetColorTransferFunction(color)
    set_colours(table, color, *range_of(data, color))
    bar = simple.GetScalarBar(table, view)
    bar.Title, bar.ComponentTitle = TITLES[color], ""
    bar.TitleColor = bar.LabelColor = INK
    bar.Orientation, bar.WindowLocation = "Horizontal", "Lower Center"
    bar.ScalarBarLength = 0.4
    bar.RangeLabelFormat = bar.LabelFormat = "%-#.3g"
    display.SetScalarBarVisibility(view, True)


def show_axes(view):
    """A box with ticks in metres."""
    view.AxesGrid.Visibility = 1
    for axis in "XYZ":
        setattr(view.AxesGrid, f"{axis}Title", f"{axis.lower()}, m")
        for part in ("Title", "Label"):
            setattr(view.AxesGrid, f"{axis}{part}Color", INK)
    view.AxesGrid.GridColor = [0.6, 0.63, 0.68]


def show_time(reader, view):
    label = simple.Show(simple.AnnotateTimeFilter(Input=reader, Format="{time:.3f} s"), view)
    label.Color, label.FontSize, label.WindowLocation = INK, 14, "Upper Left Corner"


def box_over(frames):
    bounds = [frame["bounds"] for frame in frames if frame["points"] > 0]
    return [(min(b[2 * axis] for b in bounds), max(b[2 * axis + 1] for b in bounds)) for axis in range(3)]


def fit_camera(view, box):
    """Sees every corner of the box, y up."""
    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

    length = math.hypot(*VIEW_FROM)
    back = [x / length for x in VIEW_FROM]
    flat = math.hypot(back[0], back[2])
    right = [back[2] / flat, 0.0, -back[0] / flat]
    up = [-back[1] * right[2], flat, back[1] * right[0]]  # back × right
    centre = [0.5 * (low + high) for low, high in box]
    half_height = math.tan(math.radians(0.5 * view.CameraViewAngle))
    half_width = half_height * view.ViewSize[0] / view.ViewSize[1]
    corners = [[x - c for x, c in zip(corner, centre)] for corner in itertools.product(*box)]
    distance = max(dot(p, back) + ROOM * abs(dot(p, side)) / half for p in corners
                   for side, half in ((right, half_width), (up, half_height)))
    view.CameraFocalPoint = centre
    view.CameraPosition = [c + distance * b for c, b in zip(centre, back)]
    view.CameraViewUp = [0, 1, 0]


def main():
    options = arguments()
    reader = open_frames(options.folder)
    times = list(reader.TimestepValues)
    found = report(reader, times)
    if options.check:
        print(json.dumps(found))
        return
    frame = len(times) - 1 if options.frame is None else options.frame
    if not 0 <= frame < len(times):
        sys.exit(f"error: {options.folder} has no frame {frame}; it has 0 to {len(times) - 1}")
    view = simple.CreateRenderView(ViewSize=options.size)
    view.UseColorPaletteForBackground = 0
    view.Background, view.OrientationAxesVisibility = PALE_GREY, 0
    scene = simple.GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.AnimationTime = times[frame]
    source = coloured(reader, options.color)
    source.UpdatePipeline(times[frame])
    show_particles(source, view, options.color, simple.servermanager.Fetch(source))
    show_axes(view)
    show_time(reader, view)
    fit_camera(view, box_over(found["frames"]))
    simple.Render(view)
    if options.picture:
        simple.SaveScreenshot(options.picture, view, ImageResolution=options.size)
    else:
        simple.Interact(view)


main()
