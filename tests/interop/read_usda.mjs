// Reads USD ASCII files with the parser of three.js and prints what is in them, as JSON: node read_usda.mjs FILE...
// Of a stage of frames, also the files it names; those of particles are opened too.
import fs from 'node:fs';
import path from 'node:path';
import { USDAParser } from 'three/examples/jsm/loaders/usd/USDAParser.js';

const kPrim = 6; // specType in what USDAParser returns

function sum(numbers) {
  return numbers.reduce((total, x) => total + x, 0);
}

function box(flat) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  flat.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  });
  return { low, high };
}

// The attributes of a prim that have time samples: { name: { type, times, values of the first } }.
function samples(specs, prim) {
  const found = {};
  for (const [at, { fields }] of Object.entries(specs)) {
    if (!at.startsWith(prim + '.') || !fields.timeSamples) continue;
    found[at.slice(prim.length + 1)] = { type: fields.typeName, times: fields.timeSamples.times, values: fields.timeSamples.values };
  }
  return found;
}

function describe_samples({ type, times, values }) {
  const first = values[0];
  if (!Array.isArray(first)) return { type, times, values: values.map((value) => String(value).replace(/,$/, '')) };
  return { type, times, numbers: first.length, sum: sum(first) };
}

// The metadata that names the frames of a stage; undefined: it is a frame itself.
function clip_files(text, folder) {
  const clips = new USDAParser().parseText(text)['def Xform "snow"']?.['def Points "particles"']?.clips?.['dictionary default'];
  if (!clips) return undefined;
  const names = [...clips['asset[] assetPaths'].matchAll(/@+([^@]+)@+/g)].map((match) => match[1]);
  const manifest = clips['asset manifestAssetPath'].replaceAll('@', '');
  for (const name of [manifest, ...names]) if (!fs.existsSync(path.join(folder, name))) throw new Error(`${name} is not there`);
  return { names, manifest, active: JSON.parse(clips['double2[] active'].replaceAll('(', '[').replaceAll(')', ']')) };
}

function describe(file) {
  const text = fs.readFileSync(file, 'utf8');
  const { specsByPath: specs } = new USDAParser().parseData(text);
  const result = { file, stage: specs['/'].fields, prims: {} };
  for (const [at, spec] of Object.entries(specs)) {
    if (spec.specType !== kPrim || at === '/') continue;
    const attributes = samples(specs, at);
    const prim = { type: spec.fields.typeName };
    const points = attributes.points?.values[0];
    if (points) Object.assign(prim, { points: points.length / 3 }, points.length > 0 ? box(points) : {});
    for (const [name, attribute] of Object.entries(attributes)) (prim.attributes ??= {})[name] = describe_samples(attribute);
    result.prims[at] = prim;
  }
  const clips = clip_files(text, path.dirname(file));
  if (clips) result.clips = { ...clips, frames: clips.names.map((name) => describe(path.join(path.dirname(file), name))) };
  return result;
}

console.log(JSON.stringify(process.argv.slice(2).map(describe), null, 2));
