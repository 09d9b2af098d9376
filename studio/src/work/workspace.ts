// One run on the screen: the view with its tools, the panels beside it, the timeline below. Puts the parts together and passes on what one
// tells the other.
import type { Run } from '../core/protocol'
import { Signal } from '../core/signal'
import type { Values } from '../toml/scene'
import { Panel } from '../panel/panel'
import { button, h, replace } from '../ui/dom'
import { Gizmo } from '../view/gizmo'
import { Viewport } from '../view/viewport'
import { Compare } from './compare'
import { Dock } from './dock'
import { Drop } from './drop'
import { Inspector } from './inspector'
import { Plots } from './plots'
import { Results } from './results'
import { SceneDocument } from './scene_document'
import type { Session } from './session'
import { Timeline } from './timeline'
import { ViewTools } from './view_tools'
import { Watcher } from './watcher'

const clickReach = 4 // pixels: more is a drag

export class Workspace {
  readonly element = h('main.workspace', { 'aria-label': 'Scene' })
  readonly document: SceneDocument
  readonly viewport: Viewport
  readonly timeline: Timeline
  readonly tools: ViewTools
  readonly compare: Compare
  readonly panel: Panel
  readonly dock: Dock
  readonly gizmo: Gizmo
  readonly inspector: Inspector
  readonly results: Results
  readonly plots: Plots
  private readonly watcher: Watcher
  private readonly stage = h('div.stage')
  private readonly banner = h('div.banner', { role: 'status', hidden: true })
  private bodiesOf = ''
  private said = '' // by the banner
  private timer = 0
  private moment = 'live live true'

  constructor(
    private readonly session: Session,
    theme: Signal<'light' | 'dark'>,
    root: HTMLElement,
  ) {
    const view = h('div.view')
    this.document = new SceneDocument(session)
    this.viewport = new Viewport(view, 'View of the snow: drag to turn, right drag to move, wheel to zoom, click a grain for its numbers')
    this.watcher = new Watcher(session, this.viewport)
    this.timeline = new Timeline(session, this.document)
    this.compare = new Compare(session, this.viewport, this.document)
    this.tools = new ViewTools(
      () => this.viewport.fit(),
      () => this.compare.toggle(),
    )
    this.inspector = new Inspector(session, this.viewport)
    this.panel = new Panel(this.document, session.schema, session.presets)
    this.plots = new Plots(session)
    this.results = new Results(session)
    this.dock = new Dock(this.panel.element, this.document.editor.host, this.plots.element, this.results.element)
    this.gizmo = new Gizmo(this.viewport)
    const drop = new Drop(session, this.document, root)
    drop.where = this.panel.surroundings = () => this.surroundings()

    view.append(this.tools.element, this.handles(), this.tools.legend, this.inspector.element, this.banner)
    replace(this.stage, view, this.compare.element)
    replace(this.element, this.stage, this.dock.element, this.timeline.element, this.compare.differences)
    this.connect(theme)
    this.listenToClicks()
  }

