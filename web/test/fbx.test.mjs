// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * FBX as the page reads it against surefoot-fbx, which has another reader below it: places of all joints at every frame of
 * every take of the files of the optional data folder (SFT_DATA, default ../shared/data beside the checkout), and the
 * losses that both tell. Positions worked out by hand are in tests/test_fbx.py. SFT_WEB is the built page.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";

import { BIN, ROOT, WEB } from "./studio.mjs";

const DATA = join(process.env.SFT_DATA || join(ROOT, "..", "shared", "data"));
const MOST = 0.01; // cm
const reader = join(BIN, "surefoot-fbx");
const skip = (!existsSync(join(DATA, "fbx")) && `no ${DATA}`) || (!existsSync(reader) && `no ${reader}`) || (!existsSync(join(WEB, "fbx.wasm")) && `no ${WEB}`);
const files = (folder) => readdirSync(join(DATA, folder)).filter((name) => name.endsWith(".fbx"));
const load = async () => (await import(pathToFileURL(join(WEB, "fbx.js")))).fbxReader(readFileSync(join(WEB, "fbx.wasm")));

/** A GLB, evaluated by a few lines that share nothing with the library. */
class Glb {
  constructor(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = view.getUint32(12, true);
    this.json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + size)));
    const floats = (index) => {
      const { byteOffset, count, type } = this.json.accessors[index];
      const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
      return Array.from({ length: count }, (_, i) => Array.from({ length: width }, (_, k) => view.getFloat32(28 + size + byteOffset + 4 * (i * width + k), true)));
    };
    /** Unit, axes, frame rate and losses. */
    this.said = this.json.asset.extras.surefoot;
    this.parents = this.json.nodes.map(() => -1);
    this.json.nodes.forEach(({ children = [] }, i) => children.forEach((c) => (this.parents[c] = i)));
    this.clips = (this.json.animations ?? []).map(({ name, channels, samplers, extras }) => ({
      name,
      shift: extras?.surefoot?.shift ?? 0,
      channels: channels.map(({ sampler, target }) => ({
        ...target,
        times: floats(samplers[sampler].input).map(([t]) => t),
        values: floats(samplers[sampler].output),
      })),
    }));
  }

  /** Places of nodes [m] by name, the first of each name. */
  places(clip, time) {
    const pose = this.json.nodes.map(({ translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1], matrix }) => ({ translation, rotation, scale, matrix }));
    for (const { node, path, times, values } of clip?.channels ?? []) {
      let i = 0;
      while (i + 1 < times.length && times[i + 1] <= time) ++i;
      const j = Math.min(i + 1, times.length - 1);
      const at = j > i ? Math.min(1, Math.max(0, (time - times[i]) / (times[j] - times[i]))) : 0;
      pose[node][path] = path === "rotation" ? slerp(values[i], values[j], at) : values[i].map((v, k) => v + (values[j][k] - v) * at);
    }
    const worlds = [];
    const world = (i) => {
      if (i < 0) return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
      return (worlds[i] ??= times(world(this.parents[i]), local(pose[i])));
    };
    const places = new Map();
    this.json.nodes.forEach(({ name }, i) => {
      if (!places.has(name)) places.set(name, [3, 7, 11].map((k) => world(i)[k]));
    });
    return places;
  }
}

function times(a, b) {
  return Array.from({ length: 16 }, (_, n) => [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * (n >> 2) + k] * b[4 * k + (n & 3)], 0));
}

function local({ translation: t, rotation: [x, y, z, w], scale: s, matrix }) {
  if (matrix !== undefined) return Array.from({ length: 16 }, (_, n) => matrix[4 * (n & 3) + (n >> 2)]);
  const r = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
  return [0, 1, 2].flatMap((i) => [r[3 * i] * s[0], r[3 * i + 1] * s[1], r[3 * i + 2] * s[2], t[i]]).concat(0, 0, 0, 1);
}

function slerp(a, b, at) {
  let dot = a.reduce((sum, v, i) => sum + v * b[i], 0);
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  const angle = Math.acos(dot);
  const [x, y] = angle > 1e-6 ? [Math.sin((1 - at) * angle) / Math.sin(angle), Math.sin(at * angle) / Math.sin(angle)] : [1 - at, at];
  const q = a.map((v, i) => x * v + sign * y * b[i]);
  return q.map((v) => v / Math.hypot(...q));
}

