// What one sees first: a picture of every scene. A click opens it, and snow moves.
import type { GalleryScene, Run } from '../core/protocol'
import { h, replace } from '../ui/dom'
import type { Session } from './session'

const words = (name: string): string => name.replaceAll('_', ' ')

const blank = `# A new scene
[simulation]
spacing  = 0.025                # m
duration = 1.0                  # s

[[snow]]
shape  = "sphere"
center = [0, 0.5, 0]
radius = 0.2

[[collider]]                    # the ground
shape    = "plane"
point    = [0, 0, 0]
normal   = [0, 1, 0]
friction = 0.5
`

export class Gallery {
  readonly element = h('main.gallery', { 'aria-label': 'Gallery' })
  private readonly cards = h('ul.cards')
  private readonly runs = h('div.openruns')
  private readonly variant = h(
    'select',
    { 'aria-label': 'Size of the scenes' },
    ...['small', 'medium', 'paper'].map((name) => h('option', { value: name }, name)),
  )
  private readonly filter = h('input.filter', {
    type: 'search',
    placeholder: 'Find a scene',
    'aria-label': 'Find a scene',
    oninput: () => this.update(),
  })
  private readonly files = h('div.files')

  constructor(private readonly session: Session) {
    replace(
      this.element,
      h(
        'header.hero',
        null,
        h('div', null, h('h1', null, 'Snow, live'), h('p', null, 'Open a scene and it runs at once. Pull a slider while it falls.')),
        h(
          'div.heroactions',
          null,
          this.filter,
          h('label.inline', null, 'Size ', this.variant),
          h('button.action', { type: 'button', onclick: () => void session.open({ text: blank }) }, 'New scene'),
        ),
      ),
      this.runs,
      this.cards,
      this.files,
    )
    session.gallery.watch(() => this.update())
    session.runs.watch(() => this.tellRuns())
    session.ready.later(() => void this.tellFiles())
  }

  focus(): void {
    this.cards.querySelector('button')?.focus()
  }

  private update(): void {
    const sought = this.filter.value.trim().toLowerCase()
    const scenes = this.session.gallery.value.filter((scene) => `${words(scene.name)} ${scene.summary}`.toLowerCase().includes(sought))
    replace(this.cards, ...scenes.map((scene) => this.card(scene)))
  }

  private card(scene: GalleryScene): HTMLElement {
    const wanted = this.variant.value
    const open = (): void => {
      const variant = scene.variants.includes(this.variant.value) ? this.variant.value : undefined
      void this.session.open({ gallery: scene.name, variant, go: true })
    }
    const picture = h('div.picture', null, h('span.placeholder', { 'aria-hidden': 'true' }, '❄'))
    if (scene.picture) picture.append(h('img', { src: scene.picture, alt: '', loading: 'lazy', width: 480, height: 270 }))
    const [first, ...source] = scene.summary.split(' · ')
    return h(
      'li',
      null,
      h(
        'button.card',
        { type: 'button', onclick: open, 'data-scene': scene.name, title: scene.variants.includes(wanted) ? `variant ${wanted}` : '' },
        picture,
        h('span.title', null, words(scene.name), scene.dimension === 2 ? h('span.badge', null, '2D') : null),
        h('span.summary', null, first ?? ''),
        source.length > 0 && h('span.source', null, source[0]!),
      ),
    )
  }

  private tellRuns(): void {
    const runs = [...this.session.runs.value.values()]
    this.runs.hidden = runs.length === 0
    const row = (run: Run): HTMLElement =>
      h(
        'div.openrun',
        null,
        h('button.link', { type: 'button', onclick: () => this.session.show(run.run) }, `${run.run}: ${words(run.name)}`),
        h('span.muted', null, `${run.state}, frame ${run.frame} of ${run.last}`),
        h(
          'button.link.quiet',
          { type: 'button', 'aria-label': `Close run ${run.run}`, onclick: () => void this.session.ask('close', { run: run.run }) },
          'close',
        ),
      )
    replace(this.runs, h('h2', null, 'Open runs'), ...runs.map(row))
  }

  // Scenes and runs of the work folder, where the server tells them.
  private async tellFiles(): Promise<void> {
    const answer = await this.session.connection.request<{ scenes: string[]; folders: string[] }>('files').catch(() => null)
    this.files.hidden = !answer || answer.scenes.length + answer.folders.length === 0
    if (!answer) return
    const list = (name: string, paths: string[], open: (path: string) => void): HTMLElement | null =>
      paths.length === 0
        ? null
        : h(
            'div',
            null,
            h('h2', null, name),
            ...paths.map((path) => h('button.link', { type: 'button', onclick: () => open(path) }, path)),
          )
    replace(
      this.files,
      list('Scenes of this folder', answer.scenes, (file) => void this.session.open({ file })),
      list('Runs of this folder', answer.folders, (folder) => void this.session.open({ folder })),
    )
  }
}
