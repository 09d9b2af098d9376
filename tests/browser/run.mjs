// node run.mjs [--firn PROGRAM] [--pictures DIR] [FILE…]: the tests of the page, one file after the other.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

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
for (const file of files)
  failed += spawnSync(process.execPath, ['--test-reporter=spec', file], { stdio: 'inherit', env: environment }).status === 0 ? 0 : 1
console.log(`${files.length - failed} of ${files.length} files passed in ${Math.round((Date.now() - start) / 1000)} s`)
process.exit(failed ? 1 : 0)