/** Largest distance of joints [cm] over all frames of all takes, or at rest where there is no take in common. */
function compare(own, other) {
  const joints = new Set((other.json.skins ?? []).flatMap(({ joints: list }) => list.map((i) => other.json.nodes[i].name)));
  if (joints.size === 0) other.json.nodes.slice(1).forEach(({ name }) => joints.add(name));
  const row = { joints: 0, takes: 0, frames: 0, most: 0 };
  const measure = (a, b) => {
    ++row.frames;
    row.joints = 0;
    for (const name of joints) {
      if (!a.has(name)) continue;
      ++row.joints;
      row.most = Math.max(row.most, 100 * Math.hypot(...a.get(name).map((v, k) => v - b.get(name)[k])));
    }
  };
  for (const clip of other.clips) {
    const mine = own.clips.find(({ name }) => name === clip.name);
    if (mine === undefined || clip.channels.every(({ times: keys }) => keys.length < 2)) continue;
    ++row.takes;
    const first = Math.min(...clip.channels.map(({ times: keys }) => keys[0])) - clip.shift;
    const last = Math.max(...clip.channels.map(({ times: keys }) => keys.at(-1))) - clip.shift;
    const rate = other.json.asset.extras.surefoot.frame_rate;
    for (let frame = 0; first + frame / rate <= last + 1e-6; ++frame) {
      const time = first + frame / rate;
      measure(own.places(mine, time + mine.shift), other.places(clip, time + clip.shift));
    }
  }
  if (row.takes === 0) measure(own.places(null, 0), other.places(null, 0));
  return { ...row, missing: joints.size - row.joints };
}

test("FBX in the page: joints within 0.01 cm of surefoot-fbx, and the same is said to be lost", { skip }, async (t) => {
  const read = await load();
  for (const file of files("fbx")) {
    const name = file.slice(0, -4);
    const bytes = readFileSync(join(DATA, "fbx", file));
    const native = spawnSync(reader, [join(DATA, "fbx", file)], { maxBuffer: 1 << 30 });
    if (native.status !== 0) {
      const said = native.stderr.toString().trim();
      await assert.rejects(read(bytes, file), { message: `surefoot: ${file}: ${said}` });
      t.diagnostic(`${name}: ${said}`);
      continue;
    }
    const own = new Glb(await read(bytes, file));
    const other = new Glb(native.stdout);
    const row = compare(own, other);
    t.diagnostic(`${name}: ${row.most.toPrecision(2)} cm; ${row.joints} joints, ${row.takes} takes, ${row.frames} frames, ${own.said.warnings.length} warnings`);
    assert.ok(row.joints > 0 && row.missing === 0 && row.most <= MOST, `${name}: ${JSON.stringify(row)}`);
    assert.deepEqual(own.json.nodes.map(({ name: joint }) => joint), other.json.nodes.map(({ name: joint }) => joint), name);
    assert.deepEqual(own.json.skins, other.json.skins, name);
    assert.deepEqual(own.clips.map(({ name: clip }) => clip), other.clips.map(({ name: clip }) => clip), name);
    assert.deepEqual(own.said, other.said, name);
  }
});

test("FBX in the page: what surefoot-fbx refuses is refused, with its place", { skip: skip || (!existsSync(join(DATA, "malformed_fbx")) && `no ${DATA}`) }, async () => {
  const read = await load();
  let refused = 0;
  for (const file of files("malformed_fbx")) {
    const bytes = readFileSync(join(DATA, "malformed_fbx", file));
    const native = spawnSync(reader, [join(DATA, "malformed_fbx", file)], { maxBuffer: 1 << 30 });
    if (native.status === 0) await read(bytes, file);
    else await assert.rejects(read(bytes, file), ({ message }) => ++refused > 0 && /^surefoot: [^:]+: ((byte|line) \d+: |the file holds no nodes)/.test(message), file);
  }
  assert.ok(refused > 0);
});
