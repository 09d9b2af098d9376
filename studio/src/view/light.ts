// The light of the view: a low sun with a shadow map, a blue sky that sees less of what lies deep, and the tones of a picture.
// Every material of the view has these uniforms and these formulas.
import { Color, Data3DTexture, DataTexture, Matrix4, Vector3 } from 'three'
import type { IUniform, Texture } from 'three'

export interface LightUniforms {
  [name: string]: IUniform
  sunDirection: IUniform<Vector3>
  sunColour: IUniform<Color>
  skyColour: IUniform<Color>
  hazeColour: IUniform<Color>
  bounceColour: IUniform<Color>
  shadowMap: IUniform<Texture>
  shadowMatrix: IUniform<Matrix4>
  shadowTexel: IUniform<number>
  looks: IUniform<number> // into the map of shadows; fewer where there is no graphics card
  snowVolume: IUniform<Data3DTexture>
  volumeLower: IUniform<Vector3>
  volumeExtent: IUniform<Vector3>
  volumeCell: IUniform<number>
}

export function lightUniforms(): LightUniforms {
  const empty = new Data3DTexture(new Uint8Array([0]), 1, 1, 1)
  empty.needsUpdate = true
  const white = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1)
  white.needsUpdate = true
  return {
    sunDirection: { value: new Vector3(-0.62, 0.62, 0.48).normalize() },
    sunColour: { value: new Color() },
    skyColour: { value: new Color() },
    hazeColour: { value: new Color() },
    bounceColour: { value: new Color() },
    shadowMap: { value: white },
    shadowMatrix: { value: new Matrix4().makeTranslation(9, 9, 9) }, // nothing is in the map yet
    shadowTexel: { value: 1 / 1024 },
    looks: { value: 16 },
    snowVolume: { value: empty },
    volumeLower: { value: new Vector3() },
    volumeExtent: { value: new Vector3(1, 1, 1) },
    volumeCell: { value: 1 },
  }
}

export const toneFunction = /* glsl */ `
  // A soft shoulder, then sRGB.
  vec3 tone(vec3 light) {
    light = light * (1.0 + light / 2.9) / (1.0 + light);
    return mix(light * 12.92, 1.055 * pow(max(light, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
  }
`

export const lightFunctions = /* glsl */ `
  precision highp sampler3D;
  uniform vec3 sunDirection, sunColour, skyColour, hazeColour, bounceColour;
  uniform sampler2D shadowMap;
  uniform mat4 shadowMatrix;
  uniform float shadowTexel;
  uniform int looks;
  uniform sampler3D snowVolume;
  uniform vec3 volumeLower, volumeExtent;
  uniform float volumeCell;

  // How full of snow it is around a point, 1: as at the start.
  float fullness(vec3 place, float level) {
    vec3 at = (place - volumeLower) / volumeExtent;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 0.0;
    return 2.0 * textureLod(snowVolume, at, level).r;
  }

  // Out of the snow; short where the snow is even.
  vec3 outwards(vec3 place) {
    vec2 e = vec2(volumeCell * 0.9, 0.0);
    return vec3(fullness(place - e.xyy, 0.6) - fullness(place + e.xyy, 0.6),
                fullness(place - e.yxy, 0.6) - fullness(place + e.yxy, 0.6),
                fullness(place - e.yyx, 0.6) - fullness(place + e.yyx, 0.6));
  }

  // The part of the sky that snow leaves open along a cone.
  float openness(vec3 place, vec3 direction) {
    float distance = volumeCell * 1.1, covered = 0.0;
    for (int i = 0; i < 4; ++i) {
      covered += fullness(place + direction * distance, 0.35 + 0.75 * float(i)) * (1.0 - 0.17 * float(i));
      distance *= 1.85;
    }
    return exp(-0.85 * covered);
  }

  // The part of the sun that reaches a point: some looks into the map around it.
  float sunlight(vec3 place, float softness, float turn) {
    vec4 seen = shadowMatrix * vec4(place, 1.0);
    vec3 at = seen.xyz * 0.5 + 0.5;
    if (any(lessThan(at.xy, vec2(0.002))) || any(greaterThan(at.xy, vec2(0.998))) || at.z > 1.0) return 1.0;
    float lit = 0.0;
    for (int i = 0; i < looks; ++i) {
      float angle = 2.39996 * float(i) + turn, radius = sqrt((float(i) + 0.5) / float(looks)) * softness * shadowTexel;
      float nearest = texture(shadowMap, at.xy + radius * vec2(cos(angle), sin(angle))).r;
      lit += at.z <= nearest ? 1.0 : 0.0;
    }
    return lit / float(looks);
  }

  float noiseOf(float n) { return fract(sin(n * 12.9898) * 43758.5453); }

${toneFunction}
`

export interface Surroundings {
  sun: number
  sky: [number, number, number]
  haze: [number, number, number]
  zenith: [number, number, number]
  ground: [number, number, number]
  grid: number
}

// Linear colours of the two themes.
export const surroundings: Record<'light' | 'dark', Surroundings> = {
  light: {
    sun: 2.35,
    sky: [0.5, 0.635, 0.9],
    haze: [0.66, 0.74, 0.84],
    zenith: [0.26, 0.42, 0.68],
    ground: [0.17, 0.18, 0.195],
    grid: 0.11,
  },
  dark: {
    sun: 2.5,
    sky: [0.42, 0.55, 0.82],
    haze: [0.035, 0.045, 0.062],
    zenith: [0.01, 0.014, 0.022],
    ground: [0.05, 0.056, 0.066],
    grid: 0.16,
  },
}

export function setSurroundings(light: LightUniforms, around: Surroundings): void {
  light.sunColour.value.setRGB(1, 0.95, 0.86).multiplyScalar(around.sun)
  light.skyColour.value.setRGB(...around.sky)
  light.hazeColour.value.setRGB(...around.haze)
  light.bounceColour.value.setRGB(...around.ground)
}
