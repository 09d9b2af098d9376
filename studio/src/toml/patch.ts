// Changes of a scene's text in place: comments, order and spaces of everything else survive.
import { entryAt, locate, samePath, startsWith } from './locate'
import type { Entry, Located, Path, Table } from './locate'

export interface Change {
  from: number
  to: number
  insert: string
}

export const apply = (text: string, change: Change): string => text.slice(0, change.from) + change.insert + text.slice(change.to)

// What makes one text the other, as one change.
export function difference(before: string, after: string): Change {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) ++from
  let back = 0
  while (back < most - from && before[before.length - 1 - back] === after[after.length - 1 - back]) ++back
  return { from, to: before.length - back, insert: after.slice(from, after.length - back) }
}

// Two texts that were made from the same one at the same time, together. Where both changed the same place, mine stays.
export function merged(base: string, mine: string, theirs: string): string {
  const a = difference(base, mine)
  const b = difference(base, theirs)
  if (a.to < b.from) return apply(theirs, a)
  if (b.to < a.from) return apply(mine, b)
  return mine
}

// A number as people write it: 0.25, 1.4e5, 12.
export function formatNumber(value: number): string {
  const short = Number(value.toPrecision(6))
  const plain = String(short)
  if (Math.abs(short) < 1e5 && !plain.includes('e')) return plain
  const scientific = short.toExponential().replace('e+', 'e')
  return scientific.length < plain.length || plain.includes('e') ? scientific : plain
}

