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

export class SceneDocument {
  readonly editor = new Editor()
  readonly located = new Signal<Located | null>(null)
  readonly failure = new Signal<Failure | null>(null)
  readonly effect = new Signal<Effect | null>(null)
  readonly file = new Signal<string>('')
  run: number | null = null
  private revision = 0
  private base = '' // the server's text of that revision
  private timer = 0
  private sent: string | null = null // on its way to the server
  private changed = false

  constructor(private readonly session: Session) {
    this.editor.onText = (text) => this.read(text)
    this.editor.onEdit = () => this.send()
    session.connection.on<SceneText>('document', (document) => this.take(document))
  }

  get variant(): string | undefined {
    return this.session.run(this.run)?.variant
  }

  async open(run: number): Promise<void> {
    this.run = run
    const document = await this.session.ask<SceneText>('document', { run })
    if (!document || this.run !== run) return
    this.revision = document.revision
    this.base = document.text
    this.effect.set(null)
    this.file.set(document.file ?? '')
    this.editor.load(document.text)
    this.fail(document.mistake ?? null)
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
    this.changed = true
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => void this.flush(), pauseBeforeSending)
  }

  private async flush(): Promise<void> {
    if (this.sent !== null || this.run === null || !this.changed) return
    const { text } = this.editor
    this.sent = text
    this.changed = false
    try {
      const answer = await this.session.connection.request<Effect & { revision: number }>('edit', {
        run: this.run,
        text,
        revision: this.revision,
      })
      this.settle(text, answer.revision)
      this.fail(null)
      this.effect.set(answer)
    } catch (error) {
      const failure = error instanceof Refused ? error.failure : { message: String(error) }
      if (failure.stale) await this.catchUp()
      else this.fail(failure)
    }
    this.sent = null
    if (this.changed) void this.flush()
  }

  // Another page was faster.
  private async catchUp(): Promise<void> {
    const document = await this.session.ask<SceneText>('document', { run: this.run })
    if (document) this.absorb(document.text, document.revision)
    this.changed = true
  }

  // The server has this page's own text.
  private settle(text: string, revision: number): void {
    if (revision <= this.revision) return
    this.base = text
    this.revision = revision
  }

  // What another page wrote; what this one has changed meanwhile goes on top of it.
  private absorb(text: string, revision: number): void {
    if (revision <= this.revision) return
    const mine = this.editor.text
    const both = mine === this.base ? text : merged(this.base, mine, text)
    this.settle(text, revision)
    this.editor.follow(both)
    if (both !== text) this.changed = true
  }

  private take(document: SceneText): void {
    if (document.run !== this.run) return
    this.file.set(document.file ?? this.file.value)
    if (document.text === this.sent) return this.settle(document.text, document.revision)
    const isAhead = this.changed || this.sent !== null
    this.absorb(document.text, document.revision)
    if (!isAhead) this.fail(document.mistake ?? null)
  }

  // Another variant of the same text.
  async useVariant(variant: string): Promise<void> {
    const answer = await this.session.ask<Effect & { revision: number }>('edit', {
      run: this.run,
      text: this.editor.text,
      revision: this.revision,
      variant,
    })
    if (!answer) return
    this.settle(this.editor.text, answer.revision)
    this.effect.set(answer)
    this.located.tell()
  }

  // The run begins anew with the document as it is.
  async restart(go: boolean): Promise<void> {
    clearTimeout(this.timer)
    await this.flush()
    await this.session.tell('restart', { go })
    this.effect.set(null)
  }
}
