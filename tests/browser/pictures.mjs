// What is to be seen in the view, in pixels.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { canvas, pause, until } from './studio.mjs'

// The view's own pixels at half its size, without what lies over it.
export async function pixels(page, selector = canvas) {
  const data = await page.locator(selector).evaluate((element) => {
    const copy = document.createElement('canvas')
    copy.width = element.clientWidth / 2
    copy.height = element.clientHeight / 2
    copy.getContext('2d').drawImage(element, 0, 0, copy.width, copy.height)
    return copy.toDataURL('image/png')
  })
  return PNG.sync.read(Buffer.from(data.split(',')[1], 'base64'))
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

// The picture as soon as the view rests: drawn at its full size, and the same twice. Without a graphics card it is coarse while it changes.
export async function still(page, selector = canvas) {
  const isWhole = () => page.locator(selector).evaluate((element) => element.width >= element.clientWidth)
  let last = null
  return until(async () => {
    const now = (await isWhole()) ? await pixels(page, selector) : null
    const rests = last && now && difference(last, now) === 0
    last = now
    if (!rests) await pause(100)
    return rests && now
  }, 'the view to rest')
}

// The first picture for which `is(picture)` holds.
export const pictureThat = (page, is, what) =>
  until(async () => {
    const picture = await pixels(page)
    return is(picture) && picture
  }, what)

// Pictures for the documents, where they are asked for.
export async function keepPicture(page, name) {
  const folder = process.env.FIRN_STUDIO_PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `studio_${name}.png`) })
}
