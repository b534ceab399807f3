// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The studio under fingers, on a phone: touches as the browser's own input sends them, one and two at a time. */

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { Studio, skip } from "./studio.mjs";

const studio = new Studio();
let page;
let fingers;
before(() => skip || studio.start());
after(() => studio.end());
afterEach(() => studio.checkConsole());

async function visit(query, until) {
  page = await studio.visit(query, { width: 390, height: 844, touch: true, until });
  fingers = await page.context().newCDPSession(page);
}

const press = (type, points) => fingers.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });

/** Fingers go down, along straight ways, and up: [[from, to], ...], a way each. */
async function drag(...ways) {
  await press("touchStart", ways.map(([from]) => from));
  for (const part of [0.25, 0.5, 0.75, 1]) await press("touchMove", ways.map(([from, to]) => from.map((value, k) => value + part * (to[k] - value))));
  await press("touchEnd", []);
}

async function tap(point) {
  await press("touchStart", [point]);
  await press("touchEnd", []);
}

/** A place on what a selector finds [parts of its size], brought in sight. */
async function at(selector, x, y) {
  const locator = page.locator(selector).first();
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  return [box.x + x * box.width, box.y + y * box.height];
}

const root = (name) => page.evaluate((key) => document.querySelector("#page > div").dataset[key], name);
const camera = () => page.evaluate(() => ({ ...document.getElementById("canvas").dataset }));
const frame = () => page.locator("#frame").inputValue().then(Number);

test("clip: one finger turns, two come nearer, the time is scrubbed, a contact bar is dragged", { skip }, async () => {
  await visit("?clip=samples/slid.bvh");
  await studio.result();
  const whole = await camera();
  const [x, y] = await at("#canvas", 0.5, 0.4);
  await drag([[x, y], [x + 90, y]]);
  const turned = await camera();
  // Over the height of the canvas OrbitControls turns once round.
  const height = await page.locator("#canvas").evaluate((canvas) => canvas.clientHeight);
  assert.ok(Math.abs(Number(whole.turn) - Number(turned.turn) - (2 * Math.PI * 90) / height) < 0.02, `${whole.turn} to ${turned.turn}`);
  assert.equal(turned.distance, whole.distance);
  // From 80 pixels apart to 160: twice as near.
  await drag([[x - 40, y], [x - 80, y]], [[x + 40, y], [x + 80, y]]);
  const near = await camera();
  assert.ok(Math.abs(Number(near.distance) / Number(whole.distance) - 0.5) < 0.02, `${whole.distance} to ${near.distance}`);

  // A tenth of the slider: its thumb stays under the finger where that took it.
  await drag([await at("#frame", 0.02, 0.5), await at("#frame", 0.5, 0.5)]);
  assert.ok(Math.abs((await frame()) - 240) < 48, `frame ${await frame()}`);
  await tap(await at(".timeline-bars", 0.25, 0.1));
  assert.ok(Math.abs((await frame()) - 120) < 6, `frame ${await frame()}`);

  const bar = page.locator('.timeline-bar[data-foot="LeftToeBase"]').nth(1);
  await bar.scrollIntoViewIfNeeded();
  const [first, last] = [Number(await bar.getAttribute("data-first")), Number(await bar.getAttribute("data-last"))];
  const box = await bar.boundingBox();
  const end = [box.x + box.width - 4, box.y + box.height / 2];
  await studio.result(() => drag([end, [end[0] - box.width / 4, end[1]]]));
  const moved = Number(await bar.getAttribute("data-last"));
  assert.equal(Number(await bar.getAttribute("data-first")), first);
  assert.ok(Math.abs(moved - (last - 0.25 * (last - first + 1))) <= 3, `${first} to ${last} became ${moved}`);
  // One step, though the finger stopped on its way.
  await studio.result(() => page.click("#undo"));
  assert.equal(Number(await bar.getAttribute("data-last")), last);
  assert.equal(await page.locator("#undo").isEnabled(), false);

  // Side by side both are in sight: two figures of 1.2 m with a sixth of room, in a window that is narrower than high.
  await page.selectOption("#side", "front");
  const { distance } = await camera();
  await page.selectOption("#show", "beside");
  const beside = Number((await camera()).distance);
  const [width, tall] = await page.locator("#canvas").evaluate((canvas) => [canvas.clientWidth, canvas.clientHeight]);
  assert.ok(beside > Number(distance), `${distance} to ${beside}`);
  assert.ok(Math.abs((beside * Math.tan((17.5 * Math.PI) / 180) * width) / tall - 1.15 * 1.2) < 0.01, `${beside}`);
  await studio.shoot("beside-390x844-light");
  await page.selectOption("#show", "overlay");
  assert.equal((await camera()).distance, distance);
});

test("creature: led by one finger, seen round by two", { skip }, async () => {
  if (page === undefined) await visit("?page=creature", "commit");
  else await page.click("[data-page=creature]");
  await page.waitForFunction(() => Number(document.querySelector("#page > div")?.dataset.step ?? -1) >= 1);
  const begun = await camera();
  const [x, y] = await at("#canvas", 0.3, 0.3);
  await drag([[x, y], [x + 60, y]]);
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.goal !== undefined);
  const goal = await root("goal");
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.moving === "true");
  assert.equal((await camera()).turn, begun.turn, "one finger leads, and turns nothing");
  await page.uncheck("#creature-follow");
  await drag([[x, y], [x + 60, y]], [[x + 80, y], [x + 140, y]]);
  assert.notEqual((await camera()).turn, begun.turn);
  assert.equal(await root("goal"), goal, "two fingers lead nowhere");
});

test("IK: a foot follows a finger", { skip }, async () => {
  if (page === undefined) await visit("?page=ik", "commit");
  else await page.click("[data-page=ik]");
  await page.waitForFunction(() => document.querySelector("#page > div")?.dataset.residuals !== undefined);
  const hand = await root("target");
  await page.selectOption("#option-end", "foot");
  await page.waitForFunction((old) => document.querySelector("#page > div").dataset.target !== old, hand);
  const [left, top] = await at("#canvas", 0, 0);
  const before = (await root("target")).split(" ").map(Number);
  const [, , fabrik] = JSON.parse(await root("seen"));
  await drag([[left + fabrik.x, top + fabrik.y], [left + fabrik.x + 14, top + fabrik.y - 16]]);
  await page.waitForFunction((old) => document.querySelector("#page > div").dataset.target !== old, before.join(" "));
  const target = (await root("target")).split(" ").map(Number);
  assert.ok(target[1] > before[1] + 0.02, `${before} became ${target}`);
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.residuals.split(" ").slice(1).every((one) => Number(one) < 1.01e-3));
  await page.click("#undo");
  await page.waitForFunction((old) => document.querySelector("#page > div").dataset.target === old, before.join(" "));
});
