// Keys of the keyboard, and the sheet that lists them.
import { h, replace } from './dom'

export interface Shortcut {
  keys: string // as the sheet shows it: 'Shift R', 'Ctrl Z', '?'
  does: string
  group: string
  run: () => void
}

const matches = (shortcut: string, event: KeyboardEvent): boolean => {
  const parts = shortcut.split(' ')
  const key = parts[parts.length - 1]!
  const wants = (name: string): boolean => parts.includes(name)
  const pressed = event.key === ' ' ? 'Space' : event.key === 'ArrowLeft' ? '←' : event.key === 'ArrowRight' ? '→' : event.key
  if ((event.ctrlKey || event.metaKey) !== wants('Ctrl')) return false
  if (/^[A-Za-z]$/.test(key) && event.shiftKey !== wants('Shift')) return false
  return pressed.toLowerCase() === key.toLowerCase()
}

// While somebody writes, letters are letters; Ctrl and Escape still work outside the text.
const writes = (event: KeyboardEvent): boolean => {
  const target = event.composedPath()[0] as HTMLElement
  if (target.isContentEditable || target.closest?.('.cm-editor')) return true
  if (event.ctrlKey || event.metaKey) return false
  const tag = target.tagName
  if (tag === 'INPUT' && (target as HTMLInputElement).type === 'range') return /^(Arrow|Home|End|Page)/.test(event.key)
  return (
    tag === 'TEXTAREA' ||
    tag === 'SELECT' ||
    (tag === 'INPUT' && (target as HTMLInputElement).type !== 'checkbox') ||
    (tag === 'BUTTON' && event.key === ' ')
  )
}

export class Shortcuts {
  readonly sheet = h('dialog.dialog.sheet', { 'aria-label': 'Keyboard shortcuts' })

  constructor(private readonly list: Shortcut[]) {
    const groups = new Map<string, Shortcut[]>()
    for (const shortcut of list) groups.set(shortcut.group, [...(groups.get(shortcut.group) ?? []), shortcut])
    replace(
      this.sheet,
      h(
        'header',
        null,
        h('h2', null, 'Keyboard'),
        h('button.link', { type: 'button', 'aria-label': 'Close', onclick: () => this.sheet.close() }, '×'),
      ),
      h(
        'div.columns',
        null,
        ...[...groups].map(([name, shortcuts]) =>
          h(
            'section',
            null,
            h('h3', null, name),
            h(
              'dl',
              null,
              ...shortcuts.flatMap((one) => [
                h('dt', null, ...one.keys.split(' ').map((key) => h('kbd', null, key))),
                h('dd', null, one.does),
              ]),
            ),
          ),
        ),
      ),
    )
    window.addEventListener('keydown', (event) => this.press(event))
  }

  show(): void {
    if (this.sheet.open) this.sheet.close()
    else this.sheet.showModal()
  }

  private press(event: KeyboardEvent): void {
    if (writes(event)) return
    if (document.querySelector('dialog[open]') && event.key !== '?') return
    const found = this.list.find((shortcut) => matches(shortcut.keys, event))
    if (!found) return
    event.preventDefault()
    found.run()
  }
}
