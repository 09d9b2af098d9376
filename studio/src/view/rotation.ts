// Rotations as scenes write them: angles about the world's axes in degrees, a quaternion, or one angle in two dimensions.
import { Euler, MathUtils, Quaternion, Vector3 } from 'three'
import { formatNumber } from '../toml/patch'

export const numbers = (value: unknown, fallback: number[]): number[] =>
  Array.isArray(value) ? (value as number[]).map(Number) : fallback
export const tidy = (value: number): number => Number(formatNumber(Math.abs(value) < 1e-9 ? 0 : Number(value.toPrecision(4))))

export function readRotation(value: unknown): Quaternion {
  if (typeof value === 'number') return new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), value)
  const list = numbers(value, [0, 0, 0])
  if (list.length === 4) return new Quaternion(list[1], list[2], list[3], list[0]).normalize()
  const [x, y, z] = list.map(MathUtils.degToRad)
  return new Quaternion().setFromEuler(new Euler(x, y, z, 'ZYX'))
}

export function writeRotation(turn: Quaternion, flat: boolean): number[] | number {
  const euler = new Euler().setFromQuaternion(turn, 'ZYX')
  if (flat) return tidy(euler.z)
  return [euler.x, euler.y, euler.z].map((angle) => tidy(MathUtils.radToDeg(angle)))
}
