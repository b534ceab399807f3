// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The laboratory against the command: what is led step by step there, and by a file of goals here, walks the same walk.
 *
 * SFT_BIN is the folder of the programs, SFT_WASM the module.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { ASK, LabModule, LEAD, Look, RATE, SOLVERS } from "../src/lab_module.js";
import { goalsFile } from "../src/goals.js";
import { Surefoot } from "../src/surefoot.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const BIN = resolve(process.env.SFT_BIN || join(ROOT, "build", "bin"));
const WASM = process.env.SFT_WASM || join(ROOT, "build", "wasm", "bin", "surefoot.wasm");
const FPS = 30;

let bytes;
let lab;
let work;

before(async () => {
  bytes = readFileSync(WASM);
  lab = await LabModule.start(await WebAssembly.compile(bytes));
  work = mkdtempSync(join(tmpdir(), "surefoot-lab-"));
});
after(() => rmSync(work, { recursive: true, force: true }));

const close = (a, b, most, words) => a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) <= most, `${words}: ${a} is not ${b}`));

/** Places of named nodes of a GLB in each frame of its clip, from its floats: nodes that are not animated stay. */
function placesOf(glb) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const size = view.getUint32(12, true);
  const json = JSON.parse(glb.subarray(20, 20 + size).toString());
  const read = (index, width) => {
    const accessor = json.accessors[index];
    const { byteOffset = 0 } = json.bufferViews[accessor.bufferView];
    const start = 28 + size + byteOffset + (accessor.byteOffset ?? 0);
    return Array.from({ length: accessor.count }, (_, i) => Array.from({ length: width }, (_, k) => view.getFloat32(start + 4 * (width * i + k), true)));
  };
  const { channels, samplers } = json.animations[0];
  const parents = new Map(json.nodes.flatMap(({ children = [] }, i) => children.map((child) => [child, i])));
  const tracks = new Map();
  for (const { target, sampler } of channels)
    tracks.set(`${target.node} ${target.path}`, {
      times: read(samplers[sampler].input, 1).map(([time]) => time),
      values: read(samplers[sampler].output, target.path === "rotation" ? 4 : 3),
    });
  const value = (node, path, frame, rest) => {
    const track = tracks.get(`${node} ${path}`);
    if (track === undefined) return json.nodes[node][path] ?? rest;
    // Keys that a line between others gives are left out.
    const time = frame / FPS;
    const next = track.times.findIndex((at) => at >= time - 1e-4);
    if (next <= 0) return track.values.at(next);
    const part = (time - track.times[next - 1]) / (track.times[next] - track.times[next - 1]);
    const [a, b] = [track.values[next - 1], track.values[next]];
    const sign = a.reduce((sum, v, i) => sum + v * b[i], 0) < 0 && path === "rotation" ? -1 : 1;
    const mixed = a.map((v, i) => (1 - part) * v + sign * part * b[i]);
    const size = path === "rotation" ? Math.hypot(...mixed) : 1;
    return mixed.map((v) => v / size);
  };
  const turn = ([x, y, z, w], [a, b, c]) => {
    const [u, v, s] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
    return [a + w * u + y * s - z * v, b + w * v + z * u - x * s, c + w * s + x * v - y * u];
  };
  return (name, frame) => {
    let place = [0, 0, 0];
    for (let node = json.nodes.findIndex((each) => each.name === name); node !== undefined; node = parents.get(node)) {
      const t = value(node, "translation", frame, [0, 0, 0]);
      place = turn(value(node, "rotation", frame, [0, 0, 0, 1]), place).map((part, i) => part + t[i]);
    }
    return place;
  };
}

const WALKS = [
  {
    words: ["--creature", "lizard"],
    asked: [[0, LEAD.TO, 0.4, 0, 1.2], [301, LEAD.PUSH, 0.05, 0, 0.01], [420, LEAD.TO, -0.123, 0, 0.3], [700, LEAD.STAND, 0, 0, 0]],
  },
  {
    words: ["--creature", "hexapod", "--gait", "ripple", "--ground", "stairs:rise=0.02,run=0.25,count=6,start=0.4", "--scale", "1.5", "--tune", "lift=1.5,stride=0.8"],
    asked: [[7, LEAD.TO, 0.1, 0, 2], [90, LEAD.LOOK, 1, 1, 1]],
  },
];

test("what is led in the lab, and by a file of goals, is one walk, and one file in module and command", async () => {
  const surefoot = await Surefoot.load(bytes);
  for (const { words, asked } of WALKS) {
    const steps = 840;
    const made = lab.makeCreature(words);
    const looks = [];
    for (let step = 0; step <= steps; step += 1) {
      const now = asked.filter(([at]) => at === step).map(([, ...what]) => what);
      const block = lab.advance(now, 0);
      if (step % (RATE / FPS) === 0) looks.push(new Look(block, made.feet.length, made.names.length));
      if (step < steps) lab.advance([], 1);
    }
    const goals = goalsFile(asked.map(([step, ...what]) => ({ step, what })));
    writeFileSync(join(work, "goals.csv"), goals);
    const line = ["roam", ...words, "--goals", "goals.csv", "--seconds", String(steps / RATE), "-o", "walk.glb"];
    execFileSync(join(BIN, "surefoot"), line, { cwd: work, stdio: "ignore" });
    const glb = readFileSync(join(work, "walk.glb"));
    const { code, errors, files } = await surefoot.run(line, { "goals.csv": new TextEncoder().encode(goals) });
    assert.equal(code, 0, errors);
    assert.ok(glb.equals(Buffer.from(files["walk.glb"])), `${line.join(" ")}: module and command write different bytes`);

    const place = placesOf(glb);
    looks.forEach((look, frame) => {
      if (frame % 15 !== 0) return;
      made.names.forEach((name, j) => close(look.joints.subarray(7 * j, 7 * j + 3), place(name, frame), 1e-5, `${words}: ${name} in frame ${frame}`));
    });
    assert.equal(looks.at(-1).slideMost < 0.001, true, "standing feet stand");
    made.feet.forEach((joint, i) => close(looks.at(-1).legs[i].joint, looks.at(-1).joints.subarray(7 * joint, 7 * joint + 3), 0, "feet"));
  }
});

