import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { locate, valueAt } from '../src/toml/locate'
import { addBody, apply, copyBody, formatNumber, merged, removeBody, removeValue, setValue } from '../src/toml/patch'
import { placeOf, resolved, valueOf } from '../src/toml/scene'

const scenes = join(dirname(fileURLToPath(import.meta.url)), '../../scenes')
const files = readdirSync(scenes).filter((file) => file.endsWith('.toml'))
const read = (file: string): string => readFileSync(join(scenes, file), 'utf8')
const set = (text: string, path: (string | number)[], value: unknown): string => apply(text, setValue(text, path, value))
const comments = (text: string): string[] => text.match(/#.*$/gm) ?? []

const ball = `# a ball
[simulation]
spacing  = 0.01   # m
duration = 0.5

[materials.wet]   # sticky
hardening = 5

[[snow]]          # the ball
shape    = "sphere"
center   = [0, 0.3, 0]
radius   = 0.1
noise    = { scale = 0.1, octaves = 2 }

# the ground
[[collider]]
shape  = "plane"
point  = [0, 0, 0]
normal = [0, 1, 0]
name   = "ground"
`

describe('a value that is there', () => {
  it('changes and nothing else does', () => {
    expect(set(ball, ['simulation', 'spacing'], 0.02)).toBe(ball.replace('0.01   # m', '0.02   # m'))
  })
  it('changes inside an inline table and inside a list', () => {
    expect(set(ball, ['snow', 0, 'noise', 'scale'], 0.25)).toContain('noise    = { scale = 0.25, octaves = 2 }')
    expect(set(ball, ['snow', 0, 'center', 1], 0.7)).toContain('center   = [0, 0.7, 0]')
  })
  it('in every scene of the gallery, with all comments kept', () => {
    for (const file of files) {
      const text = read(file)
      const located = locate(text)
      for (const entry of located.entries.filter((one) => typeof valueAt(located.value, one.path) === 'number')) {
        const changed = set(text, [...entry.path], 0.123)
        expect(valueAt(locate(changed).value, entry.path), `${file} ${entry.path.join('.')}`).toBe(0.123)
        expect(comments(changed)).toEqual(comments(text))
        expect(changed.length - text.length).toBe('0.123'.length - (entry.value[1] - entry.value[0]))
      }
    }
  })
})

describe('a value that is not there', () => {
  it('comes after the last of its table, in the same column', () => {
    expect(set(ball, ['simulation', 'fps'], 48)).toContain('duration = 0.5\nfps      = 48\n')
  })
  it('comes with its table, where sections usually stand', () => {
    const changed = set(ball, ['solver', 'tolerance'], 1e-3)
    expect(changed).toContain('hardening = 5')
    expect(changed.indexOf('[solver]')).toBeGreaterThan(changed.indexOf('[simulation]'))
    expect(changed.indexOf('[solver]')).toBeLessThan(changed.indexOf('[materials.wet]'))
    expect(locate(changed).value.solver).toEqual({ tolerance: 0.001 })
  })
  it('joins an inline table', () => {
    expect(set(ball, ['snow', 0, 'noise', 'seed'], 7)).toContain('{ scale = 0.1, octaves = 2, seed = 7 }')
  })
  it('stands beside dotted keys of the same table', () => {
    const changed = set('simulation.spacing = 0.1\nsimulation.duration = 1', ['simulation', 'fps'], 30)
    expect(locate(changed).value).toEqual({ simulation: { spacing: 0.1, duration: 1, fps: 30 } })
  })
  it('in every scene of the gallery gives a scene with that value and no other change', () => {
    for (const file of files) {
      const text = read(file)
      for (const path of [
        ['solver', 'beta'],
        ['materials', 'new', 'density'],
        ['snow', 0, 'seed'],
        ['collider', 0, 'roughness'],
      ]) {
        const before = locate(text).value
        if (!valueAt(before, path.slice(0, -1)) && typeof path[1] === 'number') continue
        const changed = set(text, path, 0.5)
        expect(valueAt(locate(changed).value, path), `${file} ${path.join('.')}`).toBe(0.5)
        expect(comments(changed)).toEqual(comments(text))
        if (valueAt(before, path) === undefined) expect(locate(apply(changed, removeValue(changed, path)!)).value).toMatchObject(before)
      }
    }
  })
})

describe('a value that goes', () => {
  it('takes its line with it', () => {
    expect(apply(ball, removeValue(ball, ['snow', 0, 'radius'])!)).toBe(ball.replace('radius   = 0.1\n', ''))
  })
  it('takes its comma with it', () => {
    expect(apply(ball, removeValue(ball, ['snow', 0, 'noise', 'octaves'])!)).toContain('noise    = { scale = 0.1 }')
    expect(apply(ball, removeValue(ball, ['snow', 0, 'noise', 'scale'])!)).toContain('noise    = { octaves = 2 }')
  })
})

describe('bodies', () => {
  it('are added after the last of their kind', () => {
    const changed = apply(ball, addBody(ball, 'snow', { shape: 'box', center: [1, 1, 1], size: [1, 2, 3] }))
    expect((locate(changed).value.snow as unknown[])[1]).toEqual({ shape: 'box', center: [1, 1, 1], size: [1, 2, 3] })
    expect(changed.indexOf('[[snow]]\nshape  = "box"')).toBeLessThan(changed.indexOf('# the ground'))
  })
  it('are copied with their comments, under another name', () => {
    const changed = apply(ball, copyBody(ball, 'collider', 0)!)
    expect((locate(changed).value.collider as { name: string }[]).map((body) => body.name)).toEqual(['ground', 'ground_2'])
    expect(changed.match(/# the ground/g)).toHaveLength(2)
  })
  it('are removed with their comments', () => {
    const changed = apply(ball, removeBody(ball, 'snow', 0)!)
    expect(locate(changed).value.snow).toBeUndefined()
    expect(changed).toContain('# the ground')
    expect(changed).not.toContain('# the ball')
  })
  it('of an inline list are added, copied and removed too', () => {
    const text = 'snow = [{ shape = "sphere", radius = 1 }]\n'
    const two = apply(text, copyBody(text, 'snow', 0)!)
    expect(locate(two).value.snow).toHaveLength(2)
    expect(locate(apply(two, addBody(two, 'snow', { shape: 'box' }))).value.snow).toHaveLength(3)
    expect(locate(apply(two, removeBody(two, 'snow', 0)!)).value.snow).toHaveLength(1)
  })
  it('copied and removed again leave every scene of the gallery as it was', () => {
    for (const file of files) {
      const text = read(file)
      const count = ((locate(text).value.snow as unknown[]) ?? []).length
      if (count === 0) continue
      const more = apply(text, copyBody(text, 'snow', count - 1)!)
      const less = apply(more, removeBody(more, 'snow', count)!)
      expect(locate(less).value, file).toEqual(locate(text).value)
      expect(comments(less)).toEqual(comments(text))
    }
  })
})

describe('a variant', () => {
  const text = read('snowball_drop.toml')
  it('stands above the scene', () => {
    expect(valueOf(locate(text), 'small', ['simulation', 'spacing'])).toBe(0.033)
    expect(valueOf(locate(text), 'small', ['simulation', 'fps'])).toBe(24)
  })
  it('is changed where it says something, else the scene is', () => {
    expect(placeOf(locate(text), 'small', ['simulation', 'spacing'])).toEqual(['variants', 'small', 'simulation', 'spacing'])
    expect(placeOf(locate(text), 'small', ['simulation', 'fps'])).toEqual(['simulation', 'fps'])
    expect(placeOf(locate(text), 'even', ['snow', 0, 'noise'])).toEqual(['variants', 'even', 'snow', 'noise'])
  })
  it('is put in', () => {
    const scene = resolved(locate(text), 'even') as { snow: { noise: unknown; radius: number }[] }
    expect(scene.snow[0]!.noise).toEqual([])
    expect(scene.snow[0]!.radius).toBe(0.2)
  })
})

describe('numbers', () => {
  it('are written as people write them', () => {
    expect([0.25, 140000, 12, 1e-7, 0.1 + 0.2, 1e12, 123456, 2.5e-2].map(formatNumber)).toEqual([
      '0.25',
      '1.4e5',
      '12',
      '1e-7',
      '0.3',
      '1e12',
      '123456',
      '0.025',
    ])
  })
})

describe('texts of two pages', () => {
  it('keep both changes where they are apart', () => {
    const mine = set(ball, ['simulation', 'spacing'], 0.02)
    const theirs = set(ball, ['simulation', 'duration'], 2)
    for (const both of [merged(ball, mine, theirs), merged(ball, theirs, mine)]) {
      expect(valueAt(locate(both).value, ['simulation', 'spacing'])).toBe(0.02)
      expect(valueAt(locate(both).value, ['simulation', 'duration'])).toBe(2)
      expect(comments(both)).toEqual(comments(ball))
    }
  })
  it('keep mine where both changed the same', () => {
    expect(merged(ball, set(ball, ['simulation', 'duration'], 2), set(ball, ['simulation', 'duration'], 3))).toContain('duration = 2')
  })
})
