// Elements in one line: h('button.primary', { title: 'Run', onclick }, 'Run').
type Child = Node | string | number | null | undefined | false
type Attributes = Record<string, unknown>

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K | `${K}.${string}`,
  attributes?: Attributes | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const [name, ...classes] = (tag as string).split('.')
  const element = document.createElement(name as K)
  if (classes.length) element.className = classes.join(' ')
  for (const [key, value] of Object.entries(attributes ?? {})) setAttribute(element, key, value)
  append(element, children)
  return element
}

function setAttribute(element: HTMLElement, key: string, value: unknown): void {
  if (value === undefined || value === null || value === false) return
  if (key.startsWith('on')) element.addEventListener(key.slice(2), value as EventListener)
  else if (key === 'value' && 'value' in element) (element as HTMLInputElement).value = String(value)
  else if (key === 'checked') (element as HTMLInputElement).checked = Boolean(value)
  else element.setAttribute(key, value === true ? '' : String(value))
}

export function append(element: Element, children: Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) element.append(typeof child === 'number' ? String(child) : child)
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren()
  append(element, children)
}

const svg = 'http://www.w3.org/2000/svg'

// An icon of one path in a box of 24, drawn with the colour of the text.
export function icon(path: string): SVGSVGElement {
  const element = document.createElementNS(svg, 'svg')
  element.setAttribute('viewBox', '0 0 24 24')
  element.setAttribute('class', 'icon')
  element.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(svg, 'path')
  line.setAttribute('d', path)
  element.append(line)
  return element
}

export const icons = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5v14M17 5v14',
  step: 'M5 5v14l9-7zM18 5v14',
  frame: 'M4 5v14l7-7zM12 5v14l7-7z',
  start: 'M18 5v14L8 12zM5 5v14',
  live: 'M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  gallery: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  theme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  help: 'M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.5v.5',
  undo: 'M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'M16 5l4 4-4 4M20 9H10a6 6 0 0 0 0 12h3',
  add: 'M12 5v14M5 12h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  remove: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  layers: 'M12 3l9 5-9 5-9-5zM3 13l9 5 9-5',
  compare: 'M4 5h7v14H4zM13 5h7v14h-7z',
  close: 'M6 6l12 12M18 6L6 18',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4',
  film: 'M4 5h16v14H4zM8 5v14M16 5v14M4 10h4M4 14h4M16 10h4M16 14h4',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  text: 'M4 6h16M4 10h10M4 14h16M4 18h8',
  move: 'M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3',
  turn: 'M20 12a8 8 0 1 1-3-6.2M20 4v5h-5',
  size: 'M4 20V10M4 20h10M4 20L20 4M14 4h6v6',
} as const

export type IconName = keyof typeof icons

export function button(label: string, name: IconName, onclick: () => void, extra: Attributes = {}): HTMLButtonElement {
  return h('button.tool', { type: 'button', title: label, 'aria-label': label, onclick, ...extra }, icon(icons[name]) as unknown as Node)
}
