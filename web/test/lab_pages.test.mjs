// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The pages Creature and IK in a real browser, by pointer and keyboard; what a recording saves is what the command
 * writes. studio.mjs says what they want.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";

import { Studio, sample, skip } from "./studio.mjs";

const studio = new Studio();
let page;
before(() => skip || studio.start());
after(() => studio.end());
afterEach(() => studio.checkConsole());

// Small: a machine without a graphics card draws each point by itself.
async function visit(query, width = 700, height = 480) {
  page = await studio.visit(`?${query}`, { width, height, until: "commit" });
}

const root = () => page.locator("#page > div");
const said = (name) => root().getAttribute(`data-${name}`);
const numbers = async (name) => ((await said(name)) ?? "").split(" ").map(Number);
const stepped = (step = 1) => page.waitForFunction((least) => Number(document.querySelector("#page > div")?.dataset.step ?? -1) >= least, step);
const solved = () => page.waitForFunction(() => document.querySelector("#page > div")?.dataset.residuals !== undefined);

const saved = (button) => studio.saved(button);

/** A place on the canvas [parts of its size]. */
async function at(x, y) {
  const canvas = page.locator("#canvas");
  // Buttons below it may have moved the page.
  await canvas.evaluate((element) => element.scrollIntoView({ block: "start" }));
  const box = await canvas.boundingBox();
  return [box.x + x * box.width, box.y + y * box.height];
}

test("a creature is led by pointer and keys, and arrives", { skip }, async () => {
  await visit("page=creature&creature=biped");
  await stepped();
  await page.mouse.click(...(await at(0.15, 0.55)));
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.goal !== undefined);
  const goal = await numbers("goal");
  assert.ok(Math.hypot(...goal) > 0.4, `${goal} is too near to walk to`);
  await page.waitForFunction(([x, z]) => {
    const { dataset } = document.querySelector("#page > div");
    return dataset.moving === "false" && Math.hypot(Number(dataset.x) - x, Number(dataset.z) - z) < 0.25;
  }, goal);
  await page.locator("#canvas").press("ArrowRight");
  const next = await numbers("goal");
  assert.ok(Math.hypot(next[0] - goal[0], next[1] - goal[1]) > 0.1, `${goal} stays ${next}`);
  await page.click("#stand");
  assert.equal(await said("goal"), null);
});

test("a recording is the command's own walk: the same bytes for the line that the page shows", { skip }, async () => {
  await visit("page=creature&lift=1.5&ground=stairs");
  await stepped();
  await page.selectOption("#option-creature", "hexapod");
  await page.selectOption("#option-gait", "ripple");
  assert.match(page.url(), /creature=hexapod&gait=ripple&ground=stairs&lift=1\.5/);
  await page.selectOption("#option-creature", "biped");
  assert.equal(await page.inputValue("#option-gait"), "auto", "a bird has no ripple");
  await page.click("#undo");
  assert.equal(await page.inputValue("#option-gait"), "ripple");
  await stepped();
  await page.click("#record");
  await page.mouse.move(...(await at(0.2, 0.4)));
  await page.mouse.down();
  await page.mouse.move(...(await at(0.25, 0.8)), { steps: 4 });
  await page.mouse.up();
  await page.click("#push-left");
  await stepped(120);
  await page.click("#record");
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.recording === "hexapod.glb");

  const { name, bytes } = await saved("#save");
  assert.equal(name, "hexapod.glb");
  const { bytes: goals } = await saved("#save-goals");
  assert.match(goals.toString(), /^[\d.]+,-?[\d.]+,-?[\d.]+$/m);
  assert.match(goals.toString(), /,push,/);
  assert.ok(bytes.equals((await studio.byCommandLine({ "goals.csv": goals }))()));

  await page.locator("#recording-frame").fill("10");
  assert.equal(await page.locator("#play-recording").textContent(), "Back to live");
  await page.click("#play-recording");
  await page.waitForFunction(() => document.getElementById("play-recording").textContent === "Play recording");
  await page.click("#open-recording");
  await page.waitForFunction(() => document.body.dataset.page === "clean" && Number(document.body.dataset.results ?? 0) >= 1);
  assert.match(await page.locator("#file-name").textContent(), /^hexapod\.glb: .* 6 legs$/);
  // And back: each page has its own view, and leaves the other's as it was.
  for (const id of ["ik", "clean"]) await page.click(`[data-page=${id}]`);
  await page.waitForFunction(() => document.body.dataset.page === "clean");
  assert.match(await page.getAttribute("#canvas", "aria-label"), /^The clip/);
});

