import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { difference, keepPicture, still } from './pictures.mjs'
import { drawnTime, openStudio, until } from './studio.mjs'

const { program, page, client, run } = await openStudio({ scene: 'snowball_drop', frames: 10 })
await page.keyboard.press('Space')
await until(async () => (await client.run(run)).state === 'paused', 'the pause')

const inked = (selector) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height)
      let count = 0
      for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++count
      return count
    })

test('energy, momentum, mass, J_P, packed share, step and iterations are plotted', async () => {
  await page.click('#tab-understand')
  await page.waitForSelector('.uplot canvas')
  await until(async () => (await inked('.uplot canvas')) > 1000, 'lines to be drawn')
  const titles = await page.$$eval('.u-title', (all) => all.map((title) => title.textContent))
  for (const wanted of ['Energy, J', 'Momentum, kg m/s', 'Mass, kg', 'J_P', 'Packed share', 'Time step, s', 'Iterations a step'])
    assert.ok(titles.includes(wanted), titles.join())
})

test('a click in a plot shows that moment', async () => {
  const box = await page.locator('.u-over').first().boundingBox()
  await page.mouse.click(box.x + 2, box.y + box.height / 2)
  await until(async () => (await drawnTime(page)) === 0, 'the first frame')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  const { time } = await client.run(run)
  await until(async () => Math.abs((await drawnTime(page)) - time / 2) < 0.06, `the middle of ${time} s`)
})

test('the histogram of J_P counts all grains', async () => {
  const { counts } = await client.ask('histogram', { run, of: 'jp', bins: 48 })
  assert.equal(
    counts.reduce((a, b) => a + b),
    (await client.run(run)).particles,
  )
  const bars = await page.$$eval('.histogram path', (all) => all.map((path) => path.getAttribute('d').length))
  assert.ok(bars.some((length) => length > 20))
  await page.click('#tab-scene')
})

test('two runs stand side by side in step, with what differs', async () => {
  await page.keyboard.press('c')
  await page.selectOption('[aria-label="Compare with"]', 'copy')
  const other = await until(
    async () => (await client.ask('hello', { version: 1 })).runs.map((one) => one.run).find((one) => one !== run),
    'a second run',
  )
  await page.waitForSelector('.second canvas')
  const { text, revision } = await client.ask('document', { run: other })
  await client.ask('edit', {
    run: other,
    revision,
    text: text.replace(/hardening( *)= 10/, 'hardening$1= 2').replace(/critical_compression = 2.5e-2/, 'critical_compression = 1e-2'),
  })
  await client.ask('go', { run: other, until: 8 })
  await until(async () => (await client.run(other)).frames >= 9, 'frames of the second run')
  await page.locator('.view canvas').focus()
  await page.keyboard.press('End')
  await page.waitForSelector('.second canvas')
  await page.waitForSelector('.differences table')
  const rows = await page.$$eval('.differences tbody tr', (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
  const hardening = rows.find(([key]) => key === 'materials.packed.hardening')
  assert.deepEqual(hardening?.slice(1).map(Number), [10, 2], JSON.stringify(rows))
  const common = Math.min((await client.run(run)).frames, (await client.run(other)).frames) - 1
  await until(async () => Math.abs((await drawnTime(page)) - common / 24) < 1e-3, 'the newest frame of both')
  assert.ok(difference(await still(page), await still(page, '.second canvas')) > 0.002, 'two snows')
  await keepPicture(page, 'compare')
  await page.keyboard.press('c')
  await client.ask('close', { run: other })
})

test('a path-traced picture gets better in the page', async () => {
  await page.click('#tab-results')
  await page.click('text=Trace this frame')
  const image = page.locator('.traced img')
  await image.waitFor()
  await until(async () => /finished/.test(await page.textContent('.traced figcaption')), 'the whole picture')
  assert.deepEqual(await image.evaluate((element) => [element.naturalWidth, element.naturalHeight]), [640, 360])
})

test('film and frames are written', async () => {
  await page.click('text=Preview film')
  await page.selectOption('#format', 'vtp')
  await page.click('text=Write all frames')
  const links = await until(
    async () => {
      const all = await page.$$eval('.jobs a', (found) => found.map((link) => link.textContent))
      return all.length >= 3 && all
    },
    'the three results',
  )
  for (const file of links) assert.ok(existsSync(join(program.folder, file)), file)
  const film = links.find((file) => file.endsWith('.mp4'))
  const answer = await page.request.get(`${program.address}files/${film}?token=${await program.token()}`)
  assert.equal(answer.status(), 200)
  assert.equal((await answer.body()).length, readFileSync(join(program.folder, film)).length)
})

test('the scene is saved with the command that does the same', async () => {
  await page.fill('#path', 'mine.toml')
  await page.click('.results button:text-is("Save")')
  await page.waitForSelector('.saved pre')
  assert.match(await page.textContent('.saved pre'), /firn run .*mine\.toml/)
  assert.equal(readFileSync(join(program.folder, 'mine.toml'), 'utf8'), (await client.ask('document', { run })).text)
})

test('a run that was stopped goes on', async () => {
  const { folder, steps } = await client.run(run)
  await client.ask('close', { run })
  await page.waitForSelector('main.gallery:not([hidden])')
  const checkpoints = join(program.folder, folder, 'checkpoints')
  await until(() => existsSync(checkpoints) && readdirSync(checkpoints).some((file) => file.endsWith('.state')), 'its checkpoint')
  const again = await until(async () => (await client.ask('open', { folder }).catch(() => null))?.run, 'the folder to open')
  await page.goto(`${program.address}#run=${again}`)
  await page.reload()
  await page.click('#tab-results')
  await page.click('text=Resume from its checkpoint')
  await until(async () => (await client.run(again)).steps > steps, `more than ${steps} steps`)
})
