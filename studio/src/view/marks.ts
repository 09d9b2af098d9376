// Lines over the picture: boxes of domain and window, the way of a grain that was clicked.
import {
  Box3,
  Box3Helper,
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  Vector3,
} from 'three'
import type { LineSegments } from 'three'
import type { Box } from '../core/protocol'

const three = (values: readonly number[]): Vector3 => new Vector3(values[0] ?? 0, values[1] ?? 0, values[2] ?? 0)

export class Marks {
  readonly group = new Group()
  private readonly boxes = new Map<string, LineSegments>()
  private path: Line | null = null
  private grain: Mesh | null = null

  // `shift`: of a box that moves, m.
  box(name: string, box: Box | null | undefined, colour: number, shift: readonly number[] = []): void {
    const there = this.boxes.get(name)
    if (there) {
      this.group.remove(there)
      there.geometry.dispose()
      ;(there.material as LineBasicMaterial).dispose()
    }
    this.boxes.delete(name)
    if (!box) return
    const helper = new Box3Helper(new Box3(three(box.lower), three(box.upper)).translate(three(shift)), new Color(colour))
    ;(helper.material as LineBasicMaterial).transparent = true
    ;(helper.material as LineBasicMaterial).opacity = 0.75
    helper.renderOrder = 15
    this.boxes.set(name, helper)
    this.group.add(helper)
  }

  // `path`: rows of time, x, y, z.
  way(path: readonly (readonly number[])[], at: readonly number[] | null, radius: number): void {
    if (this.path) this.group.remove(this.path)
    if (this.grain) this.group.remove(this.grain)
    this.path?.geometry.dispose()
    this.grain?.geometry.dispose()
    this.path = this.grain = null
    if (at) {
      this.grain = new Mesh(
        new SphereGeometry(radius, 16, 12),
        new MeshBasicMaterial({ color: 0xff7a1a, depthTest: false, transparent: true, opacity: 0.9 }),
      )
      this.grain.position.copy(three(at))
      this.grain.renderOrder = 30
      this.group.add(this.grain)
    }
    if (path.length > 1) {
      const geometry = new BufferGeometry()
      geometry.setAttribute(
        'position',
        new Float32BufferAttribute(
          path.flatMap((row) => [row[1] ?? 0, row[2] ?? 0, row[3] ?? 0]),
          3,
        ),
      )
      this.path = new Line(geometry, new LineBasicMaterial({ color: 0xff7a1a, depthTest: false, transparent: true, opacity: 0.85 }))
      this.path.renderOrder = 29
      this.group.add(this.path)
    }
  }
}
