// Pictures for the page, small JPEGs in public/gallery: one frame of each strip of docs/images/gallery, and the presets of
// docs/images/presets.png.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'

const here = dirname(fileURLToPath(import.meta.url))
const strips = join(here, '../../docs/images/gallery')
const target = join(here, '../public/gallery')
const framesOfStrip = 4
const chosen = 1

// A part of a picture, each pixel the mean of a square of `shrink` × `shrink`.
function cut(picture, left, top, width, height, shrink) {
  const small = { width: Math.floor(width / shrink), height: Math.floor(height / shrink) }
  const data = Buffer.alloc(small.width * small.height * 4, 255)
  for (let y = 0; y < small.height; ++y)
    for (let x = 0; x < small.width; ++x)
      for (let channel = 0; channel < 3; ++channel) {
        let sum = 0
        for (let dy = 0; dy < shrink; ++dy)
          for (let dx = 0; dx < shrink; ++dx)
            sum += picture.data[((top + y * shrink + dy) * picture.width + left + x * shrink + dx) * 4 + channel]
        data[(y * small.width + x) * 4 + channel] = Math.round(sum / shrink ** 2)
      }
  return { data, ...small }
}

const read = (file) => PNG.sync.read(readFileSync(file))
const write = (name, picture, quality) => writeFileSync(join(target, `${name}.jpg`), jpeg.encode(picture, quality).data)

// A strip of the medium variant stands above the one of the small variant.
const names = new Map()
for (const file of readdirSync(strips).sort().reverse()) {
  const match = /^(.*)_(small|medium)\.png$/.exec(file)
  if (match && (match[2] === 'medium' || !names.has(match[1]))) names.set(match[1], file)
}
mkdirSync(target, { recursive: true })
for (const [name, file] of names) {
  const strip = read(join(strips, file))
  const width = strip.width / framesOfStrip
  write(name, cut(strip, chosen * width, 0, width, strip.height, 1), 72)
}

// Two rows of four; the names stand in the upper corners and are left out.
const presets = ['powder', 'packed', 'wet', 'icy', 'muddy', 'crust', 'chunky']
const sheet = read(join(here, '../../docs/images/presets.png'))
const [width, height, label] = [sheet.width / 4, sheet.height / 2, 40]
presets.forEach((name, i) =>
  write(`preset_${name}`, cut(sheet, (i % 4) * width, Math.floor(i / 4) * height + label, width, height - label, 4), 80),
)
console.log(`${names.size} pictures of the gallery, ${presets.length} of presets`)
