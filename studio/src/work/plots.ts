// Numbers of the run over time, linked to the timeline: a click in a plot shows that moment. Two runs are drawn into the same axes.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Histogram, Series } from '../core/protocol'
import { h, replace } from '../ui/dom'
import type { Session } from './session'

interface Line {
  label: string
  tint: string
  value: (row: (name: string) => number) => number
}

interface Chart {
  title: string
  unit: string
  lines: Line[]
  log?: boolean
}

const column = (label: string, name: string, tint: string): Line => ({ label, tint, value: (row) => row(name) })

const charts: Chart[] = [
  {
    title: 'Energy',
    unit: 'J',
    lines: [column('kinetic', 'kinetic_energy', '--plot-1'), column('elastic', 'elastic_energy', '--plot-2')],
  },
  {
    title: 'Momentum',
    unit: 'kg m/s',
    lines: [column('x', 'momentum_x', '--plot-1'), column('y', 'momentum_y', '--plot-2'), column('z', 'momentum_z', '--plot-3')],
  },
  { title: 'Mass', unit: 'kg', lines: [column('mass', 'mass', '--plot-1')] },
  { title: 'J_P', unit: '', lines: [column('mean', 'jp_mean', '--plot-1'), column('least', 'jp_min', '--plot-2')] },
  { title: 'Packed share', unit: '', lines: [column('packed', 'packed', '--plot-1')] },
  { title: 'Time step', unit: 's', lines: [column('shortest', 'dt_min', '--plot-2'), column('longest', 'dt_max', '--plot-1')] },
  {
    title: 'Iterations a step',
    unit: '',
    lines: [{ label: 'iterations', tint: '--plot-1', value: (row) => row('iterations') / Math.max(1, row('steps')) }],
  },
]

