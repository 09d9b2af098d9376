// node run.mjs [--firn PROGRAM] [--pictures DIR] [FILE…]: the tests of the page, one file after the other, in one browser.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveBrowser } from './studio.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const rest = process.argv.slice(2)
const option = (name) => {
  const at = rest.indexOf(name)
  return at < 0 ? undefined : resolve(rest.splice(at, 2)[1])
}
const environment = { ...process.env }
const program = option('--firn')
const pictures = option('--pictures')
if (program) environment.FIRN = program
if (pictures) environment.FIRN_STUDIO_PICTURES = pictures
const files = rest.length
  ? rest.map((file) => resolve(file))
  : readdirSync(here)
      .filter((file) => file.endsWith('.test.mjs'))
      .sort()
      .map((file) => join(here, file))

let failed = 0
const start = Date.now()
const browser = await serveBrowser()
environment.FIRN_BROWSER = browser.wsEndpoint()
for (const file of files) {
  const [code] = await once(spawn(process.execPath, ['--test-reporter=spec', file], { stdio: 'inherit', env: environment }), 'exit')
  failed += code === 0 ? 0 : 1
}
await browser.close()
console.log(`${files.length - failed} of ${files.length} files passed in ${Math.round((Date.now() - start) / 1000)} s`)
process.exit(failed ? 1 : 0)
