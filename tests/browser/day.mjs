// node day.mjs [--clicks 2880] [--seed 1]: a day of somebody who does something every half a minute, without the pauses. What the
// server and the page hold must be no more at its end than early on.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Client, Program, canvas, firn, openPage, openScene, pause, serveBrowser, slider } from './studio.mjs'
import { chromium } from 'playwright-core'

const option = (name, fallback) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const clicks = option('--clicks', 2880)
let seed = option('--seed', 1)
// Few particles: where there is no graphics card nearly all of the time goes into drawing them.
const scenes = ['disc_2d', 'ball_2d', 'density_thrown_ball', 'density_column_ball', 'slide_2d']
const measurements = 12

// Numbers from 0 to 1 that are the same for the same seed (Lehmer's generator).
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647
const any = (list) => list[Math.floor(random() * list.length)]

const server = await serveBrowser()
const browser = await chromium.connect(server.wsEndpoint())
const program = await new Program().start()
const page = await openPage(browser, program, { deviceScaleFactor: 0.15 }) // what is drawn does not matter
const client = await Client.of(program)
const session = await page.context().newCDPSession(page)
let run = await openScene(page, scenes[0])

const press = (key) => page.keyboard.press(key)
const onCanvas = async (key) => {
  await page.locator(canvas).focus()
  await press(key)
}
const visible = (selector) => page.locator(selector).first().isVisible()
const tab = async (name) => page.click(`#tab-${name}`)

async function drag() {
  await page.mouse.move(300 + 200 * random(), 250 + 150 * random())
  await page.mouse.down()
  await page.mouse.move(300 + 200 * random(), 250 + 150 * random(), { steps: 3 })
  await page.mouse.up()
}

async function slide() {
  await tab('scene')
  const path = slider(`materials.${(await client.run(run)).materials[0]}.${any(['hardening', 'young_modulus', 'critical_stretch'])}`)
  if (!(await visible(path))) return
  await page.locator(path).focus()
  for (let i = 0; i < 3; ++i) await press(any(['ArrowLeft', 'ArrowRight']))
}

async function body() {
  await tab('scene')
  await page.selectOption('.adder', any(['collider box', 'collider sphere', 'snow sphere']))
  await pause(100)
  await onCanvas(any(['d', 'w', 'e', 's']))
  await onCanvas('Delete')
  for (let i = 0; i < 4; ++i) await onCanvas('Control+z')
}

async function type() {
  await tab('text')
  await page.locator('.editor .cm-content').focus()
  await press('Control+End')
  await page.keyboard.type('\n# a word')
  await press('Control+z')
}

const stop = '.jobs button:text-is("stop")'
async function picture() {
  await tab('results')
  await page.selectOption('#samples', '16')
  await page.click('text=Trace this frame')
  await pause(300)
  if (await visible(stop)) await page.click(stop, { timeout: 2000 }).catch(() => {}) // it may have ended
}

// Closes what is open and opens a scene, as the gallery does.
async function another(scene = any(scenes)) {
  for (const one of (await client.ask('hello', { version: 1 })).runs) await client.ask('close', { run: one.run })
  await page.waitForSelector('main.gallery:not([hidden])')
  run = await openScene(page, scene)
  await page.waitForSelector(canvas)
}

// How often each is done, of a hundred.
const habits = [
  [18, drag],
  [8, () => page.mouse.move(400, 300).then(() => page.mouse.wheel(0, any([-200, 200])))],
  [10, () => onCanvas('Space')],
  [8, () => onCanvas(any(['.', ',']))],
  [10, () => onCanvas(any(['Home', 'End', 'ArrowLeft', 'ArrowRight']))],
  [9, () => onCanvas(any(['1', '2', '3', '4', '5', '6']))],
  [6, () => onCanvas(any(['n', 'v', 'y']))],
  [8, () => page.mouse.click(300 + 250 * random(), 250 + 200 * random())],
  [6, () => tab(any(['scene', 'text', 'understand', 'results']))],
  [6, slide],
  [2, body],
  [2, type],
  [1, picture],
  [2, () => onCanvas('Shift+R')],
  [1, () => onCanvas('l')],
  [1, () => onCanvas('c').then(() => pause(100)).then(() => onCanvas('c'))],
  [1, () => onCanvas('?').then(() => press('Escape'))],
  [1, () => another()],
]
const total = habits.reduce((sum, [share]) => sum + share, 0)
const habit = () => {
  let at = random() * total
  return habits.find(([share]) => (at -= share) < 0)[1]
}

// MB of the program and of the page's own objects, and the page's nodes and listeners: always of the first scene at its start.
async function measure(done) {
  await another(scenes[0])
  await press('1')
  await pause(1000)
  await session.send('HeapProfiler.enable')
  for (let i = 0; i < 3; ++i) await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
  const resident = Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))[1]) / 1024
  const open = (await client.ask('hello', { version: 1 })).runs.length
  const found = { clicks: done, program: resident, page: usedSize / 2 ** 20, nodes, listeners: jsEventListeners, runs: open }
  console.log(JSON.stringify(found, (_, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value)))
  return found
}

const start = Date.now()
const found = []
for (let done = 0; done <= clicks; ++done) {
  if (done % Math.ceil(clicks / measurements) === 0) found.push(await measure(done))
  const act = habit()
  if (await visible('main.gallery')) await another()
  try {
    await act()
  } catch (error) {
    throw new Error(`click ${done}, ${act.name || act}: ${error.message}`)
  }
  if (await visible('dialog[open]')) await press('Escape')
}
console.log(`${clicks} clicks in ${Math.round((Date.now() - start) / 1000)} s with ${firn}`)
assert.ok(found.length > 6, 'too few clicks to tell')

// The first measurements are of a program that has not seen everything yet.
const mean = (list, what) => list.reduce((sum, one) => sum + one[what], 0) / list.length
const early = found.slice(2, 2 + Math.ceil(found.length / 4))
const late = found.slice(-early.length)
const grown = ['program', 'page', 'nodes', 'listeners'].map((what) => [what, mean(late, what) / mean(early, what)])
console.log(grown.map(([what, by]) => `${what} ${by.toFixed(2)} ×`).join(', '))
client.close()
await browser.close()
await server.close()
await program.end()
for (const [what, by] of grown) assert.ok(by < 1.25, `${what} grew ${by.toFixed(2)} times`)
assert.deepEqual(page.mistakes, [])
process.exit(0)
