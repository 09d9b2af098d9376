// The scene as one document with two faces, panel and text. The text is the truth: every change is a change of it, with one history.
import { Refused } from '../core/connection'
import type { Failure, SceneText } from '../core/protocol'
import { Signal } from '../core/signal'
import { isMistake, tryLocate } from '../toml/locate'
import type { Located, Path } from '../toml/locate'
import { apply, difference, merged, removeValue, setValue } from '../toml/patch'
import type { Change } from '../toml/patch'
import { placeOf, resolved, valueOf } from '../toml/scene'
import type { Values } from '../toml/scene'
import { Editor } from './editor'
import type { Session } from './session'

export interface Effect {
  effect: 'now' | 'restart' | 'none'
  reason?: string
}

const pauseBeforeSending = 90 // ms: a slider that is pulled sends a few changes a second, not sixty

// What this page and the server say to each other about the text of one run.
interface Talk {
  readonly run: number
  revision: number
  base: string // the server's text of that revision
  sent: string | null // on its way to the server
  changed: boolean
  last: string | null // of a run that is not shown any more: what was written before another came
  flight: Promise<void> | null // ends when the server has everything
}

export class SceneDocument {
  readonly editor = new Editor()
  readonly located = new Signal<Located | null>(null)
  readonly failure = new Signal<Failure | null>(null)
  readonly effect = new Signal<Effect | null>(null)
  readonly file = new Signal<string>('')
  run: number | null = null
  private talk: Talk | null = null // about the text in the editor
  private timer = 0

  constructor(private readonly session: Session) {
    this.editor.onText = (text) => this.read(text)
    this.editor.onEdit = () => this.send()
    session.connection.on<SceneText>('document', (document) => this.take(document))
    // What values are is a matter of the variant, which any page may choose.
    let variant = this.variant
    session.runs.later(() => {
      if (variant === this.variant) return
      variant = this.variant
      this.located.tell()
    })
  }

  get variant(): string | undefined {
    return this.session.run(this.run)?.variant
  }

  async open(run: number): Promise<void> {
    this.run = run
    const document = await this.session.ask<SceneText>('document', { run })
    if (!document || this.run !== run) return
    this.leave()
    const { revision, text } = document
    this.talk = { run, revision, base: text, sent: null, changed: false, last: null, flight: null }
    this.effect.set(null)
    this.file.set(document.file ?? '')
    this.editor.load(text)
    this.fail(document.mistake ?? null)
  }

  // What was written a moment before another run came still goes to its own run; answers to it concern nothing here.
  private leave(): void {
    clearTimeout(this.timer)
    const before = this.talk
    this.talk = null
    if (!before?.changed) return
    before.last = this.editor.text
    void this.flush(before)
  }

  scene(): Values {
    return this.located.value ? resolved(this.located.value, this.variant) : {}
  }

  value(path: Path): unknown {
    return this.located.value ? valueOf(this.located.value, this.variant, path) : undefined
  }

  set(path: Path, value: unknown, movement = false): void {
    this.setAll([[path, value]], movement)
  }

  // Several values as one change of the history; undefined takes a key away.
  setAll(values: readonly (readonly [Path, unknown])[], movement = false): void {
    const { located } = this
    if (!located.value) return
    let text = located.value.text
    for (const [path, value] of values) {
      const now = tryLocate(text)
      if (isMistake(now)) return
      const place = placeOf(now, this.variant, path)
      const change = value === undefined ? removeValue(text, place) : setValue(text, place, value)
      if (change) text = apply(text, change)
    }
    this.replace(text, movement)
  }

  change(make: (text: string) => Change | null): void {
    if (!this.located.value) return
    const change = make(this.editor.text)
    if (change) this.editor.change([change])
  }

  private replace(text: string, movement: boolean): void {
    if (text !== this.editor.text) this.editor.change([difference(this.editor.text, text)], movement)
  }

  private read(text: string): void {
    const located = tryLocate(text)
    if (!isMistake(located)) this.located.set(located)
  }

  private fail(failure: Failure | null): void {
    this.failure.set(failure)
    this.editor.mark(failure)
  }

  private send(): void {
    const { talk } = this
    if (!talk) return
    talk.changed = true
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => void this.flush(talk), pauseBeforeSending)
  }

  // One edit at a time, the next with what has changed meanwhile.
  private flush(talk: Talk): Promise<void> {
    talk.flight ??= this.sendAll(talk).finally(() => (talk.flight = null))
    return talk.flight
  }

  private async sendAll(talk: Talk): Promise<void> {
    while (talk.changed) {
      talk.changed = false
      const text = talk.last ?? this.editor.text
      talk.sent = text
      try {
        const { run, revision } = talk
        const answer = await this.session.connection.request<Effect & { revision: number }>('edit', { run, text, revision })
        this.settle(talk, text, answer.revision)
        if (talk === this.talk) {
          this.fail(null)
          this.effect.set(answer)
        }
      } catch (error) {
        await this.refused(talk, error instanceof Refused ? error.failure : { message: String(error) })
      }
      talk.sent = null
    }
  }

  private async refused(talk: Talk, failure: Failure): Promise<void> {
    if (talk !== this.talk) {
      if (!failure.closed) this.session.say(`run ${talk.run} did not take its last change: ${failure.message}`, 'error')
    } else if (failure.stale) await this.catchUp(talk)
    else this.fail(failure)
  }

  // Another page was faster.
  private async catchUp(talk: Talk): Promise<void> {
    const document = await this.session.ask<SceneText>('document', { run: talk.run })
    if (!document || talk !== this.talk) return
    this.absorb(talk, document.text, document.revision)
    talk.changed = this.editor.text !== talk.base
  }

  // The server has this page's own text.
  private settle(talk: Talk, text: string, revision: number): void {
    if (revision <= talk.revision) return
    talk.base = text
    talk.revision = revision
  }

  // What another page wrote; what this one has changed meanwhile goes on top of it.
  private absorb(talk: Talk, text: string, revision: number): void {
    if (revision <= talk.revision) return
    const mine = this.editor.text
    const both = mine === talk.base ? text : merged(talk.base, mine, text)
    this.settle(talk, text, revision)
    this.editor.follow(both)
    if (both !== text) talk.changed = true
  }

  private take(document: SceneText): void {
    const { talk } = this
    if (!talk || document.run !== talk.run) return
    this.file.set(document.file ?? this.file.value)
    if (document.text === talk.sent) return this.settle(talk, document.text, document.revision)
    const isAhead = talk.changed || talk.sent !== null
    this.absorb(talk, document.text, document.revision)
    if (!isAhead) this.fail(document.mistake ?? null)
  }

  // Another variant of the same text.
  async useVariant(variant: string): Promise<void> {
    const talk = await this.settled()
    if (!talk) return
    const { run, revision } = talk
    const { text } = this.editor
    const answer = await this.session.ask<Effect & { revision: number }>('edit', { run, text, revision, variant })
    if (!answer) return
    this.settle(talk, text, answer.revision)
    if (talk !== this.talk) return
    this.effect.set(answer)
  }

  // The run begins anew with the document as it is.
  async restart(go: boolean): Promise<void> {
    const run = this.session.current.value
    await this.settled()
    if (this.session.current.value !== run) return
    await this.session.tell('restart', { go })
    this.effect.set(null)
  }

  // When the server has the text as it is written here; null when another run has come meanwhile.
  private async settled(): Promise<Talk | null> {
    const { talk } = this
    if (!talk) return null
    clearTimeout(this.timer)
    await this.flush(talk)
    return talk === this.talk ? talk : null
  }
}
