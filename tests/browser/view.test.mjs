import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, isColourful, isWhite, keepPicture, middleOf, pictureThat, pixels, share, still } from './pictures.mjs'
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
  const plain = await still(page)
  for (const [key, label] of [
    ['2', 'Speed'],
    ['3', 'J_P'],
    ['4', 'Density'],
    ['6', 'Pressure'],
  ]) {
    await page.keyboard.press(key)
    await changed(page, plain, 0.01, label)
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
  await changed(page, before, 0.005, 'other colours')
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
    before = await changed(page, before, 0.001, name)
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
  await changed(page, before, 0.0005, 'normals')
  await page.click('.check:has-text("Normals of bodies") input')
  await page.click('.check:has-text("Sleeping blocks") input')
  await page.click('.check:has-text("Sleeping blocks") input')
  await page.click('.switches summary')
})

test('a drag turns the view, the right button moves it, the wheel zooms, F fits', async () => {
  const first = await still(page)
  const box = await page.locator(canvas).boundingBox()
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.85]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 120, y, { steps: 3 })
  await page.mouse.up()
  const turned = await changed(page, first, 0.05, 'another side')
  await page.mouse.wheel(0, 400)
  const far = await changed(page, turned, 0.05, 'from farther away')
  await page.keyboard.press('f')
  const all = await changed(page, far, 0.05, 'all of it again')
  const [left] = middleOf(all)
  await page.mouse.move(x, y)
  await page.mouse.down({ button: 'right' })
  await page.mouse.move(x + 120, y, { steps: 3 })
  await page.mouse.up({ button: 'right' })
  const moved = await pictureThat(page, (picture) => middleOf(picture)[0] > left + 40, 'the snow farther right, with the hand')
  assert.ok(Math.abs(share(moved, isWhite) - share(all, isWhite)) < 0.3 * share(all, isWhite), 'from the same side and distance')
  await page.keyboard.press('f')
  await pictureThat(page, (picture) => Math.abs(middleOf(picture)[0] - left) < 5, 'the snow in the middle again')
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
  const shown = await page.$$eval('.inspector dl > dt', (names) =>
    Object.fromEntries(
      names.map((name) => {
        const value = name.nextElementSibling
        const cells = [...value.querySelectorAll('td')].map((cell) => cell.textContent)
        return [name.textContent, cells.length ? cells : value.textContent.split(', ')]
      }),
    ),
  )
  for (const [name, values] of Object.entries({
    'position, m': known.position,
    'velocity, m/s': known.velocity,
    J_P: [known.jp],
    J_E: [known.je],
    F_E: known.fe,
    'stress, Pa': known.stress,
    'pressure, Pa': [known.pressure],
    'density, kg/m³': [known.density],
    'mass, kg': [known.mass],
  })) {
    assert.equal(shown[name].length, values.length, name)
    values.forEach((value, i) => {
      const written = Number(shown[name][i])
      assert.ok(Math.abs(written - value) <= 0.051 * Math.abs(value), `${name}: ${shown[name]} is ${values}`)
    })
  }
  assert.equal(shown.material[0], known.material)
  assert.ok(known.path.length >= 8, `a way of ${known.path.length} frames`)
  await until(async () => share(await pixels(page), (r, g, b) => r > 225 && g > 90 && g < 170 && b < 90) > 0.00005, 'the way in the view')
  await page.click('.inspector [aria-label="Close"]')
  assert.deepEqual(page.mistakes, [])
})
