// One WebSocket that comes back by itself. Requests are promises; events and binary messages go to those who asked for them.
import type { Failure } from './protocol'
import { Signal } from './signal'

export class Refused extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

type Link = 'connecting' | 'open' | 'lost'
type Answer = { resolve: (answer: never) => void; reject: (error: Error) => void; about: readonly unknown[] }

const tokenPlace = 'firn-token'
const firstWait = 300
const longestWait = 3000

export class Connection {
  readonly link = new Signal<Link>('connecting')
  token = ''
  private socket: WebSocket | null = null
  private readonly pending = new Map<number, Answer>()
  private readonly listeners = new Map<string, Set<(event: never) => void>>()
  private binary: (data: ArrayBuffer) => void = () => {}
  private counter = 0
  private wait = firstWait

  constructor() {
    const inPage = document.querySelector<HTMLMetaElement>('meta[name="firn-token"]')?.content
    this.token = inPage || this.givenToken()
    this.on<{ run: number }>('closed', ({ run }) => this.giveUp(run))
  }

  async start(): Promise<void> {
    this.link.set(this.link.value === 'lost' ? 'lost' : 'connecting')
    if (this.link.value === 'lost') await this.renewToken()
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}/ws?token=${this.token}`, 'firn.1')
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      this.wait = firstWait
      this.socket = socket
      this.link.set('open')
    }
    socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => {
      if (typeof message.data === 'string') this.take(JSON.parse(message.data) as Record<string, unknown>)
      else this.binary(message.data)
    }
    socket.onclose = () => this.lose(socket)
  }

  request<T = Record<string, unknown>>(name: string, what: object = {}): Promise<T> {
    const socket = this.socket
    if (!socket || socket.readyState !== WebSocket.OPEN) return Promise.reject(new Refused({ message: 'firn studio does not answer' }))
    const id = ++this.counter
    socket.send(JSON.stringify({ id, do: name, ...what }))
    const { run, a, b } = what as { run?: unknown; a?: unknown; b?: unknown }
    const about = name === 'close' ? [] : [run, a, b]
    return new Promise<T>((resolve, reject) => this.pending.set(id, { resolve: resolve as (answer: never) => void, reject, about }))
  }

  // Returns what ends it.
  on<T>(event: string, listener: (event: T) => void): () => void {
    const set = this.listeners.get(event) ?? new Set()
    set.add(listener as (event: never) => void)
    this.listeners.set(event, set)
    return () => set.delete(listener as (event: never) => void)
  }

  onBinary(listener: (data: ArrayBuffer) => void): void {
    this.binary = listener
  }

  private take(message: Record<string, unknown>): void {
    if (typeof message.event === 'string') {
      for (const listener of [...(this.listeners.get(message.event) ?? [])]) listener(message as never)
      return
    }
    const answer = this.pending.get(message.id as number)
    if (!answer) return
    this.pending.delete(message.id as number)
    if (message.error) answer.reject(new Refused(message.error as Failure))
    else answer.resolve(message as never)
  }

  // Questions about a run that was closed have no answer any more.
  private giveUp(run: number): void {
    for (const [id, answer] of this.pending)
      if (answer.about.includes(run)) {
        this.pending.delete(id)
        answer.reject(new Refused({ message: `run ${run} was closed`, closed: true }))
      }
  }

  private lose(socket: WebSocket): void {
    if (this.socket !== socket && this.socket !== null) return
    this.socket = null
    for (const answer of this.pending.values()) answer.reject(new Refused({ message: 'the connection was lost' }))
    this.pending.clear()
    this.link.set('lost')
    setTimeout(() => void this.start(), this.wait)
    this.wait = Math.min(longestWait, this.wait * 1.6)
  }

  // On hosts other than this machine the token comes in the address, where the number of the run soon takes its place: this tab keeps it.
  private givenToken(): string {
    const given = /(?:^#|&)token=([0-9a-f]+)/.exec(location.hash)?.[1]
    if (given) sessionStorage.setItem(tokenPlace, given)
    return given ?? sessionStorage.getItem(tokenPlace) ?? ''
  }

  // A program that was started again has another token, which its page says, or the address that a person gives this tab.
  private async renewToken(): Promise<void> {
    try {
      const page = await (await fetch('/', { cache: 'no-store' })).text()
      const fresh = /name="firn-token" content="([0-9a-f]*)"/.exec(page)?.[1]
      this.token = fresh || this.givenToken()
    } catch {
      // not there yet
    }
  }
}
