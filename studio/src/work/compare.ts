// Two runs side by side, in step with each other and seen by one camera, with what differs between their scenes.
import type { Difference, SceneText } from '../core/protocol'
import { isMistake, tryLocate } from '../toml/locate'
import { resolved } from '../toml/scene'
import { h, replace } from '../ui/dom'
import { Viewport } from '../view/viewport'
import type { Session } from './session'
import type { SceneDocument } from './scene_document'
import { Watcher } from './watcher'
import type { Wanted } from './watcher'

export class Compare {
  readonly element = h('div.second', { hidden: true })
  readonly differences = h('div.differences', { hidden: true })
  private watcher: Watcher | null = null
  private readonly select = h('select', { 'aria-label': 'Compare with' })
  private wanted: Partial<Wanted> = {}
  private theme: 'light' | 'dark' = 'light'
  private pair = ''

  constructor(
    private readonly session: Session,
    private readonly main: Viewport,
    private readonly document: SceneDocument,
  ) {
    this.select.addEventListener('change', () => void this.choose())
    session.other.later(() => void this.update())
    session.runs.later(() => {
      this.tellRuns()
      void this.tellDifferences()
    })
    session.current.later(() => session.other.set(null))
    main.moved.later((state) => {
      if (state && this.watcher) this.watcher.viewport.look(state)
    })
  }

  get on(): boolean {
    return this.session.other.value !== null || !this.element.hidden
  }

  // Opens with a run that is there, or with a choice of one.
  toggle(): void {
    if (this.on) return this.close()
    this.element.hidden = false
    const others = [...this.session.runs.value.keys()].filter((run) => run !== this.session.current.value)
    const last = others[others.length - 1]
    if (last !== undefined) this.session.other.set(last)
    else void this.update()
    this.tellRuns()
  }

  close(): void {
    this.session.other.set(null)
    this.element.hidden = true
    this.differences.hidden = true
    this.watcher?.dispose()
    this.watcher = null
    this.element.replaceChildren()
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.theme = theme
    this.watcher?.viewport.theme(theme)
  }

  // Both show the same moment in the same way.
  want(wanted: Partial<Wanted>, range: [number, number] | null): void {
    this.wanted = { ...this.wanted, ...wanted }
    void this.watcher?.want(wanted)
    if (wanted.colour) this.watcher?.viewport.colourBy(wanted.colour, range)
  }

  // What each of two runs shows when the newest is wanted: the newest frame that both have. A run that has not begun shows its start.
  commonMoments(): [number | 'live', number | 'live'] {
    const a = this.session.now
    const b = this.session.run(this.session.other.value)
    if (!a || !b) return ['live', 'live']
    const common = Math.max(0, Math.min(a.frames, b.frames) - 1)
    return [a.frames > 0 ? common : 'live', b.frames > 0 ? common : 'live']
  }

  private tellRuns(): void {
    if (this.element.hidden) return
    const others = [...this.session.runs.value.values()].filter((run) => run.run !== this.session.current.value)
    const options = others.map((run) => h('option', { value: run.run }, `Run ${run.run}: ${run.name}`))
    if (document.activeElement === this.select) return
    replace(this.select, h('option', { value: '' }, 'Choose a run…'), ...options, h('option', { value: 'copy' }, 'A copy of this scene'))
    this.select.value = this.session.other.value === null ? '' : String(this.session.other.value)
  }

  private async choose(): Promise<void> {
    const { value } = this.select
    this.select.blur()
    if (value !== 'copy') return this.session.other.set(value === '' ? null : Number(value))
    const answer = await this.copy()
    if (answer !== null) this.session.other.set(answer)
  }

  // A scene of the gallery is opened as such, so that its files are found, and then gets this text.
  private async copy(): Promise<number | null> {
    const { session } = this
    const now = session.now
    if (!now) return null
    const name = session.sceneName(now)
    const variant = now.variant ?? ''
    const { text } = this.document.editor
    if (!session.gallery.value.some((scene) => scene.name === name)) return session.open({ text, name, variant }, false)
    const run = await session.open({ gallery: name, variant }, false)
    const written = run === null ? null : await session.ask<SceneText>('document', { run })
    if (written && written.text !== text) await session.ask('edit', { run, text, revision: written.revision })
    return run
  }

  private async update(): Promise<void> {
    const run = this.session.other.value
    this.watcher?.dispose()
    this.watcher = null
    if (this.element.hidden && run === null) return
    this.element.hidden = false
    replace(
      this.element,
      h(
        'div.secondhead',
        null,
        this.select,
        h('button.link', { type: 'button', 'aria-label': 'Close the comparison', onclick: () => this.close() }, '×'),
      ),
    )
    this.tellRuns()
    void this.tellDifferences()
    if (run === null) return
    const viewport = new Viewport(this.element, 'View of the run that is compared')
    const watcher = (this.watcher = new Watcher(this.session, viewport))
    viewport.theme(this.theme)
    viewport.look(this.main.cameraState())
    viewport.controls.addEventListener('change', () => {
      if (document.activeElement === viewport.canvas) this.main.look(viewport.cameraState())
    })
    const text = await this.session.ask<SceneText>('document', { run })
    if (this.watcher !== watcher) return // closed meanwhile, or another run is wanted
    const located = tryLocate(text?.text ?? '')
    const scene = isMistake(located) ? {} : resolved(located, this.session.run(run)?.variant)
    await watcher.watch(run, scene)
    if (this.watcher !== watcher) return
    await watcher.want(this.wanted)
    if (this.watcher === watcher && this.wanted.colour) viewport.colourBy(this.wanted.colour, null)
  }

  // Again whenever one of the two scenes has changed.
  private async tellDifferences(): Promise<void> {
    const a = this.session.now
    const b = this.session.run(this.session.other.value)
    const pair = a && b ? `${a.run} ${a.revision} ${b.run} ${b.revision}` : ''
    if (pair === this.pair) return
    this.pair = pair
    if (pair === '') return
    const answer = await this.session.ask<{ differences: Difference[] }>('compare', { a: a!.run, b: b!.run })
    if (!answer) return
    const show = (value: string): string => value || '–'
    const rows = answer.differences.map((one) =>
      h('tr', null, h('th', { scope: 'row' }, one.key), h('td', null, show(one.a)), h('td', null, show(one.b))),
    )
    this.differences.hidden = false
    replace(
      this.differences,
      rows.length === 0
        ? h('p.muted', null, 'Both runs have the same scene.')
        : h(
            'table',
            null,
            h('caption', null, 'What differs'),
            h(
              'thead',
              null,
              h('tr', null, h('th', { scope: 'col' }, 'key'), h('th', { scope: 'col' }, 'left'), h('th', { scope: 'col' }, 'right')),
            ),
            h('tbody', null, ...rows),
          ),
    )
  }
}
