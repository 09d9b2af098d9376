import assert from 'node:assert/strict'
import { test } from 'node:test'
import { difference, isColourful, isWhite, keepPicture, pictureThat, pixels, share, still } from './pictures.mjs'
import { canvas, drawnTime, openStudio, until } from './studio.mjs'

const { page, client, run } = await openStudio({ scene: 'snowball_drop', frames: 8 })
await client.ask('pause', { run })
await until(async () => (await client.run(run)).state === 'paused', 'the pause')
await still(page)
await keepPicture(page, 'run')

test('snow is white, on a ground that is not', async () => {
  const picture = await pixels(page)
  assert.ok(share(picture, isWhite) > 0.02, `white ${share(picture, isWhite)}`)
  assert.ok(share(picture, isWhite) < 0.6)
  assert.ok(share(picture, isColourful) < 0.02, 'nothing is coloured yet')
})

test('each colour paints the snow and says its range', async () => {
  const plain = await pixels(page)
  for (const [key, label] of [
    ['2', 'Speed'],
    ['3', 'J_P'],
    ['4', 'Density'],
    ['6', 'Pressure'],
  ]) {
    await page.keyboard.press(key)
    await until(async () => difference(plain, await pixels(page)) > 0.01, label)
    assert.match(await page.textContent('.legend .name'), new RegExp(label))
  }
  await page.keyboard.press('2')
  const ends = page.locator('.legend .ends input')
  const { edges } = await client.ask('histogram', { run, of: 'speed', bins: 4 })
  await until(
    async () => Math.abs(Number(await ends.nth(1).inputValue()) - edges[4]) < 0.02 * edges[4],
    'the greatest speed in the legend',
  )
  await page.keyboard.press('5')
  await until(
    async () => (await page.locator('.swatches .swatch').count()) === (await client.run(run)).materials.length,
    'a swatch for each material',
  )
})

test('a range that was chosen changes the colours', async () => {
  await page.keyboard.press('2')
  await page.waitForSelector('.legend .ends input')
  const before = await still(page)
  await page.locator('.legend .ends input').nth(1).fill('0.05')
  await page.keyboard.press('Enter')
  await until(async () => difference(before, await pixels(page)) > 0.005, 'other colours')
  await page.locator('.legend .ends >> text=auto').click()
  await page.keyboard.press('1')
})

test('pressure is of the live state: a recorded frame is shown without, and the page says why', async () => {
  await page.keyboard.press('6')
  await page.waitForSelector('.legend .ends input')
  await page.keyboard.press('Home')
  await page.waitForSelector('.legend >> text=do not keep F_E')
  assert.match(await page.textContent('select[aria-label="Colour by"] option:disabled'), /Pressure \(live only\)/)
  await until(async () => (await drawnTime(page)) === 0, 'the first frame all the same')
  await page.keyboard.press('End')
  await page.waitForSelector('.legend .ends input')
  await page.keyboard.press('1')
  assert.deepEqual(page.mistakes, [])
})

test('nodes, velocities and forces of the grid are drawn and say their scale', async () => {
  let before = await still(page)
  for (const [key, name] of [
    ['n', 'Grid nodes'],
    ['v', 'Grid velocities'],
    ['y', 'Grid forces'],
  ]) {
    await page.keyboard.press(key)
    await page.waitForSelector(`.legend >> text=${name}`)
    const now = await still(page)
    assert.ok(difference(before, now) > 0.001, `${name}: ${difference(before, now)}`)
    before = now
  }
  await keepPicture(page, 'grid')
  assert.match(await page.textContent('.legend'), /velocities: longest [\d.e-]+ m\/s/)
  assert.match(await page.textContent('.legend'), /forces: longest [\d.e-]+ N/)
  for (const key of ['n', 'v', 'y']) await page.keyboard.press(key)
  await until(async () => await page.locator('.legend').isHidden(), 'the legend to go')
})

test('normals of bodies and sleeping blocks have their switches', async () => {
  await page.click('.switches summary')
  const before = await still(page)
  await page.click('.check:has-text("Normals of bodies") input')
  await page.waitForSelector('.legend >> text=Normals')
  assert.ok(difference(before, await still(page)) > 0.0005, 'normals are seen')
  await page.click('.check:has-text("Normals of bodies") input')
  await page.click('.check:has-text("Sleeping blocks") input')
  await page.click('.check:has-text("Sleeping blocks") input')
  await page.click('.switches summary')
})

test('a drag turns the view, the wheel zooms, F fits', async () => {
  const first = await still(page)
  const box = await page.locator(canvas).boundingBox()
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.85]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 120, y, { steps: 3 })
  await page.mouse.up()
  const turned = await pictureThat(page, (picture) => difference(first, picture) > 0.05, 'another side')
  await page.mouse.wheel(0, 400)
  const far = await pictureThat(page, (picture) => difference(turned, picture) > 0.05, 'from farther away')
  await page.keyboard.press('f')
  await pictureThat(page, (picture) => difference(far, picture) > 0.05, 'all of it again')
})

test('a click on a grain tells its numbers, those of the server, and draws its way', async () => {
  const picture = await still(page)
  const box = await page.locator(canvas).boundingBox()
  let spot = null
  for (let y = Math.floor(picture.height * 0.3); y < picture.height * 0.8 && !spot; y += 6)
    for (let x = Math.floor(picture.width * 0.3); x < picture.width * 0.7 && !spot; x += 6) {
      const at = (y * picture.width + x) * 4
      if (isWhite(picture.data[at], picture.data[at + 1], picture.data[at + 2])) spot = [box.x + 2 * x + 2, box.y + 2 * y + 4]
    }
  await page.mouse.click(...spot)
  await page.waitForSelector('.inspector:not([hidden])')
  const particle = Number(/Grain (\d+)/.exec(await page.textContent('.inspector h2'))[1])
  const known = await client.ask('pick', { run, particle })
  const shown = (await page.locator('.inspector dd').first().textContent()).split(', ').map(Number)
  known.position.forEach((value, axis) =>
    assert.ok(Math.abs(value - shown[axis]) < 1e-2 * Math.max(0.1, Math.abs(value)), `${shown} is ${known.position}`),
  )
  const text = await page.textContent('.inspector')
  for (const word of ['velocity', 'J_P', 'F_E', 'stress', 'material', 'density']) assert.ok(text.includes(word), word)
  assert.ok(known.path.length >= 8, `a way of ${known.path.length} frames`)
  await until(async () => share(await pixels(page), (r, g, b) => r > 225 && g > 90 && g < 170 && b < 90) > 0.00005, 'the way in the view')
  await page.click('.inspector [aria-label="Close"]')
  assert.deepEqual(page.mistakes, [])
})
