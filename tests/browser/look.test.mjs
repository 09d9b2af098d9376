// What the view draws of scenes that are made for it: shadow, contact, bodies, materials, sleep.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, isColourful, middleOf, pictureThat, share, still } from './pictures.mjs'
import { canvas, openStudio, openText, until } from './studio.mjs'

const studio = await openStudio()
const { page, client } = studio

const ground = 'collider = [{ shape = "plane", point = [0, 0, 0], normal = [0, 1, 0], friction = 0.5 }'
const ball = (height) => `simulation = { spacing = 0.03, duration = 20 }
snow = [{ shape = "sphere", center = [0, ${height}, 0], radius = 0.2 }]
${ground}]
`

const edit = async (run, change) => {
  const { text, revision } = await client.ask('document', { run })
  return client.ask('edit', { run, revision, text: change(text) })
}

const brightness = (picture, x, y) => {
  const at = (Math.round(y / 2) * picture.width + Math.round(x / 2)) * 4
  return picture.data[at] + picture.data[at + 1] + picture.data[at + 2]
}
// Of a strip of the ground, so that its texture does not matter.
const mean = (picture, x, y, width = 24) => {
  let sum = 0
  for (let i = 0; i < width; ++i) for (let j = -4; j <= 4; ++j) sum += brightness(picture, x + i, y + j)
  return sum / (width * 9)
}

test('the shadow lies away from the sun, and goes where another sun throws it', async () => {
  const run = await openText(studio, 'shadow', `${ball(0.3)}render = { sun = [-1, 0.8, 0] }\n`)
  const before = await still(page)
  await edit(run, (text) => text.replace('[-1, 0.8, 0]', '[1, 0.8, 0]'))
  const after = await changed(page, before, 0.01, 'another light')
  // The ground where it got much darker is the new shadow, where it got much brighter the old one.
  const places = { old: [0, 0], fresh: [0, 0] }
  for (let y = 0; y < 2 * after.height; y += 4)
    for (let x = 0; x < 2 * after.width; x += 4) {
      const by = brightness(after, x, y) - brightness(before, x, y)
      const isSnow = brightness(before, x, y) > 540 || brightness(after, x, y) > 540
      if (isSnow || Math.abs(by) < 40) continue
      const place = by < 0 ? places.fresh : places.old
      place[0] += x
      place[1] += 1
    }
  const [old, fresh] = [places.old, places.fresh].map(([sum, count]) => (assert.ok(count > 50, JSON.stringify(places)), sum / count))
  const [snow] = middleOf(after)
  assert.ok(fresh < snow - 50 && old > snow + 50, `shadows at ${old} and ${fresh}, snow at ${snow}`)
})

test('ground is darker where snow lies on it, on the side of the sun as well', async () => {
  const light = 'render = { sun = [1, 0.5, 0.3] }\n'
  const step = async (height) => {
    await openText(studio, 'contact', ball(height) + light)
    const picture = await still(page)
    const [x, y] = middleOf(picture)
    // From the middle of the snow down to its lowest pixel; beside that point lies ground in the sun.
    let low = y
    for (let row = y; row < 2 * picture.height; row += 2) if (brightness(picture, x, row) > 480) low = row
    let right = x
    for (let column = x; column < 2 * picture.width; column += 2) if (brightness(picture, column, low - 20) > 480) right = column
    return mean(picture, right + 14, low - 20) / mean(picture, right + 240, low - 20)
  }
  const touching = await step(0.2)
  const floating = await step(1.2)
  assert.ok(touching < 0.93, `beside the snow ${touching} of what it is farther away`)
  assert.ok(touching < floating - 0.04, `${touching} below snow that touches, ${floating} below snow that does not`)
})

