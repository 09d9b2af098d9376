import { describe, expect, it, vi } from 'vitest'
import { Refused } from '../src/core/connection'
import { Signal } from '../src/core/signal'
import { SceneDocument } from '../src/work/scene_document'
import type { Session } from '../src/work/session'

// The text alone: CodeMirror wants a browser.
vi.mock('../src/work/editor', () => ({
  Editor: class {
    text = ''
    onText: (text: string) => void = () => {}
    onEdit: (text: string) => void = () => {}
    load(text: string): void {
      this.text = text
      this.onText(text)
    }
    follow(text: string): void {
      this.load(text)
    }
    mark(): void {}
    type(text: string): void {
      this.load(text)
      this.onEdit(text)
    }
  },
}))
vi.stubGlobal('window', { setTimeout })

const text = (spacing: number): string => `[simulation]\nspacing = ${spacing}\n`
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 120)) // longer than a change waits

interface Sent {
  name: string
  what: { run?: number; text?: string; revision?: number }
  resolve: (answer: object) => void
  reject: (error: Error) => void
}

// A server whose answers to edits come when the test says so.
class Server {
  edits: Sent[] = []
  said: string[] = []
  told: string[] = []
  texts = new Map([
    [1, { run: 1, text: text(0.01), revision: 7 }],
    [2, { run: 2, text: text(0.02), revision: 3 }],
  ])
  event: (document: object) => void = () => {}
  variant = ''
  runs = new Signal<object[]>([])
  session: Session

  constructor() {
    const request = (name: string, what: Sent['what']): Promise<unknown> => {
      if (name === 'document') return Promise.resolve({ ...this.texts.get(what.run!) })
      return new Promise((resolve, reject) => this.edits.push({ name, what, resolve, reject }))
    }
    const on = (_name: string, listener: (document: object) => void): void => void (this.event = listener)
    this.session = {
      connection: { request, on },
      current: { value: 1 },
      run: () => ({ variant: this.variant }),
      runs: this.runs,
      ask: (name: string, what: Sent['what']) => request(name, what).catch(() => null),
      tell: (name: string) => Promise.resolve(void this.told.push(name)),
      say: (words: string) => void this.said.push(words),
    } as unknown as Session
  }
}

async function opened(): Promise<{ server: Server; document: SceneDocument; type: (text: string) => void }> {
  const server = new Server()
  const document = new SceneDocument(server.session)
  await document.open(1)
  const type = (text: string): void => (document.editor as unknown as { type(text: string): void }).type(text)
  return { server, document, type }
}

describe('an edit on its way while another run is shown', () => {
  it('is answered to its own run only', async () => {
    const { server, document, type } = await opened()
    type(text(0.011))
    await turn()
    await document.open(2)
    server.edits[0]!.resolve({ revision: 8, effect: 'restart' })
    await turn()
    expect(document.editor.text).toBe(text(0.02))
    expect(document.effect.value).toBeNull()
    type(text(0.021))
    await turn()
    expect(server.edits).toHaveLength(2)
    expect(server.edits[1]!.what).toEqual({ run: 2, text: text(0.021), revision: 3 })
  })
  it('does not hold up those of the other', async () => {
    const { server, document, type } = await opened()
    type(text(0.011))
    await turn()
    await document.open(2)
    type(text(0.021))
    await turn()
    expect(server.edits.map(({ what }) => what.run)).toEqual([1, 2])
  })
  it('is followed by what was written last', async () => {
    const { server, document, type } = await opened()
    type(text(0.011))
    await turn()
    type(text(0.012))
    await document.open(2)
    server.edits[0]!.resolve({ revision: 8, effect: 'now' })
    await turn()
    expect(server.edits[1]!.what).toEqual({ run: 1, text: text(0.012), revision: 8 })
    expect(document.editor.text).toBe(text(0.02))
  })
})

describe('an edit', () => {
  it('that was overtaken is made again from the newer text, once', async () => {
    const { server, type } = await opened()
    type(`${text(0.01)}duration = 2\n`)
    await turn()
    server.texts.set(1, { run: 1, text: text(0.05), revision: 9 })
    server.edits[0]!.reject(new Refused({ message: 'stale', stale: true }))
    await turn()
    expect(server.edits).toHaveLength(2)
    expect(server.edits[1]!.what).toEqual({ run: 1, text: `${text(0.05)}duration = 2\n`, revision: 9 })
  })
  it('of a run that was closed does not hold up the next', async () => {
    const { server, document, type } = await opened()
    type(text(0.011))
    await turn()
    server.edits[0]!.reject(new Refused({ message: 'run 1 was closed', closed: true }))
    await document.open(2)
    type(text(0.021))
    await turn()
    expect(server.edits[1]!.what).toMatchObject({ run: 2, revision: 3 })
  })
  it('is at the server before a restart', async () => {
    const { server, document, type } = await opened()
    type(text(0.011))
    await turn()
    type(text(0.012))
    void document.restart(true)
    await turn()
    expect(server.told).toEqual([])
    server.edits[0]!.resolve({ revision: 8, effect: 'restart' })
    await turn()
    expect(server.edits[1]!.what).toMatchObject({ text: text(0.012), revision: 8 })
    expect(server.told).toEqual([])
    server.edits[1]!.resolve({ revision: 9, effect: 'restart' })
    await turn()
    expect(server.told).toEqual(['restart'])
  })
})

describe('a variant', () => {
  it('that was chosen shows its values as soon as the run has it', async () => {
    const { server, document } = await opened()
    document.editor.load(`${text(0.01)}[variants.fine]\nsimulation.spacing = 0.002\n`)
    const shown: unknown[] = []
    document.located.watch(() => shown.push(document.value(['simulation', 'spacing'])))
    expect(shown).toEqual([0.01])
    server.runs.tell()
    expect(shown).toHaveLength(1)
    server.variant = 'fine'
    server.runs.tell()
    expect(shown).toEqual([0.01, 0.002])
  })
})