const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export class Plots {
  readonly element = h('div.plots', { tabindex: '0', role: 'region', 'aria-label': 'Plots' })
  private readonly holder = h('div')
  private readonly histogram = h('div.histogram')
  private drawn: { plot: uPlot; chart: Chart }[] = []
  private names: number[] = []
  private series = new Map<number, Series>()
  private timer = 0
  private busy = false
  private at = 0
  onTime: (seconds: number) => void = () => {}
  frame: () => number | 'live' = () => 'live'
  visible = false

  constructor(private readonly session: Session) {
    replace(this.element, h('h2', null, 'Over time'), this.holder, h('h2', null, 'J_P of all grains now'), this.histogram)
  }

  // Runs while the plots are looked at.
  show(visible: boolean): void {
    this.visible = visible
    clearInterval(this.timer)
    if (!visible) return
    void this.refresh()
    this.timer = window.setInterval(() => void this.refresh(), 1000)
  }

  moment(seconds: number): void {
    this.at = seconds
    for (const { plot } of this.drawn) plot.redraw(false)
  }

  async refresh(): Promise<void> {
    if (this.busy || !this.visible) return
    this.busy = true
    const runs = [this.session.current.value, this.session.other.value].filter((run): run is number => run !== null)
    for (const run of [...this.series.keys()]) if (!runs.includes(run)) this.series.delete(run)
    for (const run of runs) {
      const series = await this.grown(run, this.series.get(run))
      if (series) this.series.set(run, series)
    }
    const first = runs[0]
    const bins =
      first === undefined
        ? null
        : await this.session.connection
            .request<Histogram>('histogram', { run: first, of: 'jp', bins: 48, frame: this.frame() })
            .catch(() => null)
    if (bins) this.drawHistogram(bins)
    this.busy = false
    if (runs.join() !== this.names.join() || this.drawn.length === 0) this.build(runs)
    else for (const { plot, chart } of this.drawn) plot.setData(this.data(chart, runs))
  }

  // With the rows that came since. Another last row than the one that is known: the run began anew, and all of it is asked for.
  private async grown(run: number, known: Series | undefined): Promise<Series | null> {
    const ask = (from: number): Promise<Series | null> =>
      this.session.connection.request<Series>('series', { run, from }).catch(() => null)
    if (!known || known.rows.length === 0) return ask(0)
    const from = known.rows.length - 1
    const answer = await ask(from)
    const isSame = answer !== null && JSON.stringify([answer.columns, answer.rows[0]]) === JSON.stringify([known.columns, known.rows[from]])
    return isSame ? { ...answer, rows: [...known.rows.slice(0, from), ...answer.rows] } : ask(0)
  }

  private rows(run: number): { time: number; get: (name: string) => number }[] {
    const series = this.series.get(run)
    if (!series) return []
    const places = new Map(series.columns.map((name, i) => [name, i]))
    return series.rows.map((row) => {
      const get = (name: string): number => Number(row[places.get(name) ?? -1] ?? NaN)
      return { time: get('time'), get }
    })
  }

  // Both runs over the times that either has.
  private data(chart: Chart, runs: number[]): uPlot.AlignedData {
    const all = runs.map((run) => new Map(this.rows(run).map((row) => [row.time, row.get])))
    const times = [...new Set(all.flatMap((rows) => [...rows.keys()]))].sort((a, b) => a - b)
    const lines = all.flatMap((rows) => chart.lines.map((line) => times.map((time) => this.finite(rows.get(time), line))))
    return [times, ...lines]
  }

  private finite(get: ((name: string) => number) | undefined, line: Line): number | null {
    const value = get ? line.value(get) : NaN
    return Number.isFinite(value) ? value : null
  }

  rebuild(): void {
    this.build(this.names)
  }

  private build(runs: number[]): void {
    for (const { plot } of this.drawn) plot.destroy()
    this.holder.replaceChildren()
    this.names = runs
    const known = new Set(runs.flatMap((run) => this.series.get(run)?.columns ?? []))
    const shown = charts.filter((chart) => chart.title !== 'Packed share' || known.has('packed')) // older runs have no such column
    this.drawn = runs.length === 0 ? [] : shown.map((chart) => this.plot(chart, runs))
  }

  private plot(chart: Chart, runs: number[]): { plot: uPlot; chart: Chart } {
    const width = Math.max(260, this.element.clientWidth - 32)
    const grid = { stroke: token('--line'), width: 1 }
    const axis = { stroke: token('--muted'), grid, ticks: { show: false }, font: '11px system-ui', size: 46 }
    const options: uPlot.Options = {
      title: chart.unit ? `${chart.title}, ${chart.unit}` : chart.title,
      width,
      height: 132,
      legend: { show: chart.lines.length > 1 || runs.length > 1, live: false },
      cursor: { y: false, points: { show: false } },
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: 24 },
        {
          ...axis,
          values: (_, ticks) =>
            ticks.map((tick) => (Math.abs(tick) >= 1e4 || (tick !== 0 && Math.abs(tick) < 1e-2) ? tick.toExponential(0) : String(tick))),
        },
      ],
      series: [
        { label: 's' },
        ...runs.flatMap((run, i) =>
          chart.lines.map((line) => ({
            label: runs.length > 1 ? `${line.label}, run ${run}` : line.label,
            stroke: token(line.tint),
            width: 1.6,
            dash: i > 0 ? [5, 4] : undefined,
          })),
        ),
      ],
      hooks: { draw: [(plot) => this.markMoment(plot)], ready: [(plot) => this.listen(plot)] },
    }
    return { plot: new uPlot(options, this.data(chart, runs), this.holder), chart }
  }

  private markMoment(plot: uPlot): void {
    const x = plot.valToPos(this.at, 'x', true)
    const { left, top, width, height } = plot.bbox
    if (!Number.isFinite(x) || x < left || x > left + width) return
    plot.ctx.fillStyle = token('--accent')
    plot.ctx.fillRect(x - devicePixelRatio / 2, top, devicePixelRatio, height)
  }

  private listen(plot: uPlot): void {
    const go = (event: MouseEvent): void => this.onTime(plot.posToVal(event.offsetX, 'x'))
    plot.over.addEventListener('pointerdown', go)
    plot.over.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) go(event)
    })
  }

  // Bars in one path: packed snow left of 1, torn snow right of it.
  private drawHistogram({ edges, counts }: Histogram): void {
    const most = Math.max(1, ...counts)
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    svg.setAttribute('viewBox', `0 0 ${counts.length} 40`)
    svg.setAttribute('preserveAspectRatio', 'none')
    svg.setAttribute('role', 'img')
    svg.setAttribute('aria-label', `Histogram of J_P from ${edges[0]?.toFixed(2)} to ${edges[edges.length - 1]?.toFixed(2)}`)
    const parts: Record<string, string> = { packed: '', torn: '' }
    counts.forEach((count, i) => {
      const height = (Math.sqrt(count / most) * 38).toFixed(2)
      parts[(edges[i] ?? 0) < 1 ? 'packed' : 'torn'] += `M${i + 0.08} 40v-${height}h.84v${height}z`
    })
    for (const [name, path] of Object.entries(parts)) {
      const bars = document.createElementNS('http://www.w3.org/2000/svg', 'path')
      bars.setAttribute('d', path)
      bars.setAttribute('class', name)
      svg.append(bars)
    }
    const label = (at: number): string => (edges[at] ?? 0).toFixed(2)
    replace(
      this.histogram,
      svg as unknown as Node,
      h('div.ends', null, h('span', null, label(0)), h('span', null, 'packed < 1 < torn'), h('span', null, label(edges.length - 1))),
    )
  }
}
