// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Labels, history, options and paths: the studio's values, without a browser. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Engine, Superseded } from "../src/engine.js";
import { History } from "../src/history.js";
import { Labels } from "../src/labels.js";
import { argumentsOf, CLEAN, fromParameters, initialValues, shellWords, toParameters } from "../src/options.js";
import { MemoryFiles, resolvePath } from "../src/wasi.js";

const TABLE = `frame,time,Toe,Toe:touch
0,0,0,1
1,0.5,1,1
2,1,1,1
3,1.5,1,1
4,2,0,0
5,2.5,0.25,0
6,3,1,1
`;
const pattern = (labels) => Array.from({ length: labels.frames }, (_, i) => Number(labels.isPlanted("Toe", i))).join("");

test("labels are printed as they were read", () => {
  assert.equal(Labels.parse(TABLE).print(), TABLE);
  assert.equal(Labels.parse(TABLE.replaceAll("\n", "\r\n")).print(), TABLE);
  assert.deepEqual(Labels.parse(TABLE).feet, ["Toe"]);
  assert.deepEqual(Labels.parse(TABLE).plants("Toe"), [{ first: 1, last: 3 }, { first: 6, last: 6 }]);
});

test("tables that are no labels are refused with their line", () => {
  assert.throws(() => Labels.parse("a,b,c\n"), /line 1/);
  assert.throws(() => Labels.parse("frame,time\n"), /line 1/);
  assert.throws(() => Labels.parse("frame,time,Toe\n0,0,1\n1,0\n"), /line 3: 2 cells, where the head has 3/);
});

test("a change touches the frames it names and no others, and leaves the old labels alone", () => {
  const old = Labels.parse(TABLE);
  const made = old.set("Toe", 4, 4, true);
  assert.equal(pattern(made), "0111101");
  assert.equal(made.print(), TABLE.replace("4,2,0,0", "4,2,1,1"));
  assert.equal(old.print(), TABLE);
  assert.equal(pattern(old.set("Toe", -3, 99, false)), "0000000");
});

test("a moved plant keeps a frame, and a frame of air to its neighbours", () => {
  const labels = Labels.parse(TABLE);
  const [first] = labels.plants("Toe");
  assert.equal(pattern(labels.move("Toe", first, { first: 1, last: 99 }).labels), "0111101");
  assert.equal(pattern(labels.move("Toe", first, { first: -5, last: 2 }).labels), "1110001");
  assert.equal(pattern(labels.move("Toe", first, { first: 9, last: 3 }).labels), "0001001");
  assert.deepEqual(labels.move("Toe", first, { first: 1, last: -4 }).plant, { first: 1, last: 1 });
});

test("a plant is split inside, not at its ends", () => {
  const labels = Labels.parse(TABLE);
  const [first] = labels.plants("Toe");
  assert.equal(pattern(labels.split("Toe", first, 2)), "0101001");
  assert.equal(labels.split("Toe", first, 1), labels);
  assert.equal(labels.split("Toe", first, 5), labels);
});

test("undo takes one drag back at a time", () => {
  const history = new History(0);
  history.set(1, "drag");
  history.set(2, "drag");
  history.settle();
  history.set(3, "drag");
  history.set(4);
  const seen = [];
  while (history.canUndo) {
    history.undo();
    seen.push(history.value);
  }
  assert.deepEqual(seen, [3, 2, 0]);
  history.redo();
  assert.equal(history.value, 2);
  history.set(9);
  assert.equal(history.canRedo, false);
});

test("options make the arguments a person would write", () => {
  const values = initialValues(CLEAN);
  assert.deepEqual(argumentsOf(CLEAN, values), []);
  assert.deepEqual(argumentsOf(CLEAN, { ...values, giveWay: "legs", loop: true, blend: 0.3 }), ["--give-way", "legs", "--loop"]);
  assert.deepEqual(argumentsOf(CLEAN, { ...values, method: "runtime", giveWay: "legs", blend: 0.3 }), ["--method", "runtime", "--blend", "0.3"]);
  assert.equal(shellWords(["a.bvh", "my clip's.bvh", "--x=1"]), "a.bvh 'my clip'\\''s.bvh' --x=1");
});

test("an address gives back the values it was made of, and nothing that makes no sense", () => {
  const values = { ...initialValues(CLEAN), method: "runtime", blend: 0.35, orientation: true };
  assert.deepEqual(fromParameters(CLEAN, toParameters(CLEAN, values)), values);
  const odd = new URLSearchParams("method=magic&blend=7&threshold=&giveWay=%3Cscript%3E&loop=yes");
  assert.deepEqual(fromParameters(CLEAN, odd), initialValues(CLEAN));
});

test("paths stay below the root", () => {
  assert.equal(resolvePath("a//./b/../c.bvh"), "/a/c.bvh");
  assert.equal(resolvePath("../secret"), null);
  assert.throws(() => new MemoryFiles({ "../x": new Uint8Array(1) }), RangeError);
  assert.throws(() => new MemoryFiles({ a: new Uint8Array(1), "a/b": new Uint8Array(1) }), /a file and a folder/);
});

test("runs of a topic replace each other while they wait; a stopped run is no error of its own", async () => {
  const asked = [];
  const workers = [];
  const engine = new Engine(() => {
    const worker = { postMessage: (job) => asked.push(job), terminate: () => (worker.ended = true) };
    workers.push(worker);
    return worker;
  });
  const done = (job) => workers.at(-1).onmessage({ data: { id: job.id, outcome: { code: 0, files: { out: 1 } } } });
  const first = engine.run(["1"], { in: 0 }, { topic: "live" });
  const second = engine.run(["2"], {}, { topic: "live" });
  const third = engine.run(["3"], {}, { topic: "live" });
  await assert.rejects(second, Superseded);
  done(asked[0]);
  assert.deepEqual((await first).files, { in: 0, out: 1 });
  assert.deepEqual(asked.map(({ args }) => args[0]), ["1", "3"]);
  engine.stop();
  await assert.rejects(third, Superseded);
  assert.equal(workers[0].ended, true);
  const fourth = engine.run(["4"], {});
  workers[1].onerror({ message: "gone" });
  await assert.rejects(fourth, /gone/);
});
