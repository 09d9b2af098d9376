// Handles of a chosen body: drag, turn and size it. What the hand did becomes values of the scene's text.
import { Mesh, MeshBasicMaterial, Object3D, Quaternion, SphereGeometry, Vector3 } from 'three'
import { TransformControls } from 'three/addons/controls/TransformControls.js'
import type { Values } from '../toml/scene'
import { numbers, readRotation, tidy, writeRotation } from './rotation'
import type { Viewport } from './viewport'

export type Handle = 'translate' | 'rotate' | 'scale'

// Which key says where a body is.
export function placeKey(body: Values): string | null {
  for (const key of ['center', 'translate', 'point']) if (key in body) return key
  if (body.shape === 'mesh' || body.shape === 'volume') return 'translate'
  return body.shape === 'capsule' ? 'a' : null
}

const sizeKeys: Record<string, string[]> = {
  sphere: ['radius'],
  box: ['size'],
  wedge: ['size'],
  cylinder: ['radius', 'height'],
  cone: ['radius', 'height'],
  torus: ['radius', 'tube'],
  capsule: ['radius'],
  mesh: ['scale'],
  volume: ['scale'],
  text: ['height'],
  heightfield: ['length'],
}

const turning = new Set(['box', 'wedge', 'cylinder', 'cone', 'torus', 'mesh', 'volume', 'text', 'heightfield'])

export class Gizmo {
  private readonly handles: TransformControls
  private readonly proxy = new Object3D()
  private body: Values = {}
  private start = { place: new Vector3(), turn: new Quaternion() }
  onChange: (values: Record<string, unknown>) => void = () => {}

  constructor(private readonly viewport: Viewport) {
    this.handles = new TransformControls(viewport.camera, viewport.canvas)
    this.handles.setSize(0.8)
    viewport.scene.add(this.proxy, this.handles.getHelper())
    this.proxy.add(new Mesh(new SphereGeometry(1e-6, 3, 2), new MeshBasicMaterial({ visible: false })))
    this.handles.addEventListener('dragging-changed', (event) => {
      viewport.controls.enabled = !event.value
      if (!event.value) this.onChange(this.values())
    })
    viewport.rendered.later(() => {
      if (this.handles.object) this.tellPlace()
    })
    this.handles.addEventListener('change', () => {
      this.follow()
      viewport.draw()
    })
  }

  get dragging(): boolean {
    return this.handles.dragging
  }

  private follower: Object3D | null = null
  private followed = { position: new Vector3(), turn: new Quaternion(), scale: new Vector3(1, 1, 1) }

  attach(body: Values, mesh: Object3D | undefined): void {
    const key = placeKey(body)
    if (!key) return this.detach()
    this.body = body
    const place = body.shape === 'capsule' ? this.middle(body) : numbers(body[key], [0, 0, 0])
    this.proxy.position.set(place[0] ?? 0, place[1] ?? 0, place[2] ?? 0)
    this.proxy.quaternion.copy(readRotation(body.rotation))
    this.proxy.scale.set(1, 1, 1)
    this.start = { place: this.proxy.position.clone(), turn: this.proxy.quaternion.clone() }
    this.follower = mesh ?? null
    if (mesh) this.followed = { position: mesh.position.clone(), turn: mesh.quaternion.clone(), scale: mesh.scale.clone() }
    this.handles.attach(this.proxy)
    this.viewport.chosen = this.proxy.position
    this.viewport.draw()
  }

  // Where the middle of the handles is on the page, in the picture that is seen.
  private tellPlace(): void {
    const { canvas, camera } = this.viewport
    const box = canvas.getBoundingClientRect()
    const seen = this.proxy.position.clone().project(camera)
    canvas.dataset.handle = JSON.stringify([box.left + ((seen.x + 1) / 2) * box.width, box.top + ((1 - seen.y) / 2) * box.height])
  }

  detach(): void {
    this.handles.detach()
    delete this.viewport.canvas.dataset.handle
    this.viewport.chosen = null
    this.follower = null
    this.viewport.draw()
  }

  mode(mode: Handle): void {
    this.handles.setMode(mode === 'rotate' && !turning.has(String(this.body.shape)) ? 'translate' : mode)
    this.viewport.draw()
  }

  private middle(body: Values): number[] {
    const a = numbers(body.a, [0, 0, 0])
    const b = numbers(body.b, [0, 0, 0])
    return a.map((value, axis) => (value + (b[axis] ?? 0)) / 2)
  }

  // The body's triangles go along while the hand drags.
  private follow(): void {
    if (!this.follower) return
    const turn = this.proxy.quaternion.clone().multiply(this.start.turn.clone().invert())
    const arm = this.followed.position.clone().sub(this.start.place).applyQuaternion(turn)
    this.follower.position.copy(this.proxy.position).add(arm)
    this.follower.quaternion.copy(turn).multiply(this.followed.turn)
    this.follower.scale.copy(this.followed.scale).multiply(this.proxy.scale)
  }

  private values(): Record<string, unknown> {
    const { body, proxy } = this
    const flat = numbers(body.center ?? body.point ?? body.a ?? body.translate, [0, 0, 0]).length === 2
    const vector = (value: Vector3): number[] =>
      value
        .toArray()
        .slice(0, flat ? 2 : 3)
        .map(tidy)
    const values: Record<string, unknown> = {}
    const mode = this.handles.getMode()
    if (mode === 'translate') {
      if (body.shape === 'capsule') {
        const shift = proxy.position.clone().sub(this.start.place)
        for (const end of ['a', 'b'])
          values[end] = vector(new Vector3(...(numbers(body[end], [0, 0, 0]) as [number, number, number])).add(shift))
      } else values[placeKey(body)!] = vector(proxy.position)
    }
    if (mode === 'rotate') values.rotation = writeRotation(proxy.quaternion, flat)
    if (mode === 'scale') this.sizes(values, proxy.scale)
    return values
  }

  private sizes(values: Record<string, unknown>, scale: Vector3): void {
    const factors = [scale.x, scale.y, scale.z].map(Math.abs)
    const strongest = factors.reduce((best, factor) => (Math.abs(Math.log(factor)) > Math.abs(Math.log(best)) ? factor : best), 1)
    for (const key of sizeKeys[String(this.body.shape)] ?? []) {
      const there = this.body[key] ?? (key === 'scale' ? 1 : undefined)
      if (Array.isArray(there)) values[key] = (there as number[]).map((value, axis) => tidy(value * (factors[axis] ?? 1)))
      else if (typeof there === 'number') values[key] = tidy(there * (key === 'height' ? factors[1]! : strongest))
    }
  }
}
