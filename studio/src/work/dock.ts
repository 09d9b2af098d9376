// The panels beside the view: scene, its text, plots, results. Scene and text can stand side by side.
import { Signal } from '../core/signal'
import { h, replace } from '../ui/dom'

export const tabs = ['scene', 'text', 'understand', 'results'] as const
export type Tab = (typeof tabs)[number]

const labels: Record<Tab, string> = { scene: 'Scene', text: 'Text', understand: 'Understand', results: 'Results' }

export class Dock {
  readonly element = h('aside.dock', { 'aria-label': 'Panels' })
  readonly tab = new Signal<Tab>('scene')
  readonly both = new Signal(false)
  private readonly heads = new Map<Tab, HTMLButtonElement>()
  private readonly pages: Record<Tab, HTMLElement>

  constructor(scene: HTMLElement, text: HTMLElement, understand: HTMLElement, results: HTMLElement) {
    const contents: Record<Tab, HTMLElement> = { scene, text, understand, results }
    const page = (name: Tab): HTMLElement =>
      h('div.page', { role: 'tabpanel', id: `page-${name}`, 'aria-labelledby': `tab-${name}` }, contents[name])
    this.pages = { scene: page('scene'), text: page('text'), understand: page('understand'), results: page('results') }
    for (const name of tabs)
      this.heads.set(
        name,
        h(
          'button.tab',
          { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `page-${name}`, onclick: () => this.tab.set(name) },
          labels[name],
        ),
      )
    const beside = h(
      'button.beside',
      { type: 'button', title: 'Panel and text side by side (B)', onclick: () => this.both.set(!this.both.value) },
      'Side by side',
    )
    const list = h(
      'div.tablist',
      { role: 'tablist', 'aria-label': 'Panels', onkeydown: (event: KeyboardEvent) => this.arrow(event) },
      ...this.heads.values(),
    )
    replace(this.element, h('div.tabs', null, list, beside), h('div.pages', null, ...tabs.map((name) => this.pages[name])))
    this.tab.watch(() => this.update())
    this.both.watch((both) => {
      beside.setAttribute('aria-pressed', String(both))
      this.update()
    })
  }

  showText(): void {
    if (!this.both.value) this.tab.set('text')
  }

  private arrow(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.stopPropagation()
    const next = tabs[(tabs.indexOf(this.tab.value) + by + tabs.length) % tabs.length]!
    this.tab.set(next)
    this.heads.get(next)!.focus()
  }

  private update(): void {
    const now = this.tab.value
    const pair = this.both.value && (now === 'scene' || now === 'text')
    this.element.classList.toggle('both', pair)
    for (const name of tabs) {
      const isNow = name === now
      this.pages[name].hidden = !(isNow || (pair && (name === 'scene' || name === 'text')))
      this.heads.get(name)!.setAttribute('aria-selected', String(isNow))
      this.heads.get(name)!.tabIndex = isNow ? 0 : -1
    }
  }
}
