// One key of the scene: its name, a control that fits its type, its unit; what it means is told below the panel while it is looked at.
import type { SchemaKey } from '../core/protocol'
import { formatNumber, literal } from '../toml/patch'
import { h } from '../ui/dom'
import { fromSlider, scaleOf, toSlider } from './scales'

export interface FieldEvents {
  set(value: unknown, movement: boolean): void
  clear(): void
  explain(key: SchemaKey): void
  find(): void // shows it in the text
}

export interface Field {
  element: HTMLElement
  show(value: unknown): void
}

const words = (name: string): string => name.replaceAll('_', ' ')

let counter = 0

export function makeField(key: SchemaKey, first: unknown, events: FieldEvents): Field {
  const id = `key-${++counter}`
  const make = makers[key.type] ?? other
  const control = make(key, id, first, events)
  const reset = h(
    'button.reset',
    { type: 'button', title: 'Back to the default', 'aria-label': `${key.name}: back to the default`, onclick: () => events.clear() },
    '↺',
  )
  const element = h(
    'div.field',
    { 'data-key': key.name, onfocusin: () => events.explain(key), onpointerenter: () => events.explain(key) },
    h('label', { for: id }, words(key.name)),
    h('div.control', null, control.element),
    h('span.unit', null, key.unit ?? ''),
    reset,
  )
  const show = (value: unknown): void => {
    element.classList.toggle('set', value !== undefined)
    reset.disabled = value === undefined || key.required === true
    control.show(value ?? key.default)
  }
  show(first)
  return { element, show }
}

type Maker = (key: SchemaKey, id: string, first: unknown, events: FieldEvents) => Field

// A number may be a word where the key allows it, such as "auto".
function read(text: string): unknown {
  const value = Number(text)
  return text.trim() !== '' && Number.isFinite(value) ? value : text.trim()
}

const number: Maker = (key, id, first, events) => {
  const scale = scaleOf(key, typeof first === 'number' ? first : undefined)
  const input = h('input.number', { id, type: 'text', inputmode: 'decimal', spellcheck: 'false', autocomplete: 'off' })
  input.addEventListener('change', () => (input.value.trim() === '' ? events.clear() : events.set(read(input.value), false)))
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    const now = Number(input.value)
    const step = scale?.whole ? 1 : Math.abs(now) * 0.02 || 0.01
    if (Number.isFinite(now)) events.set(Number((now + (event.key === 'ArrowUp' ? step : -step)).toPrecision(6)), true)
  })
  if (!scale) return { element: input, show: (value) => (input.value = value === undefined ? '' : written(value)) }
  const slider = h('input', { type: 'range', min: 0, max: 1, step: 0.005, 'aria-label': `${key.name}, slider` })
  slider.addEventListener('input', () => events.set(fromSlider(scale, Number(slider.value)), true))
  return {
    element: h('div.slid', null, slider, input),
    show(value) {
      input.value = value === undefined ? '' : written(value)
      slider.value = String(typeof value === 'number' ? toSlider(scale, value) : 0)
      slider.setAttribute('aria-valuetext', `${input.value} ${key.unit ?? ''}`)
    },
  }
}

const written = (value: unknown): string => (typeof value === 'number' ? formatNumber(value) : String(value))

const flag: Maker = (_key, id, _first, events) => {
  const input = h('input.switch', { id, type: 'checkbox', role: 'switch' })
  input.addEventListener('change', () => events.set(input.checked, false))
  return { element: input, show: (value) => (input.checked = value === true) }
}

const choice: Maker = (key, id, _first, events) => {
  const input = h('select', { id }, ...(key.choices ?? []).map((name) => h('option', { value: name }, name)))
  input.addEventListener('change', () => events.set(input.value, false))
  return {
    element: input,
    show(value) {
      const text = value === undefined ? '' : String(value)
      if (![...input.options].some((option) => option.value === text)) input.prepend(h('option', { value: text }, text || '–'))
      input.value = text
    },
  }
}

const axes = ['x', 'y', 'z', 'w']

const vector: Maker = (key, id, first, events) => {
  const count = Array.isArray(first) ? first.length : Array.isArray(key.default) ? key.default.length : 3
  let shown: unknown[] = []
  const inputs = Array.from({ length: Math.min(4, count) }, (_, axis) =>
    h('input.number', {
      id: axis === 0 ? id : undefined,
      type: 'text',
      inputmode: 'decimal',
      'aria-label': `${key.name} ${axes[axis]}`,
      spellcheck: 'false',
    }),
  )
  inputs.forEach((input, axis) =>
    input.addEventListener('change', () => {
      const values = inputs.map((one, i) => read(one.value || String(shown[i] ?? 0)))
      values[axis] = read(input.value)
      events.set(values, false)
    }),
  )
  return {
    element: h('div.vector', null, ...inputs),
    show(value) {
      shown = Array.isArray(value) ? value : []
      inputs.forEach((input, axis) => (input.value = shown[axis] === undefined ? '' : written(shown[axis])))
      if (typeof value === 'number') inputs[0]!.value = written(value)
    },
  }
}

const text: Maker = (_key, id, _first, events) => {
  const input = h('input', { id, type: 'text', spellcheck: 'false', autocomplete: 'off' })
  input.addEventListener('change', () => (input.value === '' ? events.clear() : events.set(input.value, false)))
  return { element: input, show: (value) => (input.value = value === undefined ? '' : String(value)) }
}

// Lists and tables are written in the text.
const other: Maker = (_key, id, _first, events) => {
  const button = h('button.link', { id, type: 'button', onclick: () => events.find() })
  return { element: button, show: (value) => (button.textContent = value === undefined ? 'write in the text' : literal(value)) }
}

const makers: Record<SchemaKey['type'], Maker> = { number, whole: number, flag, choice, vector, text, file: text, other }