test('bodies are drawn as the triangles that the server has', async () => {
  const text = ball(0.6).replace(/\]\n$/, `,
  { shape = "box", center = [0.35, 0.1, 0], size = [0.2, 0.2, 0.2], colour = [0.9, 0.02, 0.02] },
  { shape = "sphere", center = [-0.4, 0.12, 0], radius = 0.12, colour = [0.02, 0.6, 0.05] }]
`)
  const run = await openText(studio, 'bodies', text)
  const { bodies } = await client.ask('bodies', { run, frame: 'live' })
  const triangles = bodies.filter((body) => body.kind === 'collider').reduce((sum, body) => sum + body.triangles, 0)
  assert.ok(triangles > 12)
  const isRed = (r, g, b) => r > 90 && g < 0.6 * r && b < 0.6 * r
  const isGreen = (r, g, b) => g > 60 && r < 0.75 * g && b < 0.75 * g
  const picture = await pictureThat(page, (one) => share(one, isRed) > 0.002 && share(one, isGreen) > 0.002, 'a red box and a green ball')
  assert.ok(middleOf(picture, isGreen)[0] < middleOf(picture)[0] && middleOf(picture, isRed)[0] > middleOf(picture)[0])
  await page.locator(canvas).focus()
  await page.keyboard.press('2') // another frame comes, and what it cost
  const drawn = await until(async () => {
    const { triangles: all } = JSON.parse(await page.locator(canvas).evaluate((element) => element.dataset.costs))
    return all >= triangles && all
  }, 'the triangles')
  assert.ok(drawn - triangles <= 3, `${drawn} drawn with sky and ground, ${triangles} of bodies`)
  await page.keyboard.press('1')
})

test('a body that is not visible is not drawn', async () => {
  const run = Number(/run=(\d+)/.exec(page.url())[1])
  const before = await still(page)
  await edit(run, (text) => text.replace('colour = [0.9, 0.02, 0.02]', 'colour = [0.9, 0.02, 0.02], visible = false'))
  await changed(page, before, 0.002, 'the box to go')
})

test('two materials have two colours', async () => {
  const run = await openText(
    studio,
    'materials',
    `simulation = { spacing = 0.03, duration = 20 }
materials = { powder = { preset = "powder" }, icy = { preset = "icy" } }
snow = [{ shape = "sphere", center = [-0.25, 0.3, 0], radius = 0.18, material = "powder" },
        { shape = "sphere", center = [0.25, 0.3, 0], radius = 0.18, material = "icy" }]
${ground}]
`,
  )
  const plain = await still(page)
  assert.ok(share(plain, isColourful) < 0.01)
  await page.locator(canvas).focus()
  await page.keyboard.press('5')
  const isBlue = (r, g, b) => b > 90 && b - r > 60
  const isBluer = (picture) => share(picture, isBlue) > share(plain, isBlue) + 0.01
  const coloured = await pictureThat(page, isBluer, 'the colour of the second material')
  const names = await page.$$eval('.swatches .swatch', (all) => all.map((one) => one.textContent))
  assert.deepEqual(names, (await client.run(run)).materials)
  const isOrange = (r, g, b) => r > 120 && r - b > 80
  assert.ok(share(coloured, isOrange) > 0.01, 'the other one has another colour')
  await page.keyboard.press('1')
  await pictureThat(page, (picture) => share(picture, isBlue) < share(plain, isBlue) + 0.002, 'white snow')
})

test('blocks that sleep are shown', async () => {
  const run = await openText(
    studio,
    'asleep',
    `simulation = { spacing = 0.05, duration = 10000 }
snow = [{ shape = "box", center = [0, 0.1, 0], size = [0.4, 0.2, 0.4] }]
${ground}]
`,
    { go: true },
  )
  await until(async () => (await client.run(run)).asleep > 0, 'snow that sleeps')
  await client.ask('pause', { run })
  await until(async () => (await client.run(run)).state === 'paused', 'the pause')
  const before = await still(page)
  await page.click('.switches summary')
  await page.click('.check:has-text("Sleeping blocks") input')
  await page.click('.switches summary')
  await changed(page, before, 0.001, 'blocks')
  await page.waitForSelector('.legend >> text=Sleeping blocks')
  assert.deepEqual(page.mistakes, [])
})
