// The program with its page, for tests: a work folder of its own, a browser, and a second client that asks the server what it knows.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { PNG } from 'pngjs'
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

// Waits until `look` gives something true, and returns that.
export async function until(look, what, seconds = 20) {
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

  static async of(program) {
    const client = new Client()
    client.#socket = new WebSocket(`${program.address.replace('http', 'ws')}ws?token=${await program.token()}`, 'firn.1')
    client.#socket.on('message', (data, isBinary) => (isBinary ? client.frames.push(data) : client.#take(JSON.parse(data))))
    await new Promise((resolve, reject) => client.#socket.once('open', resolve).once('error', reject))
    await client.ask('hello', { version: 1 })
    return client
  }

  #take(message) {
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

export async function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: browserFlags })
}

// A tab. Whatever goes wrong in it, or leaves the machine, is kept.
export async function openPage(browser, program, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: 'light', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(20000)
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

export const canvas = '.view canvas'
export const slider = (path) => `[data-path="${path}"] input[type=range]`
export const input = (path) => `[data-path="${path}"] input[type=text]`

// The view's own pixels at half its size, without what lies over it.
export async function pixels(page, selector = canvas) {
  const data = await page.locator(selector).evaluate((element) => {
    const copy = document.createElement('canvas')
    copy.width = element.clientWidth / 2
    copy.height = element.clientHeight / 2
    copy.getContext('2d').drawImage(element, 0, 0, copy.width, copy.height)
    return copy.toDataURL('image/png')
  })
  return PNG.sync.read(Buffer.from(data.split(',')[1], 'base64'))
}

// The share of pixels that differ by more than a little.
export function difference(a, b) {
  let count = 0
  for (let i = 0; i < a.data.length; i += 4)
    if (Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]) > 24) ++count
  return count / (a.data.length / 4)
}

// The share of pixels for which `is(red, green, blue)` holds.
export function share(picture, is) {
  let count = 0
  for (let i = 0; i < picture.data.length; i += 4) if (is(picture.data[i], picture.data[i + 1], picture.data[i + 2])) ++count
  return count / (picture.data.length / 4)
}

export const isWhite = (r, g, b) => r > 205 && g > 210 && b > 215
export const isColourful = (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 90

export const drawnTime = async (page) => Number.parseFloat(await page.textContent('.clock'))

// Pictures for the documents, where they are asked for.
export async function keepPicture(page, name) {
  const folder = process.env.FIRN_STUDIO_PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `studio_${name}.png`) })
}

export const run = (...parts) => execFileSync(firn, parts, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
