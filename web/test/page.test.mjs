// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The studio in a real browser: what a person does, and the bytes that come of it against those of the command.
 *
 * SFT_WEB is the built page, SFT_BIN the folder of the programs, SFT_NPM the folder with playwright-core and axe-core.
 * Screenshots go to SFT_SHOTS (default build/web-shots).
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

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
  work = mkdtempSync(join(tmpdir(), "surefoot-page-"));
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
beforeEach(async () => {
  if (there) await visit({ width: 900, height: 640 }, "light");
});
afterEach(async () => {
  if (!there) return;
  await page.close();
  assert.deepEqual(troubles, [], "the console stays empty");
});

async function visit(viewport, colorScheme) {
  await page?.close();
  troubles = [];
  page = await browser.newPage({ viewport, colorScheme });
  // A busy machine without a graphics card draws a frame in a tenth of a second or more.
  page.setDefaultTimeout(120000);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  await page.goto(server.address);
}

const sample = (name) => join(WEB, "samples", name);
const cleaned = (times = 1) => page.waitForFunction((n) => Number(document.body.dataset.results ?? 0) >= n, times);
const cleanings = () => page.evaluate(() => Number(document.body.dataset.results ?? 0));

/** Does something that cleans anew, and waits for it. */
async function andCleaned(action) {
  const now = await cleanings();
  await action();
  await cleaned(now + 1);
}

async function open(...paths) {
  await page.locator("#picker").setInputFiles(paths);
}

async function saved(button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** What the command makes of the same, by the line that the page shows. */
async function byCommandLine(...files) {
  const folder = mkdtempSync(join(work, "run-"));
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  const words = (await page.locator("#command").textContent()).split(" ");
  assert.equal(words.shift(), "surefoot");
  execFileSync(join(BIN, "surefoot"), words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return readFileSync(join(folder, words[words.indexOf("-o") + 1]));
}

const bars = (foot) => page.locator(`.timeline-bar[data-foot="${foot}"]`);

test("a dropped file is cleaned, and saved as the command writes it", { skip }, async () => {
  const bytes = readFileSync(sample("slid.bvh"));
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "my walk.bvh"));
    return data;
  }, bytes.toString());
  await page.dispatchEvent("#stage", "drop", { dataTransfer: transfer });
  await cleaned();
  assert.match(await page.locator("#file-name").textContent(), /^my walk\.bvh: 480 frames at 60\.00 a second, 21 joints, 2 legs$/);
  assert.match(await page.locator("#figures").textContent(), /The root travels 1\.25 times what the feet support/);
  assert.match(await page.locator("#command").textContent(), /^surefoot clean 'my walk\.bvh' -o 'my walk_clean\.bvh'$/);
  const { name, bytes: made } = await saved("#save");
  assert.equal(name, "my walk_clean.bvh");
  const folder = mkdtempSync(join(work, "run-"));
  writeFileSync(join(folder, "in.bvh"), bytes);
  execFileSync(join(BIN, "surefoot"), ["clean", "in.bvh", "-o", "out.bvh"], { cwd: folder, stdio: "ignore" });
  assert.ok(made.equals(readFileSync(join(folder, "out.bvh"))));
});

test("options and contact bars: live, undone, redone, and the command's own bytes", { skip }, async () => {
  await open(sample("slid.bvh"));
  await cleaned();
  await andCleaned(() => page.selectOption("#option-giveWay", "legs"));
  assert.match(await page.locator("#command").textContent(), /--give-way legs/);
  assert.match(page.url(), /giveWay=legs/);

  // The end of the second bar, dragged to the left by a quarter of its length.
  const bar = bars("LeftToeBase").nth(1);
  const last = Number(await bar.getAttribute("data-last"));
  const first = Number(await bar.getAttribute("data-first"));
  const box = await bar.boundingBox();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.mouse.down();
  await andCleaned(() => page.mouse.move(box.x + 0.75 * box.width - 2, box.y + box.height / 2, { steps: 4 }));
  await page.mouse.up();
  const moved = Number(await bar.getAttribute("data-last"));
  assert.equal(Number(await bar.getAttribute("data-first")), first);
  assert.ok(Math.abs(moved - (last - 0.25 * (last - first + 1))) <= 2, `${first} to ${last} became ${moved}`);
  await page.waitForFunction(() => document.getElementById("status").textContent === "");

  const { bytes: labels } = await saved("#save-labels");
  const { bytes: made } = await saved("#save");
  const expected = await byCommandLine({ name: "slid.bvh", bytes: readFileSync(sample("slid.bvh")) }, { name: "labels.csv", bytes: labels });
  assert.ok(made.equals(expected));

  await andCleaned(() => page.click("#undo"));
  assert.equal(Number(await bar.getAttribute("data-last")), last);
  assert.doesNotMatch(await page.locator("#command").textContent(), /--contacts/);
  await andCleaned(() => page.keyboard.press("Control+Shift+z"));
  assert.equal(Number(await bar.getAttribute("data-last")), moved);
});

