// All grains in one draw call: 8 bytes a particle go to the graphics card as they came. Where there are few particles each is drawn as
// a handful of smaller grains, so that coarse snow looks like snow and not like beads.
import {
  BufferGeometry,
  Float32BufferAttribute,
  GLSL3,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Points,
  ShaderMaterial,
  Vector3,
} from 'three'
import type { IUniform } from 'three'
import type { Particles } from '../core/decode'
import type { Colour } from '../core/protocol'
import { stripTexture } from './colours'
import { lightFunctions, toneFunction } from './light'
import type { LightUniforms } from './light'

const place = /* glsl */ `
  in vec3 place;
  in float channel;
  in vec4 offset;                 // of a grain from its particle, in parts of the spread; w: its size
  uniform vec3 boxLower, boxExtent;
  uniform float spread, radius;
  float grainNumber() { return float(gl_InstanceID) * 31.0 + float(gl_VertexID); }
  vec3 turned(vec3 v, float n) {  // another handful for every particle
    float angle = 6.2831853 * fract(n * 0.61803399);
    float c = cos(angle), s = sin(angle);
    v = vec3(c * v.x - s * v.z, v.y, s * v.x + c * v.z);
    angle = 6.2831853 * fract(n * 0.75487766);
    c = cos(angle); s = sin(angle);
    return vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
  }
  vec3 grainPlace() { return boxLower + place * boxExtent + spread * turned(offset.xyz, float(gl_InstanceID)); }
  float grainRadius() { return radius * (spread > 0.0 ? offset.w : 1.0); }
`

const vertexShader = /* glsl */ `
  ${place}
  ${lightFunctions}
  uniform float pixelsPerUnit, floorHeight;
  uniform float least, greatest, rangeLow, rangeHigh, coloured;
  uniform sampler2D strip;
  out vec3 diffuse, upLight, albedo, facing;
  void main() {
    vec3 at = grainPlace();
    float size = grainRadius();
    vec4 seen = viewMatrix * vec4(at, 1.0);
    gl_Position = projectionMatrix * seen;
    gl_PointSize = max(1.4, 2.0 * size * pixelsPerUnit / max(1e-6, projectionMatrix[3][3] > 0.5 ? 1.0 : -seen.z));

    vec3 out_ = outwards(at);
    float certain = smoothstep(0.05, 0.5, length(out_));
    vec3 bulk = normalize(mix(vec3(0.0, 0.35, 0.0), normalize(out_ + vec3(1e-5)), certain) + vec3(0.0, 1e-4, 0.0));
    float open = openness(at, normalize(bulk + vec3(0.0, 0.45, 0.0)));
    float low = clamp((at.y - floorHeight) / (volumeCell * 2.5), 0.0, 1.0);
    open *= mix(0.72, 1.0, low);
    float turn = 6.28 * noiseOf(grainNumber());
    float lit = sunlight(at + bulk * size * 1.5 + sunDirection * size * 1.6, 3.2, turn);
    float depth = 0.82 + 0.18 * clamp(1.0 - fullness(at, 0.0), 0.0, 1.0);

    // Light goes into snow and comes out elsewhere: it wraps around lumps and never leaves them black.
    diffuse = sunColour * lit * 0.52;
    upLight = skyColour * (0.30 + 0.62 * open) * depth + sunColour * vec3(0.030, 0.036, 0.046) * open
            + bounceColour * 0.35 * (0.5 - 0.5 * bulk.y);
    facing = bulk;

    float value = mix(least, greatest, channel);
    float t = coloured > 1.5 ? (floor(value + 0.5) + 0.5) / 256.0 : clamp((value - rangeLow) / max(1e-20, rangeHigh - rangeLow), 0.0, 1.0);
    float shade = 0.955 + 0.045 * noiseOf(grainNumber() + 3.0);
    albedo = coloured > 0.5 ? texture(strip, vec2(t, 0.5)).rgb * 0.92 : vec3(0.965, 0.975, 0.99) * shade;
  }
`

const fragmentShader = /* glsl */ `
  precision highp float;
  in vec3 diffuse, upLight, albedo, facing;
  uniform vec3 sunDirection;
  out vec4 colour;
  ${toneFunction}
  void main() {
    vec2 at = gl_PointCoord * 2.0 - 1.0;
    float r2 = dot(at, at);
    if (r2 > 1.0) discard;
    vec3 round_ = (vec4(at.x, -at.y, sqrt(1.0 - r2), 0.0) * viewMatrix).xyz;
    vec3 normal = normalize(facing * 0.9 + round_ * 0.32);
    float wrapped = clamp((dot(normal, sunDirection) + 0.22) / 1.22, 0.0, 1.0);
    float upper = 0.72 + 0.28 * normal.y;
    vec3 light = diffuse * wrapped + upLight * upper;
    colour = vec4(tone(albedo * light), 1.0);
  }
`

const shadowVertex = /* glsl */ `
  ${place}
  uniform float mapPixelsPerUnit;
  void main() {
    gl_Position = projectionMatrix * viewMatrix * vec4(grainPlace(), 1.0);
    gl_PointSize = max(2.0, 2.2 * grainRadius() * mapPixelsPerUnit);
  }
`
const shadowFragment = /* glsl */ `
  precision highp float;
  out vec4 colour;
  void main() {
    vec2 at = gl_PointCoord * 2.0 - 1.0;
    if (dot(at, at) > 1.0) discard;
    colour = vec4(1.0);
  }
`

