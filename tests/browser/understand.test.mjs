import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { changed, difference, keepPicture, still } from './pictures.mjs'
import { drawnTime, firn, input, openStudio, openText, showRun, until } from './studio.mjs'

const start = `simulation = { spacing = 0.05, duration = 20 }
snow = [{ shape = "sphere", center = [0, 0.3, 0], radius = 0.2 }]
`

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

test('the histogram of J_P counts all grains of the frame that is shown', async () => {
  const known = {}
  for (const frame of ['live', 0]) {
    await page.locator('.view canvas').focus()
    await page.keyboard.press(frame === 'live' ? 'End' : 'Home')
    const { counts, edges } = await client.ask('histogram', { run, of: 'jp', bins: 48, frame })
    assert.equal(
      counts.reduce((a, b) => a + b),
      (await client.run(run)).particles,
    )
    known[frame] = counts
    const most = Math.max(...counts)
    const heights = counts.map((count) => Math.sqrt(count / most) * 38)
    await until(async () => {
      const drawn = await page.$$eval('.histogram path', (all) =>
        all.flatMap((path) => {
          const bars = path.getAttribute('d').matchAll(/M([\d.]+) 40v-([\d.]+)/g)
          return [...bars].map(([, left, height]) => [Number(left), Number(height)])
        }),
      )
      drawn.sort((a, b) => a[0] - b[0])
      const ends = await page.$$eval('.histogram .ends span', (all) => all.map((one) => one.textContent))
      const isThere = drawn.length === 48 && drawn.every(([, height], i) => Math.abs(height - heights[i]) < 0.01)
      return isThere && ends[0] === edges[0].toFixed(2) && ends.at(-1) === edges.at(-1).toFixed(2)
    }, `the bars of ${frame}`)
  }
  assert.notDeepEqual(known.live, known[0], 'snow that was hit is not as it was')
  await page.keyboard.press('End')
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

// How much neighbouring pixels differ on average: what is left of the noise.
const noiseOf = ({ data, width }) => {
  let sum = 0
  for (let i = 0; i + 4 * width < data.length; i += 4) sum += Math.abs(data[i] - data[i + 4]) + Math.abs(data[i] - data[i + 4 * width])
  return sum / (data.length / 4)
}

test('a path-traced picture gets better in the page', async () => {
  await page.click('#tab-results')
  await page.selectOption('#samples', '64')
  await page.click('text=Trace this frame')
  const pictures = []
  await until(async () => {
    const now = await page
      .locator('.traced')
      .evaluate((figure) => {
        const image = figure.querySelector('img')
        if (!image) return null
        const copy = document.createElement('canvas')
        copy.width = image.naturalWidth
        copy.height = image.naturalHeight
        copy.getContext('2d').drawImage(image, 0, 0)
        return { caption: figure.querySelector('figcaption').textContent, data: copy.toDataURL('image/png') }
      })
    if (now && now.caption !== pictures.at(-1)?.caption) pictures.push(now)
    return now && /finished/.test(now.caption)
  }, 'the whole picture')
  assert.ok(pictures.length >= 3, `${pictures.length} pictures`)
  const shares = pictures.slice(0, -1).map(({ caption }) => Number.parseFloat(caption))
  assert.ok(
    shares.every((share, i) => i === 0 || share > shares[i - 1]),
    `light rises: ${shares}`,
  )
  const [first, last] = [pictures[0], pictures.at(-1)].map(({ data }) => PNG.sync.read(Buffer.from(data.split(',')[1], 'base64')))
  assert.deepEqual([last.width, last.height], [640, 360])
  assert.ok(noiseOf(last) < 0.9 * noiseOf(first), `noise of ${noiseOf(first)} and then of ${noiseOf(last)}`)
})

test('a picture that takes too long is stopped', async () => {
  await page.selectOption('#samples', '1024')
  await page.click('text=Trace this frame')
  await page.click('.jobs button:text-is("stop")')
  const end = await until(() => client.events.find((event) => event.event === 'job' && event.kind === 'picture' && event.error), 'its end')
  assert.ok(end.fraction < 1, JSON.stringify(end))
  assert.equal(end.error, 'stopped')
  await page.waitForSelector('.jobs .bad')
  assert.equal(await page.locator('.jobs button:text-is("stop")').count(), 0)
  await page.selectOption('#samples', '16')
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

test('the printed command line writes the same snow, to the last bit', async () => {
  const text = `simulation = { spacing = 0.05, duration = 0.25 }
snow = [{ shape = "sphere", center = [0, 0.25, 0], radius = 0.2, velocity = [1, -4, 0] }]
collider = [{ shape = "plane", point = [0, 0, 0], normal = [0, 1, 0], friction = 0.5 }]
`
  const seen = await openText({ program, page, client }, 'seen', text)
  await page.keyboard.press('Space')
  await until(async () => (await client.run(seen)).state === 'ended', 'the end of the run')
  await page.click('#tab-results')
  await page.fill('#path', 'told.toml')
  await page.click('.results button:text-is("Save")')
  const command = await page.textContent('.saved pre')
  execFileSync('sh', ['-c', command.replace(/^firn /, '"$FIRN" ')], {
    cwd: program.folder,
    env: { ...process.env, FIRN: firn },
    stdio: 'ignore',
  })
  const bytes = (name) => readFileSync(join(program.folder, 'out', name, 'final.ply'))
  assert.ok(bytes('seen').length > 1000)
  assert.ok(bytes('seen').equals(bytes('told')), 'the same bytes')
  await client.ask('close', { run: seen })
})

test('another variant of the scene is chosen', async () => {
  const { run: small } = await client.ask('open', { gallery: 'snowball_drop' })
  await showRun(page, program, small)
  await until(async () => (await client.run(small)).particles > 0, 'the snow')
  const before = await client.run(small)
  assert.equal(before.variant, 'small')
  const names = await page.$$eval('.variant option', (all) => all.map((option) => option.value))
  assert.deepEqual(names, ['', ...before.variants])
  await page.selectOption('.variant', 'demo')
  const { text } = await client.ask('document', { run: small })
  const { particles } = await client.ask('check', { text, variant: 'demo' })
  assert.ok(particles > 2 * before.particles)
  const now = await until(async () => {
    const known = await client.run(small)
    return known.particles === particles && known
  }, 'its particles')
  assert.equal(now.variant, 'demo')
  await until(async () => (await page.inputValue(input('simulation.spacing'))) === String(now.spacing), 'its spacing in the panel')
  await client.ask('close', { run: small })
})

test('comparing twenty times leaves the view alive', async () => {
  const { run: alone } = await client.ask('open', { name: 'one', text: start })
  await showRun(page, program, alone)
  await until(async () => (await client.run(alone)).particles > 0, 'the snow')
  const lost = []
  page.on('console', (message) => /context/i.test(message.text()) && lost.push(message.text()))
  for (let i = 0; i < 20; ++i) {
    await page.locator('.view canvas').focus()
    await page.keyboard.press('c')
    await page.waitForSelector('.second canvas')
    await page.locator('.view canvas').focus()
    await page.keyboard.press('c')
    await page.waitForSelector('.second canvas', { state: 'detached' })
  }
  assert.deepEqual(lost, [])
  const before = await still(page)
  await page.keyboard.press('l')
  await changed(page, before, 0.3, 'another sky')
  await page.keyboard.press('l')
  assert.deepEqual(page.mistakes, [])
})

test('a run that was stopped goes on', async () => {
  await showRun(page, program, run)
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
