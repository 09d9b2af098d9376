// A scene as the variant makes it, and where a value of it is to be changed.
import { entryAt, valueAt } from './locate'
import type { Located, Path } from './locate'

export type Values = Record<string, unknown>

const bodies = new Set(['snow', 'source', 'collider', 'sink'])

function isTable(value: unknown): value is Values {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

// The paths that a variant may have for a value: snow.0.radius is snow.radius too where there is one body only.
function namesInVariant(scene: Values, path: Path): Path[] {
  const list = scene[String(path[0])]
  if (bodies.has(String(path[0])) && Array.isArray(list) && list.length === 1 && path[1] === 0)
    return [path, [path[0]!, ...path.slice(2)]]
  return [path]
}

const variantNames = (variant: string | undefined): string[] => (variant ? variant.split(',').filter(Boolean) : [])

export function valueOf(located: Located, variant: string | undefined, path: Path): unknown {
  for (const name of variantNames(variant).reverse())
    for (const candidate of namesInVariant(located.value, path)) {
      const found = valueAt(located.value, ['variants', name, ...candidate.map(String)])
      if (found !== undefined) return found
    }
  return valueAt(located.value, path)
}

// The variant's own line where it has one, else the scene's.
export function placeOf(located: Located, variant: string | undefined, path: Path): Path {
  for (const name of variantNames(variant).reverse())
    for (const candidate of namesInVariant(located.value, path)) {
      const full = ['variants', name, ...candidate.map(String)]
      if (entryAt(located, full)) return full
    }
  return path
}

// The whole scene with its variants put in, to read from.
export function resolved(located: Located, variant: string | undefined): Values {
  const scene = structuredClone(located.value)
  for (const name of variantNames(variant)) {
    const changes = valueAt(located.value, ['variants', name])
    if (isTable(changes)) overlay(scene, changes)
  }
  return scene
}

function overlay(scene: Values, changes: Values): void {
  for (const [section, change] of Object.entries(changes)) {
    const there = scene[section]
    if (Array.isArray(there) && isTable(change)) overlayBodies(there as Values[], change)
    else if (section === 'materials' && isTable(change)) scene[section] = mergeDeep(there, change)
    else if (isTable(change)) scene[section] = { ...(isTable(there) ? there : {}), ...change }
    else scene[section] = change
  }
}

function mergeDeep(there: unknown, change: Values): Values {
  const merged: Values = { ...(isTable(there) ? there : {}) }
  for (const [name, inner] of Object.entries(change)) merged[name] = isTable(inner) ? { ...(merged[name] as Values), ...inner } : inner
  return merged
}

function overlayBodies(list: Values[], change: Values): void {
  for (const [key, inner] of Object.entries(change)) {
    const index = /^\d+$/.test(key) ? Number(key) : -1
    if (index >= 0 && isTable(inner) && list[index]) Object.assign(list[index], inner)
    else if (index < 0 && list[0]) list[0][key] = inner
  }
}