export function literal(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (value !== null && typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${keyText(key)} = ${literal(inner)}`)
      .join(', ')} }`
  return JSON.stringify(String(value))
}

const keyText = (key: string | number): string => (/^[A-Za-z0-9_-]+$/.test(String(key)) ? String(key) : JSON.stringify(key))

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

// The place after a line's end, and whether the text ends there without a new line.
function lineEnd(text: string, at: number): { at: number; open: boolean } {
  const end = text.indexOf('\n', at)
  return end < 0 ? { at: text.length, open: text.length > 0 } : { at: end + 1, open: false }
}

function insertLine(text: string, after: number, line: string): Change {
  const end = lineEnd(text, after)
  return { from: end.at, to: end.at, insert: (end.open ? '\n' : '') + line + '\n' }
}

// The neighbour's key and its column of '=', so that a new line stands like the ones before it.
function lineLike(text: string, neighbour: Entry | undefined, key: string, value: string): string {
  if (!neighbour) return `${key} = ${value}`
  const start = lineStart(text, neighbour.whole[0])
  const indent = text.slice(start, neighbour.whole[0])
  const before = text.slice(neighbour.whole[0], neighbour.value[0])
  const column = before.indexOf('=')
  return `${/^\s*$/.test(indent) ? indent : ''}${column > key.length ? key.padEnd(column) : `${key} `}= ${value}`
}

export function setValue(text: string, path: Path, value: unknown): Change {
  const located = locate(text)
  const written = literal(value)
  const there = entryAt(located, path)
  if (there) return { from: there.value[0], to: there.value[1], insert: written }
  return insertValue(located, path, written)
}

function insertValue(located: Located, path: Path, written: string): Change {
  const { text } = located
  const parent = path.slice(0, -1)
  const key = keyText(path[path.length - 1]!)

  const table = located.tables.find((candidate) => samePath(candidate.path, parent))
  if (table) {
    const last = table.entries[table.entries.length - 1]
    return insertLine(text, last ? last.whole[1] : table.header[1], lineLike(text, last, key, written))
  }
  const holder = entryAt(located, parent)
  if (holder?.node.type === 'TOMLInlineTable') return insertInline(text, holder, `${key} = ${written}`)
  const dotted = located.entries.filter((entry) => !entry.inline && startsWith(entry.path, parent)).pop()
  if (dotted) {
    const names = path.slice(dotted.table ? dotted.table.path.length : 0).map(keyText)
    return insertLine(text, dotted.whole[1], lineLike(text, dotted, names.join('.'), written))
  }
  // In a table above it, as a dotted key; else as a table of its own.
  const above = located.tables.filter((candidate) => candidate.array && startsWith(parent, candidate.path)).pop()
  if (above) {
    const names = path.slice(above.path.length).map(keyText)
    const last = above.entries[above.entries.length - 1]
    return insertLine(text, last ? last.whole[1] : above.header[1], lineLike(text, last, names.join('.'), written))
  }
  return insertTable(located, `[${parent.map(keyText).join('.')}]\n${key} = ${written}\n`, parent)
}

function insertInline(text: string, holder: Entry, pair: string): Change {
  const inner = text.slice(holder.value[0] + 1, holder.value[1] - 1)
  if (inner.trim() === '') return { from: holder.value[0], to: holder.value[1], insert: `{ ${pair} }` }
  const at = holder.value[0] + 1 + inner.trimEnd().length
  return { from: at, to: at, insert: `, ${pair}` }
}

const order = [
  'simulation',
  'solver',
  'materials',
  'snow',
  'source',
  'collider',
  'sink',
  'domain',
  'window',
  'output',
  'render',
  'variants',
]
const rank = (path: Path): number => {
  const found = order.indexOf(String(path[0]))
  return found < 0 ? order.length : found
}

// A new table goes after the last one of its kind, or where its section usually stands.
function insertTable(located: Located, block: string, path: Path): Change {
  const { text, tables } = located
  const before = tables.filter((table) => rank(table.path) <= rank(path)).pop()
  const at = before ? blockOf(located, before)[1] : tables[0] ? commentStart(text, tables[0].header[0]) : text.length
  const needsLine = at > 0 && text[at - 1] !== '\n'
  const blankBefore = at > 0 && !text.slice(0, at).endsWith('\n\n')
  const blankAfter = at < text.length && !text.slice(at).startsWith('\n')
  return { from: at, to: at, insert: `${needsLine ? '\n' : ''}${blankBefore ? '\n' : ''}${block}${blankAfter ? '\n' : ''}` }
}

// Comment lines right above a table belong to it.
function commentStart(text: string, header: number): number {
  let start = lineStart(text, header)
  while (start > 0) {
    const previous = lineStart(text, start - 1)
    if (!text.slice(previous, start).trimStart().startsWith('#')) break
    start = previous
  }
  return start
}

// The lines of a table with those of the tables inside it.
function blockOf(located: Located, table: Table): [number, number] {
  const { text, tables } = located
  const first = tables.indexOf(table)
  let last = first
  while (last + 1 < tables.length && tables[last + 1]!.path.length > table.path.length && startsWith(tables[last + 1]!.path, table.path))
    ++last
  const end = tables[last]!
  const tail = end.entries[end.entries.length - 1]
  return [commentStart(text, table.header[0]), lineEnd(text, tail ? tail.whole[1] : end.header[1]).at]
}

export function removeValue(text: string, path: Path): Change | null {
  const located = locate(text)
  const entry = entryAt(located, path)
  if (!entry) return null
  if (entry.inline) return removeInline(text, entry)
  return { from: lineStart(text, entry.whole[0]), to: lineEnd(text, entry.whole[1]).at, insert: '' }
}

// With the comma after it, or the one before if it is the last.
function removeInline(text: string, entry: Entry): Change {
  const after = /^\s*,\s*/.exec(text.slice(entry.whole[1]))
  if (after) return { from: entry.whole[0], to: entry.whole[1] + after[0].length, insert: '' }
  const before = /,\s*$/.exec(text.slice(0, entry.whole[0]))
  return { from: before ? before.index : entry.whole[0], to: entry.whole[1], insert: '' }
}

const bodyTable = (located: Located, kind: string, index: number): Table | undefined =>
  located.tables.find((table) => table.array && samePath(table.path, [kind, index]))

export function addBody(text: string, kind: string, values: Record<string, unknown>): Change {
  const located = locate(text)
  const holder = entryAt(located, [kind])
  if (holder?.node.type === 'TOMLArray') return insertElement(text, holder, literal(values))
  const width = Math.max(...Object.keys(values).map((key) => key.length))
  const lines = Object.entries(values).map(([key, value]) => `${key.padEnd(width)} = ${literal(value)}`)
  return insertTable(located, `[[${kind}]]\n${lines.join('\n')}\n`, [kind])
}

function insertElement(text: string, holder: Entry, element: string): Change {
  const inner = text.slice(holder.value[0] + 1, holder.value[1] - 1)
  const at = holder.value[0] + 1 + inner.trimEnd().length
  const comma = inner.trim() === '' || inner.trimEnd().endsWith(',') ? '' : ','
  return { from: at, to: at, insert: `${comma} ${element}` }
}

export function copyBody(text: string, kind: string, index: number): Change | null {
  const located = locate(text)
  const table = bodyTable(located, kind, index)
  if (!table) {
    const element = entryAt(located, [kind, index])
    const holder = entryAt(located, [kind])
    return element && holder ? insertElement(text, holder, text.slice(...element.value)) : null
  }
  const [from, to] = blockOf(located, table)
  let block = text.slice(from, to)
  const name = entryAt(located, [kind, index, 'name'])
  if (name) block = block.slice(0, name.value[0] - from) + freshName(located, kind, index) + block.slice(name.value[1] - from)
  if (!block.endsWith('\n')) block = `\n${block}`
  return { from: to, to, insert: `\n${block}` }
}

function freshName(located: Located, kind: string, index: number): string {
  const bodies = located.value[kind] as { name?: string }[]
  const names = new Set(bodies.map((body) => body.name))
  const stem = bodies[index]!.name!.replace(/_\d+$/, '')
  let number = 2
  while (names.has(`${stem}_${number}`)) ++number
  return JSON.stringify(`${stem}_${number}`)
}

export function removeBody(text: string, kind: string, index: number): Change | null {
  const located = locate(text)
  const table = bodyTable(located, kind, index)
  if (!table) {
    const element = entryAt(located, [kind, index])
    return element ? removeInline(text, element) : null
  }
  const [from, end] = blockOf(located, table)
  const blank = /^(?:[ \t]*\n)+/.exec(text.slice(end))
  return { from, to: end + (blank ? blank[0].length : 0), insert: '' }
}
