// What the page knows of the server: its runs, gallery, presets, schema and jobs. Everything the page does to a run goes through here.
import { Connection, Refused } from '../core/connection'
import { decode } from '../core/decode'
import type { Message } from '../core/decode'
import type { GalleryScene, Job, Poses, Preset, Run, SceneText, SchemaSection } from '../core/protocol'
import { Signal } from '../core/signal'

const noRun = -1

export interface Note {
  text: string
  kind: 'info' | 'error'
}

export interface OpenWhat {
  gallery?: string
  file?: string
  text?: string
  name?: string // of a text
  folder?: string
  variant?: string
  go?: boolean
}

interface Hello {
  version: number
  firn: string
  threads: number
  folder: string
  runs: Run[]
}

export class Session {
  readonly connection = new Connection()
  readonly runs = new Signal<Map<number, Run>>(new Map())
  readonly current = new Signal<number | null>(null)
  readonly other = new Signal<number | null>(null)
  readonly gallery = new Signal<GalleryScene[]>([])
  readonly presets = new Signal<Preset[]>([])
  readonly schema = new Signal<SchemaSection[]>([])
  readonly jobs = new Signal<Map<number, Job>>(new Map())
  readonly note = new Signal<Note | null>(null)
  readonly program = new Signal<{ firn: string; threads: number; folder: string } | null>(null)
  readonly ready = new Signal(0) // counts connections that were greeted
  private readonly takers = new Set<(message: Message) => void>()
  private readonly last = new Map<number, { run: Run; text: string }>()

  constructor() {
    const { connection } = this
    connection.on<Run>('run', (run) => this.takeRun(run))
    connection.on<{ run: number }>('closed', ({ run }) => this.forget(run))
    connection.on<Job>('job', (job) => this.takeJob(job))
    connection.on<{ message: string }>('warning', ({ message }) => this.say(message))
    connection.on<SceneText>('document', (document) => this.remember(document))
    connection.onBinary((data) => {
      const message = decode(data)
      for (const taker of this.takers) taker(message)
    })
    connection.link.later((link) => {
      if (link === 'open') void this.greet()
    })
  }

  start(): void {
    void this.connection.start()
  }

  run(number: number | null): Run | undefined {
    return number === null ? undefined : this.runs.value.get(number)
  }

  get now(): Run | undefined {
    return this.run(this.current.value)
  }

  onMessage(taker: (message: Message) => void): () => void {
    this.takers.add(taker)
    return () => this.takers.delete(taker)
  }

  onPoses(taker: (poses: Poses) => void): () => void {
    return this.connection.on<Poses>('poses', taker)
  }

  say(text: string, kind: Note['kind'] = 'info'): void {
    this.note.set({ text, kind })
  }

  // A command; what the server refuses is said to the user, in its own words.
  async ask<T = Record<string, unknown>>(name: string, what: object = {}): Promise<T | null> {
    try {
      return await this.connection.request<T>(name, what)
    } catch (error) {
      const isClosed = error instanceof Refused && error.failure.closed === true // whoever closed the run knows
      if (!isClosed) this.say((error as Error).message, 'error')
      return null
    }
  }

  // To the run that is shown, and to the one beside it: both go, stop and step together.
  async tell(name: string, what: object = {}): Promise<void> {
    const runs = [this.current.value, this.other.value].filter((run) => run !== null)
    await Promise.all(runs.map((run) => this.ask(name, { run, ...what })))
  }

  // A run of a variant is called NAME_VARIANT.
  sceneName(run: Run): string {
    const end = `_${run.variant ?? ''}`
    return run.variant && run.name.endsWith(end) ? run.name.slice(0, -end.length) : run.name
  }

  async open(what: OpenWhat, show = true): Promise<number | null> {
    const answer = await this.ask<{ run: number }>('open', what)
    if (!answer) return null
    if (show) this.show(answer.run)
    return answer.run
  }

  show(run: number | null): void {
    if (run !== null) history.replaceState(null, '', `#run=${run}`)
    else history.replaceState(null, '', location.pathname)
    this.current.set(run)
  }

  private async greet(): Promise<void> {
    const hello = await this.ask<Hello>('hello', { version: 1 })
    if (!hello) return
    this.program.set({ firn: hello.firn, threads: hello.threads, folder: hello.folder })
    this.runs.set(new Map(hello.runs.map((run) => [run.run, run])))
    const [gallery, schema] = await Promise.all([
      this.ask<{ scenes: GalleryScene[]; presets: Preset[] }>('gallery'),
      this.ask<{ sections: SchemaSection[] }>('schema'),
    ])
    if (gallery) {
      this.gallery.set(gallery.scenes)
      this.presets.set(gallery.presets)
    }
    if (schema) this.schema.set(schema.sections)
    await this.findAgain()
    this.ready.set(this.ready.value + 1)
  }

  // After the program was started again a run has another number, or has to be opened from its folder or its text.
  private async findAgain(): Promise<void> {
    const wanted = this.current.value
    if (wanted === null || this.runs.value.has(wanted)) return
    const known = this.last.get(wanted)
    this.current.set(null)
    if (!known) return this.show(null)
    const { folder, variant } = known.run
    let run: { run: number } | null = null
    try {
      if (folder) run = await this.connection.request<{ run: number }>('open', { folder })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
    run ??= await this.ask<{ run: number }>('open', { text: known.text, name: known.run.name, variant })
    this.show(run ? run.run : null)
    this.say(run ? 'firn studio was started again; the scene is open as it was' : 'firn studio was started again')
  }

  private takeRun(run: Run): void {
    this.runs.value.set(run.run, run)
    const known = this.last.get(run.run)
    if (known) known.run = run
    this.runs.tell()
  }

  private remember(document: SceneText): void {
    const run = this.run(document.run)
    if (run) this.last.set(document.run, { run, text: document.text })
  }

  private forget(run: number): void {
    this.runs.value.delete(run)
    this.last.delete(run)
    for (const job of this.jobs.value.values()) if (job.run === run) job.run = noRun // another run may get the number
    if (this.other.value === run) this.other.set(null)
    if (this.current.value === run) this.show(null)
    this.runs.tell()
  }

  private takeJob(job: Job): void {
    this.jobs.value.set(job.job, { ...this.jobs.value.get(job.job), ...job })
    this.jobs.tell()
    if (job.error && job.error !== 'stopped') this.say(job.error, 'error')
  }
}
