import { Quaternion, Vector3 } from 'three'
import { describe, expect, it } from 'vitest'
import type { SchemaKey } from '../src/core/protocol'
import { keysOf, newBody } from '../src/panel/keys'
import { fromSlider, rangeText, scaleOf, toSlider } from '../src/panel/scales'
import { readRotation, writeRotation } from '../src/view/rotation'

const key = (part: Partial<SchemaKey>): SchemaKey => ({ name: 'key', type: 'number', ...part })

describe('a slider', () => {
  it('of a wide positive range is logarithmic around the value', () => {
    const scale = scaleOf(key({ low: 0, high: 1e12, open_low: true, default: 1.4e5 }), 1.4e5)!
    expect(scale.log).toBe(true)
    expect(toSlider(scale, 1.4e5)).toBeCloseTo(0.5, 6)
    expect(fromSlider(scale, 1) / fromSlider(scale, 0)).toBeCloseTo(900, -2)
  })
  it('of a narrow range is linear from end to end', () => {
    expect(scaleOf(key({ low: 0, high: 0.49, default: 0.2 }), 0.3)).toEqual({ low: 0, high: 0.49, log: false, whole: false })
  })
  it('never leaves the range of its key', () => {
    const keys = [key({ low: 0.5, high: 1, default: 1 }), key({ low: 0, high: 100, default: 0 }), key({ low: -20, high: 20, default: 0 })]
    keys.push(
      key({ type: 'whole', low: 1, high: 1e6, default: 500 }),
      key({ low: 1e-6, high: 100 }),
      key({ low: 0.05, high: 1, default: 0.3 }),
    )
    keys.push(
      key({ low: 0, high: 1, open_low: true, open_high: true, default: 0.25 }),
      key({ low: 0, high: 100, open_low: true, default: 0.5 }),
    )
    for (const one of keys)
      for (const value of [undefined, one.low, 0.3, 7])
        for (let part = 0; part <= 1; part += 0.125) {
          const chosen = fromSlider(scaleOf(one, value)!, part)
          expect(chosen).toBeGreaterThanOrEqual(one.low!)
          expect(chosen).toBeLessThanOrEqual(one.high!)
          if (one.open_low) expect(chosen).toBeGreaterThan(one.low!)
          if (one.open_high) expect(chosen).toBeLessThan(one.high!)
          if (one.type === 'whole') expect(Number.isInteger(chosen)).toBe(true)
        }
  })
  it('says ranges as the documents do', () => {
    expect(rangeText(key({ low: 0, high: 1e12, open_low: true }))).toBe('(0, 1000000000000]')
    expect(rangeText(key({ low: 0, high: 1, open_low: true, open_high: true }))).toBe('(0, 1)')
  })
})

describe('keys of a body', () => {
  const section = {
    name: 'snow',
    array: true,
    keys: [key({ name: 'shape' }), key({ name: 'radius', shapes: ['sphere'] }), key({ name: 'size', shapes: ['box'] })],
  }
  it('are those of its shape', () => {
    expect(keysOf(section, 'sphere').map((one) => one.name)).toEqual(['shape', 'radius'])
    expect(keysOf(section, 'box').map((one) => one.name)).toEqual(['shape', 'size'])
  })
  it('of a new one have two components in two dimensions', () => {
    expect(newBody('snow', 'box', [0, 1, 0], 1, true)).toEqual({ shape: 'box', center: [0, 1], size: [0.24, 0.24] })
    expect(newBody('collider', 'plane', [3, 1, 2], 1, false)).toMatchObject({ point: [3, 0, 2], normal: [0, 1, 0], friction: 0.5 })
  })
})

describe('a rotation', () => {
  it('turns about the world axes x, then y, then z', () => {
    const turned = new Vector3(0, 0, 1).applyQuaternion(readRotation([90, 0, 90]))
    expect(turned.toArray().map((part) => Math.round(part * 1e6) / 1e6 + 0)).toEqual([1, 0, 0])
  })
  it('that was read and written is the same rotation', () => {
    for (const angles of [
      [10, 20, 30],
      [-80, 45, 170],
      [0, 89, 0],
    ]) {
      const again = readRotation(writeRotation(readRotation(angles), false))
      expect(again.angleTo(readRotation(angles))).toBeLessThan(1e-3)
    }
    expect(readRotation([0.5, 0.5, 0.5, 0.5]).angleTo(new Quaternion(0.5, 0.5, 0.5, 0.5))).toBeLessThan(1e-6)
  })
})
