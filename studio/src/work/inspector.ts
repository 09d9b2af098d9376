// A grain that was clicked: where it is, how fast, how it is strained, and the way it came.
import type { Grain } from '../core/protocol'
import { h, replace } from '../ui/dom'
import type { Viewport } from '../view/viewport'
import type { Session } from './session'
import { short } from './timeline'

const list = (values: readonly number[] | undefined): string => values?.map((value) => short(value)).join(', ') ?? '–'

const matrix = (values: readonly number[] | undefined): Node | string => {
  if (!values) return '–'
  const edge = Math.round(Math.sqrt(values.length))
  const rows = Array.from({ length: edge }, (_, i) =>
    h('tr', null, ...values.slice(i * edge, (i + 1) * edge).map((value) => h('td', null, short(value)))),
  )
  return h('table.matrix', null, h('tbody', null, ...rows))
}

const pause = 400 // ms

export class Inspector {
  readonly element = h('aside.inspector', { hidden: true, 'aria-label': 'Grain' })
  private id: number | null = null
  private busy = false
  private asked = 0
  private turn = 0 // answers to questions of before it concern nobody
  frame: () => number | 'live' = () => 'live'

  constructor(
    private readonly session: Session,
    private readonly viewport: Viewport,
  ) {}

  async pick(x: number, y: number): Promise<boolean> {
    const { origin, direction } = this.viewport.ray(x, y)
    const turn = ++this.turn
    this.busy = false
    const ask = {
      run: this.session.current.value,
      origin: origin.toArray(),
      direction: direction.toArray(),
      radius: this.viewport.distance(),
      frame: this.frame(),
    }
    const grain = await this.session.connection.request<Grain>('pick', ask).catch(() => null)
    if (turn !== this.turn) return false
    if (grain?.position) this.show(grain)
    else this.close()
    return grain !== null
  }

  // Follows the same grain through time, a few times a second at most: the way is read from all frames.
  async refresh(): Promise<void> {
    if (this.id === null || this.busy || performance.now() - this.asked < pause) return
    this.busy = true
    this.asked = performance.now()
    const { turn } = this
    const grain = await this.session.connection
      .request<Grain>('pick', { run: this.session.current.value, particle: this.id, frame: this.frame() })
      .catch(() => null)
    if (turn !== this.turn) return
    this.busy = false
    if (grain?.position) this.show(grain)
  }

  close(): void {
    ++this.turn
    this.busy = false
    this.id = null
    this.element.hidden = true
    this.viewport.marks.way([], null, 1)
    this.viewport.draw()
  }

  private show(grain: Grain): void {
    this.id = grain.particle ?? null
    const rows: [string, Node | string][] = [
      ['position, m', list(grain.position)],
      ['velocity, m/s', list(grain.velocity)],
      ['J_P', short(grain.jp, 4)],
      ['J_E', short(grain.je, 5)],
      ['pressure, Pa', short(grain.pressure)],
      ['density, kg/m³', short(grain.density)],
      ['mass, kg', short(grain.mass)],
      ['material', grain.material ?? '–'],
      ['F_E', matrix(grain.fe)],
      ['stress, Pa', matrix(grain.stress)],
    ]
    const close = h('button.link', { type: 'button', 'aria-label': 'Close', onclick: () => this.close() }, '×')
    replace(
      this.element,
      h('header', null, h('h2', null, `Grain ${grain.particle ?? ''}`), close),
      h('dl', null, ...rows.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, value)])),
    )
    this.element.hidden = false
    this.viewport.marks.way(grain.path ?? [], grain.position, this.viewport.distance() * 0.7)
    this.viewport.draw()
  }
}
