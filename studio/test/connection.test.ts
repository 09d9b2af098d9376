import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Connection } from '../src/core/connection'

class Socket {
  static OPEN = 1
  static last: Socket
  readyState = 1
  sent: { id: number }[] = []
  onopen = (): void => {}
  onmessage: (message: { data: string }) => void = () => {}
  onclose = (): void => {}
  constructor(readonly address: string) {
    Socket.last = this
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as { id: number })
  }
  say(message: object): void {
    this.onmessage({ data: JSON.stringify(message) })
  }
}

const place = { hash: '', protocol: 'http:', host: 'snow:8017' }
let kept: Map<string, string>

beforeEach(() => {
  kept = new Map()
  place.hash = ''
  vi.stubGlobal('WebSocket', Socket)
  vi.stubGlobal('location', place)
  vi.stubGlobal('document', { querySelector: () => ({ content: '' }) })
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
})
afterEach(() => vi.unstubAllGlobals())

async function connected(): Promise<Connection> {
  const connection = new Connection()
  await connection.start()
  Socket.last.onopen()
  return connection
}

describe('the token of an address', () => {
  it('is still known after a reload, when the number of the run stands in its place', async () => {
    place.hash = '#token=0123abcd'
    await connected()
    expect(Socket.last.address).toContain('token=0123abcd')
    place.hash = '#run=3'
    await connected()
    expect(Socket.last.address).toContain('token=0123abcd')
  })
})

describe('a question', () => {
  it('about a run that is closed has an end, and others go on', async () => {
    const connection = await connected()
    const about = [connection.request('pick', { run: 2 }), connection.request('compare', { a: 1, b: 2 })]
    const other = connection.request('pick', { run: 1 })
    const close = connection.request('close', { run: 2 })
    Socket.last.say({ event: 'closed', run: 2 })
    for (const one of about) await expect(one).rejects.toMatchObject({ failure: { closed: true } })
    const [, , third, fourth] = Socket.last.sent
    Socket.last.say({ id: third!.id, ok: true, particle: 5 })
    Socket.last.say({ id: fourth!.id, ok: true })
    expect(await other).toMatchObject({ particle: 5 })
    expect(await close).toMatchObject({ ok: true })
  })
  it('has an end when the connection is lost', async () => {
    const connection = await connected()
    const question = connection.request('pick', { run: 2 })
    vi.stubGlobal('setTimeout', () => 0)
    Socket.last.onclose()
    await expect(question).rejects.toThrow('lost')
  })
})

describe('a listener', () => {
  it('that has ended hears nothing more', async () => {
    const connection = await connected()
    const heard: number[] = []
    const end = connection.on<{ run: number }>('poses', ({ run }) => heard.push(run))
    Socket.last.say({ event: 'poses', run: 1 })
    end()
    Socket.last.say({ event: 'poses', run: 2 })
    expect(heard).toEqual([1])
  })
})
