import assert from 'node:assert/strict'
import { test } from 'node:test'
import { difference, pixels } from './pictures.mjs'
import { drawnTime, openStudio, pause, until } from './studio.mjs'

const { page, client, run } = await openStudio({ scene: 'snowball_drop', frames: 4 })

const state = async () => (await client.run(run)).state

test('pause holds the solver and run lets it go on', async () => {
  await page.click('[aria-label="Pause"]')
  await until(async () => (await state()) === 'paused', 'the pause')
  const { steps } = await client.run(run)
  await pause(400)
  assert.equal((await client.run(run)).steps, steps)
})

test('one step is one step, and one frame ends with the next frame', async () => {
  const { steps } = await client.run(run)
  await page.keyboard.press('.')
  await until(async () => (await client.run(run)).steps === steps + 1, 'one step more')
  const { frames } = await client.run(run)
  await page.keyboard.press(',')
  await until(async () => (await client.run(run)).frames === frames + 1, 'one frame more')
  await pause(300)
  const after = await client.run(run)
  assert.equal(after.frames, frames + 1)
  assert.equal(after.state, 'paused')
  assert.ok(Math.abs(after.time * after.fps - Math.round(after.time * after.fps)) < 1e-6, `ends with a frame: ${after.time}`)
})

test('the timeline shows frames there are while the run goes on', async () => {
  const live = await pixels(page)
  await page.keyboard.press('Space')
  await until(async () => (await state()) === 'running', 'the run to go on')
  await page.keyboard.press('Home')
  await until(async () => (await drawnTime(page)) === 0, 'the first frame')
  assert.ok(difference(live, await pixels(page)) > 0.005)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await until(async () => Math.abs((await drawnTime(page)) - 2 / 24) < 1e-3, 'the second frame')
  const { steps } = await client.run(run)
  await until(async () => (await client.run(run)).steps > steps, 'the run to go on meanwhile')
  await page.keyboard.press('End')
  await until(async () => (await drawnTime(page)) > 3 / 24, 'what is computed now')
})

test('the numbers below are those of the server', async () => {
  await until(async () => ['paused', 'ended'].includes(await state()) || page.click('[aria-label="Pause"]').then(() => false), 'a rest')
  const known = await client.run(run)
  const facts = await until(async () => {
    const text = await page.textContent('.timeline .facts')
    return text.replace(/\s/g, '').includes(`steps${known.steps}`) && text
  }, 'the steps')
  const plain = facts.replace(/\s/g, '')
  assert.ok(plain.includes(`iterations${known.iterations}`), plain)
  assert.ok(plain.includes(`grains${known.particles}`), plain)
})

test('the time step, the speed and the time left are those of the server', async () => {
  const { dt, rule } = await client.run(run)
  const fact = (name) => page.locator(`.facts div:has(dt:text-is("${name}"))`)
  assert.ok(Math.abs(Number.parseFloat(await fact('Δt').locator('dd').textContent()) - dt) < 0.06 * dt)
  assert.equal(await fact('Δt').getAttribute('title'), rule ? `set by ${rule}` : null)
  // While it runs the page shows what one of the last messages said, which the client has got as well.
  await page.keyboard.press('Space')
  await until(async () => {
    const told = client.events.filter((event) => event.event === 'run' && event.state === 'running' && event.speed > 0).slice(-6)
    const [speed, left] = [await fact('speed').locator('dd').textContent(), await fact('left').locator('dd').textContent()]
    const seconds = Number.parseFloat(left) * (left.endsWith('min') ? 60 : left.endsWith('h') ? 3600 : 1)
    return told.some(
      (event) =>
        Math.abs(Number.parseFloat(speed) - event.speed) <= 0.051 * event.speed &&
        Math.abs(seconds - event.seconds_left) <= 0.06 * event.seconds_left + 0.5,
    )
  }, 'speed and time left as the server says')
  await page.keyboard.press('Space')
})

test('back to the start is time 0 with no steps', async () => {
  await page.keyboard.press('Shift+R')
  await until(async () => {
    const now = await client.run(run)
    return now.steps === 0 && now.time === 0 && now.state === 'paused'
  }, 'the start')
  await until(async () => (await drawnTime(page)) === 0, 'the picture of the start')
  assert.deepEqual(page.mistakes, [])
})
