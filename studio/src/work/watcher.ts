// Shows a run in a viewport: asks for what is to be seen, draws what comes, and asks for the next frame only after that.
import { Kind } from '../core/decode'
import type { Message } from '../core/decode'
import { overlays } from '../core/protocol'
import type { Body, Colour, Overlay, Poses } from '../core/protocol'
import { Vector3 } from 'three'
import type { Values } from '../toml/scene'
import type { Look } from '../view/bodies'
import type { Plane } from '../view/ground'
import type { Viewport } from '../view/viewport'
import type { Session } from './session'

export interface Wanted {
  colour: Colour
  show: readonly Overlay[]
  frame: number | 'live'
}

export class Watcher {
  run: number | null = null
  private wanted: Wanted = { colour: 'none', show: [], frame: 'live' }
  private scene: Values = {}
  private bending = false
  private readonly stops: (() => void)[]

  constructor(
    private readonly session: Session,
    readonly viewport: Viewport,
  ) {
    this.stops = [
      session.onMessage((message) => this.take(message)),
      session.onPoses((poses: Poses) => {
        if (poses.run === this.run) viewport.pose(poses.poses)
      }),
    ]
    viewport.drawn.later((drawn) => {
      if (drawn && this.run !== null) void this.session.ask('ready', { run: this.run, serial: drawn.serial })
    })
  }

  dispose(): void {
    this.run = null
    for (const stop of this.stops) stop()
    this.viewport.dispose()
  }

  async watch(run: number, scene: Values): Promise<void> {
    this.run = run
    this.setScene(scene)
    await this.send()
    await this.bodies()
  }

  setScene(scene: Values): void {
    this.scene = scene
    const simulation = (scene.simulation ?? {}) as Values
    const snow = ((scene.snow ?? scene.source ?? [{}]) as Values[])[0] ?? {}
    const spacing = this.session.run(this.run)?.spacing ?? Number(simulation.spacing ?? 0.02)
    this.viewport.resolution(spacing, Number(snow.particles_per_cell ?? 8))
    const render = (scene.render ?? {}) as Values
    this.viewport.sun(render.sun as number[] | undefined)
  }

  async want(wanted: Partial<Wanted>): Promise<void> {
    this.wanted = { ...this.wanted, ...wanted }
    for (const what of overlays) if (!this.wanted.show.includes(what)) this.viewport.hide(what)
    await this.send()
  }

  async bodies(): Promise<void> {
    if (this.run === null) return
    const run = this.run
    const answer = await this.session.ask<{ bodies: Body[] }>('bodies', { run, frame: 'live' })
    if (!answer || this.run !== run) return
    this.viewport.setBodies(answer.bodies, this.planes(answer.bodies))
  }

  // Bodies that change their shape are asked for again, one question at a time.
  async bend(frame: number | 'live'): Promise<void> {
    if (this.bending || !this.viewport.bodies.list.some((body) => body.deforms)) return
    this.bending = true
    await this.session.ask('bodies', { run: this.run, frame })
    this.bending = false
  }

  private async send(): Promise<void> {
    if (this.run === null) return
    const rate = this.viewport.slow ? 4 : 30 // pictures a second
    await this.session.ask('watch', { run: this.run, rate, ...this.wanted })
  }

  private take(message: Message): void {
    if (message.run !== this.run) return
    if (message.kind === Kind.triangles) this.viewport.showBody(message, (body) => this.look(body))
    else if (message.kind === Kind.particles) this.viewport.show(message)
    else if (this.wanted.show.includes(overlays[message.what]!)) this.viewport.show(message)
  }

  private look(body: Body): Look {
    const collider = body.kind === 'collider' ? ((this.scene.collider ?? []) as Values[])[body.index] : undefined
    return { metal: collider?.look === 'metal', colour: collider?.colour as Look['colour'] }
  }

  private planes(bodies: Body[]): Plane[] {
    const list = (this.scene.collider ?? []) as Values[]
    return bodies
      .filter((body) => body.kind === 'collider' && body.shape === 'plane' && body.visible)
      .map((body) => {
        const point = body.point ?? (list[body.index]?.point as number[] | undefined) ?? [0, 0, 0]
        const normal = body.normal ?? (list[body.index]?.normal as number[] | undefined) ?? [0, 1, 0]
        return {
          point: new Vector3(point[0], point[1], point[2] ?? 0),
          normal: new Vector3(normal[0], normal[1], normal[2] ?? 0).normalize(),
        }
      })
  }
}
