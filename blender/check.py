"""What Blender makes of the frames of a run, for `make interop`."""
import importlib


def openvdb():
    """OpenVDB's Python module under either of its names; not every build of Blender has it."""
    for name in ("openvdb", "pyopenvdb"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def mass_of(file, module):
    """kg: the densities, each times the volume of a voxel."""
    density = module.read(str(file), "density")
    width = density.transform.voxelSize()
    return sum(item.value * item.count for item in density.citerOnValues()) * width[0] * width[1] * width[2]


def report(snow, frames, corners_at):
    module = openvdb()
    found = []
    for number, file in sorted(frames.items()):
        corners = corners_at(snow, number)
        grids = snow.data.grids
        grids.load()
        found.append({
            "frame": number,
            "shown": grids.frame,
            "low": [min(axis) for axis in zip(*corners)],
            "high": [max(axis) for axis in zip(*corners)],
            "grids": {grid.name: grid.data_type for grid in grids},
            "mass": mass_of(file, module) if module else None,
        })
    return {"frames": found}
