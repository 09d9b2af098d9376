// Where things stand in a scene's text: every value with its path, every table with its lines.
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser'
import type { AST } from 'toml-eslint-parser'

export type Path = readonly (string | number)[]
export type Range = readonly [number, number]

export interface Entry {
  path: Path
  value: Range
  whole: Range // with its key
  node: AST.TOMLContentNode
  inline: boolean // in { … } or [ … ], not on a line of its own
  table: Table | null // the one it stands in; null above the first
}

export interface Table {
  path: Path
  array: boolean
  header: Range
  entries: Entry[]
}

export interface Located {
  text: string
  value: Record<string, unknown>
  tables: Table[]
  entries: Entry[]
}

export interface Mistake {
  message: string
  line: number
  column: number
}

export const samePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((part, i) => String(part) === String(b[i]))
export const startsWith = (path: Path, start: Path): boolean =>
  path.length >= start.length && samePath(path.slice(0, start.length), start)

const keyParts = (key: AST.TOMLKey): string[] => key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))

export function locate(text: string): Located {
  const program = parseTOML(text, { tomlVersion: '1.0' })
  const located: Located = { text, value: getStaticTOMLValue(program), tables: [], entries: [] }

  const addValue = (path: Path, node: AST.TOMLContentNode, whole: Range, inline: boolean, table: Table | null): Entry => {
    const entry: Entry = { path, value: node.range, whole, node, inline, table }
    located.entries.push(entry)
    if (node.type === 'TOMLInlineTable')
      for (const inner of node.body) addValue([...path, ...keyParts(inner.key)], inner.value, inner.range, true, table)
    if (node.type === 'TOMLArray') node.elements.forEach((element, i) => addValue([...path, i], element, element.range, true, table))
    return entry
  }

  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      addValue(keyParts(node.key), node.value, node.range, false, null)
      continue
    }
    const end = text.indexOf(']', node.key.range[1]) + (node.kind === 'array' ? 2 : 1)
    const table: Table = { path: node.resolvedKey, array: node.kind === 'array', header: [node.range[0], end], entries: [] }
    located.tables.push(table)
    for (const pair of node.body)
      table.entries.push(addValue([...table.path, ...keyParts(pair.key)], pair.value, pair.range, false, table))
  }
  return located
}

// The scene, or the place where the text stops being TOML.
export function tryLocate(text: string): Located | Mistake {
  try {
    return locate(text)
  } catch (error) {
    const { message, lineNumber, column } = error as { message: string; lineNumber?: number; column?: number }
    return { message, line: lineNumber ?? 1, column: (column ?? 0) + 1 }
  }
}

export const isMistake = (result: Located | Mistake): result is Mistake => 'line' in result

export function entryAt(located: Located, path: Path): Entry | undefined {
  return located.entries.find((entry) => samePath(entry.path, path))
}

export function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value
  for (const part of path) {
    if (at === null || typeof at !== 'object') return undefined
    at = (at as Record<string | number, unknown>)[part]
  }
  return at
}
