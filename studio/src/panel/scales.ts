// The range and scale of a slider, from what the schema says of a key. Ranges of scenes are wide; a slider shows the part that people use.
import type { SchemaKey } from '../core/protocol'

export interface Scale {
  low: number
  high: number
  log: boolean
  whole: boolean
}

const decade = 10

// `value`: as the scene has it when the panel is made, or the default. An end that the range leaves out is not on the slider either.
export function scaleOf(key: SchemaKey, value: number | undefined): Scale | null {
  const scale = usedPart(key, value)
  if (!scale) return null
  const margin = (scale.high - scale.low) * 0.005
  if (key.open_low && scale.low === key.low) scale.low += margin
  if (key.open_high && scale.high === key.high) scale.high -= margin
  return scale
}

function usedPart(key: SchemaKey, value: number | undefined): Scale | null {
  if (key.type !== 'number' && key.type !== 'whole') return null
  const low = key.low ?? -Infinity
  const high = key.high ?? Infinity
  const usual = typeof key.default === 'number' ? key.default : undefined
  const reference = Math.abs(value ?? usual ?? 0) || Math.abs(usual ?? 0)
  const whole = key.type === 'whole'
  if (low >= 0 && high <= 2 * Math.max(1, low)) return { low, high, log: false, whole }
  if (low >= 0 && reference > 0 && high / reference > 20 && !(low === 0 && usual === 0)) {
    const ends = [reference, usual && usual > 0 ? usual : reference]
    const from = Math.max(low, Math.min(...ends) / (decade * 3))
    const to = Math.min(high, Math.max(...ends) * decade * 3)
    return from > 0
      ? { low: whole ? Math.max(1, Math.round(from)) : from, high: to, log: true, whole }
      : { low, high: to, log: false, whole }
  }
  const reach = reference > 0 ? reference * 4 : 1
  return { low: Math.max(low, low >= 0 ? 0 : -reach), high: Math.min(high, reach), log: false, whole }
}

export function toSlider(scale: Scale, value: number): number {
  const part = scale.log
    ? Math.log(Math.max(value, scale.low) / scale.low) / Math.log(scale.high / scale.low)
    : (value - scale.low) / (scale.high - scale.low)
  return Math.min(1, Math.max(0, part))
}

// Three digits are what a hand can choose.
export function fromSlider(scale: Scale, part: number): number {
  const value = scale.log ? scale.low * Math.pow(scale.high / scale.low, part) : scale.low + part * (scale.high - scale.low)
  const chosen = scale.whole ? Math.round(value) : Number(value.toPrecision(3))
  return Math.min(scale.high, Math.max(scale.low, chosen))
}

export function rangeText(key: SchemaKey): string {
  if (key.low === undefined && key.high === undefined) return ''
  const number = (value: number | undefined): string => (value === undefined ? '…' : String(value).replace('e+', 'e'))
  return `${key.open_low ? '(' : '['}${number(key.low)}, ${number(key.high)}${key.open_high ? ')' : ']'}`
}
