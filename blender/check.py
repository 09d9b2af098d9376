"""What Blender makes of the frames of a run, for `make interop`."""
import importlib
import tempfile
from pathlib import Path

import bpy
from mathutils import Vector

PIXELS = 96          # along the longer edge of the picture that weighs the snow
SAMPLES = 16


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


def frame_report(snow, number, box):
    """`box`: two corners in the world, or None without snow."""
    snow.data.grids.load()
    low, high = box if box else (None, None)
    return {
        "frame": number,
        "shown": snow.data.grids.frame,
        "low": list(low) if low else None,
        "high": list(high) if high else None,
        "grids": {grid.name: grid.data_type for grid in snow.data.grids},
    }


def glowing_material():
    """Glows as much as it is dense: seen through, the density times the length of the way."""
    material = bpy.data.materials.new("glow")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    density = nodes.new("ShaderNodeAttribute")
    density.attribute_name = "density"
    glow, output = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
    links.new(density.outputs["Fac"], glow.inputs["Strength"])
    links.new(glow.outputs[0], output.inputs["Volume"])
    return material


def look_from_above(low, high):
    """A camera without perspective; the area of a pixel in m²."""
    scene, size = bpy.context.scene, high - low
    camera = bpy.data.objects.new("balance", bpy.data.cameras.new("balance"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.data.type, camera.data.ortho_scale = "ORTHO", max(size.x, size.y)
    camera.location = Vector((0.5 * (low.x + high.x), 0.5 * (low.y + high.y), high.z + size.length))
    camera.data.clip_end = 10 * size.length
    scene.render.resolution_x = scene.render.resolution_y = PIXELS
    return (camera.data.ortho_scale / PIXELS) ** 2


def mass_seen_by_cycles(snow, low, high):
    """kg: a picture of glowing snow, pixel by pixel. The box may be generous. Changes the scene: call it last."""
    scene = bpy.context.scene
    snow.data.materials[0] = glowing_material()
    for item in scene.objects:
        item.hide_render = item.type in {"MESH", "LIGHT"}
    scene.world = None
    area = look_from_above(low, high)
    scene.cycles.samples, scene.cycles.sample_clamp_direct, scene.cycles.sample_clamp_indirect = SAMPLES, 0, 0
    scene.cycles.pixel_filter_type = "BOX"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "balance.exr")
        bpy.ops.render.render(write_still=True)
        picture = bpy.data.images.load(scene.render.filepath)
        red = picture.pixels[:][:: picture.channels]
    return area * sum(red)
