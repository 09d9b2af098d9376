// Colours of the channels, as a strip for the shader and for the legend.
import { DataTexture, LinearFilter, NearestFilter, RGBAFormat, SRGBColorSpace } from 'three'
import type { Colour } from '../core/protocol'

type Stop = readonly [number, number, number]

const strips: Record<Exclude<Colour, 'none' | 'material'>, readonly Stop[]> = {
  speed: [
    [58, 48, 110],
    [110, 50, 140],
    [178, 52, 120],
    [232, 84, 76],
    [250, 152, 60],
    [252, 228, 120],
  ],
  jp: [
    [150, 22, 40],
    [214, 88, 70],
    [244, 178, 150],
    [248, 248, 248],
    [160, 200, 232],
    [70, 134, 200],
    [22, 62, 140],
  ],
  density: [
    [38, 60, 140],
    [36, 110, 160],
    [38, 152, 140],
    [90, 190, 110],
    [180, 216, 84],
    [250, 234, 110],
  ],
  stress: [
    [36, 40, 60],
    [70, 70, 130],
    [130, 80, 150],
    [200, 96, 120],
    [240, 150, 90],
    [252, 226, 150],
  ],
}

// Far apart, also for eyes that see fewer colours.
export const materialColours: readonly Stop[] = [
  [236, 240, 246],
  [86, 180, 233],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [240, 228, 66],
  [213, 94, 0],
  [0, 114, 178],
]

const width = 256

function mixed(stops: readonly Stop[], t: number): Stop {
  const at = t * (stops.length - 1)
  const i = Math.min(stops.length - 2, Math.floor(at))
  const part = at - i
  const a = stops[i]!
  const b = stops[i + 1]!
  return [0, 1, 2].map((channel) => a[channel]! + (b[channel]! - a[channel]!) * part) as unknown as Stop
}

export function stripTexture(colour: Colour): DataTexture {
  const data = new Uint8Array(width * 4)
  for (let i = 0; i < width; ++i) {
    const rgb =
      colour === 'none'
        ? [255, 255, 255]
        : colour === 'material'
          ? materialColours[i % materialColours.length]!
          : mixed(strips[colour], i / (width - 1))
    data.set([rgb[0]!, rgb[1]!, rgb[2]!, 255], i * 4)
  }
  const texture = new DataTexture(data, width, 1, RGBAFormat)
  texture.colorSpace = SRGBColorSpace
  texture.minFilter = texture.magFilter = colour === 'material' ? NearestFilter : LinearFilter
  texture.needsUpdate = true
  return texture
}

export const css = (rgb: Stop): string => `rgb(${rgb.map(Math.round).join(' ')})`

export function gradient(colour: Exclude<Colour, 'none' | 'material'>): string {
  return `linear-gradient(to right, ${strips[colour].map(css).join(', ')})`
}

export interface ChannelText {
  label: string
  unit: string
}

export const channelTexts: Record<Colour, ChannelText> = {
  none: { label: 'Snow', unit: '' },
  speed: { label: 'Speed', unit: 'm/s' },
  jp: { label: 'Plastic volume J_P', unit: '' },
  density: { label: 'Density', unit: 'kg/m³' },
  material: { label: 'Material', unit: '' },
  stress: { label: 'Pressure', unit: 'Pa' },
}
