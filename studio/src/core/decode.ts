// Binary messages: a header of 64 bytes, then numbers that go to the graphics card as they are.
export const magic = 0x314e5246
export const headerBytes = 64

export enum Kind {
  particles = 1,
  arrows = 2,
  triangles = 3,
}

export interface Header {
  kind: Kind
  run: number
  live: boolean
  flat: boolean
  whole: boolean
  serial: number
  frame: number
  time: number
  count: number
  what: number
  lower: [number, number, number]
  extent: [number, number, number]
  least: number
  greatest: number
}

export interface Particles extends Header {
  kind: Kind.particles
  numbers: Uint16Array
}

export interface Arrows extends Header {
  kind: Kind.arrows
  places: Uint16Array
  vectors: Int16Array
}

export interface Triangles extends Header {
  kind: Kind.triangles
  vertices: Float32Array
  indices: Uint32Array
}

export type Message = Particles | Arrows | Triangles

const bytesOfParticle = 8
const bytesOfArrow = 12

function need(data: ArrayBuffer, bytes: number): void {
  if (data.byteLength < bytes) throw new Error(`a binary message of ${data.byteLength} bytes where ${bytes} were to come`)
}

function header(view: DataView): Header {
  const three = (offset: number): [number, number, number] => [
    view.getFloat32(offset, true),
    view.getFloat32(offset + 4, true),
    view.getFloat32(offset + 8, true),
  ]
  const flags = view.getUint16(6, true)
  return {
    kind: view.getUint8(4),
    run: view.getUint8(5),
    live: (flags & 1) !== 0,
    flat: (flags & 2) !== 0,
    whole: (flags & 4) !== 0,
    serial: view.getUint32(8, true),
    frame: view.getUint32(12, true),
    time: view.getFloat64(16, true),
    count: view.getUint32(24, true),
    what: view.getUint32(28, true),
    lower: three(32),
    extent: three(44),
    least: view.getFloat32(56, true),
    greatest: view.getFloat32(60, true),
  }
}

// The arrays are views of the message: nothing is copied.
export function decode(data: ArrayBuffer): Message {
  need(data, headerBytes)
  const view = new DataView(data)
  if (view.getUint32(0, true) !== magic) throw new Error('a binary message that is not of this protocol')
  const head = header(view)
  switch (head.kind) {
    case Kind.particles:
      need(data, headerBytes + head.count * bytesOfParticle)
      return { ...head, kind: Kind.particles, numbers: new Uint16Array(data, headerBytes, head.count * 4) }
    case Kind.arrows:
      need(data, headerBytes + head.count * bytesOfArrow)
      return {
        ...head,
        kind: Kind.arrows,
        places: new Uint16Array(data, headerBytes, head.count * 6),
        vectors: new Int16Array(data, headerBytes, head.count * 6),
      }
    case Kind.triangles: {
      need(data, headerBytes + 8)
      const vertices = view.getUint32(headerBytes, true)
      const triangles = view.getUint32(headerBytes + 4, true)
      const start = headerBytes + 8
      need(data, start + vertices * 12 + triangles * 12)
      return {
        ...head,
        kind: Kind.triangles,
        vertices: new Float32Array(data, start, vertices * 3),
        indices: new Uint32Array(data, start + vertices * 12, triangles * 3),
      }
    }
    default:
      throw new Error(`a binary message of an unknown kind, ${String(head.kind)}`)
  }
}

// The mean position of the particles, m; of every k-th where there are many.
export function meanPosition(frame: Particles): [number, number, number] {
  const sum = [0, 0, 0]
  const stride = Math.max(1, Math.floor(frame.count / 20000))
  let taken = 0
  for (let i = 0; i < frame.count; i += stride, ++taken) for (let axis = 0; axis < 3; ++axis) sum[axis]! += frame.numbers[i * 4 + axis]!
  return [0, 1, 2].map((axis) => frame.lower[axis]! + (sum[axis]! / Math.max(1, taken) / 65535) * frame.extent[axis]!) as [
    number,
    number,
    number,
  ]
}
