// How full of snow space is, on a coarse lattice: the shaders take from it which way is out and how much sky is seen.
import { Data3DTexture, LinearFilter, LinearMipmapLinearFilter, RedFormat, UnsignedByteType, Vector3 } from 'three'
import type { Particles } from '../core/decode'
import type { LightUniforms } from './light'

const most = 56 // cells along the longest edge
const mostTaken = 150_000
const margin = 4

// Bounds of nearly all particles, in parts of the box: a few that fly far do not count.
export function bounds(frame: Particles): { low: number[]; high: number[] } {
  const low: number[] = []
  const high: number[] = []
  const stride = Math.max(1, Math.floor(frame.count / 4000))
  for (let axis = 0; axis < 3; ++axis) {
    const values: number[] = []
    for (let i = 0; i < frame.count; i += stride) values.push(frame.numbers[i * 4 + axis]!)
    values.sort((a, b) => a - b)
    low.push((values[Math.floor(values.length * 0.004)] ?? 0) / 65535)
    high.push((values[Math.ceil(values.length * 0.996) - 1] ?? 0) / 65535)
  }
  return { low, high }
}

function blur(data: Float32Array, size: readonly number[], scratch: Float32Array): void {
  const [nx, ny, nz] = size as [number, number, number]
  const steps = [1, nx, nx * ny]
  for (let axis = 0; axis < 3; ++axis) {
    const step = steps[axis]!
    const n = size[axis]!
    if (n < 3) continue
    scratch.set(data)
    for (let i = 0; i < nx * ny * nz; ++i) {
      const at = Math.floor(i / step) % n
      const before = at > 0 ? scratch[i - step]! : 0
      const after = at < n - 1 ? scratch[i + step]! : 0
      data[i] = 0.25 * before + 0.5 * scratch[i]! + 0.25 * after
    }
  }
}

// `distance`: from one particle to the next in snow as it was at the start, m.
export function fillVolume(light: LightUniforms, frame: Particles, distance: number): void {
  if (frame.count === 0) return
  const { low, high } = bounds(frame)
  const lower = low.map((part, axis) => frame.lower[axis]! + part * frame.extent[axis]!)
  const edges = low.map((part, axis) => Math.max((high[axis]! - part) * frame.extent[axis]!, 0))
  const cell = Math.max(Math.max(...edges) / (most - 2 * margin), distance * 1.25, 1e-9)
  const size = edges.map((edge, axis) => (frame.flat && axis === 2 ? 1 : Math.ceil(edge / cell) + 2 * margin))
  const [nx, ny, nz] = size as [number, number, number]
  const origin = lower.map((value, axis) => (size[axis] === 1 ? value - cell / 2 : value - margin * cell))
  const cells = new Float32Array(nx * ny * nz)
  const stride = Math.max(1, Math.ceil(frame.count / mostTaken))
  const scale = frame.extent.map((extent) => extent / 65535 / cell)
  const shift = frame.lower.map((value, axis) => (value - origin[axis]!) / cell)
  for (let i = 0; i < frame.count; i += stride) {
    const x = Math.floor(frame.numbers[i * 4]! * scale[0]! + shift[0]!)
    const y = Math.floor(frame.numbers[i * 4 + 1]! * scale[1]! + shift[1]!)
    const z = size[2] === 1 ? 0 : Math.floor(frame.numbers[i * 4 + 2]! * scale[2]! + shift[2]!)
    if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) continue
    cells[(z * ny + y) * nx + x]! += stride
  }
  const scratch = new Float32Array(cells.length)
  blur(cells, size, scratch)
  blur(cells, size, scratch)
  const full = (cell / distance) ** (frame.flat ? 2 : 3)
  const bytes = new Uint8Array(cells.length)
  for (let i = 0; i < cells.length; ++i) bytes[i] = Math.min(255, (cells[i]! / full) * 127.5)
  light.snowVolume.value.dispose()
  light.snowVolume.value = texture(bytes, nx, ny, nz)
  light.volumeLower.value = new Vector3(...origin)
  light.volumeExtent.value = new Vector3(nx * cell, ny * cell, nz * cell)
  light.volumeCell.value = cell
}

function texture(bytes: Uint8Array<ArrayBuffer>, nx: number, ny: number, nz: number): Data3DTexture {
  const made = new Data3DTexture(bytes, nx, ny, nz)
  made.format = RedFormat
  made.type = UnsignedByteType
  made.unpackAlignment = 1
  made.minFilter = LinearMipmapLinearFilter
  made.magFilter = LinearFilter
  made.generateMipmaps = true
  made.needsUpdate = true
  return made
}
