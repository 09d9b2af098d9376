"""The colliders of a scene as meshes, in firn's axes with y up (their parent turns them) and about their own origin."""
import math

import bmesh
import bpy
from mathutils import Matrix, Vector

from motion import at_rest, origin_of, pose_at, vector
from snow_material import body_material

SEGMENTS = 64                                           # round a sphere, cylinder or cone
Y_FROM_Z = Matrix.Rotation(math.radians(-90), 4, "X")   # Blender's cones stand along z, firn's along y
BODY_COLOUR = (0.03, 0.06, 0.16)
STEEL_COLOUR, METAL_ROUGHNESS = (0.56, 0.57, 0.58), 0.3
GROUND_COLOUR = (0.036, 0.05, 0.085)                    # dark, so that snow stands out; neutral in the warm light of stage.py


def edges_of(body, depth):
    """Full edges; a body of a 2D scene is as deep as asked."""
    return (*body["size"], depth)[:3]


def make_plane(mesh, body, extent):
    turn = Vector((0, 0, 1)).rotation_difference(vector(body["normal"])).to_matrix().to_4x4()
    bmesh.ops.create_grid(mesh, x_segments=1, y_segments=1, size=extent, matrix=turn)


def make_box(mesh, body, extent):
    bmesh.ops.create_cube(mesh, size=1.0)
    bmesh.ops.scale(mesh, vec=edges_of(body, extent), verts=mesh.verts)


def make_sphere(mesh, body, _):
    bmesh.ops.create_uvsphere(mesh, u_segments=SEGMENTS, v_segments=SEGMENTS // 2, radius=body["radius"])


def make_cone(mesh, body, _):
    top = body["radius"] if body["shape"] == "cylinder" else 0.0
    bmesh.ops.create_cone(mesh, cap_ends=True, segments=SEGMENTS, radius1=body["radius"], radius2=top, depth=body["height"],
                          matrix=Y_FROM_Z)


def make_capsule(mesh, body, _):
    half_axis = 0.5 * (vector(body["b"]) - vector(body["a"]))
    for end in (-half_axis, half_axis):
        bmesh.ops.create_uvsphere(mesh, u_segments=SEGMENTS, v_segments=SEGMENTS // 2, radius=body["radius"],
                                  matrix=Matrix.Translation(end))
    hull = bmesh.ops.convex_hull(mesh, input=mesh.verts)
    bmesh.ops.delete(mesh, geom=hull["geom_interior"], context="VERTS")


def make_wedge(mesh, body, extent):
    """A roof: its sides fall from the top edge until they meet those of its box, or the bottom."""
    width, height, depth = edges_of(body, extent)
    slope = math.tan(math.radians(body["angle"] / 2)) if "angle" in body else 0.5 * width / height
    reach = min(0.5 * width, height * slope)
    eaves = 0.5 * height - reach / slope
    outline = {(0.0, 0.5 * height), (-reach, eaves), (reach, eaves), (-reach, -0.5 * height), (reach, -0.5 * height)}
    corners = [mesh.verts.new((x, y, z)) for z in (-0.5 * depth, 0.5 * depth) for x, y in sorted(outline)]
    bmesh.ops.convex_hull(mesh, input=corners)


def make_torus(mesh, body, _):
    ring, tube, around = body["radius"], body["tube"], [2 * math.pi * k / SEGMENTS for k in range(SEGMENTS)]
    circles = [[mesh.verts.new(((ring + tube * math.cos(b)) * math.cos(a), tube * math.sin(b), (ring + tube * math.cos(b)) * math.sin(a)))
                for b in around] for a in around]
    for i in range(SEGMENTS):
        for k in range(SEGMENTS):
            mesh.faces.new((circles[i - 1][k - 1], circles[i][k - 1], circles[i][k], circles[i - 1][k]))


MAKERS = {"plane": make_plane, "box": make_box, "sphere": make_sphere, "cylinder": make_cone, "cone": make_cone,
          "capsule": make_capsule, "wedge": make_wedge, "torus": make_torus}
WITH_TRIANGLES = ("mesh", "heightfield", "text", "union", "difference", "intersection")
SMOOTH_ANGLE = math.radians(40)
FLAT_SIDED = ("plane", "box", "wedge")


def material_of(name, body):
    if body.get("look") == "metal":
        return body_material(name, body.get("colour", STEEL_COLOUR), body.get("roughness", METAL_ROUGHNESS))
    return body_material(name, body.get("colour", GROUND_COLOUR if body["shape"] == "plane" else BODY_COLOUR))


def mesh_object(name, body, points, triangles):
    """Smooth but for what is bent by more than 40 degrees, as in firn's pictures."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(points, [], triangles)
    data.polygons.foreach_set("use_smooth", [True] * len(data.polygons))
    if hasattr(data, "use_auto_smooth"):  # until Blender 4.1
        data.use_auto_smooth, data.auto_smooth_angle = True, SMOOTH_ANGLE
    else:
        data.set_sharp_from_angle(angle=SMOOTH_ANGLE)
    data.materials.append(material_of(name, body))
    return bpy.data.objects.new(name, data)


def body_object(name, body, extent):
    mesh = bmesh.new()
    MAKERS[body["shape"]](mesh, body, extent)
    data = bpy.data.meshes.new(name)
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces)
    for face in mesh.faces:
        face.smooth = body["shape"] not in FLAT_SIDED
    for edge in mesh.edges:  # those of a cylinder's lids are sharp
        edge.smooth = all(len(face.verts) <= 4 for face in edge.link_faces)
    mesh.to_mesh(data)
    mesh.free()
    if hasattr(data, "use_auto_smooth"):  # until Blender 4.1 sharp edges want it
        data.use_auto_smooth, data.auto_smooth_angle = True, math.pi
    data.materials.append(material_of(name, body))
    return bpy.data.objects.new(name, data)


def place(item, body, frames, fps):
    """At its place; bodies that move get a key in every frame."""
    item.rotation_mode = "QUATERNION"
    for frame in frames if not at_rest(body) else frames[:1]:
        item.location, item.rotation_quaternion = pose_at(body, frame / fps)
        if not at_rest(body):
            item.keyframe_insert("location", frame=frame)
            item.keyframe_insert("rotation_quaternion", frame=frame)


def add_bodies(colliders, triangles, parent, frames, fps, extent):
    """The objects of those colliders that are simple shapes or have triangles; says which are not. Planes reach as far as `extent`."""
    shown = []
    for number, body in enumerate(colliders):
        if not body.get("visible", True):
            continue
        if body["shape"] not in MAKERS and number not in triangles:
            how = ": firn convert scene.toml bodies.obj in the run's folder makes its triangles" if body["shape"] in WITH_TRIANGLES else ""
            print(f"note: collider {number}, shape \"{body['shape']}\", is not shown{how}")
            continue
        if body.get("keys") and body.get("interpolation") == "smooth":
            print(f"note: collider {number} moves straight between its keys here; in the run it moves smoothly")
        name = f"collider {number} ({body['shape']})"
        item = mesh_object(name, body, *triangles[number]) if number in triangles else body_object(name, body, extent)
        item.parent = parent
        bpy.context.scene.collection.objects.link(item)
        place(item, body, frames, fps)
        shown.append((item, body))
    return shown


def hide_planes_before(camera_place, shown):
    """Planes that the camera, at `camera_place` in firn's axes, sees from behind would hide the snow."""
    for item, body in shown:
        if body["shape"] == "plane" and (camera_place - origin_of(body)).dot(vector(body["normal"])) < 0:
            print(f"note: {item.name} would hide the snow from the camera and is not rendered")
            item.hide_render = True
