// Over the view: what colours the snow, its legend and range, and the switches for what else is shown.
import { colours, overlays } from '../core/protocol'
import type { Colour, Overlay } from '../core/protocol'
import { Signal } from '../core/signal'
import { button, h, replace } from '../ui/dom'
import { overlayCss } from '../view/arrows'
import { channelTexts, css, gradient, materialColours } from '../view/colours'
import type { Viewport } from '../view/viewport'
import { short } from './timeline'

export const marks = ['window', 'domain', 'sources', 'sinks'] as const
export type MarkName = (typeof marks)[number]

const overlayTexts: Record<Overlay, string> = {
  nodes: 'Grid nodes',
  velocity: 'Grid velocities',
  force: 'Grid forces',
  normals: 'Normals of bodies',
  sleep: 'Sleeping blocks',
}
const overlayUnits: Record<Overlay, string> = { nodes: '', velocity: 'm/s', force: 'N', normals: '', sleep: '' }

const stressIsLive = 'Pressure is known of what is computed now: frames on the disk do not keep F_E.'

export interface ViewChoices {
  colour: Colour
  range: [number, number] | null
  show: Overlay[]
  marks: Set<MarkName>
}

export class ViewTools {
  readonly element = h('div.viewtools')
  readonly legend = h('div.legend', { 'aria-live': 'off' })
  readonly choices = new Signal<ViewChoices>({ colour: 'none', range: null, show: [], marks: new Set(['sources', 'sinks']) })
  private readonly select = h(
    'select',
    { 'aria-label': 'Colour by' },
    ...colours.map((name) => h('option', { value: name }, channelTexts[name].label)),
  )
  private readonly switches = new Map<string, HTMLInputElement>()
  private live = true
  materials: () => string[] = () => []

  constructor(fit: () => void, compare: () => void) {
    this.select.addEventListener('change', () => this.change({ colour: this.select.value as Colour, range: null }))
    const overlay = (name: Overlay): HTMLElement =>
      this.toggle(name, overlayTexts[name], overlayCss(name), (on) =>
        this.change({ show: on ? [...this.choices.value.show, name] : this.choices.value.show.filter((one) => one !== name) }),
      )
    const mark = (name: MarkName): HTMLElement =>
      this.toggle(name, name[0]!.toUpperCase() + name.slice(1), null, (on) => {
        const set = new Set(this.choices.value.marks)
        if (on) set.add(name)
        else set.delete(name)
        this.change({ marks: set })
      })
    const menu = h(
      'details.switches',
      null,
      h('summary.tool.wide', { title: 'What else is shown' }, 'Show'),
      h('div.menu', null, ...overlays.map(overlay), h('hr'), ...marks.map(mark)),
    )
    replace(
      this.element,
      h('label.inline', null, 'Colour ', this.select),
      menu,
      button('Fit the view (F)', 'fit', fit),
      button('Side by side (C)', 'compare', compare),
    )
    this.choices.watch(() => this.sync())
  }

  flip(name: Overlay): void {
    this.switches.get(name)?.click()
  }

  setColour(colour: Colour): void {
    this.change({ colour, range: null })
  }

  // What the snow can be coloured by now: recorded frames have no F_E, and so no stress.
  get colour(): Colour {
    const { colour } = this.choices.value
    return colour === 'stress' && !this.live ? 'none' : colour
  }

  // Whether the state that is computed is shown, or a frame of the disk.
  setLive(live: boolean): void {
    this.live = live
    const option = this.select.querySelector<HTMLOptionElement>('option[value=stress]')!
    option.disabled = !live
    option.textContent = live ? channelTexts.stress.label : `${channelTexts.stress.label} (live only)`
    this.select.title = live ? '' : stressIsLive
  }

  private change(part: Partial<ViewChoices>): void {
    this.choices.set({ ...this.choices.value, ...part })
  }

  private toggle(name: string, label: string, tint: string | null, change: (on: boolean) => void): HTMLElement {
    const input = h('input', { type: 'checkbox', onchange: () => change(input.checked) })
    this.switches.set(name, input)
    const dot = h('span.dot')
    if (tint) dot.style.background = tint
    return h('label.check', null, input, dot, label)
  }

  private sync(): void {
    const { colour, show, marks: shown } = this.choices.value
    this.select.value = colour
    for (const [name, input] of this.switches) input.checked = show.includes(name as Overlay) || shown.has(name as MarkName)
  }

  // After every frame: the legend says what the colours and the longest arrows stand for.
  tell(viewport: Viewport): void {
    const { colour, show } = this.choices.value
    const parts: (HTMLElement | null)[] = []
    if (colour !== this.colour) parts.push(h('span.muted', null, stressIsLive))
    else if (colour === 'material')
      parts.push(
        h(
          'div.swatches',
          null,
          ...this.materials().map((name, i) => this.swatch(css(materialColours[i % materialColours.length]!), name)),
        ),
      )
    else if (colour !== 'none') parts.push(this.scale(colour, viewport.shownRange()))
    for (const name of show) {
      const greatest = viewport.arrows.greatest.get(name)
      if (greatest === undefined) continue
      const unit = overlayUnits[name]
      parts.push(this.swatch(overlayCss(name), unit ? `${overlayTexts[name]}: longest ${short(greatest)} ${unit}` : overlayTexts[name]))
    }
    if (this.legend.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement) return
    replace(this.legend, ...parts)
    this.legend.hidden = parts.length === 0
  }

  private swatch(tint: string, label: string): HTMLElement {
    const dot = h('span.dot')
    dot.style.background = tint
    return h('span.swatch', null, dot, label)
  }

  private scale(colour: Exclude<Colour, 'none' | 'material'>, [low, high]: [number, number]): HTMLElement {
    const bar = h('div.bar')
    bar.style.background = gradient(colour)
    const text = channelTexts[colour]
    const end = (value: number, which: 0 | 1): HTMLInputElement => {
      const input = h('input.number', {
        type: 'text',
        value: short(value),
        'aria-label': which === 0 ? 'Least of the colours' : 'Greatest of the colours',
      })
      input.addEventListener('change', () => {
        input.blur()
        const range: [number, number] = this.choices.value.range ?? [low, high]
        const chosen = Number(input.value)
        if (input.value.trim() === '') return this.change({ range: null })
        if (!Number.isFinite(chosen)) return
        range[which] = chosen
        this.change({ range: [...range] })
      })
      return input
    }
    const auto = h('button.link', { type: 'button', onclick: () => this.change({ range: null }) }, 'auto')
    auto.hidden = this.choices.value.range === null
    return h(
      'div.scale',
      null,
      h('span.name', null, `${text.label}${text.unit ? `, ${text.unit}` : ''}`),
      bar,
      h('div.ends', null, end(low, 0), auto, end(high, 1)),
    )
  }
}