test("a goal is reached, whichever chunks the time comes in", () => {
  const end = (chunk) => {
    const made = lab.makeCreature(["--creature", "biped"]);
    let block = lab.advance([[LEAD.TO, 1, 0, 1]], 0);
    for (let done = 0; done < 900; done += chunk) block = lab.advance([], Math.min(chunk, 900 - done));
    return new Look(block, made.feet.length, made.names.length);
  };
  const [fine, coarse] = [end(1), end(30)];
  assert.deepEqual([...fine.joints], [...coarse.joints]);
  assert.ok(Math.hypot(fine.place[0] - 1, fine.place[2] - 1) < 0.3, `${fine.place}`);
  assert.equal(fine.moving, false);
});

test("a state that is kept and brought back goes on as it would have, and others are refused", () => {
  const made = lab.makeCreature(["--creature", "spider"]);
  lab.advance([[LEAD.TO, 2, 0, 1]], 200);
  const kept = lab.save();
  const first = lab.advance([], 150);
  lab.advance([[LEAD.TO, -1, 0, -1]], 77);
  lab.restore(kept);
  const again = lab.advance([], 150);
  const numbers = (block) => [...new Look(block, made.feet.length, made.names.length).joints];
  assert.deepEqual(numbers(again), numbers(first));
  kept[60] ^= 1;
  assert.throws(() => lab.restore(kept), /spider: these are not the bytes of its state/);
  lab.makeCreature(["--creature", "biped"]);
  assert.throws(() => lab.restore(kept), /not the bytes/);
});

test("what it cannot make is told in the command's words, and nothing is left standing", () => {
  for (const [words, said] of [
    [["--creature", "dragon"], /dragon/],
    [["--gait", "tripod"], /lizard can diagonal, wave/],
    [["--tune", "lift=9"], /--tune lift wants a number from 0 to 5/],
    [["--ground", "lava:"], /lava/],
    [["--nonsense"], /no option --nonsense/],
  ]) {
    assert.throws(() => lab.makeCreature(words), said);
    assert.throws(() => lab.putDown());
  }
});

test("the ground that is drawn is the ground that is walked on", () => {
  lab.makeCreature(["--ground", "stairs:rise=0.03,run=0.2,count=2,start=1"]);
  const heights = lab.ground(3).split("\n").filter((line) => line.startsWith("v ")).map((line) => Number(line.split(" ")[2]));
  assert.deepEqual([...new Set(heights)].sort(), [0, 0.03, 0.06]);
});

test("every solver reaches what it can, keeps bones and held feet, and says what is left", () => {
  const length = (places, a, b) => Math.hypot(...[0, 1, 2].map((k) => places[3 * a + k] - places[3 * b + k]));
  for (const end of [0, 1, 2]) {
    const figure = lab.makeFigure(end);
    const at = [...figure.places.subarray(3 * figure.end, 3 * figure.end + 3)];
    const near = [at[0] - 0.05, at[1] + (end === 2 ? -0.15 : 0.2), at[2] + 0.15];
    for (const asked of [ASK.ARC, ASK.ARC | ASK.POLE, ASK.ARC | ASK.GO_ON]) {
      lab.rest();
      lab.solve(near, asked, 40).forEach(({ residual, reached, places, iterations }, solver) => {
        const words = `${SOLVERS[solver]}, end ${end}`;
        assert.ok(reached && residual <= 1e-3, `${words}: ${residual} m left`);
        close(places.subarray(3 * figure.end, 3 * figure.end + 3), near, 1e-3, words);
        assert.ok(iterations <= 80, words);
        figure.parents.forEach((parent, joint) => {
          if (parent >= 0) assert.ok(Math.abs(length(places, joint, parent) - length(figure.places, joint, parent)) < 1e-9, `${words}: bone ${joint}`);
        });
      });
    }
    const far = lab.solve([9, 9, 9], ASK.ARC, 20);
    assert.deepEqual(far.map(({ reached }) => reached), [false, false, false, false]);
    far.forEach(({ residual, places }) => close([Math.hypot(...[9, 9, 9].map((v, k) => v - places[3 * figure.end + k]))], [residual], 1e-9, "residual"));
  }
  // The person's other foot stays where it stands.
  const figure = lab.makeFigure(1);
  const [, , , body] = lab.solve([0.2, 0.5, 0.4], ASK.ARC | ASK.LIMITS, 40);
  const right = figure.parents.length - 2;
  close(body.places.subarray(3 * right, 3 * right + 3), figure.places.subarray(3 * right, 3 * right + 3), 1e-3, "right ankle");
  assert.throws(() => lab.solve([Number.NaN, 0, 0], 0, 20), /out of range/);
});

test("made and released a thousand times, memory stays", () => {
  const round = (i) => {
    lab.makeCreature(["--creature", ["hexapod", "biped"][i % 2], "--ground", "stairs:"]);
    lab.advance([[LEAD.TO, 1, 0, 1]], 2);
    lab.save();
    lab.releaseCreature();
    lab.makeFigure(i % 3);
    lab.solve([0.3, 1, 0.3], ASK.ARC, 2);
    lab.releaseFigure();
  };
  for (let i = 0; i < 50; ++i) round(i);
  const { memory } = lab;
  for (let i = 0; i < 1000; ++i) round(i);
  assert.equal(lab.memory, memory);
});
