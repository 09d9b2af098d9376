import { describe, expect, it } from 'vitest'
import { decode, headerBytes, Kind, magic, meanPosition } from '../src/core/decode'
import type { Particles } from '../src/core/decode'

function message(kind: number, count: number, payload: number): DataView {
  const view = new DataView(new ArrayBuffer(headerBytes + payload))
  view.setUint32(0, magic, true)
  view.setUint8(4, kind)
  view.setUint8(5, 3)
  view.setUint16(6, 1 | 2, true)
  view.setUint32(8, 77, true)
  view.setUint32(12, 5, true)
  view.setFloat64(16, 0.25, true)
  view.setUint32(24, count, true)
  view.setUint32(28, 1, true)
  ;[1, 2, 3].forEach((value, i) => view.setFloat32(32 + 4 * i, value, true))
  ;[10, 20, 30].forEach((value, i) => view.setFloat32(44 + 4 * i, value, true))
  view.setFloat32(56, -1, true)
  view.setFloat32(60, 4, true)
  return view
}

describe('a binary message', () => {
  it('of particles is read without a copy', () => {
    const view = message(Kind.particles, 2, 16)
    ;[0, 32768, 65535, 1, 65535, 32767, 0, 2].forEach((value, i) => view.setUint16(headerBytes + 2 * i, value, true))
    const frame = decode(view.buffer as ArrayBuffer) as Particles
    expect(frame).toMatchObject({ run: 3, live: true, flat: true, whole: false, serial: 77, frame: 5, time: 0.25, count: 2, what: 1 })
    expect(frame).toMatchObject({ lower: [1, 2, 3], extent: [10, 20, 30], least: -1, greatest: 4 })
    expect(frame.numbers.buffer).toBe(view.buffer)
    const mean = meanPosition(frame)
    ;[6, 12, 18].forEach((value, axis) => expect(mean[axis]).toBeCloseTo(value, 3))
  })
  it('of arrows has places and signed vectors in the same bytes', () => {
    const view = message(Kind.arrows, 1, 12)
    view.setUint16(headerBytes, 65535, true)
    view.setInt16(headerBytes + 6, -32767, true)
    const arrows = decode(view.buffer as ArrayBuffer)
    if (arrows.kind !== Kind.arrows) throw new Error('no arrows')
    expect(arrows.places[0]).toBe(65535)
    expect(arrows.vectors[3]).toBe(-32767)
  })
  it('of triangles has points and corners', () => {
    const view = message(Kind.triangles, 1, 8 + 36 + 12)
    view.setUint32(headerBytes, 3, true)
    view.setUint32(headerBytes + 4, 1, true)
    view.setFloat32(headerBytes + 8 + 12, 2.5, true)
    view.setUint32(headerBytes + 8 + 36 + 4, 2, true)
    const mesh = decode(view.buffer as ArrayBuffer)
    if (mesh.kind !== Kind.triangles) throw new Error('no triangles')
    expect([...mesh.vertices]).toEqual([0, 0, 0, 2.5, 0, 0, 0, 0, 0])
    expect([...mesh.indices]).toEqual([0, 2, 0])
  })
  it('that is cut off, foreign or unknown is refused', () => {
    expect(() => decode(new ArrayBuffer(10))).toThrow('10 bytes')
    expect(() => decode(message(Kind.particles, 3, 16).buffer as ArrayBuffer)).toThrow('88')
    expect(() => decode(message(9, 0, 0).buffer as ArrayBuffer)).toThrow('unknown kind')
    expect(() => decode(new ArrayBuffer(64))).toThrow('not of this protocol')
    const many = message(Kind.triangles, 1, 8)
    many.setUint32(headerBytes, 0xffffffff, true)
    expect(() => decode(many.buffer as ArrayBuffer)).toThrow('were to come')
  })
})
