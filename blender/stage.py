"""Light, camera and the settings of Cycles."""
import math

import bpy
from mathutils import Vector

VIEW_FROM = Vector((0.35, -1.0, 0.42))       # z up: the front, from the right and above; of 2D runs straight from the front
VIEW_FROM_2D = Vector((0.0, -1.0, 0.0))
MARGIN = 1.08                                # room about the snow
LENS = 50.0                                  # mm, on 36 mm of film
SUN_DIRECTION = Vector((-0.85, -0.2, 0.65))  # towards the sun: from the left, so that snow shades itself
# Deep snow of the albedo (0.9, 0.95, 1) gives back some (0.36, 0.49, 1) of the light (van de Hulst 1980): the light is so much warmer that
# sunlit snow is white, as a photographer sets the white balance. What is in the shade stays a little blue.
SUN_COLOUR = (1.0, 0.72, 0.42)
SUN_STRENGTH = 16.0                          # W/m²
SUN_ANGLE = 1.5                              # degrees: shadows with a soft edge
SKY_COLOUR = (0.8, 0.72, 0.6)
SKY_STRENGTH = 0.85
LOOKS = ("Medium High Contrast", "Filmic - Medium High Contrast")  # of the view transform Filmic, before and since Blender 4
BRIGHTEST_BOUNCE = 4.0                       # cuts off fireflies
VOLUME_BOUNCES = 64                          # light leaves snow after dozens of bounces; with few it looks like smoke
STEP_RATE = 0.1                              # of a voxel: in packed snow light goes millimetres, voxels are often centimetres


def turned_parent():
    """Turns y up into z up: (x, y, z) becomes (x, -z, y)."""
    turned = bpy.data.objects.new("firn, y up", None)
    turned.rotation_euler = (math.radians(90), 0.0, 0.0)
    bpy.context.scene.collection.objects.link(turned)
    return turned


def add_light():
    scene = bpy.context.scene
    sun = bpy.data.lights.new("sun", "SUN")
    sun.color, sun.energy, sun.angle = SUN_COLOUR, SUN_STRENGTH, math.radians(SUN_ANGLE)
    item = bpy.data.objects.new("sun", sun)
    item.rotation_euler = SUN_DIRECTION.to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(item)
    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    sky = scene.world.node_tree.nodes["Background"]
    sky.inputs["Color"].default_value = (*SKY_COLOUR, 1.0)
    sky.inputs["Strength"].default_value = SKY_STRENGTH


def distance_to_see(points, axes, half_angles):
    """From the origin of `points` backwards, so far that every one is in the picture."""
    right, up, back = axes
    return max(point.dot(back) + MARGIN * abs(point.dot(side)) / math.tan(angle)
               for point in points for side, angle in zip((right, up), half_angles))


def add_camera(corners, is_2d):
    """Sees all `corners`, in z-up metres; the picture's size must be set."""
    scene = bpy.context.scene
    data = bpy.data.cameras.new("camera")
    data.lens = LENS
    camera = bpy.data.objects.new("camera", data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    back = (VIEW_FROM_2D if is_2d else VIEW_FROM).normalized()
    turn = back.to_track_quat("Z", "Y")
    centre = sum(corners, Vector()) / len(corners)
    axes = [turn @ Vector(axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    data.sensor_fit = "HORIZONTAL"
    half_width = 0.5 * data.angle
    half_height = math.atan(math.tan(half_width) * scene.render.resolution_y / scene.render.resolution_x)
    distance = distance_to_see([corner - centre for corner in corners], axes, (half_width, half_height))
    camera.location = centre + distance * back
    camera.rotation_euler = turn.to_euler()
    data.clip_start, data.clip_end = 0.001 * distance, 1000 * distance
    return camera


def set_look(settings):
    settings.view_transform = "Filmic"
    for look in LOOKS:
        try:
            settings.look = look
            return
        except TypeError:  # not one of this version's
            continue


def set_up_cycles(size, samples):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    cycles = scene.cycles
    cycles.samples = samples
    cycles.use_denoising = bool(getattr(bpy.app.build_options, "openimagedenoise", False))
    cycles.sample_clamp_indirect = BRIGHTEST_BOUNCE
    cycles.volume_bounces = cycles.max_bounces = VOLUME_BOUNCES
    cycles.volume_step_rate = STEP_RATE
    set_look(scene.view_settings)
