// Every key of the sheet does what the sheet says.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { changed, still } from './pictures.mjs'
import { canvas, drawnTime, openStudio, openText, until } from './studio.mjs'

const studio = await openStudio()
const { program, page, client } = studio
const run = await openText(
  studio,
  'keys',
  `simulation = { spacing = 0.05, duration = 1000 }
[[snow]]
shape = "box"
center = [0, 0.2, 0]
size = [0.3, 0.3, 0.3]
[[collider]]
shape = "plane"
point = [0, 0, 0]
normal = [0, 1, 0]
velocity = [0.1, 0, 0] # so that snow moves and has forces in it, however many frames have been computed
friction = 1
`,
)

const press = (key) => page.keyboard.press(key)
const state = (name) => until(async () => (await client.run(run)).state === name, name)
const text = async () => (await client.ask('document', { run })).text
const bodies = async () => (await text()).split('[[collider]]').length - 1
const shows = (selector, what = 'visible') => page.waitForSelector(selector, { state: what })
const colour = async (name) => assert.equal(await page.inputValue('[aria-label="Colour by"]'), name)
const switched = (name) => async (key) => {
  const before = await still(page)
  await press(key)
  await changed(page, before, 0.0005, name)
  await press(key)
  await shows('.legend', 'hidden')
}
const handles = async (key) => {
  const before = await still(page)
  await press(key)
  await changed(page, before, 0.0002, 'other handles')
}

// In this order, each as the ones before it have left the page.
const does = {
  Space: async (key) => {
    await press(key)
    await state('running')
    await until(async () => (await client.run(run)).frames >= 4, 'frames')
    await shows('[aria-label="Pause"]') // the page knows that it runs
    await press(key)
    await state('paused')
  },
  '.': async (key) => {
    const { steps } = await client.run(run)
    await press(key)
    await until(async () => (await client.run(run)).steps === steps + 1, 'one step')
  },
  ',': async (key) => {
    const { frames } = await client.run(run)
    await press(key)
    await until(async () => (await client.run(run)).frames === frames + 1, 'one frame')
    await state('paused')
  },
  Home: async (key) => {
    await press(key)
    await until(async () => (await drawnTime(page)) === 0, 'the first frame')
  },
  '→': async () => {
    await press('ArrowRight')
    await until(async () => Math.abs((await drawnTime(page)) - 1 / 24) < 1e-3, 'the next frame')
  },
  '←': async () => {
    await press('ArrowLeft')
    await until(async () => (await drawnTime(page)) === 0, 'the frame before')
  },
  End: async (key) => {
    await press(key)
    const { time } = await client.run(run)
    await until(async () => Math.abs((await drawnTime(page)) - time) < 1e-3, 'what is computed now')
  },
  ...Object.fromEntries(
    ['none', 'speed', 'jp', 'density', 'material', 'stress'].map((name, i) => [
      String(i + 1),
      async (key) => {
        await press(key)
        await colour(name)
      },
    ]),
  ),
  N: async (key) => {
    await press('1')
    await shows('.legend', 'hidden')
    await switched('nodes')(key.toLowerCase())
  },
  V: (key) => switched('velocities')(key.toLowerCase()),
  Y: (key) => switched('forces')(key.toLowerCase()),
  F: async () => {
    const before = await still(page)
    await page.mouse.move(400, 300)
    await page.mouse.wheel(0, 600)
    const far = await changed(page, before, 0.01, 'from farther away')
    await press('f')
    await changed(page, far, 0.01, 'all of it')
  },
  C: async () => {
    await press('c')
    await shows('.second')
    await page.locator(canvas).focus()
    await press('c')
    await shows('.second', 'hidden')
  },
  L: async () => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    await press('l')
    assert.equal(await theme(), 'dark')
    await press('l')
    assert.equal(await theme(), 'light')
  },
  D: async () => {
    await page.selectOption('.adder', 'collider box')
    await until(async () => (await bodies()) === 2, 'a body')
    await page.locator(canvas).focus()
    await press('d')
    await until(async () => (await bodies()) === 3, 'its copy')
  },
  E: async () => {
    await press('f')
    await handles('e')
  },
  S: () => handles('s'),
  W: () => handles('w'),
  Delete: async (key) => {
    await press(key)
    await until(async () => (await bodies()) === 2, 'one body less')
  },
  Escape: async (key) => {
    await page.locator('.fold[data-id="collider.1"] [aria-label="Choose in the view"]').click()
    await shows('.choosing')
    await page.locator(canvas).focus()
    await press(key)
    await shows('.choosing', 'detached')
  },
  CtrlZ: async () => {
    await press('Control+z')
    await until(async () => (await bodies()) === 3, 'the body that was removed')
  },
  CtrlY: async () => {
    await press('Control+y')
    await until(async () => (await bodies()) === 2, 'it removed again')
  },
  B: async () => {
    await press('b')
    await shows('.dock.both')
    await press('b')
    await shows('.dock:not(.both)')
  },
  CtrlS: async () => {
    await press('Control+s')
    await until(() => existsSync(join(program.folder, 'scene.toml')), 'the file')
  },
  ShiftR: async () => {
    await press('Shift+R')
    await until(async () => (await client.run(run)).steps === 0, 'the start')
    assert.equal((await client.run(run)).state === 'running', false)
  },
  '?': async (key) => {
    await press(key)
    await shows('.sheet[open]')
    await press(key)
    await shows('.sheet[open]', 'detached')
  },
  G: async () => {
    await press('g')
    await shows('main.gallery')
  },
}

test('the sheet lists the keys that are tried here', async () => {
  await page.locator(canvas).focus()
  await page.keyboard.press('?')
  const listed = await page.$$eval('.sheet dt', (all) => all.map((one) => one.textContent))
  assert.deepEqual(listed.sort(), Object.keys(does).sort())
  await page.keyboard.press('?')
})

for (const [key, run] of Object.entries(does))
  test(`key ${key}`, async () => {
    if (await page.locator(canvas).isVisible()) await page.locator(canvas).focus()
    await run(key)
  })

test('a letter in a field is a letter', async () => {
  const scene = `simulation = { spacing = 0.05, duration = 1 }
snow = [{ shape = "sphere", center = [0, 0.5, 0], radius = 0.2 }]
`
  await openText(studio, 'letters', scene)
  await page.locator('.panel .filter').focus()
  await page.keyboard.type('dnl')
  assert.equal(await page.inputValue('.panel .filter'), 'dnl')
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light')
  assert.deepEqual(page.mistakes, [])
})
