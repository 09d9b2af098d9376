"""One check per program: runs it on real files and compares what it read with the particles. Returns what to print; raises Failure."""
import json
import re
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from particles import Particles

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLOAT_SUM = 1e-6      # of sums of floats, relative to the sum of what is summed without signs
MASS = 1e-5           # of Σ density · voxel volume: densities are floats
CYCLES_MASS = 5e-3    # Cycles samples
KERNEL_SUPPORT = 2    # of the cubic kernel, in voxels
SURFACE_VOLUME = 0.05  # of a packed ball, docs/formats.md, "Surfaces"
SNOW_DENSITY = 400.0   # kg/m³ of the scene, before it hits the ground
BLENDER_WITH = ["blender", "--background", "--factory-startup", "--python-use-system-env", "--python"]
BLENDER = [*BLENDER_WITH, ROOT / "blender/import_run.py", "--"]
RADIANCE = [*BLENDER_WITH, ROOT / "blender/compare_radiance.py", "--"]
# ParaView connects twice; without -noreset the server may be starting anew just then, and refuses.
PARAVIEW = ["xvfb-run", "-a", "-s", "-noreset", "pvpython", ROOT / "paraview/show_run.py"]


class Failure(Exception):
    pass


@dataclass(frozen=True)
class Run:
    folder: Path
    firn: Path
    spacing: float
    fps: float
    frames: list  # of Particles

    def file(self, ending, number=-1):
        return self.folder / f"frame_{range(len(self.frames))[number]:04}.{ending}"

    @property
    def last(self) -> Particles:
        return self.frames[-1]

    def times(self):
        return [number / self.fps for number in range(len(self.frames))]


