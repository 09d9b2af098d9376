// firn studio: the gallery, or one run on the screen. No physics is in this page; what it shows comes from the program that serves it.
import './style/base.css'
import './style/workspace.css'
import './style/parts.css'
import { colours } from './core/protocol'
import { Signal } from './core/signal'
import { button, h, icon, replace } from './ui/dom'
import { Shortcuts } from './ui/shortcuts'
import { Gallery } from './work/gallery'
import { Session } from './work/session'
import { Workspace } from './work/workspace'

type Theme = 'light' | 'dark'

const root = document.querySelector<HTMLElement>('#studio')!
const session = new Session()
const dark = matchMedia('(prefers-color-scheme: dark)')
const remembered = localStorage.getItem('firn-theme')
const theme = new Signal<Theme>(remembered === 'light' || remembered === 'dark' ? remembered : dark.matches ? 'dark' : 'light')
theme.watch((name) => (document.documentElement.dataset.theme = name))

const gallery = new Gallery(session)
const workspace = new Workspace(session, theme, root)

const changeTheme = (): void => {
  theme.set(theme.value === 'dark' ? 'light' : 'dark')
  localStorage.setItem('firn-theme', theme.value)
}
const { timeline, tools, document: scene, dock, panel, gizmo, viewport } = workspace

const shortcuts = new Shortcuts([
  { group: 'Time', keys: 'Space', does: 'run or pause', run: () => timeline.toggle() },
  { group: 'Time', keys: '.', does: 'one step', run: () => void session.tell('step') },
  { group: 'Time', keys: ',', does: 'one frame', run: () => void session.tell('frame') },
  { group: 'Time', keys: '←', does: 'show the frame before', run: () => timeline.move(-1) },
  { group: 'Time', keys: '→', does: 'show the next frame', run: () => timeline.move(1) },
  { group: 'Time', keys: 'Home', does: 'show the first frame', run: () => timeline.scrub(0) },
  { group: 'Time', keys: 'End', does: 'show what is computed now', run: () => timeline.shown.set('live') },
  { group: 'Time', keys: 'Shift R', does: 'back to the start', run: () => void scene.restart(false) },
  ...colours.map((colour, i) => ({ group: 'View', keys: String(i + 1), does: `colour: ${colour}`, run: () => tools.setColour(colour) })),
  { group: 'View', keys: 'F', does: 'fit', run: () => viewport.fit() },
  { group: 'View', keys: 'N', does: 'grid nodes', run: () => tools.flip('nodes') },
  { group: 'View', keys: 'V', does: 'grid velocities', run: () => tools.flip('velocity') },
  { group: 'View', keys: 'Y', does: 'grid forces', run: () => tools.flip('force') },
  { group: 'View', keys: 'C', does: 'side by side with another run', run: () => workspace.compare.toggle() },
  { group: 'View', keys: 'L', does: 'light or dark', run: changeTheme },
  { group: 'Scene', keys: 'Ctrl Z', does: 'undo', run: () => scene.editor.undo() },
  { group: 'Scene', keys: 'Ctrl Y', does: 'redo', run: () => scene.editor.redo() },
  { group: 'Scene', keys: 'W', does: 'drag the chosen body', run: () => gizmo.mode('translate') },
  { group: 'Scene', keys: 'E', does: 'turn it', run: () => gizmo.mode('rotate') },
  { group: 'Scene', keys: 'S', does: 'size it', run: () => gizmo.mode('scale') },
  { group: 'Scene', keys: 'D', does: 'copy it', run: () => panel.copyChosen() },
  { group: 'Scene', keys: 'Delete', does: 'remove it', run: () => panel.removeChosen() },
  { group: 'Scene', keys: 'Escape', does: 'let go of it', run: () => panel.chosen.set(null) },
  { group: 'Scene', keys: 'B', does: 'panel and text side by side', run: () => dock.both.set(!dock.both.value) },
  { group: 'Page', keys: 'G', does: 'gallery', run: () => session.show(null) },
  { group: 'Page', keys: 'Ctrl S', does: 'save the scene', run: () => void workspace.results.save() },
  { group: 'Page', keys: '?', does: 'this sheet', run: () => shortcuts.show() },
])

const title = h('h1.runname')
const variant = h('select.variant', {
  'aria-label': 'Variant',
  title: 'Variant of the scene',
  onchange: () => scene.useVariant(variant.value),
})
const state = h('span.state', { role: 'status' })
const link = h('span.link-state', { role: 'status' })
const header = h(
  'header.topbar',
  null,
  h(
    'button.brand',
    { type: 'button', title: 'Gallery (G)', 'aria-label': 'firn studio, gallery', onclick: () => session.show(null) },
    icon('M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M9 4.5l3 3 3-3M9 19.5l3-3 3 3'),
    h('b', null, 'firn'),
    ' studio',
  ),
  title,
  variant,
  state,
  h('span.space'),
  link,
  h(
    'div.topbuttons',
    null,
    button('Undo (Ctrl Z)', 'undo', () => scene.editor.undo(), { class: 'tool in-run' }),
    button('Redo (Ctrl Y)', 'redo', () => scene.editor.redo(), { class: 'tool in-run' }),
    button('Gallery (G)', 'gallery', () => session.show(null)),
    button('Light or dark (L)', 'theme', changeTheme),
    button('Keyboard shortcuts (?)', 'help', () => shortcuts.show()),
  ),
)
const toast = h('div.toast', { role: 'alert', hidden: true })
replace(root, header, gallery.element, workspace.element, toast, shortcuts.sheet, ...root.querySelectorAll('dialog, .veil'))

session.current.watch((run) => {
  root.classList.toggle('in-run', run !== null)
  gallery.element.hidden = run !== null
  workspace.element.hidden = run === null
  if (run !== null) viewport.resize()
})
session.runs.watch(tellRun)
session.current.later(tellRun)

function tellRun(): void {
  const run = session.now
  title.textContent = run ? session.sceneName(run).replaceAll('_', ' ') : ''
  title.hidden = !run
  tellVariants(run?.variants ?? [], run?.variant ?? '')
  state.textContent = run ? run.state : ''
  state.dataset.state = run?.state ?? ''
  document.title = run ? `${run.name} · firn studio` : 'firn studio'
}

function tellVariants(names: string[], now: string): void {
  variant.hidden = names.length === 0
  if (variant.dataset.names !== names.join())
    replace(variant, h('option', { value: '' }, 'as written'), ...names.map((name) => h('option', { value: name }, name)))
  variant.dataset.names = names.join()
  if (document.activeElement !== variant) variant.value = now
}

session.connection.link.watch((now) => {
  link.textContent = now === 'lost' ? 'firn studio does not answer; waiting for it…' : ''
  root.classList.toggle('lost', now === 'lost')
})

let hide = 0
session.note.later((note) => {
  if (!note) return
  toast.textContent = note.text
  toast.className = `toast ${note.kind}`
  toast.hidden = false
  clearTimeout(hide)
  hide = window.setTimeout(() => {
    toast.hidden = true
    session.note.set(null)
  }, 6000)
})

const asked = /run=(\d+)/.exec(location.hash)
session.ready.later((times) => {
  if (times !== 1) return
  const wanted = asked ? Number(asked[1]) : [...session.runs.value.keys()].pop()
  if (
    session.current.value === null &&
    wanted !== undefined &&
    session.runs.value.has(wanted) &&
    (asked || session.runs.value.size === 1)
  )
    session.show(wanted)
})
session.start()
