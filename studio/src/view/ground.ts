// Sky and ground: a plane with a quiet texture and a grid that fades into the haze of the horizon; other planes as squares around the snow.
import {
  BufferGeometry,
  Color,
  DoubleSide,
  Float32BufferAttribute,
  FrontSide,
  GLSL3,
  Group,
  Mesh,
  PlaneGeometry,
  Quaternion,
  ShaderMaterial,
  Vector3,
} from 'three'
import type { IUniform } from 'three'
import { lightFunctions, toneFunction } from './light'
import type { LightUniforms, Surroundings } from './light'

export interface Plane {
  point: Vector3
  normal: Vector3
}

const groundVertex = /* glsl */ `
  out vec3 world;
  void main() {
    world = (modelMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
  }
`

const groundFragment = /* glsl */ `
  precision highp float;
  ${lightFunctions}
  in vec3 world;
  out vec4 colour;
  uniform vec3 groundColour, middle, planeNormal;
  uniform float gridStep, gridStrength, reach, opacity, shaded;
  float lattice(vec3 p) {
    vec3 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    vec4 n = vec4(dot(i, vec3(1.0, 57.0, 113.0))) + vec4(0.0, 1.0, 57.0, 58.0);
    vec4 a = fract(sin(n) * 43758.5453), b = fract(sin(n + 113.0) * 43758.5453);
    vec4 c = mix(a, b, f.z);
    vec2 d = mix(c.xz, c.yw, f.x);
    return mix(d.x, d.y, f.y);
  }
  // A line of the grid, one pixel wide, gone where lines come closer than a few pixels.
  float lines(vec2 at, float spacing) {
    vec2 width = fwidth(at / spacing);
    vec2 distance = abs(fract(at / spacing - 0.5) - 0.5) / max(width, vec2(1e-6));
    float line = 1.0 - min(min(distance.x, distance.y), 1.0);
    return line * (1.0 - smoothstep(0.12, 0.4, max(width.x, width.y)));
  }
  void main() {
    vec3 side = abs(planeNormal.y) > 0.99 ? vec3(1.0, 0.0, 0.0) : normalize(cross(vec3(0.0, 1.0, 0.0), planeNormal));
    vec2 flat_ = vec2(dot(world, side), dot(world, cross(planeNormal, side)));
    float grain = 0.45 * lattice(world / gridStep * 4.3) + 0.3 * lattice(world / gridStep * 17.0) + 0.25 * lattice(world / gridStep * 71.0);
    vec3 albedo = groundColour * (0.86 + 0.28 * grain);
    albedo += gridStrength * groundColour * (0.30 * lines(flat_, gridStep) + 0.6 * lines(flat_, gridStep * 5.0));
    float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    float lit = shaded > 0.5 ? sunlight(world + planeNormal * volumeCell * 0.12, 4.5, turn) : 0.8;
    float open = shaded > 0.5 ? openness(world, normalize(planeNormal + vec3(0.0, 0.15, 0.0))) : 0.9;
    float near = fullness(world + planeNormal * volumeCell * 0.4, 0.5);
    open *= 1.0 - shaded * 0.35 * clamp(near, 0.0, 1.0);
    vec3 light = sunColour * 0.52 * lit * max(0.0, dot(planeNormal, sunDirection)) + skyColour * (0.15 + 0.55 * open);
    float away = length(world - middle) / reach;
    float haze = 1.0 - exp(-away * away * 1.6);
    colour = vec4(tone(mix(albedo * light, hazeColour, haze)), opacity * (opacity < 1.0 ? 1.0 - smoothstep(0.3, 1.0, away * 4.0) : 1.0));
  }
`

