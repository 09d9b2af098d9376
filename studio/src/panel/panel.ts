// The scene as a panel, made from the schema: a fold for every section, material and body.
import type { Preset, SchemaKey, SchemaSection } from '../core/protocol'
import { Signal } from '../core/signal'
import { entryAt } from '../toml/locate'
import type { Path } from '../toml/locate'
import { addBody, copyBody, removeBody } from '../toml/patch'
import type { Values } from '../toml/scene'
import { placeOf } from '../toml/scene'
import { button, h, replace } from '../ui/dom'
import type { SceneDocument } from '../work/scene_document'
import { makeField } from './field'
import type { Field } from './field'
import { bodyKinds, keysOf, newBody, simpleShapes, titles } from './keys'
import type { BodyKind } from './keys'
import { rangeText } from './scales'

export interface Chosen {
  kind: BodyKind
  index: number
}

interface Shown {
  path: Path
  field: Field
}

export class Panel {
  readonly element = h('div.panel')
  readonly chosen = new Signal<Chosen | null>(null)
  private readonly folds = h('div.folds', { tabindex: '0', role: 'region', 'aria-label': 'Keys of the scene' })
  private readonly help = h('div.keyhelp', { id: 'key-help', 'aria-live': 'off' }, 'Point at a key to read what it does.')
  private readonly filter = h('input.filter', {
    type: 'search',
    placeholder: 'Find a key',
    'aria-label': 'Find a key',
    oninput: () => this.sift(),
  })
  private shown: Shown[] = []
  private structure = ''
  private readonly open = new Set<string>(['simulation', 'materials'])
  findInText: (at: number) => void = () => {}
  surroundings: () => { middle: number[]; size: number; flat: boolean } = () => ({ middle: [0, 0.5, 0], size: 1, flat: false })

  constructor(
    private readonly document: SceneDocument,
    private readonly schema: Signal<SchemaSection[]>,
    private readonly presets: Signal<Preset[]>,
  ) {
    replace(this.element, h('div.panelhead', null, this.filter, this.adder()), this.folds, this.help)
    document.located.watch(() => this.update())
    schema.later(() => this.rebuild())
    presets.later(() => this.rebuild())
    this.chosen.later(() => this.markChosen())
  }

  update(): void {
    if (this.structureNow() !== this.structure) return this.rebuild()
    for (const { path, field } of this.shown) field.show(this.document.value(path))
  }

  private structureNow(): string {
    const scene = this.document.scene()
    const bodies = bodyKinds.map((kind) =>
      ((scene[kind] ?? []) as Values[]).map((body) => `${String(body.shape)} ${String(body.name ?? '')}`),
    )
    return JSON.stringify([bodies, Object.keys((scene.materials ?? {}) as Values), this.document.run, Object.keys(scene)])
  }

  private rebuild(): void {
    this.structure = this.structureNow()
    this.shown = []
    const scene = this.document.scene()
    const section = (name: string): SchemaSection | undefined => this.schema.value.find((one) => one.name === name)
    const folds: HTMLElement[] = []
    const add = (name: string): void => {
      const found = section(name)
      if (found) folds.push(this.fold(name, titles[name] ?? name, [name], keysOf(found), scene[name] as Values | undefined))
    }
    add('simulation')
    add('solver')
    folds.push(...this.materials(scene, section('materials')))
    for (const kind of bodyKinds)
      ((scene[kind] ?? []) as Values[]).forEach((body, index) => folds.push(this.body(kind, index, body, section(kind))))
    for (const name of ['domain', 'window', 'output', 'render']) add(name)
    replace(this.folds, ...folds)
    this.sift()
    this.markChosen()
  }

  private fold(
    id: string,
    title: string,
    path: Path,
    keys: SchemaKey[],
    values: Values | undefined,
    ...above: HTMLElement[]
  ): HTMLDetailsElement {
    const fields = keys.map((key) => this.field(key, [...path, key.name]))
    const isSet = (key: SchemaKey): boolean => values !== undefined && key.name in values
    const first = fields.filter((_, i) => isSet(keys[i]!) || keys[i]!.required)
    const rest = fields.filter((_, i) => !isSet(keys[i]!) && !keys[i]!.required)
    const more =
      rest.length > 0 && first.length > 0 && h('details.more', null, h('summary', null, `${rest.length} more, as usual`), ...rest)
    const fold = h('details.fold', { 'data-id': id }, h('summary', null, title), ...above, ...first, ...(more ? [more] : rest))
    fold.open = this.open.has(id)
    fold.addEventListener('toggle', () => (fold.open ? this.open.add(id) : this.open.delete(id)))
    return fold
  }

  private field(key: SchemaKey, path: Path): HTMLElement {
    const { document } = this
    const field = makeField(key, document.value(path), {
      set: (value, movement) => document.set(path, value, movement),
      clear: () => document.set(path, undefined),
      explain: (told) => this.explain(told),
      find: () => this.find(path),
    })
    field.element.setAttribute('data-path', path.join('.'))
    this.shown.push({ path, field })
    return field.element
  }

  private materials(scene: Values, section: SchemaSection | undefined): HTMLElement[] {
    const named = Object.keys((scene.materials ?? {}) as Values)
    const names = named.length ? named : ['default']
    return names.map((name) => {
      const id = `materials.${name}`
      if (this.open.has('materials')) this.open.add(id)
      return this.fold(
        id,
        `Material ${name}`,
        ['materials', name],
        keysOf(section).filter((key) => key.name !== 'preset'),
        (scene.materials as Values)?.[name] as Values,
        this.presetRow(name),
      )
    })
  }

