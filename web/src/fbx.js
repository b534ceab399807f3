// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * FBX as the GLB that the command takes it for: skeleton, takes, unit and axes, as surefoot-fbx gives them (docs/fbx.md),
 * read by three's FBXLoader. Loaded when the first FBX is opened; runs in a worker and in Node.
 */

import { FBXLoader } from "./fbx_loader.js";

// three looks at a page: at its width for cameras, and at pictures, which are not wanted here.
globalThis.window ??= globalThis;
globalThis.document ??= { createElementNS: () => ({ addEventListener() {}, removeEventListener() {} }) };

// Frames a second of FBX's time modes, 0 for custom; its own default where a file says nothing.
const RATES = [0, 120, 100, 60, 50, 48, 30, 30, 30000 / 1001, 30000 / 1001, 25, 24, 1000, 24000 / 1001, 0, 96, 72, 60000 / 1001, 120000 / 1001];
const RATE = 24;
const STILL_MOST = 36000; // frames of a take in which nothing moves
const PATHS = { position: ["translation", "VEC3", 3], quaternion: ["rotation", "VEC4", 4], scale: ["scale", "VEC3", 3] };

/** Objects of a figure: joints, what lies above or between them; where there are none, all that is no light or camera. */
function nodesOf(root) {
  const all = [];
  root.traverse((object) => {
    // A joint of several meshes comes once for each, the others below the first.
    const twin = object !== root && object.parent?.ID !== undefined && object.parent.ID === object.ID;
    if (!twin) all.push(object);
  });
  const wanted = new Set();
  for (const object of all)
    if (object.isBone) for (let at = object; at !== null; at = at.parent) wanted.add(at);
  if (wanted.size === 0) return all.filter((object) => !object.isLight && !object.isCamera && object.ID !== undefined);
  return all.filter((object) => wanted.has(object));
}

function transformOf(object) {
  const { position, quaternion, scale } = object;
  return { translation: position.toArray(), rotation: quaternion.toArray(), scale: scale.toArray() };
}

class Writer {
  constructor() {
    this.accessors = [];
    this.parts = [];
    this.size = 0;
  }

  put(values, type, range) {
    const bytes = new Uint8Array(Float32Array.from(values).buffer);
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
    const accessor = { bufferView: 0, byteOffset: this.size, componentType: 5126, count: values.length / width, type };
    if (range) Object.assign(accessor, { min: [Math.fround(values[0])], max: [Math.fround(values.at(-1))] });
    this.parts.push(bytes);
    this.size += bytes.length;
    return this.accessors.push(accessor) - 1;
  }

  glb(json) {
    if (this.size > 0)
      Object.assign(json, {
        accessors: this.accessors,
        bufferViews: [{ buffer: 0, byteLength: this.size }],
        buffers: [{ byteLength: this.size }],
      });
    const text = new TextEncoder().encode(JSON.stringify(json));
    const room = Math.ceil(text.length / 4) * 4;
    const total = 20 + room + (this.size > 0 ? 8 + this.size : 0);
    const out = new Uint8Array(total).fill(0x20, 20, 20 + room);
    const view = new DataView(out.buffer);
    [0x46546c67, 2, total, room, 0x4e4f534a].forEach((word, i) => view.setUint32(4 * i, word, true));
    out.set(text, 20);
    if (this.size === 0) return out;
    view.setUint32(20 + room, this.size, true);
    view.setUint32(24 + room, 0x004e4942, true);
    let at = 28 + room;
    for (const part of this.parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

/** Takes in the order of the file, as the command numbers them; three has them by the file's own numbers of things. */
function inOrder(takes, bytes) {
  const latin = (some) => new TextDecoder("latin1").decode(some);
  const text = latin(bytes);
  const place = ({ name }) => {
    const plain = latin(new TextEncoder().encode(name));
    const found = [`${plain}\0\u0001AnimStack`, `"AnimStack::${plain}"`].map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
    return found[0] ?? Infinity;
  };
  return takes.map((take) => [place(take), take]).sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, take]) => take);
}

/** Its tracks by node and path, of the first node that bears a name; of several layers the last counts. */
function channelsOf(clip, byName) {
  const channels = new Map();
  for (const track of clip.tracks) {
    const dot = track.name.lastIndexOf(".");
    const node = byName.get(track.name.slice(0, dot));
    const path = PATHS[track.name.slice(dot + 1)];
    if (node !== undefined && path !== undefined && track.times.length > 0) channels.set(track.name, { node, path, track });
  }
  return [...channels.values()];
}

/** Seconds that are added to all times, where keys stand before 0, which glTF has not. */
function shiftOf(channels) {
  return Math.max(0, -Math.min(0, ...channels.map(({ track }) => track.times[0])));
}

