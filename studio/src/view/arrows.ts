// What the grid does: nodes as dots, velocities, forces and normals as arrows, sleeping blocks as boxes. One draw call each.
import {
  BoxGeometry,
  BufferGeometry,
  Color,
  EdgesGeometry,
  Float32BufferAttribute,
  GLSL3,
  Group,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  LineSegments,
  Mesh,
  ShaderMaterial,
  Vector3,
} from 'three'
import type { Arrows as Message } from '../core/decode'
import type { Overlay } from '../core/protocol'

const tints: Record<Overlay, [number, number, number]> = {
  nodes: [0.25, 0.55, 0.95],
  velocity: [0.95, 0.45, 0.1],
  force: [0.85, 0.15, 0.35],
  normals: [0.1, 0.7, 0.45],
  sleep: [0.45, 0.4, 0.85],
}

const common = /* glsl */ `
  in vec3 place;
  in vec3 arrow;
  uniform vec3 boxLower, boxExtent, tint;
  uniform float scale, size;
  uniform vec2 viewport;
`

// A shaft and a head that always face the camera; position.x is along the arrow, position.y across it in pixels.
const arrowVertex = /* glsl */ `
  ${common}
  out float strength;
  void main() {
    vec3 start = boxLower + place * boxExtent;
    vec3 end = start + arrow * scale;
    vec4 a = projectionMatrix * viewMatrix * vec4(start, 1.0);
    vec4 b = projectionMatrix * viewMatrix * vec4(end, 1.0);
    vec2 pixels = (b.xy / b.w - a.xy / a.w) * viewport * 0.5;
    float long_ = length(pixels);
    vec2 along = long_ > 1e-4 ? pixels / long_ : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float head = min(8.0, 0.45 * long_);
    float at = position.x < 0.5 ? 0.0 : (position.x < 1.5 ? 1.0 - head / max(long_, 1e-4) : 1.0);
    vec4 p = mix(a, b, at);
    p.xy += across * position.y * (position.x < 1.5 && abs(position.y) > 1.5 ? head * 0.42 / 3.0 : 1.0) / (viewport * 0.5) * p.w;
    strength = length(arrow);
    gl_Position = long_ < 1.2 ? vec4(2.0, 2.0, 2.0, 1.0) : p;
  }
`
const dotVertex = /* glsl */ `
  ${common}
  out float strength;
  void main() {
    vec4 p = projectionMatrix * viewMatrix * vec4(boxLower + place * boxExtent, 1.0);
    strength = 0.35 + 0.65 * clamp(arrow.x, 0.0, 1.0);
    p.xy += position.xy * mix(0.9, 2.2, strength) / (viewport * 0.5) * p.w;
    gl_Position = p;
  }
`
const boxVertex = /* glsl */ `
  ${common}
  out float strength;
  void main() {
    strength = 0.8;
    gl_Position = projectionMatrix * viewMatrix * vec4(boxLower + place * boxExtent + position * size, 1.0);
  }
`
const fragment = /* glsl */ `
  precision highp float;
  in float strength;
  uniform vec3 tint;
  out vec4 colour;
  void main() { colour = vec4(pow(tint * (0.7 + 0.4 * strength), vec3(0.4545)), 0.55 + 0.45 * strength); }
`

const arrowShape = [0, -0.6, 0, 1, -0.6, 0, 1, 0.6, 0, 0, -0.6, 0, 1, 0.6, 0, 0, 0.6, 0, 1, -3, 0, 2, 0, 0, 1, 3, 0]
const dotShape = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0]

const cellsOfBlock = 4

export class Arrows {
  readonly group = new Group()
  readonly greatest = new Map<Overlay, number>()
  private readonly drawn = new Map<Overlay, Mesh | LineSegments>()
  readonly viewport = { value: { x: 1, y: 1 } }

  // `spacing`: of the grid, m; `length`: of the longest arrow, in cells.
  show(what: Overlay, message: Message, spacing: number, length: number): void {
    this.hide(what)
    if (message.count === 0) return
    const geometry = new InstancedBufferGeometry()
    if (what === 'sleep') geometry.setAttribute('position', new EdgesGeometry(new BoxGeometry(1, 1, 1)).getAttribute('position'))
    else geometry.setAttribute('position', new Float32BufferAttribute(what === 'nodes' ? dotShape : arrowShape, 3))
    geometry.setAttribute('place', new InterleavedBufferAttribute(new InstancedInterleavedBuffer(message.places, 6), 3, 0, true))
    geometry.setAttribute('arrow', new InterleavedBufferAttribute(new InstancedInterleavedBuffer(message.vectors, 6), 3, 3, true))
    geometry.instanceCount = message.count
    const material = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: what === 'sleep' ? boxVertex : what === 'nodes' ? dotVertex : arrowVertex,
      fragmentShader: fragment,
      uniforms: {
        boxLower: { value: new Vector3(...message.lower) },
        boxExtent: { value: new Vector3(...message.extent) },
        tint: { value: new Color().setRGB(...tints[what]) },
        scale: { value: spacing * length },
        size: { value: spacing * cellsOfBlock },
        viewport: this.viewport,
      },
      transparent: true,
      depthTest: what === 'sleep',
      depthWrite: false,
      side: 2,
    })
    const object = what === 'sleep' ? new LineSegments(geometry, material) : new Mesh(geometry, material)
    object.frustumCulled = false
    object.renderOrder = 20
    this.greatest.set(what, message.greatest)
    this.drawn.set(what, object)
    this.group.add(object)
  }

  hide(what: Overlay): void {
    const object = this.drawn.get(what)
    if (!object) return
    ;(object.geometry as BufferGeometry).dispose()
    ;(object.material as ShaderMaterial).dispose()
    this.group.remove(object)
    this.drawn.delete(what)
    this.greatest.delete(what)
  }
}

export const overlayCss = (what: Overlay): string => {
  const [r, g, b] = tints[what].map((part) => Math.round(255 * Math.pow(part, 0.4545)))
  return `rgb(${r} ${g} ${b})`
}