def output_of(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{Path(str(command[0])).name} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def json_from(*command):
    """The line of JSON among what a program says."""
    lines = [line for line in output_of(*command).splitlines() if line.startswith("{")]
    if not lines:
        raise Failure("printed no JSON")
    return json.loads(lines[-1])


def expect(condition, message):
    if not condition:
        raise Failure(message)


def expect_near(what, found, expected, tolerance):
    worst = max(abs(a - b) for a, b in zip(found, expected, strict=True))
    expect(worst <= tolerance, f"{what}: {found}, expected {expected} ± {tolerance:g}")
    return worst


def expect_sums(what, found, particles, name):
    sizes = [sum(map(abs, values)) for values in particles.attribute(name)]
    for component, (a, b, size) in enumerate(zip(found, particles.sums(name), sizes, strict=True)):
        expect(abs(a - b) <= FLOAT_SUM * size, f"sum of {what}, component {component}: {a}, expected {b}")


def z_up(box):
    """(x, y, z) becomes (x, -z, y)."""
    (x0, y0, z0), (x1, y1, z1) = box
    return [x0, -z1, y0], [x1, -z0, y1]


def check_vdb_print(run):
    text = output_of("vdb_print", "-l", run.file("vdb"))
    names = re.findall(r"^Name: (\w+)", text, re.M)
    expect(sorted(names) == ["density", "jp", "velocity"], f"grids {names}")
    time = float(re.search(r"^time: (\S+)", text, re.M)[1])
    expect_near("time", [time], run.times()[-1:], 1e-5)
    voxels = [int(n) for n in re.findall(r"-?\d+", re.search(r"Bounding box of active voxels: (.*)", text)[1])]
    reach = KERNEL_SUPPORT * run.spacing
    for corner, expected in zip((voxels[:3], voxels[3:]), run.last.box()):
        expect_near("active voxels", [run.spacing * n for n in corner], expected, reach)
    return f"grids {', '.join(names)}; time {time} s; active voxels within {reach:g} m of the particles"


def check_blender(run):
    found = json_from(*BLENDER, run.folder, "--check")
    expect([f["shown"] for f in found["frames"]] == list(range(len(run.frames))), "shows other frames than the scene's")
    reach, farthest, heaviest = (KERNEL_SUPPORT + 1) * run.spacing, 0.0, 0.0
    for frame, particles in zip(found["frames"], run.frames, strict=True):
        expect(frame["grids"] == {"density": "FLOAT", "jp": "FLOAT", "velocity": "VECTOR_FLOAT"}, f"grids {frame['grids']}")
        for side, expected in zip(("low", "high"), z_up(particles.box())):
            farthest = max(farthest, expect_near(f"box of frame {frame['frame']}, {side}", frame[side], expected, reach))
        expect(frame["mass"] is not None, "Blender's Python has no OpenVDB: package python3-openvdb")
        mass = particles.mass()
        heaviest = max(heaviest, expect_near(f"mass of frame {frame['frame']}", [frame["mass"]], [mass], MASS * mass) / mass)
    return f"{len(run.frames)} frames, z up; box within {farthest:.3g} m (allowed {reach:g}), mass within {heaviest:.1e} of {mass:.7g} kg"


def check_cycles(run):
    mass, seen = run.last.mass(), json_from(*BLENDER, run.folder, "--check")["mass_seen_by_cycles"]
    expect_near("mass that Cycles sees", [seen], [mass], CYCLES_MASS * mass)
    return f"sees {seen:.6g} kg of {mass:.6g} kg"


def check_radiance(run):
    """Of loose snow in small pictures; docs/theory.md has the numbers of the whole comparison."""
    told = output_of(*RADIANCE, run.file("ply", 0), "--firn", run.firn, "--folder", run.folder / "radiance", "--cases", "thin",
                     "--size", "32", "--spp", "256", "--samples", "32")
    summary = [line for line in told.splitlines() if line.startswith("largest difference")]
    expect(summary, f"no comparison: {told.strip()[-400:]}")  # Blender ends well although a script does not
    return summary[0]


def picture_size(file):
    data = file.read_bytes()
    expect(data[:8] == b"\x89PNG\r\n\x1a\n", f"{file.name} is no PNG")
    return struct.unpack(">II", data[16:24])


def check_blender_files(run):
    picture, blend = run.folder / "blender.png", run.folder / "snow.blend"
    output_of(*BLENDER, run.folder, "--render", picture, "--save", blend, "--size", "64x36", "--samples", "1", "--frame", "1")
    expect(picture_size(picture) == (64, 36), "the picture is of another size")
    again = output_of("blender", "--background", blend, "--python-expr",
                      "import bpy; s = bpy.context.scene; "
                      "print('frames', s.frame_start, s.frame_end, round(s.render.fps / s.render.fps_base, 6))")
    line = next(line for line in again.splitlines() if line.startswith("frames"))
    expect(line == f"frames 0 {len(run.frames) - 1} {run.fps}", f"the saved file says {line}")
    return f"picture 64 x 36, file saved and opened again: {line} per second"


def check_blender_error(run):
    empty = run.folder / "empty folder"
    empty.mkdir(exist_ok=True)
    done = subprocess.run([str(part) for part in (*BLENDER, empty)], capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    expect(done.returncode == 1 and len(errors) == 1 and "--formats vdb" in errors[0] and "Traceback" not in done.stderr,
           f"exit code {done.returncode}: {done.stderr}")
    return "a folder without volumes is one line of error"


def check_vtp(run):
    found = json_from(sys.executable, HERE / "read_vtp.py", run.file("vtp"))
    expect(found["points"] == found["vertices"] == len(run.last), f"{found['points']} points, {found['vertices']} vertices")
    expect_near("time", [found["time"]], run.times()[-1:], 1e-12)
    for name in run.last.attributes():
        array = found["arrays"].get("Points" if name == "position" else name)
        expect(array is not None, f"no array {name}")
        expect_sums(name, array["sums"], run.last, name)
    return f"{found['points']} points, {len(found['arrays'])} arrays with the particles' sums"


def check_paraview(run):
    found = json_from(*PARAVIEW, run.folder, "--check")["frames"]
    expect_near("times", [frame["time"] for frame in found], run.times(), 1e-12)
    for frame, particles in zip(found, run.frames, strict=True):
        expect(frame["points"] == len(particles), f"{frame['points']} points at {frame['time']} s")
        low, high = particles.box()
        expect_near("bounds", frame["bounds"], [side for pair in zip(low, high) for side in pair], 1e-6)
        expect(set(run.last.attributes()) - {"position"} == set(frame["arrays"]), f"arrays {sorted(frame['arrays'])}")
    return f"times {', '.join(f'{frame_time:.6g}' for frame_time in run.times())} s; points, arrays and bounds of every frame"


def check_paraview_picture(run):
    picture = run.folder / "paraview.png"
    for color in ("jp", "speed", "density"):
        output_of(*PARAVIEW, run.folder, "--picture", picture, "--size", "320x180", "--color", color)
        expect(picture_size(picture) == (320, 180), "the picture is of another size")
    return "pictures by jp, speed and density"


def check_bgeo(run):
    found = json_from(sys.executable, HERE / "read_bgeo.py", run.file("bgeo"))
    expect(found["points"] == len(run.last), f"{found['points']} points")
    names = {"position": "P", "velocity": "v"}
    for name in run.last.attributes():
        attribute = found["attributes"].get(names.get(name, name))
        expect(attribute is not None, f"no attribute {name}")
        expect_sums(name, attribute["sum"], run.last, name)
    return f"{found['points']} points, {len(found['attributes'])} attributes with the particles' sums"


def expect_usda_particles(prim, particles):
    expect(prim["points"] == len(particles), f"{prim['points']} points")
    for side, expected in zip(("low", "high"), particles.box()):
        expect_near(f"{side} corner", prim[side], expected, 1e-6)
    names = {"position": "points", "velocity": "velocities", "id": "ids"}
    for name in particles.attributes():
        attribute = prim["attributes"].get(names.get(name, f"primvars:{name}"))
        expect(attribute is not None, f"no {name}")
        size = sum(abs(x) for values in particles.attribute(name) for x in values)
        expect(abs(attribute["sum"] - sum(particles.sums(name))) <= FLOAT_SUM * size, f"sum of {name}: {attribute['sum']}")


def check_usda(run):
    (stage,) = json.loads(output_of("node", HERE / "read_usda.mjs", run.folder / "frames.usda"))
    frames = stage["clips"]["frames"]
    expect(stage["stage"]["upAxis"] == "Y" and float(stage["stage"]["metersPerUnit"]) == 1, f"stage {stage['stage']}")
    for frame, particles in zip(frames, run.frames, strict=True):
        expect_usda_particles(frame["prims"]["/snow/particles"], particles)
    return f"{len(frames)} frames of frames.usda with the particles' boxes and sums"


def check_surface(run):
    described = []
    for ending in ("obj", "ply"):
        file = run.folder / f"surface.{ending}"
        output_of(run.firn, "convert", run.file("ply", 0), file, "--surface", "--overwrite")
        found = json_from(sys.executable, HERE / "read_surface.py", file)
        expect(found["open_edges"] == 0 and found["triangles"] > 0,
               f"{ending}: {found['open_edges']} open edges of {found['triangles']} triangles")
        volume = run.frames[0].mass() / SNOW_DENSITY  # V⁰ is larger at a body's skin, where the kernel reaches out of it
        expect_near(f"{ending}: volume", [found["volume"]], [volume], SURFACE_VOLUME * volume)
        described.append(f"{ending}: {found['triangles']} triangles, closed, {found['volume']:.4g} m³ of {volume:.4g} m³")
    return "; ".join(described)


CHECKS = {
    "OpenVDB's vdb_print, .vdb": check_vdb_print,
    "Blender, .vdb": check_blender,
    "Cycles, .vdb": check_cycles,
    "Cycles, radiance": check_radiance,
    "Blender, picture and .blend": check_blender_files,
    "Blender, error": check_blender_error,
    "VTK, .vtp": check_vtp,
    "ParaView, frames.pvd": check_paraview,
    "ParaView, pictures": check_paraview_picture,
    "three.js, .usda": check_usda,
    "format's description, .bgeo": check_bgeo,
    "VTK, surfaces": check_surface,
}
