"""The light of `firn render` for Cycles: sun and sky are `Daylight` of src/render/path/lights.h, from where the colours are read."""
import math
import re
from pathlib import Path

import bpy
from mathutils import Vector

HEADERS = Path(__file__).resolve().parent.parent / "src/render/path"
RISE = 0.55   # power of the height with which the horizon fades into the zenith
FALL = 0.25   # height below the horizon at which the lower half has its own colour


def daylight_members():
    """The text of the struct, whichever header has it."""
    for header in sorted(HEADERS.glob("*.h")):
        if found := re.search(r"^struct Daylight \{(.*?)^\};", header.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            return found[1]
    raise RuntimeError(f"no header in {HEADERS} has a struct Daylight")


def value_of(name):
    """A number, or a colour: W/m² on a surface that faces the sun, of the sky W/(m² sr)."""
    found = re.search(rf"^  \w+ {name}(?:\{{| = )([\d., f]+)\}}?;", daylight_members(), re.MULTILINE)
    if not found:
        raise RuntimeError(f"Daylight in {HEADERS} has no member '{name}' with a value")
    numbers = [float(number.rstrip("f")) for number in found[1].split(", ")]
    return Vector(numbers) if len(numbers) > 1 else numbers[0]


def z_up(v):
    """From firn's axes, y up, to Blender's."""
    x, y, z = v
    return Vector((x, -z, y))


def add_sun(direction, strength):
    """`direction`: towards it, y up."""
    light = bpy.data.lights.new("sun", "SUN")
    light.color, light.energy, light.angle = value_of("sunlight"), strength, 2 * math.asin(value_of("sun_sine"))
    item = bpy.data.objects.new("sun", light)
    item.rotation_euler = z_up(direction).to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(item)


class SkyNodes:
    """A world whose light depends on the height of the direction alone."""

    def __init__(self, name):
        self.world = bpy.data.worlds.new(name)
        self.world.use_nodes = True
        self.nodes, self.links = self.world.node_tree.nodes, self.world.node_tree.links

    def add(self, kind, values, operation=None):
        """A node; `values` of its inputs are numbers or outputs of other nodes."""
        node = self.nodes.new(kind)
        if operation:
            node.operation = operation
        for place, value in values.items():
            if isinstance(value, bpy.types.NodeSocket):
                self.links.new(value, node.inputs[place])
            else:
                node.inputs[place].default_value = value
        return node

    def height(self):
        direction = self.add("ShaderNodeTexCoord", {}).outputs["Generated"]
        return self.add("ShaderNodeSeparateXYZ", {0: direction}).outputs["Z"]

    def part_above(self, height):
        """0 at the horizon and below, 1 at the zenith."""
        above = self.add("ShaderNodeMath", {0: height, 1: 0.0}, "MAXIMUM").outputs[0]
        return self.add("ShaderNodeMath", {0: above, 1: RISE}, "POWER").outputs[0]

    def part_below(self, height):
        """0 at the horizon and above, 1 well below it."""
        depth = self.add("ShaderNodeMath", {0: height, 1: -1.0}, "MULTIPLY").outputs[0]
        node = self.add("ShaderNodeMapRange", {"Value": depth, "From Max": FALL})
        node.interpolation_type = "SMOOTHSTEP"
        return node.outputs["Result"]

    def moved(self, colour, part, towards):
        return self.add("ShaderNodeVectorMath", {0: part, 1: towards, 2: colour}, "MULTIPLY_ADD").outputs[0]


def add_sky(strength):
    sky = SkyNodes("sky")
    height, horizon = sky.height(), value_of("horizon")
    colour = sky.moved(horizon, sky.part_above(height), value_of("zenith") - horizon)
    colour = sky.moved(colour, sky.part_below(height), value_of("below") - horizon)
    background = sky.nodes["Background"]
    sky.links.new(colour, background.inputs["Color"])
    background.inputs["Strength"].default_value = strength
    bpy.context.scene.world = sky.world