/** A take in which nothing moves: one joint that stands still at every frame of its range. */
function stillOf({ range: [start, stop] = [0, 0] }, rate, object, node) {
  const count = Math.min(STILL_MOST, Math.floor(Math.max(0, stop - start) * rate + 1e-3) + 1);
  const times = Float32Array.from({ length: count }, (_, i) => start + i / rate);
  const values = Float32Array.from({ length: 4 * count }, (_, i) => object.quaternion.toArray()[i % 4]);
  return { node, path: PATHS.quaternion, track: { times, values } };
}

function animationOf(writer, clip, byName, still) {
  const moving = channelsOf(clip, byName);
  const channels = moving.length > 0 ? moving : [still(clip)];
  const shift = shiftOf(channels);
  const animation = { name: clip.name, channels: [], samplers: [] };
  const known = new Map();
  for (const { node, path: [path, type, width], track } of channels) {
    // Keys at one float32 time are one key.
    const keep = [...track.times.keys()].filter((i) => i === 0 || track.times[i] > track.times[i - 1]);
    const times = keep.map((i) => track.times[i] + shift);
    const key = times.join();
    if (!known.has(key)) known.set(key, writer.put(times, "SCALAR", true));
    const values = keep.flatMap((i) => [...track.values.subarray(width * i, width * (i + 1))]);
    const sampler = animation.samplers.push({ input: known.get(key), output: writer.put(values, type, false) }) - 1;
    animation.channels.push({ sampler, target: { node, path } });
  }
  if (shift > 0) animation.extras = { surefoot: { shift } };
  return animation;
}

function rateOf(settings) {
  const rate = RATES[Number(settings?.TimeMode?.value ?? 0)] || Number(settings?.CustomFrameRate?.value ?? 0);
  return rate >= 0.01 && rate <= 1e5 ? rate : RATE;
}

/** [m]; 2.54 as a float is the decimal it was made from. */
function unitOf(factor = 1) {
  return factor >= 1e-6 && factor <= 1e9 ? Number(Number(factor).toPrecision(7)) / 100 : 0.01;
}

/**
 * @param {Uint8Array} bytes of an FBX file
 * @param {string} name of it, for messages
 * @returns {Uint8Array} GLB
 * @throws {Error} with the file's name
 */
export function fbxToGlb(bytes, name) {
  const { warn, error } = console;
  // What it does not bring over are materials and the like.
  console.warn = console.error = () => {};
  let root;
  try {
    root = new FBXLoader().parse(bytes.slice().buffer, "");
  } catch (failure) {
    throw new Error(`surefoot: ${name}: ${failure.message.replace(/^THREE\.FBXLoader: /, "")}; export it as FBX 2014 or later, GLB or BVH`);
  } finally {
    Object.assign(console, { warn, error });
  }
  const objects = nodesOf(root);
  if (objects.length === 0) throw new Error(`surefoot: ${name}: no joints in this file`);
  const numbers = new Map(objects.map((object, i) => [object, i + 1]));
  const unit = unitOf(root.userData.unitScaleFactor);
  const tops = objects.filter((object) => !numbers.has(object.parent));
  const childrenOf = (object) => objects.filter(({ parent }) => parent === object).map((child) => numbers.get(child));
  // Above all stands what scales the unit; the nodes below keep their own numbers.
  const nodes = [{ name: "RootNode", scale: [unit, unit, unit], children: tops.map((top) => numbers.get(top)) }];
  const byName = new Map();
  for (const object of objects) {
    const children = childrenOf(object);
    if (!byName.has(object.name)) byName.set(object.name, numbers.get(object));
    nodes.push({ name: object.userData.originalName ?? object.name, ...transformOf(object), ...(children.length > 0 ? { children } : {}) });
  }
  const writer = new Writer();
  const rate = rateOf(root.userData.settings);
  const first = objects.find(({ isBone }) => isBone) ?? objects[0];
  const still = (clip) => stillOf(clip, rate, first, numbers.get(first));
  const animations = inOrder(root.animations, bytes).map((clip) => animationOf(writer, clip, byName, still));
  const joints = objects.filter(({ isBone }) => isBone).map((object) => numbers.get(object));
  const json = {
    asset: {
      version: "2.0",
      generator: "surefoot studio",
      extras: { surefoot: { source: "fbx", unit_metres: unit, up: "Y", frame_rate: rate, warnings: [] } },
    },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes,
    ...(joints.length > 0 ? { skins: [{ joints }] } : {}),
    ...(animations.length > 0 ? { animations } : {}),
  };
  return writer.glb(json);
}
