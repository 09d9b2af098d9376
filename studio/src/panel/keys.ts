// Which keys of the schema a table of the scene has: those of the section, and those of its shape.
import type { SchemaKey, SchemaSection } from '../core/protocol'

const fitsShape = (key: SchemaKey, shape: string | undefined): boolean => !key.shapes || shape === undefined || key.shapes.includes(shape)

export function keysOf(section: SchemaSection | undefined, shape?: string): SchemaKey[] {
  const seen = new Set<string>()
  return (section?.keys ?? []).filter((key) => {
    if (seen.has(key.name) || !fitsShape(key, shape)) return false
    seen.add(key.name)
    return true
  })
}

export const titles: Record<string, string> = {
  simulation: 'Simulation',
  solver: 'Solver',
  materials: 'Material',
  snow: 'Snow',
  source: 'Source',
  collider: 'Body',
  sink: 'Sink',
  domain: 'Domain',
  window: 'Window',
  output: 'Output',
  render: 'Pictures',
}

export const bodyKinds = ['snow', 'collider', 'source', 'sink'] as const
export type BodyKind = (typeof bodyKinds)[number]

// A new body stands in the middle of what is seen, with a size that fits.
export function newBody(kind: BodyKind, shape: string, middle: readonly number[], size: number, flat: boolean): Record<string, unknown> {
  const round = (value: number): number => Number(value.toPrecision(3))
  const part = round(size * 0.12)
  const center = [...middle].slice(0, flat ? 2 : 3).map(round)
  const edges = center.map(() => round(part * 2))
  const geometry: Record<string, Record<string, unknown>> = {
    sphere: { center, radius: part },
    box: { center, size: edges },
    wedge: { center, size: edges },
    cylinder: { center, radius: part, height: round(part * 2) },
    cone: { center, radius: part, height: round(part * 2) },
    torus: { center, radius: part, tube: round(part * 0.35) },
    capsule: { a: center, b: center.map((value, axis) => (axis === 0 ? round(value + part * 2) : value)), radius: round(part * 0.6) },
    plane: { point: center.map((value, axis) => (axis === 1 ? 0 : value)), normal: center.map((_, axis) => (axis === 1 ? 1 : 0)) },
  }
  const body: Record<string, unknown> = { shape, ...(geometry[shape] ?? { center }) }
  if (kind === 'source')
    return { ...body, rate: round(400 * part ** (flat ? 2 : 3) * 20), velocity: center.map((_, axis) => (axis === 1 ? -2 : 0)) }
  if (kind === 'collider') return { ...body, friction: 0.5 }
  return body
}

export const simpleShapes = ['sphere', 'box', 'cylinder', 'cone', 'torus', 'capsule', 'wedge']
