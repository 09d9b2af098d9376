// One picture of one run: what arrived last, seen by a camera that a hand moves. It is drawn again only when something changed.
import { Box3, Color, MathUtils, Matrix4, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { headerBytes, Kind, meanPosition } from '../core/decode'
import type { Arrows as ArrowMessage, Particles, Triangles } from '../core/decode'
import { overlays } from '../core/protocol'
import type { Body, Colour, Overlay, Pose } from '../core/protocol'
import { Signal } from '../core/signal'
import { Arrows } from './arrows'
import { Bodies } from './bodies'
import type { Look } from './bodies'
import { Grains } from './grains'
import { Ground } from './ground'
import type { Plane } from './ground'
import { lightUniforms, setSurroundings, surroundings } from './light'
import { Marks } from './marks'
import { Shadow } from './shadow'
import { bounds, fillVolume } from './volume'

export interface CameraState {
  position: [number, number, number]
  target: [number, number, number]
}

export interface Drawn {
  serial: number
  frame: number
  time: number
  live: boolean
  count: number
  mean: [number, number, number]
  least: number
  greatest: number
}

const software = (renderer: WebGLRenderer): boolean => {
  const gl = renderer.getContext()
  const info = gl.getExtension('WEBGL_debug_renderer_info')
  return /swiftshader|llvmpipe|software/i.test(info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '')
}

export class Viewport {
  readonly scene = new Scene()
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000)
  readonly controls: OrbitControls
  readonly canvas: HTMLCanvasElement
  readonly bodies: Bodies
  readonly marks = new Marks()
  readonly arrows = new Arrows()
  readonly drawn = new Signal<Drawn | null>(null)
  readonly overlaid = new Signal(0) // counts changes of the arrows
  readonly moved = new Signal<CameraState | null>(null)
  readonly rendered = new Signal(0) // counts pictures
  private readonly renderer: WebGLRenderer
  readonly slow: boolean // there is no graphics card
  private sharpener = 0
  private isSharp = true
  private readonly light = lightUniforms()
  private readonly grains: Grains
  private readonly ground: Ground
  private readonly shadow: Shadow
  chosen: Vector3 | null = null // where the handles are
  private frame: Particles | null = null
  private planes: Plane[] = []
  private colour: Colour = 'none'
  private range: [number, number] | null = null
  private spacing = 0.02
  private perCell = 8
  private asked = false
  private castsNew = true
  private fresh = false
  private framed: Box3 | null = null // what the camera was made to see
  private held = false // by a hand, or by the scene's own camera
  private wide = false
  private moving = false
  private since = 0
  private size = 1
  private middle = new Vector3()
  private readonly watcher: ResizeObserver
  private gone = false

  constructor(
    readonly host: HTMLElement,
    label: string,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference: 'high-performance', preserveDrawingBuffer: true })
    this.renderer.autoClear = true
    this.canvas = this.renderer.domElement
    this.canvas.tabIndex = 0
    this.canvas.setAttribute('role', 'application')
    this.canvas.setAttribute('aria-label', label)
    host.prepend(this.canvas)
    const slow = software(this.renderer)
    this.slow = slow
    this.light.looks.value = slow ? 5 : 16
    this.grains = new Grains(this.light, slow)
    this.bodies = new Bodies(this.light)
    this.ground = new Ground(this.light)
    this.shadow = new Shadow(this.light, slow ? 1024 : 2048)
    this.scene.add(this.ground.sky, this.ground.group, this.bodies.group, this.grains.points, this.arrows.group, this.marks.group)
    this.controls = new OrbitControls(this.camera, this.canvas)
    this.controls.enableDamping = false
    this.controls.zoomToCursor = true
    this.controls.maxPolarAngle = Math.PI * 0.53
    this.controls.addEventListener('start', () => (this.held = true))
    this.controls.addEventListener('change', () => {
      if (!this.moving) this.held = true
      this.moved.set(this.cameraState())
      this.draw()
    })
    this.camera.position.set(1.6, 0.9, 2.4)
    this.watcher = new ResizeObserver(() => this.resize())
    this.watcher.observe(host)
    this.resize()
  }

  dispose(): void {
    this.gone = true
    this.watcher.disconnect()
    clearTimeout(this.sharpener)
    this.controls.dispose()
    this.renderer.dispose()
    this.renderer.forceContextLoss() // a browser has a dozen contexts for all views, and takes the oldest one away when they run out
    this.canvas.remove()
  }

  theme(name: 'light' | 'dark'): void {
    setSurroundings(this.light, surroundings[name])
    this.ground.dress(surroundings[name])
    this.draw()
  }

  sun(direction: readonly number[] | undefined): void {
    if (direction) this.light.sunDirection.value.set(direction[0] ?? 0, direction[1] ?? 1, direction[2] ?? 0).normalize()
    this.castsNew = true
    this.draw()
  }

  resolution(spacing: number, perCell: number): void {
    this.spacing = spacing
    this.perCell = perCell
  }

  show(message: Particles | ArrowMessage, lengthOfArrows = 2): void {
    if (message.kind === Kind.particles) {
      this.frame = message
      this.grains.show(message, this.distance())
      fillVolume(this.light, message, this.distance())
      this.recolour()
      this.fresh = this.castsNew = true
      this.keepInSight()
    } else {
      const what = overlays[message.what]
      if (what) this.arrows.show(what, message, this.spacing, lengthOfArrows)
      this.overlaid.set(this.overlaid.value + 1)
    }
    this.draw()
  }

  hide(what: Overlay): void {
    this.arrows.hide(what)
    this.draw()
  }

  setBodies(list: Body[], planes: Plane[]): void {
    this.bodies.clear(list)
    this.planes = planes
    if (this.isNew()) this.fit()
    else this.buildGround()
  }

  showBody(message: Triangles, look: (body: Body) => Look): void {
    this.bodies.show(message, look)
    if (this.isNew()) this.fit()
    this.castsNew = true
    this.draw()
  }

  pose(poses: Pose[]): void {
    this.bodies.move(poses)
    this.castsNew = true
    this.draw()
  }

  colourBy(colour: Colour, range: [number, number] | null): void {
    this.colour = colour
    this.range = range
    this.recolour()
    this.draw()
  }

  // The least and greatest value of the colours, as shown.
  shownRange(): [number, number] {
    if (this.range) return this.range
    if (!this.frame) return [0, 1]
    if (this.colour === 'jp') {
      const most = Math.min(1, Math.max(0.02, 1 - this.frame.least, Math.min(1, this.frame.greatest - 1)))
      return [1 - most, 1 + most]
    }
    return [this.colour === 'speed' ? 0 : this.frame.least, this.frame.greatest]
  }

  // From one particle to the next in snow as it was at the start, m.
  distance(): number {
    const dimension = this.frame?.flat ? 2 : 3
    return this.spacing / Math.pow(this.perCell, 1 / dimension)
  }

  cameraState(): CameraState {
    return { position: this.camera.position.toArray(), target: this.controls.target.toArray() }
  }

  look(state: CameraState): void {
    this.camera.position.set(...state.position)
    this.controls.target.set(...state.target)
    this.held = true
    this.controls.update()
    this.draw()
  }

  // Bodies that come right after the first frame belong into the first view.
  private isNew(): boolean {
    return this.framed !== null && !this.held && performance.now() - this.since < 3000
  }

  // Another run comes: its first frame decides where the camera stands.
  forget(): void {
    this.framed = null
    this.since = performance.now()
    this.held = this.wide = false
    this.frame = null
    for (const what of overlays) this.arrows.hide(what)
  }

  // All snow and the bodies near it, from three quarters of the side and a little from above; a flat scene straight from the front.
  fit(): void {
    const frame = this.frame
    if (!frame) return
    this.held = false
    this.framed = this.snowBox(frame)
    this.measure(this.framed)
    this.stand(1)
    this.buildGround()
  }

  // As long as no hand has moved the camera it steps back when snow leaves what it saw so far.
  private keepInSight(): void {
    const now = this.snowBox(this.frame!)
    if (!this.framed) return this.begin(now)
    if (
      !this.held &&
      !this.framed
        .clone()
        .expandByScalar(this.size * 0.04)
        .containsBox(now)
    ) {
      this.framed.union(now)
      this.measure(this.framed)
      this.wide = true
    }
    if (this.wide && !this.held) this.wide = this.stand(0.4)
  }

  // The first frame of a run.
  private begin(snow: Box3): void {
    this.framed = snow
    this.measure(snow)
    if (!this.held) this.stand(1)
    this.buildGround()
  }

  private snowBox(frame: Particles): Box3 {
    const { low, high } = bounds(frame)
    const place = (part: number[]): Vector3 =>
      new Vector3(...frame.extent).multiply(new Vector3(...part)).add(new Vector3(...frame.lower))
    return new Box3(place(low), place(high))
  }

  // A part of the way to where all is seen; false when it is there.
  private stand(part: number): boolean {
    const flat = this.frame?.flat ?? false
    const direction = flat ? new Vector3(0, 0, 1) : new Vector3(0.5, 0.3, 0.8).normalize()
    const height = this.size / 2 / Math.tan(MathUtils.degToRad(this.camera.fov / 2))
    const away = height * Math.max(1, 1.25 / Math.max(0.2, this.camera.aspect)) * (flat ? 1.1 : 1.05)
    const place = this.middle.clone().addScaledVector(direction, away)
    this.controls.enableRotate = !flat
    this.controls.target.lerp(this.middle, part)
    this.camera.position.lerp(place, part)
    this.moving = true
    this.controls.update()
    this.moving = false
    return this.camera.position.distanceTo(place) > away * 0.01
  }

  private measure(snow: Box3): void {
    const box = snow.clone()
    const reach = snow.getSize(new Vector3()).length()
    for (const mesh of this.bodies.group.children) {
      const around = new Box3().setFromObject(mesh)
      if (mesh.visible && around.getSize(new Vector3()).length() < reach * 2.5) box.union(around)
    }
    if (this.chosen) box.expandByPoint(this.chosen) // a body that the solver has from a restart on has no triangles yet
    for (const plane of this.planes) if (plane.normal.y > 0.7) box.expandByPoint(this.under(plane, box.getCenter(new Vector3())))
    const size = box.getSize(new Vector3())
    this.size = Math.max(size.length() * 0.92, this.spacing * 4)
    this.middle = box.getCenter(new Vector3())
    this.camera.near = this.size * 0.004
    this.camera.far = this.size * 80
    this.camera.updateProjectionMatrix()
  }

  // The point of a plane below another point.
  private under(plane: Plane, point: Vector3): Vector3 {
    const height = point.clone().sub(plane.point).dot(plane.normal) / plane.normal.y
    return point.setY(point.y - height)
  }

  private buildGround(): void {
    const ground = this.planes.find((plane) => plane.normal.y > 0.7)
    this.ground.build(this.planes, this.middle, this.size, this.frame?.flat ?? false)
    this.grains.setFloor(ground ? ground.point.y : -1e9)
    this.castsNew = true
    this.draw()
  }

  private recolour(): void {
    const [low, high] = this.shownRange()
    this.grains.colourBy(this.colour, low, high)
  }

  // A ray of the world through a point of the page.
  ray(x: number, y: number): { origin: Vector3; direction: Vector3 } {
    const box = this.canvas.getBoundingClientRect()
    const caster = new Raycaster()
    caster.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera)
    return { origin: caster.ray.origin, direction: caster.ray.direction }
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host
    if (width === 0 || height === 0) return
    this.renderer.setSize(width, height)
    this.camera.aspect = width / height
    this.camera.updateProjectionMatrix()
    if (this.framed && !this.held) this.fit()
    this.draw()
  }

  // What a picture costs, for whoever measures the page.
  private tellCosts(frame: Particles): void {
    const { calls, triangles } = this.renderer.info.render
    const bytes = headerBytes + frame.numbers.byteLength
    this.canvas.dataset.costs = JSON.stringify({ calls, triangles, bytes, particles: frame.count })
  }

  // Without a graphics card pictures are coarse as long as they change, and sharp a moment later.
  draw(): void {
    if (this.slow) {
      this.isSharp = false
      clearTimeout(this.sharpener)
      this.sharpener = window.setTimeout(() => this.sharpen(), 500)
    }
    this.ask()
  }

  private sharpen(): void {
    this.isSharp = true
    this.ask()
  }

  private ask(): void {
    this.canvas.dataset.rests = 'false'
    if (this.asked || this.gone) return
    this.asked = true
    requestAnimationFrame(() => {
      this.asked = false
      if (!this.gone) this.render()
    })
  }

  private render(): void {
    const ratio = this.slow ? Math.min(1, devicePixelRatio) * (this.isSharp ? 1 : 0.5) : Math.min(2, devicePixelRatio)
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio)
    const size = this.renderer.getDrawingBufferSize(new Vector2())
    this.camera.updateMatrixWorld()
    this.arrows.viewport.value = { x: size.x, y: size.y }
    this.grains.setScale(size.y / 2 / Math.tan(MathUtils.degToRad(this.camera.fov / 2)))
    this.ground.unproject.value = new Matrix4().multiplyMatrices(this.camera.matrixWorld, this.camera.projectionMatrixInverse)
    if (this.castsNew && this.frame) {
      this.castsNew = false
      this.shadow.draw(this.renderer, this.scene, this.grains, this.bodies, this.middle, this.size * 0.85)
    }
    this.renderer.setClearColor(new Color(0x000000), 1)
    this.renderer.render(this.scene, this.camera)
    if (this.fresh && this.frame) {
      this.fresh = false
      this.tellCosts(this.frame)
      const { serial, frame, time, live, count, least, greatest } = this.frame
      this.drawn.set({ serial, frame, time, live, count, mean: meanPosition(this.frame), least, greatest })
    }
    this.rendered.set(this.rendered.value + 1)
    this.canvas.dataset.rests = String(!this.asked && (!this.slow || this.isSharp)) // for whoever looks at pixels
  }
}