test("bars by keyboard: moved, split, taken away, added", { skip }, async () => {
  await open(sample("slid.bvh"));
  await cleaned();
  const count = await bars("RightToeBase").count();
  const bar = bars("RightToeBase").nth(1);
  const first = Number(await bar.getAttribute("data-first"));
  const last = Number(await bar.getAttribute("data-last"));
  await bar.focus();
  await andCleaned(() => page.keyboard.press("ArrowLeft"));
  await andCleaned(() => page.keyboard.press("Shift+ArrowRight"));
  assert.equal(await bar.getAttribute("aria-label"), `right RightToeBase planted, frames ${first + 1} to ${last - 1}`);
  await page.locator("#frame").fill(String(Math.floor((first + last) / 2)));
  await bar.focus();
  await andCleaned(() => page.keyboard.press("s"));
  assert.equal(await bars("RightToeBase").count(), count + 1);
  await bar.focus();
  await andCleaned(() => page.keyboard.press("Delete"));
  assert.equal(await bars("RightToeBase").count(), count);
  await page.selectOption("#plant-foot", "RightToeBase");
  await page.locator("#frame").fill(String(first + 4));
  await andCleaned(() => page.click("#add-plant"));
  assert.equal(await bars("RightToeBase").count(), count + 1);
});

test("a figure with a skin, and the report page", { skip }, async () => {
  await open(sample("child.glb"));
  await cleaned();
  const { bytes: made } = await saved("#save");
  assert.ok(made.equals(await byCommandLine({ name: "child.glb", bytes: readFileSync(sample("child.glb")) })));
  const { name, bytes: report } = await saved("#save-report");
  assert.equal(name, "child_report.html");
  assert.match(report.toString(), /<!doctype html>/i);
  const { bytes: picture } = await saved("#save-picture");
  assert.equal(picture.subarray(1, 4).toString(), "PNG");
});

test("another clip begins anew: nothing to undo, and the address names what is open", { skip }, async () => {
  await page.goto(`${server.address}?clip=samples/slid.bvh`);
  await cleaned();
  assert.match(page.url(), /clip=samples%2Fslid\.bvh/);
  await bars("LeftToeBase").nth(1).focus();
  await andCleaned(() => page.keyboard.press("ArrowLeft"));
  assert.equal(await page.locator("#undo").isEnabled(), true);
  await andCleaned(() => open(sample("child.glb")));
  assert.equal(await page.locator("#undo").isEnabled(), false);
  assert.doesNotMatch(page.url(), /clip=/);
});

test("bad files are told in the command's words, and the clip at hand stays open", { skip }, async () => {
  await open(sample("slid.bvh"));
  await cleaned();
  const cut = join(work, "cut.bvh");
  writeFileSync(cut, readFileSync(sample("slid.bvh")).subarray(0, 300));
  const notes = join(work, "notes.txt");
  writeFileSync(notes, "no motion");
  for (const [path, said] of [
    [cut, /cut\.bvh:\d+:/],
    [notes, /notes\.txt: no motion here; give a BVH, GLB, glTF \(with its parts\) or FBX file/],
  ]) {
    await open(path);
    await page.locator("#message").waitFor();
    assert.match(await page.locator("#message-text").textContent(), said);
    await page.click("#message-close");
    assert.match(await page.locator("#file-name").textContent(), /^slid\.bvh/);
  }
});

test("everything has a name and enough contrast, in both themes and on a phone", { skip }, async () => {
  for (const [width, height] of [[1280, 800], [390, 844]])
    for (const theme of ["light", "dark"]) {
      await visit({ width, height }, theme);
      await page.goto(`${server.address}?clip=samples/slid.bvh`);
      await cleaned();
      await page.locator("#frame").fill("220");
      await page.addScriptTag({ content: readFileSync(join(NPM, "node_modules", "axe-core", "axe.min.js"), "utf8") });
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `at ${width} the page is ${wide} pixels too wide`);
      await page.screenshot({ path: join(SHOTS, `${width}x${height}-${theme}.png`), fullPage: width < 500 });
    }
});

test("the first load is less than 1 MB", { skip }, () => {
  const needed = readdirSync(WEB, { recursive: true }).filter((name) => /\.(html|css|js|wasm)$/.test(name) && statSync(join(WEB, name)).isFile());
  const bytes = needed.reduce((sum, name) => sum + gzipSync(readFileSync(join(WEB, name)), { level: 9 }).length, 0);
  assert.ok(bytes < 1e6, `${bytes} bytes`);
});
