"""Where a collider of a scene is at a time: as docs/scenes.md, "Motion of colliders", has it."""
import math

from mathutils import Euler, Quaternion, Vector


def vector(values):
    """Those of 2D scenes have two components."""
    return Vector((*values, 0.0)[:3])


def rotation(value):
    """A quaternion [w, x, y, z], angles in degrees, or in 2D one angle in radians."""
    if isinstance(value, (int, float)):
        return Quaternion((0, 0, 1), value)
    if len(value) == 4:
        return Quaternion(value).normalized()
    return Euler([math.radians(angle) for angle in value], "XYZ").to_quaternion()


def origin_of(body):
    if body["shape"] == "capsule":
        return 0.5 * (vector(body["a"]) + vector(body["b"]))
    if "parts" in body:  # of a union, difference or intersection
        return origin_of(body["parts"][0])
    if body["shape"] in ("mesh", "volume", "sequence"):
        return vector(body.get("translate", (0, 0, 0)))
    return vector(body["point"] if body["shape"] == "plane" else body["center"])


def spin_of(body):
    spin = body.get("spin", (0, 0, 0))
    return Vector((0, 0, spin)) if isinstance(spin, (int, float)) else vector(spin)


def at_rest(body):
    return not body.get("keys") and not any(body.get("velocity", ())) and spin_of(body).length == 0


def pose_by_keys(keys, t):
    """Straight and even between keys, at rest before the first and after the last."""
    if t <= keys[0]["t"] or t >= keys[-1]["t"]:
        key = keys[0] if t <= keys[0]["t"] else keys[-1]
        return vector(key["position"]), rotation(key.get("rotation", 0))
    later = next(k for k in range(1, len(keys)) if t <= keys[k]["t"])
    begin, end = keys[later - 1], keys[later]
    part = (t - begin["t"]) / (end["t"] - begin["t"])
    return (vector(begin["position"]).lerp(vector(end["position"]), part),
            rotation(begin.get("rotation", 0)).slerp(rotation(end.get("rotation", 0)), part))


def pose_at(body, t):
    """Position of the origin, and rotation with the shape's own."""
    own = rotation(body.get("rotation", 0))
    if body.get("keys"):
        place, turn = pose_by_keys(body["keys"], t)
        return place, turn @ own
    spin = spin_of(body)
    turn = Quaternion(spin.normalized(), spin.length * t) if spin.length > 0 else Quaternion()
    pivot = vector(body["pivot"]) if "pivot" in body else origin_of(body)
    velocity = vector(body.get("velocity", (0, 0, 0)))
    return pivot + velocity * t + turn @ (origin_of(body) - pivot), turn @ own