  private presetRow(material: string): HTMLElement {
    const list = this.presets.value.map((preset) =>
      h(
        'button.preset',
        { type: 'button', title: preset.summary, 'data-preset': preset.name, onclick: () => this.usePreset(material, preset) },
        h('img', {
          src: `/gallery/preset_${preset.name}.jpg`,
          alt: '',
          width: 64,
          height: 44,
          onerror: (event: Event) => (event.target as HTMLElement).remove(),
        }),
        h('span', null, preset.name),
      ),
    )
    return h('div.presets', { role: 'group', 'aria-label': `Presets for ${material}` }, ...list)
  }

  // The values themselves are written, so that they can be seen and changed.
  private usePreset(material: string, preset: Preset): void {
    const values = Object.entries(preset.values).map(([key, value]) => [['materials', material, key] as Path, value] as const)
    this.document.setAll([[['materials', material, 'preset'], undefined], ...values])
  }

  private body(kind: BodyKind, index: number, body: Values, section: SchemaSection | undefined): HTMLElement {
    const title = `${titles[kind]} ${index + 1}: ${String(body.name ?? body.shape ?? '')}`
    const tools = h(
      'div.bodytools',
      null,
      button('Choose in the view', 'move', () => this.chosen.set({ kind, index })),
      button('Copy', 'copy', () => this.document.change((text) => copyBody(text, kind, index))),
      button('Remove', 'remove', () => this.remove({ kind, index })),
    )
    const fold = this.fold(`${kind}.${index}`, title, [kind, index], keysOf(section, String(body.shape)), body, tools)
    fold.classList.add('body')
    return fold
  }

  copyChosen(): void {
    const chosen = this.chosen.value
    if (chosen) this.document.change((text) => copyBody(text, chosen.kind, chosen.index))
  }

  removeChosen(): void {
    if (this.chosen.value) this.remove(this.chosen.value)
  }

  private remove({ kind, index }: Chosen): void {
    this.chosen.set(null)
    this.document.change((text) => removeBody(text, kind, index))
  }

  private adder(): HTMLElement {
    const menu = h('select.adder', { 'aria-label': 'Add a body' }, h('option', { value: '' }, '+ Add…'))
    for (const kind of bodyKinds) {
      const shapes = kind === 'collider' || kind === 'sink' ? [...simpleShapes, 'plane'] : simpleShapes
      menu.append(
        h(
          'optgroup',
          { label: titles[kind] },
          ...shapes.map((shape) => h('option', { value: `${kind} ${shape}` }, `${titles[kind]}: ${shape}`)),
        ),
      )
    }
    menu.addEventListener('change', () => {
      const [kind, shape] = menu.value.split(' ') as [BodyKind, string]
      menu.value = ''
      if (kind && shape) this.add(kind, shape)
    })
    return menu
  }

  private add(kind: BodyKind, shape: string): void {
    const { middle, size, flat } = this.surroundings()
    this.document.change((text) => addBody(text, kind, newBody(kind, shape, middle, size, flat)))
    const count = ((this.document.scene()[kind] ?? []) as Values[]).length
    this.chosen.set({ kind, index: count - 1 })
  }

  private markChosen(): void {
    const chosen = this.chosen.value
    for (const fold of this.folds.querySelectorAll<HTMLDetailsElement>('.fold')) {
      const isIt = chosen !== null && fold.dataset.id === `${chosen.kind}.${chosen.index}`
      fold.classList.toggle('chosen', isIt)
      if (isIt) {
        fold.open = true
        fold.scrollIntoView({ block: 'nearest' })
      }
    }
  }

  private explain(key: SchemaKey): void {
    const facts = [
      rangeText(key),
      key.default !== undefined && `default ${JSON.stringify(key.default)}`,
      key.required && 'required',
      key.now ? 'takes effect at once' : 'takes effect after a restart',
    ]
    replace(
      this.help,
      h('b', null, key.name),
      ` ${key.unit ? `(${key.unit}) ` : ''}`,
      h('span.facts', null, facts.filter(Boolean).join(' · ')),
      h('p', null, key.help || ''),
    )
  }

  private find(path: Path): void {
    const located = this.document.located.value
    if (!located) return
    const entry = entryAt(located, placeOf(located, this.document.variant, path))
    const table = located.tables.find((one) => one.path.join('.') === path.slice(0, -1).join('.'))
    this.findInText(entry ? entry.value[0] : table ? table.header[1] : 0)
  }

  private sift(): void {
    const sought = this.filter.value.trim().toLowerCase()
    for (const fold of this.folds.querySelectorAll<HTMLDetailsElement>('.fold')) {
      let any = false
      for (const field of fold.querySelectorAll<HTMLElement>('.field')) {
        const hit = (field.dataset.key ?? '').includes(sought.replaceAll(' ', '_'))
        field.hidden = sought !== '' && !hit
        any ||= hit
      }
      fold.hidden = sought !== '' && !any
      if (sought !== '') for (const inner of [fold, ...fold.querySelectorAll('details')]) (inner as HTMLDetailsElement).open = any
    }
  }
}
