import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isWhite, pixels, share, still } from './pictures.mjs'
import { canvas, input, openStudio, pause, run as command, slider, until } from './studio.mjs'

const { program, page, client, run } = await openStudio({ scene: 'snowball_drop', frames: 1 })

const document = async () => (await client.ask('document', { run })).text
const resolved = async () => (await client.ask('resolved', { run })).text
const comments = (text) => text.match(/#.*$/gm)
const count = (text, what) => text.split(what).length - 1
// A number of the material `packed`.
const number = (text, key) => Number(new RegExp(`\\[materials\\.packed\\][^[]*?\\n\\s*${key}\\s*=\\s*([-+.\\de]+)`).exec(text)[1])

test('every key of the schema has a field with its unit', async () => {
  const { sections } = await client.ask('schema')
  for (const name of ['simulation', 'solver']) {
    const keys = sections.find((section) => section.name === name).keys
    const shown = await page.$$eval(`.fold[data-id="${name}"] .field`, (fields) =>
      fields.map((field) => [field.dataset.key, field.querySelector('.unit').textContent]),
    )
    assert.deepEqual(shown.map(([key]) => key).sort(), keys.map((key) => key.name).sort())
    for (const key of keys) assert.equal(shown.find(([shownKey]) => shownKey === key.name)[1], key.unit ?? '')
  }
})

test('the panel tells the default, range, unit and meaning of a key', async () => {
  const { sections } = await client.ask('schema')
  const materials = sections.find((section) => section.name === 'materials').keys
  for (const name of ['poisson_ratio', 'young_modulus']) {
    const key = materials.find((one) => one.name === name)
    await page.hover(`[data-path="materials.packed.${name}"] label`)
    const said = await until(async () => {
      const text = await page.textContent('#key-help')
      return text.startsWith(name) && text
    }, 'its help')
    const ends = [key.open_low ? '(' : '[', key.low, ', ', key.high, key.open_high ? ')' : ']'].join('')
    for (const what of [key.unit, ends, `default ${JSON.stringify(key.default)}`, key.help])
      assert.ok(said.includes(what ?? ''), `${what} in: ${said}`)
  }
})

test('a slider changes the material in the running solver, and comments stay', async () => {
  const text = await document()
  const before = number(await resolved(), 'hardening')
  await page.locator(slider('materials.packed.hardening')).focus()
  for (let i = 0; i < 4; ++i) await page.keyboard.press('ArrowLeft')
  const shown = Number(await page.inputValue(input('materials.packed.hardening')))
  assert.ok(shown < before, `${shown} below ${before}`)
  await until(async () => number(await resolved(), 'hardening') === shown, 'the solver to have it')
  const now = await document()
  assert.equal(number(now, 'hardening'), shown)
  assert.deepEqual(comments(now), comments(text))
  assert.ok((await client.run(run)).steps > 0, 'without a restart')
})

test('undo and redo go through both faces', async () => {
  const changed = await document()
  await page.locator(canvas).focus()
  await until(async () => {
    await page.keyboard.press('Control+z')
    await pause(250)
    return number(await document(), 'hardening') === 10
  }, 'hardening as it was')
  assert.equal(await page.inputValue(input('materials.packed.hardening')), '10')
  await until(async () => {
    await page.keyboard.press('Control+y')
    await pause(250)
    return (await document()) === changed
  }, 'the change again')
})

test('a change that needs a restart says so and offers it', async () => {
  await page.fill(input('simulation.fps'), '30')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.banner:not([hidden]) >> text=restart')
  assert.equal((await client.run(run)).fps, 24)
  await page.click('.banner button')
  await until(async () => (await client.run(run)).fps === 30, 'the run with the new frames')
})

test('an error shows at its line, and the solver goes on', async () => {
  await client.ask('pause', { run }) // typing is quicker while the view rests
  await page.click('#tab-text')
  const text = await document()
  const line = text.split('\n').findIndex((one) => one.startsWith('radius')) + 1
  await page.locator('.editor .cm-content').focus()
  await page.keyboard.press('Control+Home')
  for (let i = 1; i < line; ++i) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  await page.keyboard.type('\nradios = 3')
  await page.waitForSelector('.editor .cm-lint-marker-error')
  const marked = await page.locator('.editor .cm-gutter-lint .cm-gutterElement:has(.cm-lint-marker-error)').boundingBox()
  const numbers = page.locator('.editor .cm-lineNumbers .cm-gutterElement')
  let found = null
  for (const element of await numbers.all()) {
    const box = await element.boundingBox()
    if (box && box.height > 0 && Math.abs(box.y - marked.y) < 3) found = Number(await element.textContent())
  }
  assert.equal(found, line + 1)
  assert.match(await page.textContent('.banner'), new RegExp(`radios.*line ${line + 1}`, 's'))
  const { valid, steps } = await client.run(run)
  assert.equal(valid, false)
  await client.ask('step', { run })
  await until(async () => (await client.run(run)).steps === steps + 1, 'a step with the text as it was')
  await until(async () => {
    await page.keyboard.press('Control+z')
    await pause(400)
    return (await client.run(run)).valid
  }, 'the text to be right again')
  await page.waitForSelector('.editor .cm-lint-marker-error', { state: 'detached' })
  await page.click('#tab-scene')
})

test('a preset writes its values', async () => {
  const { presets } = await client.ask('gallery')
  const wet = presets.find((preset) => preset.name === 'wet')
  await page.click('[data-preset="wet"]')
  await until(async () => number(await document(), 'hardening') === Number(wet.values.hardening), 'the preset')
  const pictures = await page.$$eval('.preset img', (all) => all.map((image) => image.naturalWidth))
  assert.ok(pictures.length === presets.length && pictures.every((width) => width > 0), pictures.join())
})

test('bodies are added, copied and removed', async () => {
  await page.selectOption('.adder', 'collider box')
  await until(async () => count(await document(), '[[collider]]') === 2, 'one body more')
  await page.keyboard.press('d')
  await until(async () => count(await document(), '[[collider]]') === 3, 'its copy')
  await page.keyboard.press('Delete')
  await until(async () => count(await document(), '[[collider]]') === 2, 'one less')
})

// Chooses the body that was added, with all of it in the view; returns where its handles are.
async function handles(mode) {
  await page.locator('.fold[data-id="collider.1"]').evaluate((fold) => (fold.open = true))
  await page.locator('.fold[data-id="collider.1"] [aria-label="Choose in the view"]').click()
  await page.locator(canvas).focus()
  await page.keyboard.press('f')
  await page.keyboard.press(mode)
  await still(page)
  return page.locator(canvas).evaluate((element) => JSON.parse(element.dataset.handle))
}

// A value of the last body, as soon as it is another one.
const other = (key, before) =>
  until(async () => {
    const value = valueOf(await document(), key)
    return value !== before && value
  }, `another ${key}`)
const valueOf = (text, key) => new RegExp(`\\n${key}\\s*=\\s*(\\[[^\\]]*\\]|[-.\\d]+)`).exec(text.split('[[collider]]').pop())?.[1]

async function drag([x, y], ...ways) {
  await page.mouse.move(x, y)
  await page.mouse.down()
  for (const [right, down] of ways) await page.mouse.move(x + right, y + down, { steps: 4 })
  await page.mouse.up()
}

test('a body is dragged, turned and sized in the view', async () => {
  const text = await document()
  await page.keyboard.press('Escape')
  await drag(await handles('w'), [30, -20], [60, -40])
  const [from, to] = [valueOf(text, 'center'), await other('center', valueOf(text, 'center'))].map((one) => JSON.parse(one))
  assert.ok(to[1] > from[1] + 0.01 && to[0] > from[0] + 0.005, `up and to the right: ${from} to ${to}`)
  await drag(await handles('e'), [30, -20], [60, -40])
  const turn = JSON.parse(await other('rotation', undefined))
  assert.ok(turn.some((part) => Math.abs(part) > 1), `turned by ${turn}`)
  assert.deepEqual(JSON.parse(valueOf(await document(), 'center')), to, 'where it was')
  const [x, y] = await handles('s')
  await drag([x + 7, y - 4], [7, -4]) // the box in the middle sizes all axes; their handles begin beside it
  const [size, larger] = [valueOf(text, 'size'), await other('size', valueOf(text, 'size'))].map((one) => JSON.parse(one))
  larger.forEach((value, axis) => assert.ok(value > 1.3 * size[axis], `${size} to ${larger}`))
  await page.keyboard.press('Delete')
  await until(async () => count(await document(), '[[collider]]') === 1, 'the body to be gone')
})

test('a dropped mesh weighs what firn check says', async () => {
  const mesh = 'v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'
  await page.evaluate((text) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([text], 'corner.obj'))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
  }, mesh)
  await page.click('.dialog >> text=Snow')
  await until(async () => (await document()).includes('uploads/corner.obj'), 'the mesh in the scene')
  await page.keyboard.press('Shift+R')
  const checked = await client.ask('check', { text: await document(), variant: 'small' })
  const { file } = await client.ask('save', { run, path: 'dropped.toml' })
  const said = command('check', join(program.folder, file), '--variant', 'small')
  const mass = checked.snow.find((snow) => snow.shape === 'mesh').mass
  assert.ok(mass > 0.3 && mass < 1, `a corner of 0.2 m weighs ${mass} kg`)
  const line = said.split('\n').find((one) => /mesh/.test(one) && /kg/.test(one))
  const told = Number(/([\d.]+(?:e[-+]?\d+)?)\s*kg/.exec(line)[1])
  assert.ok(Math.abs(told - mass) < 0.005 * mass, `${line} against ${mass}`)
  await until(async () => (await client.run(run)).particles === checked.particles, 'the particles of both')
  await page.locator(canvas).focus()
  await page.keyboard.press('f')
  await until(async () => share(await pixels(page), isWhite) > 0.01, 'snow to be seen')
})

test('the saved scene is the text of the page', async () => {
  assert.equal(readFileSync(join(program.folder, 'dropped.toml'), 'utf8'), await document())
  assert.deepEqual(page.mistakes, [])
})
