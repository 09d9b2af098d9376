import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { difference, isWhite, pixels, share } from './pictures.mjs'
import { Client, drawnTime, input, openPage, openScene, openStudio, until } from './studio.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const { program, browser, page, ...studio } = await openStudio()
let { client } = studio
let run

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']

async function faults(where) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate((options) => window.axe.run(document, options), { runOnly: rules })
  const places = (one) => one.nodes.slice(0, 2).map((node) => node.target.join(' '))
  return violations.map((one) => `${where}: ${one.id} (${one.nodes.length}) ${places(one).join('; ')}`)
}

test('axe-core finds nothing in any part of the page, light or dark', async () => {
  const found = []
  const inBoth = async (where) => {
    found.push(...(await faults(`light ${where}`)))
    await page.click('[aria-label^="Light or dark"]')
    found.push(...(await faults(`dark ${where}`)))
    await page.click('[aria-label^="Light or dark"]')
  }
  await inBoth('gallery')
  run = await openScene(page, 'snowball_drop')
  await until(async () => (await client.run(run)).frames >= 3, 'frames')
  await page.click('[aria-label="Pause"]')
  for (const tab of ['text', 'understand', 'results', 'scene']) {
    await page.click(`#tab-${tab}`)
    await page.waitForSelector(`#tab-${tab}[aria-selected="true"]`)
    await inBoth(tab)
  }
  await page.keyboard.press('?')
  found.push(...(await faults('shortcuts')))
  await page.keyboard.press('Escape')
  assert.deepEqual(found, [])
})

test('nothing is cut off at 1280 × 720 and at 1920 × 1080', async () => {
  for (const [width, height] of [
    [1920, 1080],
    [1280, 720],
  ]) {
    await page.setViewportSize({ width, height })
    for (const tab of ['text', 'understand', 'results', 'scene']) {
      await page.click(`#tab-${tab}`)
      const size = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])
      assert.deepEqual(size, [width, height], tab)
      const outside = await page.$$eval(
        '.timeline *, .topbar *, .viewtools *, .tabs *',
        (all, [right, bottom]) =>
          all
            .map((one) => [one.className, one.getBoundingClientRect()])
            .filter(([, box]) => box.width > 0 && (box.right > right + 1 || box.bottom > bottom + 1 || box.left < -1 || box.top < -1))
            .map(([name]) => String(name)),
        [width, height],
      )
      assert.deepEqual(outside, [], `${tab} at ${width} × ${height}`)
      const wide = await page.$eval(`#page-${tab} > *`, (one) => one.scrollWidth - one.clientWidth)
      assert.ok(wide <= 1, `${tab} is ${wide} pixels too wide`)
    }
  }
})

test('the theme changes the whole page', async () => {
  await page.keyboard.press('Escape')
  await page.click('.view canvas', { position: { x: 20, y: 300 } })
  const before = {
    picture: await pixels(page),
    panel: await page.evaluate(() => getComputedStyle(document.querySelector('.dock')).backgroundColor),
  }
  await page.keyboard.press('l')
  await until(async () => difference(before.picture, await pixels(page)) > 0.3, 'another sky')
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector('.dock')).backgroundColor), before.panel)
  await page.keyboard.press('l')
})

test('two tabs agree on the run, its text and its picture', async () => {
  const second = await openPage(browser, program)
  await second.goto(`${program.address}#run=${run}`)
  await second.reload()
  await second.waitForSelector(input('materials.packed.density'))
  await page.fill(input('materials.packed.poisson_ratio'), '0.31')
  await page.keyboard.press('Enter')
  await until(async () => (await second.inputValue(input('materials.packed.poisson_ratio'))) === '0.31', 'the other tab to follow')
  if ((await client.run(run)).state === 'running') await page.click('[aria-label="Pause"]')
  await until(async () => (await client.run(run)).state !== 'running', 'the pause')
  await until(async () => (await drawnTime(page)) === (await drawnTime(second)), 'the same moment')
  for (const tab of [page, second]) {
    await tab.locator('.view canvas').focus()
    await tab.keyboard.press('f')
  }
  await until(async () => difference(await pixels(page), await pixels(second)) < 0.02, 'the same picture')
  assert.deepEqual(second.mistakes, [])
  await second.context().close()
})

test('a server that was killed and started again is picked up', async () => {
  const { name } = await client.run(run)
  const { port } = program
  client.close()
  await program.kill()
  await page.waitForSelector('text=does not answer')
  await program.start({ port })
  client = await Client.of(program)
  const again = await until(async () => (await client.ask('hello', { version: 1 })).runs[0], 'the page to open its scene again')
  assert.ok(again.name.startsWith(name), `${again.name} is ${name}`)
  await page.waitForSelector('.link-state:empty', { state: 'attached' })
  await until(async () => share(await pixels(page), isWhite) > 0.005, 'snow to be seen again')
  await page.fill(input('materials.packed.poisson_ratio'), '0.22')
  await page.keyboard.press('Enter')
  await until(async () => (await client.ask('document', { run: again.run })).text.includes('0.22'), 'an edit to arrive')
})

test('no request left the machine', () => assert.deepEqual(page.strangers, []))