  private connect(theme: Signal<'light' | 'dark'>): void {
    const { session, document, viewport, timeline, tools, plots } = this
    theme.watch((name) => {
      viewport.theme(name)
      this.compare.setTheme(name)
      plots.rebuild()
    })
    session.current.later((run) => void this.open(run))
    session.ready.later(() => void this.open(session.current.value))
    session.runs.later(() => this.follow(session.now))
    document.located.later(() => {
      this.watcher.setScene(document.scene())
      this.choose()
    })
    document.effect.later((effect) => {
      this.tellBanner()
      if (effect?.effect === 'now') this.askForBodies()
    })
    document.failure.later(() => this.tellBanner())
    timeline.shown.later(() => this.wantMoment())
    session.runs.later(() => this.wantMoment())
    session.other.later(() => this.wantMoment())
    tools.choices.later((choices) => {
      viewport.colourBy(tools.colour, choices.range)
      void this.watcher.want({ colour: tools.colour, show: choices.show })
      this.compare.want({ colour: tools.colour, show: choices.show }, choices.range)
      this.tellMarks(session.now)
      tools.tell(viewport)
    })
    tools.materials = () => session.now?.materials ?? []
    viewport.drawn.later((drawn) => {
      if (!drawn) return
      timeline.drew(drawn.frame, drawn.time)
      if (session.now?.window) this.tellMarks(session.now)
      void this.watcher.bend(drawn.live ? 'live' : drawn.frame)
      plots.moment(drawn.time)
      tools.tell(viewport)
      void this.inspector.refresh()
    })
    viewport.overlaid.later(() => tools.tell(viewport))
    plots.onTime = (seconds) => timeline.scrub(seconds * (session.now?.fps ?? 24))
    this.dock.tab.watch((tab) => plots.show(tab === 'understand'))
    plots.frame = this.inspector.frame = () => timeline.shown.value
    this.results.frame = () => viewport.drawn.value?.frame ?? 0
    this.results.text = () => document.editor.text
    this.panel.findInText = (at) => {
      this.dock.showText()
      document.editor.goTo(at)
    }
    this.panel.chosen.later(() => this.choose())
    this.gizmo.onChange = (values) => {
      const chosen = this.panel.chosen.value
      if (chosen) document.setAll(Object.entries(values).map(([key, value]) => [[chosen.kind, chosen.index, key], value] as const))
    }
  }

  // What is computed now, or a frame there is. Two runs side by side keep in step: both show the newest frame that both have.
  private wantMoment(): void {
    const { value } = this.timeline.shown
    const [here, there] = value === 'live' ? this.compare.commonMoments() : [value, value]
    const live = here === 'live' && this.session.now?.live !== false
    const moment = `${here} ${there} ${live}`
    if (moment === this.moment) return
    this.moment = moment
    this.tools.setLive(live)
    const { colour } = this.tools
    const { range } = this.tools.choices.value
    this.viewport.colourBy(colour, range)
    void this.watcher.want({ frame: here, colour })
    this.compare.want({ frame: there, colour }, range)
  }

  private async open(run: number | null): Promise<void> {
    this.inspector.close()
    this.panel.chosen.set(null)
    if (run === null) return
    this.bodiesOf = ''
    await this.document.open(run)
    if (this.session.current.value !== run) return
    this.viewport.forget()
    this.standAsTold()
    await this.watcher.watch(run, this.document.scene())
    this.follow(this.session.now)
  }

  // The scene's own camera, where it has one.
  private standAsTold(): void {
    const render = (this.document.scene().render ?? {}) as Values
    const first = ((render.keys ?? []) as Values[])[0] ?? render
    if (Array.isArray(first.position) && Array.isArray(first.target))
      this.viewport.look({ position: first.position as [number, number, number], target: first.target as [number, number, number] })
  }

  // Bodies are asked for again when the solver has another scene: at a restart, or when it took an edit.
  private follow(run: Run | undefined): void {
    if (!run) return
    this.tellMarks(run)
    this.tellBanner()
    const bodies = `${run.run} ${run.state === 'setting up' ? 'before' : 'after'} ${run.steps === 0 ? `start ${run.revision}` : ''}`
    if (bodies === this.bodiesOf || run.state === 'setting up') return
    this.bodiesOf = bodies
    void this.watcher.bodies().then(() => this.choose())
  }

