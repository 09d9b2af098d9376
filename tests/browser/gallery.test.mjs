import assert from 'node:assert/strict'
import { test } from 'node:test'
import { difference, isWhite, keepPicture, pixels, share } from './pictures.mjs'
import { drawnTime, openScene, openStudio, slowness, until } from './studio.mjs'

const { program, browser, page, client } = await openStudio()

test('the page weighs less than 1.5 MB compressed and paints within a second', async () => {
  const slow = slowness()
  const fresh = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const tab = await fresh.newPage()
  const session = await fresh.newCDPSession(tab)
  let bytes = 0
  await session.send('Network.enable')
  session.on('Network.loadingFinished', (event) => (bytes += event.encodedDataLength))
  await tab.goto(program.address)
  await tab.waitForFunction(() => document.querySelectorAll('.card').length > 0)
  await tab.locator('main.gallery').evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await tab.waitForFunction(() => [...document.querySelectorAll('.card img')].every((image) => image.complete))
  const paint = await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime)
  const said = `first paint after ${paint.toFixed(0)} ms, ${slow.toFixed(1)} × as slow as alone`
  console.log(`# page: ${(bytes / 1e6).toFixed(3)} MB over the wire with all pictures, ${said}`)
  assert.ok(bytes > 100_000 && bytes < 1_500_000, `${bytes} bytes`)
  assert.ok(paint < 1000 * slow, `${paint} ms`)
  await fresh.close()
})

test('every scene has a card, with its picture where there is one', async () => {
  const { scenes } = await client.ask('gallery')
  const cards = await page.$$eval('.card', (all) => all.map((card) => card.dataset.scene))
  assert.deepEqual(
    cards,
    scenes.map((scene) => scene.name),
  )
  await page.locator('main.gallery').evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await page.waitForFunction(() => [...document.querySelectorAll('.card img')].every((image) => image.complete))
  const widths = await page.$$eval('.card img', (all) => all.map((image) => image.naturalWidth))
  assert.ok(widths.length >= 25 && widths.every((width) => width === 480), widths.join())
  await page.locator('main.gallery').evaluate((element) => element.scrollTo(0, 0))
  await keepPicture(page, 'gallery')
})

test('a click opens a scene and its snow moves within 3 s', async () => {
  const slow = slowness()
  const start = Date.now()
  const run = await openScene(page, 'snowball_drop')
  await until(async () => (await client.run(run))?.time > 0, 'the first step')
  const took = Date.now() - start
  console.log(`# snow moves ${took} ms after the click, ${slow.toFixed(1)} × as slow as alone`)
  assert.ok(took < 3000 * slow, `${took} ms`)
  await page.waitForFunction(() => document.querySelector('.clock').textContent.endsWith(' s'))
  const before = { picture: await pixels(page), time: await drawnTime(page) }
  await until(async () => (await drawnTime(page)) > before.time + 0.08, 'the ball to move in the view')
  const after = await pixels(page)
  await until(async () => (await client.run(run)).frames > 2, 'frames')
  const [first, fallen] = [await client.mean(run, 0), await client.mean(run, 2)]
  assert.ok(share(before.picture, isWhite) > 0.01, `white: ${share(before.picture, isWhite)}`)
  assert.ok(difference(before.picture, after) > 0.005, 'the picture changes')
  assert.ok(fallen[1] < first[1] - 0.3, `falls: ${first[1]} to ${fallen[1]}`)
})

test('all particles are one draw call among few, and 8 bytes each', async () => {
  const text = await page.evaluate(() => document.querySelector('canvas').dataset.costs)
  const { calls, bytes, particles } = JSON.parse(text)
  console.log(`# ${calls} draw calls a picture, ${bytes} bytes a frame of ${particles} particles`)
  assert.equal(bytes, 64 + 8 * particles)
  assert.ok(calls <= 8, `${calls} draw calls with sky, ground and bodies`)
})

test('nothing went wrong in the page and nothing left the machine', () => {
  assert.deepEqual(page.mistakes, [])
  assert.deepEqual(page.strangers, [])
})
