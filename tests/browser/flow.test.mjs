// What is no snowball: snow that comes and goes, a window that moves with a plough, legs that bend, two dimensions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, isWhite, share, still } from './pictures.mjs'
import { openStudio, showRun, until } from './studio.mjs'

const { program, page, client } = await openStudio()

// Opens it in the page, lets it run for some frames and stop there; returns the number of its run.
async function show(what, frames) {
  const { run } = await client.ask('open', what)
  await showRun(page, program, run)
  await client.ask('go', { run, until: frames })
  await until(async () => {
    const { state, frames: done } = await client.run(run)
    return done > frames && ['paused', 'ended'].includes(state)
  }, `${frames} frames`)
  return run
}

// The view changes by more than this share of its pixels when something is switched.
async function seesSwitch(name, least = 0.0005) {
  const before = await still(page)
  await page.click('.switches summary')
  await page.click(`.check:has-text("${name}") input`)
  await page.click('.switches summary')
  await changed(page, before, least, name)
}

test('snow comes from a source and goes into a sink, and both and the domain have their switches', async () => {
  const run = await show(
    {
      name: 'flow',
      text: `simulation = { spacing = 0.03, duration = 20 }
source = [{ shape = "box", center = [0, 0.5, 0], size = [0.2, 0.06, 0.2], rate = 4, velocity = [0, -2, 0] }]
sink = [{ shape = "box", center = [0, 0.05, 0], size = [0.1, 0.1, 0.1] }]
domain = { lower = [-0.2, -0.05, -0.2], upper = [0.2, 0.56, 0.2] }
collider = [{ shape = "plane", point = [0, 0, 0], normal = [0, 1, 0], friction = 0.4 }]`,
    },
    12,
  )
  const { columns, rows } = await client.ask('series', { run, from: 0 })
  for (const what of ['emitted', 'killed']) assert.ok(rows.at(-1)[columns.indexOf(what)] > 0, what)
  for (const name of ['Sources', 'Sinks', 'Domain']) await seesSwitch(name)
})

test('the window of a plough is drawn where it is', async () => {
  const run = await show({ gallery: 'snowplow' }, 2)
  assert.ok((await client.run(run)).window, 'it has one')
  await seesSwitch('Window')
})

test('legs that bend are drawn as they are in each frame', async () => {
  const run = await show({ gallery: 'walking' }, 6)
  assert.ok((await client.ask('bodies', { run, frame: 'live' })).bodies.some((body) => body.deforms))
  const last = await still(page)
  await page.keyboard.press('Home')
  await changed(page, last, 0.002, 'other legs')
})

test('two dimensions are seen from the front, and snow falls in them', async () => {
  const run = await show({ gallery: 'ball_2d' }, 6)
  assert.ok(share(await still(page), isWhite) > 0.005)
  assert.ok((await client.mean(run, 0))[1] > (await client.mean(run, 5))[1])
  await seesSwitch('Grid velocities', 0.001)
  assert.deepEqual(page.mistakes, [])
})