  // After the last of many small changes.
  private askForBodies(): void {
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => void this.watcher.bodies().then(() => this.choose()), 400)
  }

  private tellMarks(run: Run | undefined): void {
    const { marks } = this.tools.choices.value
    this.viewport.marks.box('window', marks.has('window') ? run?.window : null, 0x3d8bfd, this.windowPlace(run))
    this.viewport.marks.box('domain', marks.has('domain') ? run?.domain : null, 0xe0a030)
    this.viewport.bodies.present({ source: marks.has('sources'), sink: marks.has('sinks') }, this.panel.chosen.value)
    this.viewport.draw()
  }

  // A window goes with the body that it follows, or at its own velocity.
  private windowPlace(run: Run | undefined): number[] {
    const { follow, velocity } = run?.window ?? {}
    const body = follow === undefined ? undefined : this.viewport.bodies.meshOf('collider', follow)
    const time = this.viewport.drawn.value?.time ?? 0
    return body ? body.position.toArray() : (velocity ?? []).map((part) => part * time)
  }

  private choose(): void {
    const chosen = this.panel.chosen.value
    const body = chosen && ((this.document.scene()[chosen.kind] ?? []) as Values[])[chosen.index]
    this.tellMarks(this.session.now)
    if (!chosen || !body) this.gizmo.detach()
    else if (!this.gizmo.dragging) this.gizmo.attach(body, this.viewport.bodies.meshOf(chosen.kind, chosen.index))
    this.element.classList.toggle('choosing', Boolean(chosen && body))
  }

  private handles(): HTMLElement {
    return h(
      'div.handles',
      { role: 'group', 'aria-label': 'Handles' },
      button('Drag (W)', 'move', () => this.gizmo.mode('translate')),
      button('Turn (E)', 'turn', () => this.gizmo.mode('rotate')),
      button('Size (S)', 'size', () => this.gizmo.mode('scale')),
      button('Copy (D)', 'copy', () => this.panel.copyChosen()),
      button('Remove (Delete)', 'remove', () => this.panel.removeChosen()),
      button('Done (Escape)', 'close', () => this.panel.chosen.set(null)),
    )
  }

  private surroundings(): { middle: number[]; size: number; flat: boolean } {
    const run = this.session.now
    const box = run?.box
    const flat = run?.dimension === 2
    if (!box) return { middle: [0, 0.5, 0], size: 1, flat }
    const size = Math.max(...box.upper.map((value, axis) => value - (box.lower[axis] ?? 0)))
    return {
      middle: box.lower.map((value, axis) => (axis === 1 ? (box.upper[1] ?? 0) + size * 0.2 : (value + (box.upper[axis] ?? 0)) / 2)),
      size,
      flat,
    }
  }

  // A change that the model cannot take while it runs waits for a restart; errors say their line.
  private tellBanner(): void {
    const failure = this.document.failure.value
    const effect = this.document.effect.value
    const run = this.session.now
    const restart = effect?.effect === 'restart'
    const said = JSON.stringify([failure, restart && [effect.reason, run?.state], run?.state === 'failed' && run.message])
    if (said === this.said) return // a button that is made anew while it is pressed is never clicked
    this.said = said
    this.banner.hidden = !failure && !restart && run?.state !== 'failed'
    this.banner.classList.toggle('bad', Boolean(failure) || run?.state === 'failed')
    if (failure) {
      const go =
        failure.line !== undefined && h('button.link', { type: 'button', onclick: () => this.dock.showText() }, `line ${failure.line}`)
      replace(this.banner, failure.message, ' ', go)
    } else if (restart) {
      const again = h('button.action', { type: 'button', onclick: () => void this.document.restart(run?.state === 'running') }, 'Restart')
      replace(this.banner, h('span', null, `Takes effect after a restart${effect.reason ? `: ${effect.reason}` : ''} `), again)
    } else if (run?.state === 'failed') replace(this.banner, run.message ?? 'The run has failed.')
  }

  private listenToClicks(): void {
    const { canvas } = this.viewport
    let from: [number, number] = [0, 0]
    canvas.addEventListener('pointerdown', (event) => (from = [event.clientX, event.clientY]))
    canvas.addEventListener('click', (event) => {
      if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) < clickReach && !this.gizmo.dragging)
        void this.inspector.pick(event.clientX, event.clientY)
    })
  }
}
