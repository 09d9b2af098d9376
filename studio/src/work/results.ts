// What one takes away: a path-traced picture that gets better while one looks, a film, frames, the scene, and the command for all that.
import type { Job } from '../core/protocol'
import { h, replace } from '../ui/dom'
import type { Session } from './session'

const formats = ['ply', 'vdb', 'vtp', 'bgeo', 'usda', 'fpc', 'obj']

export class Results {
  readonly element = h('div.results', { tabindex: '0', role: 'region', 'aria-label': 'Results' })
  private readonly picture = h('figure.traced')
  private readonly jobs = h('ul.jobs')
  private readonly saved = h('div.saved')
  private readonly samples = h(
    'select',
    { id: 'samples' },
    ...[16, 64, 256, 1024].map((count) => h('option', { value: count }, String(count))),
  )
  private readonly size = h(
    'select',
    { id: 'size' },
    ...['640 × 360', '960 × 540', '1920 × 1080'].map((size) => h('option', { value: size }, size)),
  )
  private readonly format = h('select', { id: 'format' }, ...formats.map((name) => h('option', { value: name }, name)))
  private readonly path = h('input', { id: 'path', type: 'text', value: 'scene.toml', spellcheck: 'false' })
  private readonly resume = h(
    'button.action',
    { type: 'button', onclick: () => void this.session.tell('resume') },
    'Resume from its checkpoint',
  )
  private wanted = '' // the address of the picture that is shown or on its way
  frame: () => number = () => 0

  constructor(private readonly session: Session) {
    const row = (label: string, input: HTMLElement): HTMLElement => h('div.row', null, h('label', { for: input.id }, label), input)
    const action = (label: string, run: () => void): HTMLElement => h('button.action', { type: 'button', onclick: run }, label)
    replace(
      this.element,
      h(
        'section',
        null,
        h('h2', null, 'Picture'),
        row('Samples a pixel', this.samples),
        row('Size', this.size),
        action('Trace this frame', () => void this.trace()),
        this.picture,
      ),
      h(
        'section',
        null,
        h('h2', null, 'Film'),
        h(
          'div.row',
          null,
          action('Preview film', () => void this.begin('film', { kind: 'preview' })),
          action('Path-traced film', () => void this.begin('film', { kind: 'render' })),
        ),
      ),
      h(
        'section',
        null,
        h('h2', null, 'Frames'),
        row('Format', this.format),
        action('Write all frames', () => void this.begin('export', { format: this.format.value })),
      ),
      h(
        'section',
        null,
        h('h2', null, 'Scene'),
        row('File', this.path),
        h(
          'div.row',
          null,
          action('Save', () => void this.save()),
          action('Download', () => this.download()),
        ),
        this.saved,
      ),
      h(
        'section',
        null,
        h('h2', null, 'Run'),
        h('p.muted', null, 'A run that was stopped goes on from its last checkpoint.'),
        this.resume,
      ),
      h('section', null, h('h2', null, 'At work'), this.jobs),
    )
    const offerResume = (): boolean => (this.resume.disabled = session.now?.resumable !== true)
    session.runs.watch(offerResume)
    session.current.later(() => {
      offerResume()
      this.wanted = ''
      replace(this.picture)
      this.update([...session.jobs.value.values()])
    })
    session.jobs.watch((jobs) => this.update([...jobs.values()]))
  }

  text: () => string = () => ''

  private address(file: string): string {
    return `/files/${file.split('/').map(encodeURIComponent).join('/')}?token=${this.session.connection.token}`
  }

  private async begin(name: string, what: object): Promise<void> {
    await this.session.ask(name, { run: this.session.current.value, ...what })
  }

  async trace(): Promise<void> {
    const [width, height] = this.size.value.split(' × ').map(Number)
    replace(this.picture, h('p.muted', null, 'The first light is on its way…'))
    await this.begin('picture', { frame: this.frame(), samples: Number(this.samples.value), width, height })
  }

  async save(): Promise<void> {
    const answer = await this.session.ask<{ file: string; command: string; warnings: string[] }>('save', {
      run: this.session.current.value,
      path: this.path.value,
    })
    if (!answer) return
    const copy = h('button.link', { type: 'button', onclick: () => void navigator.clipboard.writeText(answer.command) }, 'copy')
    replace(
      this.saved,
      h('p', null, `Saved as ${answer.file}. The same from the command line:`),
      h('pre', { tabindex: '0', 'aria-label': 'Command line' }, answer.command),
      copy,
      ...answer.warnings.map((warning) => h('p.bad', null, `It no longer fits: ${warning}`)),
    )
  }

  private download(): void {
    const link = h('a', {
      href: URL.createObjectURL(new Blob([this.text()], { type: 'application/toml' })),
      download: this.path.value.split('/').pop() ?? 'scene.toml',
    })
    link.click()
    URL.revokeObjectURL(link.href)
  }

  private update(jobs: Job[]): void {
    const traced = jobs.filter((job) => job.kind === 'picture' && job.run === this.session.current.value && job.file).pop()
    if (traced) this.showPicture(traced)
    replace(
      this.jobs,
      ...jobs
        .slice(-6)
        .reverse()
        .map((job) => this.job(job)),
    )
  }

  // The same file again and again, each time with more light in it; the old picture stays until the new one is there.
  private showPicture(job: Job): void {
    const wanted = `${this.address(job.file!)}&part=${job.job}.${job.fraction.toFixed(4)}${job.done ? '.done' : ''}`
    if (wanted === this.wanted) return
    this.wanted = wanted
    const image = new Image()
    image.alt = `Path-traced picture, ${Math.round(job.fraction * 100)} %`
    image.onload = () => {
      if (wanted !== this.wanted) return // a better one is on its way
      const light = `${Math.round(job.fraction * 100)} %`
      const caption = job.error ? `${job.error} at ${light}` : job.done ? 'finished' : light
      replace(this.picture, image, h('figcaption', null, caption, ' ', h('a', { href: this.address(job.file!), download: '' }, 'save')))
    }
    image.src = wanted
  }

  private job(job: Job): HTMLElement {
    const bar = h('progress', { max: 1, value: job.done ? 1 : job.fraction, 'aria-label': `${job.kind} ${job.job}` })
    const end = job.error
      ? h('span.bad', null, job.error)
      : job.done
        ? job.file
          ? h('a', { href: this.address(job.file), target: '_blank', rel: 'noopener' }, job.file)
          : h('span', null, 'done')
        : h('button.link', { type: 'button', onclick: () => void this.session.ask('cancel', { job: job.job }) }, 'stop')
    return h('li', null, h('span', null, job.kind), bar, end)
  }
}