test("a rig of one's own is led, and its recording is the command's own walk", { skip }, async () => {
  // On the page of the recording before, where there is one.
  if (studio.page === undefined) await visit("page=creature&ground=stairs");
  else {
    await page.click("[data-page=creature]");
    await studio.stay();
  }
  await stepped();
  const made = await page.inputValue("#option-creature");
  const rig = readFileSync(sample("child.glb"));
  await studio.drop(["my child.glb", rig]);
  await page.waitForFunction(() => document.querySelector("#option-gait option[value=alternate]").disabled === false && document.querySelector("#option-gait option[value=wave]").disabled);
  assert.equal(await page.inputValue("#option-creature"), "rig");
  assert.equal(await page.locator("#option-scale").isVisible(), false, "a rig has its own size");
  await page.click("#record");
  const [x, y] = await at(0.3, 0.5);
  await page.mouse.click(x, y);
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.moving === "true");
  const step = Number(await said("step"));
  await stepped(step + 60);
  await page.click("#record");
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.recording === "my child_roam.glb");
  const { bytes } = await saved("#save");
  const { bytes: goals } = await saved("#save-goals");
  const line = await page.locator("#command").textContent();
  assert.ok(line.startsWith("surefoot roam --rig 'my child.glb' --ground stairs:"), line);
  assert.ok(bytes.equals((await studio.byCommandLine({ "my child.glb": rig, "goals.csv": goals }))()));
  await page.locator("#recording-frame").fill("20");
  await page.click("#play-recording");
  await page.locator("#canvas").scrollIntoViewIfNeeded();
  await studio.shoot("creature-rig-700x480-light");
  // What cannot walk is told, and the one at hand goes on.
  await studio.drop(["stick.bvh", Buffer.from("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n")]);
  assert.match(await studio.message(), /stick\.bvh.*legs/);
  assert.equal(await page.inputValue("#option-creature"), "rig");
  await page.click("#undo");
  assert.equal(await page.inputValue("#option-creature"), made);
});

test("a target is dragged, and moved by keys; all that can reach it do; undone in one step", { skip }, async () => {
  await visit("page=ik");
  await solved();
  const before = await numbers("target");
  const [, ccd] = JSON.parse(await said("seen"));
  const [left, top] = await at(0, 0);
  await page.mouse.move(left + ccd.x, top + ccd.y);
  await page.mouse.down();
  await page.mouse.move(left + ccd.x - 12, top + ccd.y - 10, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((old) => document.querySelector("#page > div").dataset.target !== old, before.join(" "));
  const dragged = await numbers("target");
  assert.ok(dragged[1] > before[1], `${before} became ${dragged}`);
  assert.match(page.url(), /page=ik/);
  assert.match(page.url(), new RegExp(`y=${dragged[1]}`));
  const [bones, ...chains] = await numbers("residuals");
  assert.ok(chains.every((residual) => residual < 1.01e-3), `${chains}`);
  assert.ok(bones < 0.5);

  await page.locator("#canvas").press("ArrowUp");
  await page.waitForFunction((old) => document.querySelector("#page > div").dataset.target !== old, dragged.join(" "));
  await page.click("#undo");
  await page.click("#undo");
  await page.waitForFunction((old) => document.querySelector("#page > div").dataset.target === old, before.join(" "));

  // Out of reach for all: the figures say so.
  await page.selectOption("#option-end", "foot");
  await page.locator("#option-y").fill("2.5");
  await page.waitForFunction(() => document.querySelector("#page > div").dataset.residuals.split(" ").every((value) => Number(value) > 0.1));
  assert.match(await page.locator(".pane-names").textContent(), /mm away/);
  await page.check("#option-limits");
  assert.match(await page.locator("#command").textContent(), /body\.limits = limits/);
});

test("both pages: names, contrast, width, in both themes, on a desktop and a phone", { skip }, async () => {
  for (const query of ["page=creature&creature=lizard&ground=stairs", "page=ik"]) {
    await visit(query, 1280, 800);
    const name = new URLSearchParams(query).get("page");
    await (name === "ik" ? solved() : stepped());
    if (name === "creature") {
      await page.mouse.click(...(await at(0.35, 0.3)));
      await stepped(150);
    }
    for (const [width, height] of [[1280, 800], [390, 844]])
      for (const theme of ["light", "dark"]) {
        await page.setViewportSize({ width, height });
        if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.click("#theme");
        // Either size once, and either theme.
        if (width > 500 === (theme === "light")) await studio.checkNames(name);
        await studio.shoot(`${name}-${width}x${height}-${theme}`);
      }
  }
});
