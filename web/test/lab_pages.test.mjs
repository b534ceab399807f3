// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The pages Creature and IK in a real browser, by pointer and keyboard; what a recording saves is what the command
 * writes. Variables as in page.test.mjs.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { serve } from "./serve.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const WEB = resolve(process.env.SFT_WEB || join(ROOT, "build", "web"));
const BIN = resolve(process.env.SFT_BIN || join(ROOT, "build", "bin"));
const NPM = resolve(process.env.SFT_NPM || `${WEB}-work/npm`);
const SHOTS = resolve(process.env.SFT_SHOTS || join(ROOT, "build", "web-shots"));
const CHROMIUM = process.env.SFT_CHROMIUM || "/usr/bin/chromium";
const require = createRequire(join(NPM, "node_modules", "x.js"));
const there = existsSync(CHROMIUM) && existsSync(join(NPM, "node_modules", "playwright-core"));
const skip = !there && `no ${CHROMIUM} or no playwright-core in ${NPM}`;

let browser;
let server;
let work;
let page;
let troubles;

before(async () => {
  if (!there) return;
  server = await serve(WEB);
  work = mkdtempSync(join(tmpdir(), "surefoot-lab-page-"));
  mkdirSync(SHOTS, { recursive: true });
  browser = await require("playwright-core").chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
});
after(async () => {
  await browser?.close();
  await server?.close();
  if (work !== undefined) rmSync(work, { recursive: true, force: true });
});
afterEach(async () => {
  if (!there) return;
  await page.close();
  assert.deepEqual(troubles, [], "the console stays empty");
});

// Small: a machine without a graphics card draws each point by itself.
async function visit(query, viewport = { width: 700, height: 480 }) {
  troubles = [];
  page = await browser.newPage({ viewport, colorScheme: "light" });
  page.setDefaultTimeout(120000);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  await page.goto(`${server.address}?${query}`, { waitUntil: "commit" });
}

const root = () => page.locator("#page > div");
const said = (name) => root().getAttribute(`data-${name}`);
const numbers = async (name) => ((await said(name)) ?? "").split(" ").map(Number);
const stepped = (step = 1) => page.waitForFunction((least) => Number(document.querySelector("#page > div")?.dataset.step ?? -1) >= least, step);
const solved = () => page.waitForFunction(() => document.querySelector("#page > div")?.dataset.residuals !== undefined);

async function saved(button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** A place on the canvas [parts of its size]. */
async function at(x, y) {
  const box = await page.locator("#canvas").boundingBox();
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
  writeFileSync(join(work, "goals.csv"), goals);
  const words = (await page.locator("#command").textContent()).split(" ");
  assert.equal(words.shift(), "surefoot");
  execFileSync(join(BIN, "surefoot"), words, { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
  assert.ok(bytes.equals(readFileSync(join(work, "hexapod.glb"))), words.join(" "));

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
    if (page !== undefined && !page.isClosed()) await page.close();
    await visit(query, { width: 1280, height: 800 });
    const name = new URLSearchParams(query).get("page");
    await (name === "ik" ? solved() : stepped());
    if (name === "creature") {
      await page.mouse.click(...(await at(0.35, 0.3)));
      await stepped(150);
    }
    await page.addScriptTag({ content: readFileSync(join(NPM, "node_modules", "axe-core", "axe.min.js"), "utf8") });
    for (const [width, height] of [[1280, 800], [390, 844]])
      for (const theme of ["light", "dark"]) {
        await page.setViewportSize({ width, height });
        if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.click("#theme");
        // Either size once, and either theme.
        const { violations } = width > 500 === (theme === "light") ? await page.evaluate(() => globalThis.axe.run()) : { violations: [] };
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `at ${width} the page is ${wide} pixels too wide`);
        await page.screenshot({ path: join(SHOTS, `${name}-${width}x${height}-${theme}.png`), fullPage: width < 500 });
      }
  }
});
