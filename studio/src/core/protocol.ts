// The words of the protocol, version 1 (docs/studio.md).
export type Vector3 = [number, number, number]
export type Quaternion4 = [number, number, number, number]

export const colours = ['none', 'speed', 'jp', 'density', 'material', 'stress'] as const
export type Colour = (typeof colours)[number]

export const overlays = ['nodes', 'velocity', 'force', 'normals', 'sleep'] as const
export type Overlay = (typeof overlays)[number]

export interface Box {
  lower: number[]
  upper: number[]
}

export interface Run {
  run: number
  name: string
  folder?: string
  state: 'setting up' | 'paused' | 'running' | 'ended' | 'failed'
  doing?: string
  message?: string
  revision: number
  valid: boolean
  variant?: string
  dimension: number
  time: number
  duration: number
  fps: number
  frame: number
  frames: number
  last: number
  steps: number
  dt: number
  rule?: string
  iterations: number
  particles: number
  asleep?: number
  bytes?: number
  seconds_left?: number
  speed?: number
  materials?: string[]
  box?: Box
  domain?: Box | null
  window?: (Box & { follow?: number; velocity?: number[] }) | null
  spacing?: number
  started?: boolean
  live?: boolean // there is a state beside the recorded frames
  resumable?: boolean
  variants?: string[]
}

export interface GalleryScene {
  name: string
  summary: string
  variants: string[]
  dimension?: number
  picture?: string
}

export interface Preset {
  name: string
  summary: string
  values: Record<string, number | string>
}

export type KeyType = 'number' | 'whole' | 'flag' | 'choice' | 'vector' | 'text' | 'file' | 'other'

export interface SchemaKey {
  name: string
  type: KeyType
  unit?: string
  required?: boolean
  default?: unknown
  low?: number
  high?: number
  open_low?: boolean
  open_high?: boolean
  choices?: string[]
  help?: string
  shapes?: string[] // those that have the key; missing: all
  auto?: boolean // may be "auto"
  now?: boolean
}

export interface SchemaSection {
  name: string
  array: boolean
  keys: SchemaKey[]
}

export interface Failure {
  message: string
  line?: number
  column?: number
  stale?: boolean
  closed?: boolean // the run is not there any more
}

export interface SceneText {
  run: number
  text: string
  revision: number
  file?: string
  by?: number | string
  valid?: boolean
  mistake?: Failure
}

export interface Body {
  name: string
  kind: 'snow' | 'collider' | 'source' | 'sink'
  index: number
  shape: string
  visible: boolean
  moves: boolean
  deforms?: boolean
  vertices: number
  triangles: number
  point?: number[]
  normal?: number[]
  position?: number[]
  rotation?: number[]
}

export interface Pose {
  body: number
  position: number[]
  rotation: number[]
}

export interface Poses {
  run: number
  serial: number
  poses: Pose[]
}

export interface Grain {
  particle?: number // its id
  position: number[]
  velocity?: number[]
  fe?: number[] // this, stress and pressure are not kept in recorded frames
  jp?: number
  je?: number
  stress?: number[]
  pressure?: number
  material?: string
  mass?: number
  density?: number
  path?: number[][]
}

export interface Series {
  columns: string[]
  rows: (number | string)[][]
  steps: number[][]
}

export interface Histogram {
  edges: number[]
  counts: number[]
}

export interface Difference {
  key: string
  a: string // as TOML; empty: not there
  b: string
}

export interface Job {
  job: number
  run: number
  kind: string
  fraction: number
  seconds_left?: number
  file?: string
  done?: boolean
  error?: string
}

export interface CheckedSnow {
  shape: string
  particles: number
  mass: number
  content: number
}

export interface Checked {
  particles: number
  blocks?: number
  bytes?: number
  time_step?: number
  steps?: number
  snow: CheckedSnow[]
  warnings: string[]
}
