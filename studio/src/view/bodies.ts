// Bodies as their triangles, in the light of the view. They stand where the server says, or where a hand drags them.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, GLSL3, Group, Mesh, ShaderMaterial, Vector3 } from 'three'
import type { Triangles } from '../core/decode'
import type { Body, Pose } from '../core/protocol'
import { lightFunctions } from './light'
import type { LightUniforms } from './light'

const vertexShader = /* glsl */ `
  out vec3 world;
  out vec3 across;
  void main() {
    world = (modelMatrix * vec4(position, 1.0)).xyz;
    across = mat3(modelMatrix) * normal;
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
  }
`
const fragmentShader = /* glsl */ `
  precision highp float;
  ${lightFunctions}
  in vec3 world, across;
  out vec4 colour;
  uniform vec3 bodyColour;
  uniform float metal, opacity, marked;
  void main() {
    vec3 normal = normalize(across);
    vec3 towards = normalize(cameraPosition - world);
    if (dot(normal, towards) < 0.0) normal = -normal;
    float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    float lit = sunlight(world + normal * volumeCell * 0.25, 3.0, turn);
    float open = openness(world + normal * volumeCell * 0.3, normal);
    vec3 light = sunColour * 0.52 * lit * max(0.0, dot(normal, sunDirection))
               + skyColour * open * (0.36 + 0.26 * normal.y) + bounceColour * (0.4 - 0.4 * normal.y);
    vec3 shine = reflect(-towards, normal);
    float gloss = pow(max(0.0, dot(shine, sunDirection)), mix(18.0, 60.0, metal)) * lit;
    float rim = pow(1.0 - max(0.0, dot(normal, towards)), 4.0);
    vec3 seen = bodyColour * light * mix(1.0, 0.62, metal) + sunColour * gloss * mix(0.03, 0.35, metal)
              + skyColour * bodyColour * metal * (0.35 + 0.5 * max(0.0, shine.y)) + skyColour * rim * 0.10;
    seen = mix(seen, vec3(0.05, 0.35, 0.95), marked * (0.10 + 0.5 * rim));
    colour = vec4(tone(seen), opacity);
  }
`

const tints: Record<Body['kind'], [number, number, number]> = {
  collider: [0.3, 0.205, 0.135],
  snow: [0.75, 0.85, 1.0],
  source: [0.1, 0.55, 0.32],
  sink: [0.75, 0.22, 0.16],
}
const steel: [number, number, number] = [0.42, 0.45, 0.49]
const slate: [number, number, number] = [0.2, 0.22, 0.25]

export interface Look {
  metal: boolean
  colour?: [number, number, number]
}

// Corners that are sharp keep their edge: neighbours bent by more than 40 degrees do not share a normal.
function shaded(message: Triangles): BufferGeometry {
  const geometry = new BufferGeometry()
  const { vertices, indices } = message
  const sharp = Math.cos((40 * Math.PI) / 180)
  const faces = new Float32Array(indices.length)
  const around = new Map<number, number[]>()
  const a = new Vector3()
  const b = new Vector3()
  const c = new Vector3()
  for (let t = 0; t < indices.length; t += 3) {
    a.fromArray(vertices, indices[t]! * 3)
    b.fromArray(vertices, indices[t + 1]! * 3).sub(a)
    c.fromArray(vertices, indices[t + 2]! * 3).sub(a)
    b.cross(c).toArray(faces, t)
    for (let k = 0; k < 3; ++k) {
      const list = around.get(indices[t + k]!)
      if (list) list.push(t)
      else around.set(indices[t + k]!, [t])
    }
  }
  const places = new Float32Array(indices.length * 3)
  const normals = new Float32Array(indices.length * 3)
  for (let t = 0; t < indices.length; t += 3) {
    a.fromArray(faces, t)
    const length = a.length() || 1
    for (let k = 0; k < 3; ++k) {
      const corner = indices[t + k]!
      c.set(0, 0, 0)
      for (const other of around.get(corner)!) {
        b.fromArray(faces, other)
        if (a.dot(b) >= sharp * length * b.length()) c.add(b)
      }
      c.normalize().toArray(normals, (t + k) * 3)
      places.set(vertices.subarray(corner * 3, corner * 3 + 3), (t + k) * 3)
    }
  }
  geometry.setAttribute('position', new BufferAttribute(places, 3))
  geometry.setAttribute('normal', new BufferAttribute(normals, 3))
  return geometry
}

export class Bodies {
  readonly group = new Group()
  readonly shadowMaterial = new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: 'precision highp float; out vec4 colour; void main() { colour = vec4(1.0); }',
    side: DoubleSide,
  })
  private readonly meshes = new Map<number, Mesh<BufferGeometry, ShaderMaterial>>()
  list: Body[] = []

  constructor(private readonly light: LightUniforms) {}

  clear(list: Body[]): void {
    for (const mesh of this.meshes.values()) {
      mesh.geometry.dispose()
      mesh.material.dispose()
    }
    this.meshes.clear()
    this.group.clear()
    this.list = list
  }

  show(message: Triangles, look: (body: Body) => Look): void {
    const body = this.list[message.what]
    if (!body) return
    const there = this.meshes.get(message.what)
    if (there) {
      there.geometry.dispose()
      there.geometry = shaded(message)
      return
    }
    const { metal, colour } = look(body)
    const clear = body.kind !== 'collider'
    const material = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader,
      fragmentShader,
      uniforms: {
        ...this.light,
        bodyColour: {
          value: new Color().setRGB(...(colour ?? (body.shape === 'heightfield' ? slate : metal ? steel : tints[body.kind]))),
        },
        metal: { value: metal ? 1 : 0 },
        opacity: { value: clear ? 0.22 : 1 },
        marked: { value: 0 },
      },
      side: DoubleSide,
      transparent: clear,
      depthWrite: !clear,
    })
    const mesh = new Mesh(shaded(message), material)
    mesh.userData = { place: message.what, kind: body.kind, index: body.index }
    mesh.visible = body.visible && body.kind !== 'snow'
    mesh.renderOrder = clear ? 6 : 0
    if (body.position) this.pose(mesh, { position: body.position, rotation: body.rotation ?? [1, 0, 0, 0] })
    this.meshes.set(message.what, mesh)
    this.group.add(mesh)
  }

  move(poses: Pose[]): void {
    for (const pose of poses) {
      const mesh = this.meshes.get(pose.body)
      if (mesh) this.pose(mesh, pose)
    }
  }

  private pose(mesh: Mesh, pose: Omit<Pose, 'body'>): void {
    const [x, y, z] = pose.position
    const [w, i, j, k] = pose.rotation
    mesh.position.set(x ?? 0, y ?? 0, z ?? 0)
    mesh.quaternion.set(i ?? 0, j ?? 0, k ?? 0, w ?? 1)
  }

  meshOf(kind: string, index: number): Mesh<BufferGeometry, ShaderMaterial> | undefined {
    return [...this.meshes.values()].find((mesh) => mesh.userData.kind === kind && mesh.userData.index === index)
  }

  // Sources and sinks are seen with their switch, snow as it was at the start only while it is chosen.
  present(shown: { source: boolean; sink: boolean }, chosen: { kind: string; index: number } | null): void {
    for (const [place, mesh] of this.meshes) {
      const body = this.list[place]!
      const isChosen = chosen !== null && chosen.kind === body.kind && chosen.index === body.index
      mesh.material.uniforms.marked!.value = isChosen ? 1 : 0
      mesh.visible = isChosen || (body.kind === 'collider' ? body.visible : body.kind === 'snow' ? false : shown[body.kind])
    }
  }
}