const fewParticles = 120_000
const mostGrains = 420_000
const mostGrainsInSoftware = 120_000

// Points spread evenly in a ball; the first is its middle.
function handful(count: number): Float32Array {
  const data = new Float32Array(count * 4)
  for (let i = 0; i < count; ++i) {
    const r = i === 0 ? 0 : Math.cbrt((i + 0.5) / count)
    const y = 1 - (2 * (i + 0.5)) / count
    const ring = Math.sqrt(1 - y * y)
    const angle = i * 2.399963
    data.set([r * ring * Math.cos(angle), r * y, r * ring * Math.sin(angle), 0.55 + 0.75 * ((i * 0.618034) % 1) ** 2], i * 4)
  }
  return data
}

export class Grains {
  readonly points: Points
  readonly shadowMaterial: ShaderMaterial
  private readonly material: ShaderMaterial
  private readonly own: Record<string, IUniform>
  private buffer: InterleavedBuffer | null = null
  private handfulSize = 0
  grainsPerParticle = 1

  constructor(
    light: LightUniforms,
    private readonly slow: boolean,
  ) {
    this.own = {
      boxLower: { value: new Vector3() },
      boxExtent: { value: new Vector3(1, 1, 1) },
      spread: { value: 0 },
      radius: { value: 0.01 },
      pixelsPerUnit: { value: 1 },
      mapPixelsPerUnit: { value: 1 },
      floorHeight: { value: -1e9 },
      least: { value: 0 },
      greatest: { value: 1 },
      rangeLow: { value: 0 },
      rangeHigh: { value: 1 },
      coloured: { value: 0 },
      strip: { value: stripTexture('none') },
    }
    this.material = new ShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms: { ...light, ...this.own } })
    this.shadowMaterial = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: shadowVertex,
      fragmentShader: shadowFragment,
      uniforms: this.own,
    })
    this.points = new Points(new BufferGeometry(), this.material)
    this.points.frustumCulled = false
    this.points.visible = false
  }

  // The bytes of the message go into the buffer of the graphics card as they are.
  show(frame: Particles, distance: number): void {
    const few = frame.count <= fewParticles
    const size = few
      ? Math.max(1, Math.min(40, Math.floor((this.slow ? mostGrainsInSoftware : mostGrains) / Math.max(1, frame.count))))
      : 1
    if (!this.buffer || this.buffer.array.length < frame.numbers.length || size !== this.handfulSize) this.allocate(frame, size)
    const buffer = this.buffer!
    ;(buffer.array as Uint16Array).set(frame.numbers)
    buffer.clearUpdateRanges()
    buffer.addUpdateRange(0, frame.numbers.length)
    buffer.needsUpdate = true
    const geometry = this.points.geometry
    if (geometry instanceof InstancedBufferGeometry) geometry.instanceCount = frame.count
    else geometry.setDrawRange(0, frame.count)
    this.own.boxLower!.value.set(...frame.lower)
    this.own.boxExtent!.value.set(...frame.extent)
    this.own.least!.value = frame.least
    this.own.greatest!.value = frame.greatest
    this.own.spread!.value = size > 1 ? distance * 0.78 : 0
    this.own.radius!.value = size > 1 ? (distance * 1.02) / Math.cbrt(size) : distance * 0.6
    this.grainsPerParticle = size
    this.points.visible = frame.count > 0
  }

  private allocate(frame: Particles, size: number): void {
    this.points.geometry.dispose()
    const room = new Uint16Array(Math.ceil((frame.numbers.length * 1.2) / 4 + 16) * 4)
    if (size > 1) {
      const geometry = new InstancedBufferGeometry()
      geometry.setAttribute('offset', new Float32BufferAttribute(handful(size), 4))
      geometry.setDrawRange(0, size)
      this.buffer = new InstancedInterleavedBuffer(room, 4)
      this.points.geometry = geometry
    } else {
      this.buffer = new InterleavedBuffer(room, 4)
      this.points.geometry = new BufferGeometry()
    }
    this.points.geometry.setAttribute('place', new InterleavedBufferAttribute(this.buffer, 3, 0, true))
    this.points.geometry.setAttribute('channel', new InterleavedBufferAttribute(this.buffer, 1, 3, true))
    this.handfulSize = size
  }

  colourBy(colour: Colour, low: number, high: number): void {
    this.own.coloured!.value = colour === 'none' ? 0 : colour === 'material' ? 2 : 1
    this.own.rangeLow!.value = low
    this.own.rangeHigh!.value = high
    if (this.points.userData.colour !== colour) {
      this.own.strip!.value.dispose()
      this.own.strip!.value = stripTexture(colour)
      this.points.userData.colour = colour
    }
  }

  setScale(pixelsPerUnit: number): void {
    this.own.pixelsPerUnit!.value = pixelsPerUnit
  }

  setMapScale(pixelsPerUnit: number): void {
    this.own.mapPixelsPerUnit!.value = pixelsPerUnit
  }

  setFloor(height: number): void {
    this.own.floorHeight!.value = height
  }
}
