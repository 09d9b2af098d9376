// A mesh or volume dropped on the page goes to the work folder; then one chooses whether it is snow or a body.
import { addBody } from '../toml/patch'
import { h, replace } from '../ui/dom'
import type { SceneDocument } from './scene_document'
import type { Session } from './session'

const known = /\.(obj|ply|stl|glb|gltf|vdb)$/i
const beside = /\.(mtl|bin)$/i

// A file whose name is taken in the work folder gets another one there: the glTF file that came with it then names that one, not the file
// of before. Materials of OBJ files do not matter to snow.
async function naming(mesh: File, names: ReadonlyMap<string, string>): Promise<File> {
  if (!/\.gltf$/i.test(mesh.name) || [...names].every(([before, now]) => before === now)) return mesh
  let scene: { buffers?: { uri?: string }[] }
  try {
    scene = JSON.parse(await mesh.text()) as typeof scene
  } catch {
    return mesh // who reads it says what is wrong
  }
  for (const buffer of scene.buffers ?? []) {
    const now = buffer.uri && names.get(decodeURIComponent(buffer.uri))
    if (now) buffer.uri = encodeURIComponent(now)
  }
  return new File([JSON.stringify(scene)], mesh.name)
}

export class Drop {
  readonly element = h('dialog.dialog', { 'aria-label': 'A file was dropped' })
  private readonly veil = h('div.veil', { hidden: true }, h('p', null, 'Drop an OBJ, PLY, STL, glTF or VDB file'))
  where: () => { middle: number[]; size: number } = () => ({ middle: [0, 0.5, 0], size: 1 })

  constructor(
    private readonly session: Session,
    private readonly document: SceneDocument,
    root: HTMLElement,
  ) {
    root.append(this.veil, this.element)
    window.addEventListener('dragover', (event) => {
      event.preventDefault()
      this.veil.hidden = false
    })
    window.addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) this.veil.hidden = true
    })
    window.addEventListener('drop', (event) => {
      event.preventDefault()
      this.veil.hidden = true
      void this.take([...(event.dataTransfer?.files ?? [])])
    })
  }

  // What a mesh names, such as the buffers of a glTF file, may come with it.
  private async take(files: File[]): Promise<void> {
    const scene = files.find((file) => /\.toml$/i.test(file.name))
    if (scene) {
      await this.session.open({ text: await scene.text(), name: scene.name.replace(/\.toml$/i, '') })
      return
    }
    const mesh = files.find(({ name }) => known.test(name))
    if (!mesh) return this.session.say(`${files[0]?.name ?? 'This'} is not a mesh or volume that firn reads`, 'error')
    const names = new Map<string, string>()
    for (const file of files.filter(({ name }) => beside.test(name))) {
      const path = await this.upload(file)
      if (!path) return
      names.set(file.name, path.split('/').pop()!)
    }
    const path = await this.upload(await naming(mesh, names))
    if (path) this.ask(path)
  }

  private async upload(file: File): Promise<string | null> {
    const address = `/upload/${encodeURIComponent(file.name)}?token=${this.session.connection.token}`
    const answer = await fetch(address, { method: 'PUT', body: file }).catch(() => null)
    if (!answer?.ok) {
      this.session.say(`${file.name} was not taken: ${(await answer?.text()) ?? 'no answer'}`, 'error')
      return null
    }
    return ((await answer.json()) as { file: string }).file
  }

  private ask(path: string): void {
    const scale = h('input.number', { id: 'drop-scale', type: 'text', inputmode: 'decimal', value: '1' })
    const choose = (kind: 'snow' | 'collider'): void => {
      this.element.close()
      this.add(kind, path, Number(scale.value) || 1)
    }
    replace(
      this.element,
      h('h2', null, path.split('/').pop() ?? path),
      h('p', null, 'What shall it be?'),
      h('div.row', null, h('label', { for: 'drop-scale' }, 'Scale'), scale),
      h(
        'div.row',
        null,
        h('button.action.primary', { type: 'button', onclick: () => choose('snow') }, 'Snow'),
        h('button.action', { type: 'button', onclick: () => choose('collider') }, 'A body it hits'),
        h('button.link', { type: 'button', onclick: () => this.element.close() }, 'neither'),
      ),
    )
    this.element.showModal()
  }

  private add(kind: 'snow' | 'collider', path: string, scale: number): void {
    const values: Record<string, unknown> = { shape: /\.vdb$/i.test(path) ? 'volume' : 'mesh', file: path }
    if (scale !== 1) values.scale = scale
    const { middle } = this.where()
    values.translate = middle.map((value) => Number(value.toPrecision(3)))
    if (kind === 'collider') values.friction = 0.5
    this.document.change((text) => addBody(text, kind, values))
  }
}