const skyVertex = /* glsl */ `
  out vec3 direction;
  uniform mat4 unproject;
  void main() {
    vec4 far = unproject * vec4(position.xy, 1.0, 1.0);
    direction = far.xyz / far.w - cameraPosition;
    gl_Position = vec4(position.xy, 1.0, 1.0);
  }
`
const skyFragment = /* glsl */ `
  precision highp float;
  in vec3 direction;
  out vec4 colour;
  uniform vec3 hazeColour, zenithColour;
  ${toneFunction}
  void main() {
    float height = normalize(direction).y;
    vec3 light = mix(hazeColour, zenithColour, pow(clamp(height, 0.0, 1.0), 0.55));
    float dither = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    colour = vec4(tone(light) + dither / 255.0, 1.0);
  }
`

// 1, 2 or 5 times a power of ten, about a fifth of the scene.
export function niceStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size / 4))
  const part = size / 4 / power
  return power * (part < 2 ? 1 : part < 5 ? 2 : 5)
}

export class Ground {
  readonly group = new Group()
  readonly sky: Mesh
  private readonly zenith = { value: new Color() }
  readonly unproject: IUniform
  private readonly shared = {
    groundColour: { value: new Color() },
    middle: { value: new Vector3() },
    gridStep: { value: 0.1 },
    gridStrength: { value: 0.1 },
    reach: { value: 10 },
  }

  constructor(private readonly light: LightUniforms) {
    this.unproject = { value: null }
    const triangle = new BufferGeometry().setAttribute('position', new Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3))
    this.sky = new Mesh(
      triangle,
      new ShaderMaterial({
        glslVersion: GLSL3,
        vertexShader: skyVertex,
        fragmentShader: skyFragment,
        uniforms: { hazeColour: light.hazeColour, zenithColour: this.zenith, unproject: this.unproject },
        depthWrite: false,
        depthTest: false,
      }),
    )
    this.sky.frustumCulled = false
    this.sky.renderOrder = -10
  }

  dress(around: Surroundings): void {
    this.shared.groundColour.value.setRGB(...around.ground)
    this.shared.gridStrength.value = around.grid * 6
    this.zenith.value.setRGB(...around.zenith)
  }

  // `size`: of the scene, m.
  build(planes: readonly Plane[], middle: Vector3, size: number, flat: boolean): void {
    for (const child of this.group.children as Mesh[]) child.geometry.dispose()
    this.group.clear()
    this.shared.middle.value.copy(middle)
    this.shared.gridStep.value = niceStep(size)
    this.shared.reach.value = size * 9
    for (const plane of planes) this.group.add(flat ? this.half(plane, middle, size) : this.square(plane, middle, size))
  }

  private material(normal: Vector3, opacity: number, isShaded = true): ShaderMaterial {
    return new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: groundVertex,
      fragmentShader: groundFragment,
      uniforms: {
        ...this.light,
        ...this.shared,
        planeNormal: { value: normal },
        opacity: { value: opacity },
        shaded: { value: isShaded ? 1 : 0 },
      },
      transparent: opacity < 1,
      depthWrite: opacity >= 1,
      side: opacity < 1 ? DoubleSide : FrontSide,
    })
  }

  private square(plane: Plane, middle: Vector3, size: number): Mesh {
    const normal = plane.normal.clone().normalize()
    const isGround = normal.y > 0.7
    const edge = isGround ? size * 80 : size * 5
    const mesh = new Mesh(new PlaneGeometry(edge, edge, 1, 1), this.material(normal, isGround ? 1 : 0.35))
    mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal)
    const away = middle.clone().sub(plane.point).dot(normal)
    mesh.position.copy(middle).addScaledVector(normal, -away)
    mesh.renderOrder = isGround ? -5 : 5
    return mesh
  }

  // In two dimensions a plane is what lies behind its line.
  private half(plane: Plane, middle: Vector3, size: number): Mesh {
    const normal = plane.normal.clone().setZ(0).normalize()
    const edge = size * 40
    const mesh = new Mesh(new PlaneGeometry(edge, edge, 1, 1), this.material(new Vector3(0, 0, 1), 1, false))
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), normal))
    const away = middle.clone().sub(plane.point).dot(normal)
    mesh.position.copy(middle).addScaledVector(normal, -away - edge / 2)
    mesh.position.z = -size * 0.02
    mesh.renderOrder = -5
    return mesh
  }
}
