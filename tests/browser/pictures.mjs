// What is to be seen in the view, in pixels.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { canvas, until } from './studio.mjs'

// The view's own pixels at half its size, without what lies over it; null: it is being drawn and only a picture at rest is wanted.
export async function pixels(page, selector = canvas, atRest = false) {
  const data = await page.locator(selector).evaluate((element, atRest) => {
    if (atRest && element.dataset.rests !== 'true') return null
    const copy = document.createElement('canvas')
    copy.width = element.clientWidth / 2
    copy.height = element.clientHeight / 2
    copy.getContext('2d').drawImage(element, 0, 0, copy.width, copy.height)
    return copy.toDataURL('image/png')
  }, atRest)
  return data && PNG.sync.read(Buffer.from(data.split(',')[1], 'base64'))
}

// The share of pixels that differ by more than a little.
export function difference(a, b) {
  let count = 0
  for (let i = 0; i < a.data.length; i += 4)
    if (Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]) > 24) ++count
  return count / (a.data.length / 4)
}

// The share of pixels for which `is(red, green, blue)` holds.
export function share(picture, is) {
  let count = 0
  for (let i = 0; i < picture.data.length; i += 4) if (is(picture.data[i], picture.data[i + 1], picture.data[i + 2])) ++count
  return count / (picture.data.length / 4)
}

export const isWhite = (r, g, b) => r > 205 && g > 210 && b > 215
export const isColourful = (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 90

// Where the pixels are for which `is(red, green, blue)` holds, on average; from the left and from the top, in pixels of the page.
export function middleOf(picture, is = isWhite) {
  let [x, y, count] = [0, 0, 0]
  for (let i = 0; i < picture.data.length; i += 4)
    if (is(picture.data[i], picture.data[i + 1], picture.data[i + 2])) {
      x += (i / 4) % picture.width
      y += Math.floor(i / 4 / picture.width)
      ++count
    }
  return [(2 * x) / count, (2 * y) / count]
}

// The picture as soon as the view has drawn all it knows. Without a graphics card it is coarse while it changes.
export const still = (page, selector = canvas) => until(() => pixels(page, selector, true), 'the view to rest')

// The first picture at rest for which `is(picture)` holds.
export const pictureThat = (page, is, what) =>
  until(async () => {
    const picture = await pixels(page, canvas, true)
    return picture && is(picture) && picture
  }, what)

// The picture after a change of more than this share of its pixels.
export const changed = (page, before, share, what) => pictureThat(page, (picture) => difference(before, picture) > share, what)

// Pictures for the documents, where they are asked for.
export async function keepPicture(page, name) {
  const folder = process.env.FIRN_STUDIO_PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `studio_${name}.png`) })
}
