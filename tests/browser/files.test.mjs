// Files dropped on the page: every kind becomes snow that weighs what it holds, or a body that snow hits.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pictureThat, share } from './pictures.mjs'
import { canvas, openStudio, openText, until } from './studio.mjs'

const studio = await openStudio()
const { program, page, client } = studio

const start = `simulation = { spacing = 0.05, duration = 20 }
[[snow]]
shape = "sphere"
center = [0, 0.8, 0]
radius = 0.15
[[collider]]
shape = "plane"
point = [0, 0, 0]
normal = [0, 1, 0]
`
const run = await openText(studio, 'drops', start)
const document = async () => (await client.ask('document', { run })).text

// A corner of a cube of this edge: a sixth of the cube.
const corners = (edge) => [
  [0, 0, 0],
  [edge, 0, 0],
  [0, edge, 0],
  [0, 0, edge],
]
const faces = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
]
const massOf = (edge) => (400 * edge ** 3) / 6 // kg

const ply = (edge) => `ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
${corners(edge)
  .map((place) => place.join(' '))
  .join('\n')}
${faces.map((face) => `3 ${face.join(' ')}`).join('\n')}
`
const facet = (places) => `facet normal 0 0 0
outer loop
${places.map((place) => `vertex ${place.join(' ')}`).join('\n')}
endloop
endfacet`
const stl = (edge) => `solid corner
${faces.map((face) => facet(face.map((i) => corners(edge)[i]))).join('\n')}
endsolid corner
`
const gltf = (edge) => {
  const bytes = Buffer.alloc(4 * 12 + 12 * 2)
  corners(edge).flat().forEach((value, i) => bytes.writeFloatLE(value, 4 * i))
  faces.flat().forEach((value, i) => bytes.writeUInt16LE(value, 48 + 2 * i))
  const scene = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [0, 0, 0], max: [edge, edge, edge] },
      { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 48 },
      { buffer: 0, byteOffset: 48, byteLength: 24 },
    ],
    buffers: [{ uri: 'corner.bin', byteLength: bytes.length }],
  }
  return { 'corner.bin': bytes, 'corner.gltf': JSON.stringify(scene) }
}

// Drops the files and chooses what they are.
async function drop(files, choice) {
  const parts = Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString('base64')])
  await page.evaluate((all) => {
    const transfer = new DataTransfer()
    for (const [name, content] of all) transfer.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
  }, parts)
  await page.click(`.dialog >> text=${choice}`)
}

// The scene with what was dropped; afterwards it is as before.
async function dropped(files, choice, look) {
  await drop(files, choice)
  const text = await until(async () => {
    const now = await document()
    return now.includes('uploads/') && now
  }, 'the file in the scene')
  await look(text)
  const { revision } = await client.ask('document', { run })
  await client.ask('edit', { run, text: start, revision })
  await until(async () => (await page.locator('.fold.body').count()) === 2, 'the scene as before')
}

async function weighs(text, shape, mass) {
  const { snow } = await client.ask('check', { text })
  const found = snow.find((one) => one.shape === shape).mass
  assert.ok(Math.abs(found - mass) < 0.1 * mass, `${found} kg, not ${mass} kg`)
}

test('a PLY file and an STL file weigh what they hold', async () => {
  await dropped({ 'corner.ply': ply(0.4) }, 'Snow', (text) => weighs(text, 'mesh', massOf(0.4)))
  await dropped({ 'corner.stl': stl(0.5) }, 'Snow', (text) => weighs(text, 'mesh', massOf(0.5)))
})

test('a glTF file that comes again with another content is that one, not the one of before', async () => {
  await dropped(gltf(0.4), 'Snow', (text) => weighs(text, 'mesh', massOf(0.4)))
  await dropped(gltf(0.6), 'Snow', (text) => weighs(text, 'mesh', massOf(0.6)))
  const names = readdirSync(join(program.folder, 'uploads')).filter((name) => /gltf|bin/.test(name))
  assert.deepEqual(names.sort(), ['corner.bin', 'corner.gltf', 'corner_2.bin', 'corner_2.gltf'])
})

test('a volume that firn has written is snow again', async () => {
  const { run: ball } = await client.ask('open', { name: 'ball', text: start, go: true })
  await until(async () => (await client.run(ball)).frames > 0, 'a frame')
  await client.ask('pause', { run: ball })
  await client.ask('export', { run: ball, format: 'vdb' })
  const { folder } = await client.run(ball)
  const file = await until(async () => {
    const job = client.events.find((event) => event.event === 'job' && event.kind === 'export' && event.done)
    assert.equal(job?.error, undefined)
    const place = join(program.folder, folder, 'export')
    return job && join(place, readdirSync(place).find((name) => name.endsWith('.vdb')))
  }, 'the volume')
  assert.ok(existsSync(file))
  await dropped({ 'ball.vdb': readFileSync(file) }, 'Snow', async (text) => {
    const { snow } = await client.ask('check', { text })
    const [sphere, volume] = [snow[0].mass, snow.find((one) => one.shape === 'volume').mass]
    assert.ok(volume > 0.7 * sphere && volume < 1.4 * sphere, `${volume} kg of a ball of ${sphere} kg`)
  })
  await client.ask('close', { run: ball })
})

test('a body it hits stands in the scene with its triangles, and snow comes to lie on it', async () => {
  await drop({ 'corner.ply': ply(0.6) }, 'A body it hits')
  await until(async () => /\[\[collider\]\][^[]*uploads\//.test(await document()), 'the body in the scene')
  await page.locator(canvas).focus()
  await page.keyboard.press('Shift+R')
  const body = await until(async () => {
    const { bodies } = await client.ask('bodies', { run, frame: 'live' })
    return bodies.find((one) => one.kind === 'collider' && one.shape === 'mesh')
  }, 'the body')
  assert.deepEqual([body.vertices, body.triangles], [4, 4])
  const isWood = (r, g, b) => r > 70 && r - b > 15 && g < r
  await page.keyboard.press('f')
  const isSnow = (r, g, b) => r > 195 && b > 205 // most of it is in the body's shade
  await pictureThat(page, (picture) => share(picture, isWood) > 0.005 && share(picture, isSnow) > 0.002, 'a body and snow')
})

test('what is no mesh is refused in words', async () => {
  await page.evaluate(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['x'], 'letter.docx'))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
  })
  await page.waitForSelector('.toast:not([hidden]) >> text=letter.docx is not a mesh or volume')
  assert.deepEqual(page.mistakes, [])
})
