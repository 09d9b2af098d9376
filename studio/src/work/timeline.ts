// Time: run, pause, one step, one frame, back to the start; a slider over the frames there are, which goes on while the run does.
import type { Run } from '../core/protocol'
import { Signal } from '../core/signal'
import { button, h, icon, icons, replace } from '../ui/dom'
import type { SceneDocument } from './scene_document'
import type { Session } from './session'

const time = (seconds: number | undefined): string => {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return '–'
  if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

export const short = (value: number | undefined, digits = 3): string => {
  if (value === undefined || !Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  const size = Math.abs(value)
  return size >= 1e5 || size < 1e-3 ? value.toExponential(digits - 2).replace('e+', 'e') : String(Number(value.toPrecision(digits)))
}

const many = (value: number): string => value.toLocaleString('en').replaceAll(',', '\u202f')

export class Timeline {
  readonly element = h('footer.timeline', { 'aria-label': 'Time' })
  readonly shown = new Signal<number | 'live'>('live')
  private readonly play = button('Run or pause (space)', 'play', () => this.toggle(), { class: 'tool primary' })
  private readonly slider = h('input.scrub', { type: 'range', min: 0, max: 1, step: 1, value: 0, 'aria-label': 'Frame' })
  private readonly live = h(
    'button.live',
    { type: 'button', title: 'Show what is computed now (End)', onclick: () => this.shown.set('live') },
    'live',
  )
  private readonly clock = h('output.clock')
  private readonly facts = h('dl.facts')
  private drawnFrame = 0

  constructor(
    private readonly session: Session,
    private readonly document: SceneDocument,
  ) {
    const buttons = h(
      'div.transport',
      { role: 'group', 'aria-label': 'Run' },
      button('Back to the start (Shift R)', 'start', () => void this.document.restart(false)),
      this.play,
      button('One step (.)', 'step', () => void session.tell('step')),
      button('One frame (,)', 'frame', () => void session.tell('frame')),
    )
    replace(this.element, buttons, this.clock, h('div.track', null, this.slider), this.live, this.facts)
    this.slider.addEventListener('input', () => this.scrub(Number(this.slider.value)))
    session.runs.watch(() => this.update())
    session.current.later(() => {
      this.shown.set('live')
      this.update()
    })
    this.shown.later(() => this.update())
  }

  toggle(): void {
    const run = this.session.now
    if (!run) return
    if (run.state === 'ended' && run.resumable) void this.session.tell('resume')
    else if (run.state === 'ended') void this.document.restart(true)
    else void this.session.tell(run.state === 'running' ? 'pause' : 'go')
  }

  // One computed frame on or back.
  move(by: number): void {
    const run = this.session.now
    if (!run) return
    const now = this.shown.value === 'live' ? this.drawnFrame : this.shown.value
    this.scrub(now + by)
  }

  scrub(frame: number): void {
    const run = this.session.now
    if (run) this.shown.set(Math.max(0, Math.min(run.frames - 1, Math.round(frame))))
  }

  // What the view shows now.
  drew(frame: number, seconds: number): void {
    this.drawnFrame = frame
    this.slider.value = String(frame)
    this.clock.textContent = `${seconds.toFixed(3)} s`
    if (this.session.now) this.tellFacts(this.session.now)
  }

  private update(): void {
    const run = this.session.now
    this.element.classList.toggle('idle', !run)
    if (!run) return
    if (this.shown.value !== 'live' && this.shown.value >= run.frames) return this.shown.set('live') // a restart took that frame away
    const last = Math.max(1, run.last)
    this.slider.max = String(last)
    this.slider.style.setProperty('--done', `${(100 * Math.max(0, run.frames - 1)) / last}%`)
    this.slider.setAttribute('aria-valuetext', `frame ${this.slider.value} of ${last}, ${run.frames} computed`)
    this.play.replaceChildren(icon(run.state === 'running' ? icons.pause : icons.play))
    this.play.setAttribute('aria-label', run.state === 'running' ? 'Pause' : 'Run')
    this.live.setAttribute('aria-pressed', String(this.shown.value === 'live'))
    if (run.state === 'setting up') this.clock.textContent = run.doing || 'setting up'
    this.tellFacts(run)
  }

  private tellFacts(run: Run): void {
    const facts: [string, string][] = [
      ['frame', `${this.drawnFrame} / ${run.last}`],
      ['steps', many(run.steps)],
      ['Δt', `${short(run.dt)} s`],
      ['iterations', many(run.iterations)],
      ['grains', many(run.particles)],
      ['speed', run.speed ? `${short(run.speed, 2)} ×` : '–'],
      ['left', run.state === 'running' ? time(run.seconds_left) : '–'],
    ]
    replace(
      this.facts,
      ...facts.map(([name, value]) =>
        h('div', { title: name === 'Δt' && run.rule ? `set by ${run.rule}` : undefined }, h('dt', null, name), h('dd', null, value)),
      ),
    )
  }
}
