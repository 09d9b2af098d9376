// The program with its page, for tests: a work folder of its own, a browser, and a second client that asks the server what it knows.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import WebSocket from 'ws'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
export const firn = process.env.FIRN ?? join(root, 'build/firn')
const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// Longer than anything takes on a machine that has much else to do: whoever waits for what is there never waits that long.
const patience = 90 // s

// Waits until `look` gives something true, and returns that.
export async function until(look, what, seconds = patience) {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}`)
    await pause(50)
  }
}

export class Program {
  folder = mkdtempSync(join(tmpdir(), 'firn-studio-'))
  address = ''
  #process = null

  async start({ port = 0, scene = [] } = {}) {
    const child = spawn(firn, ['studio', ...scene, '--folder', this.folder, '--port', String(port), '--no-open', '--threads', '2'])
    this.#process = child
    process.once('exit', () => child.kill('SIGKILL'))
    let said = ''
    child.stdout.on('data', (data) => (said += data))
    child.stderr.on('data', (data) => (said += data))
    const line = await until(() => /http:\/\/\S+/.exec(said), `the program to say its address, it said: ${said}`)
    this.address = line[0].replace(/\/?(#.*)?$/, '/')
    return this
  }

  get port() {
    return Number(new URL(this.address).port)
  }

  get pid() {
    return this.#process.pid
  }

  kill(signal = 'SIGKILL') {
    const child = this.#process
    return new Promise((resolve) => {
      child.once('exit', resolve)
      child.kill(signal)
    })
  }

  async end() {
    await this.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  async token() {
    return /name="firn-token" content="([0-9a-f]*)"/.exec(await (await fetch(this.address)).text())[1]
  }
}

// What the server knows, asked without the page.
export class Client {
  #socket
  #next = 0
  #answers = new Map()
  frames = []
  events = []

  static async of(program) {
    const client = new Client()
    client.#socket = new WebSocket(`${program.address.replace('http', 'ws')}ws?token=${await program.token()}`, 'firn.1')
    client.#socket.on('message', (data, isBinary) => (isBinary ? client.frames.push(data) : client.#take(JSON.parse(data))))
    await new Promise((resolve, reject) => client.#socket.once('open', resolve).once('error', reject))
    await client.ask('hello', { version: 1 })
    return client
  }

  #take(message) {
    if (message.event) this.events.push(message)
    const answer = this.#answers.get(message.id)
    if (!answer) return
    this.#answers.delete(message.id)
    if (message.error) answer.reject(new Error(message.error.message))
    else answer.resolve(message)
  }

  ask(name, what = {}) {
    const id = ++this.#next
    this.#socket.send(JSON.stringify({ id, do: name, ...what }))
    return new Promise((resolve, reject) => this.#answers.set(id, { resolve, reject }))
  }

  async run(number) {
    return (await this.ask('hello', { version: 1 })).runs.find((run) => run.run === number)
  }

  // The mean position of the particles, m.
  async mean(run, frame = 'live') {
    const before = this.frames.length
    await this.ask('watch', { run, colour: 'none', show: [], frame })
    const data = await until(() => this.frames.slice(before).find((one) => one[4] === 1 && one[5] === run), 'a frame')
    const count = data.readUInt32LE(24)
    return [0, 1, 2].map((axis) => {
      let sum = 0
      for (let i = 0; i < count; ++i) sum += data.readUInt16LE(64 + i * 8 + axis * 2)
      return data.readFloatLE(32 + axis * 4) + (sum / count / 65535) * data.readFloatLE(44 + axis * 4)
    })
  }

  close() {
    this.#socket.close()
  }
}

const browserOptions = { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserFlags }
export const serveBrowser = () => chromium.launchServer(browserOptions)

// The browser that run.mjs has started for all files, or one's own.
const openBrowser = () => (process.env.FIRN_BROWSER ? chromium.connect(process.env.FIRN_BROWSER) : chromium.launch(browserOptions))

// Half as sharp as the window is large: a quarter of the work where there is no graphics card. Pictures for the documents are sharp.
const sharpness = process.env.FIRN_STUDIO_PICTURES ? 1 : 0.5

// A tab. Whatever goes wrong in it, or leaves the machine, is kept.
export async function openPage(browser, program, options = {}) {
  const size = { width: 1280, height: 720 }
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: sharpness, colorScheme: 'light', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(patience * 1000)
  page.mistakes = []
  page.strangers = []
  page.on('pageerror', (error) => page.mistakes.push(error.stack))
  page.on('console', (message) => message.type() === 'error' && page.mistakes.push(message.text()))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== new URL(program.address).host) page.strangers.push(request.url())
  })
  await page.goto(program.address)
  await page.waitForFunction(() => document.querySelectorAll('.card').length > 0)
  return page
}

// A scene of the gallery, opened by a click; returns the number of its run.
export async function openScene(page, name) {
  if (!(await page.locator('main.gallery').isVisible())) await page.click('.brand')
  await page.click(`[data-scene="${name}"]`)
  await page.waitForFunction(() => /run=\d+/.test(location.hash))
  return Number(/run=(\d+)/.exec(page.url())[1])
}

// The program, its page and a client beside it, for all tests of a file. With a scene: its run, as soon as it has that many frames.
export async function openStudio(what = {}) {
  const program = await new Program().start()
  const browser = await openBrowser()
  const end = async () => {
    await browser.close()
    await program.end()
  }
  after(end)
  try {
    return { program, browser, ...(await openAll(program, browser, what)) }
  } catch (error) {
    await end() // nobody else does where the tests have not begun
    throw error
  }
}

async function openAll(program, browser, { scene, frames = 0 }) {
  const page = await openPage(browser, program)
  const client = await Client.of(program)
  if (!scene) return { page, client }
  const run = await openScene(page, scene)
  const { text, revision } = await client.ask('document', { run })
  await client.ask('edit', { run, revision, text: text.replace(/duration( *)= 1.0/, 'duration$1= 50') }) // it does not end meanwhile
  await until(async () => (await client.run(run))?.frames >= frames, `${frames} frames`)
  return { page, client, run }
}

// Shows a run in the page that the client has opened.
export async function showRun(page, program, run) {
  await page.goto('about:blank') // a page that is there may just be leaving a run that was closed, for the gallery
  await page.goto(`${program.address}#run=${run}`)
  await page.waitForSelector(canvas)
}

// A scene at its start, as text.
export async function openText(studio, name, text, what = {}) {
  const { run } = await studio.client.ask('open', { name, text, ...what })
  await showRun(studio.page, studio.program, run)
  await until(async () => (await studio.client.run(run)).particles > 0, 'the snow')
  return run
}

// By how much slower than alone a program runs here now: other programs take their share of the processors.
export function slowness() {
  const before = process.cpuUsage()
  const start = performance.now()
  let used = 0
  while (used < 150_000) {
    const { user, system } = process.cpuUsage(before)
    used = user + system // µs
  }
  return Math.max(1, ((performance.now() - start) * 1000) / used)
}

export const canvas = '.view canvas'
export const slider = (path) => `[data-path="${path}"] input[type=range]`
export const input = (path) => `[data-path="${path}"] input[type=text]`

export const drawnTime = async (page) => Number.parseFloat(await page.textContent('.clock'))

export const run = (...parts) => execFileSync(firn, parts, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
