// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The page Clean in a real browser: what a person does, and the bytes that come of it against those of the command. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { BIN, Studio, WEB, sample, skip } from "./studio.mjs";

const studio = new Studio();
let page;
before(() => skip || studio.start());
after(() => studio.end());
afterEach(() => studio.checkConsole());

const open = (...paths) => page.locator("#picker").setInputFiles(paths);
const saved = (button) => studio.saved(button);
/** Waits for the first result, or for the one that an action brings. */
const cleaned = (action) => studio.result(action);
const bars = (foot) => page.locator(`.timeline-bar[data-foot="${foot}"]`);

test("a dropped file is cleaned, and saved as the command writes it; the page came with less than 930 KB", { skip }, async (t) => {
  const loaded = new Set();
  page = await studio.visit("", { onRequest: (url) => loaded.add(new URL(url).pathname) });
  const bytes = readFileSync(sample("slid.bvh"));
  await studio.drop(["my walk.bvh", bytes]);
  await cleaned();
  assert.match(await page.locator("#file-name").textContent(), /^my walk\.bvh: 480 frames at 60\.00 a second, 21 joints, 2 legs$/);
  assert.match(await page.locator("#figures").textContent(), /The root travels 1\.25 times what the feet support/);
  assert.match(await page.locator("#command").textContent(), /^surefoot clean 'my walk\.bvh' -o 'my walk_clean\.bvh'$/);
  const { name, bytes: made } = await saved("#save");
  assert.equal(name, "my walk_clean.bvh");
  const folder = mkdtempSync(join(studio.work, "run-"));
  writeFileSync(join(folder, "in.bvh"), bytes);
  execFileSync(join(BIN, "surefoot"), ["clean", "in.bvh", "-o", "out.bvh"], { cwd: folder, stdio: "ignore" });
  assert.ok(made.equals(readFileSync(join(folder, "out.bvh"))));

  // All that was asked for until a clip was cleaned, as a host compresses it. The limit is 1 MB.
  assert.ok(loaded.has("/surefoot.wasm") && loaded.has("/three.js") && loaded.has("/"));
  const sizes = [...loaded].map((name) => [name, gzipSync(readFileSync(join(WEB, name === "/" ? "index.html" : name)), { level: 9 }).length]);
  const load = sizes.reduce((sum, [, size]) => sum + size, 0);
  t.diagnostic(`first load: ${load} bytes compressed, ${sizes.length} files`);
  assert.ok(load < 930e3, sizes.join(" "));
});

test("options and contact bars: live, undone, redone, and the command's own bytes", { skip }, async () => {
  page = await studio.stay();
  await cleaned(() => open(sample("slid.bvh")));
  await cleaned(() => page.selectOption("#option-giveWay", "legs"));
  assert.match(await page.locator("#command").textContent(), /--give-way legs/);
  assert.match(page.url(), /giveWay=legs/);

  // The end of the second bar, dragged to the left by a quarter of its length.
  const bar = bars("LeftToeBase").nth(1);
  const last = Number(await bar.getAttribute("data-last"));
  const first = Number(await bar.getAttribute("data-first"));
  const box = await bar.boundingBox();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.mouse.down();
  await cleaned(() => page.mouse.move(box.x + 0.75 * box.width - 2, box.y + box.height / 2, { steps: 4 }));
  await page.mouse.up();
  const moved = Number(await bar.getAttribute("data-last"));
  assert.equal(Number(await bar.getAttribute("data-first")), first);
  assert.ok(Math.abs(moved - (last - 0.25 * (last - first + 1))) <= 2, `${first} to ${last} became ${moved}`);
  await page.waitForFunction(() => document.getElementById("status").textContent === "");

  const { bytes: labels } = await saved("#save-labels");
  const { bytes: made } = await saved("#save");
  const expected = await studio.byCommandLine({ "slid.bvh": readFileSync(sample("slid.bvh")), "labels.csv": labels });
  assert.ok(made.equals(expected()));

  await cleaned(() => page.click("#undo"));
  assert.equal(Number(await bar.getAttribute("data-last")), last);
  assert.doesNotMatch(await page.locator("#command").textContent(), /--contacts/);
  await cleaned(() => page.keyboard.press("Control+Shift+z"));
  assert.equal(Number(await bar.getAttribute("data-last")), moved);
});

test("bars by keyboard: moved, split, taken away, added", { skip }, async () => {
  page = await studio.stay();
  await cleaned(() => open(sample("slid.bvh")));
  const count = await bars("RightToeBase").count();
  const bar = bars("RightToeBase").nth(1);
  const first = Number(await bar.getAttribute("data-first"));
  const last = Number(await bar.getAttribute("data-last"));
  await bar.focus();
  await cleaned(() => page.keyboard.press("ArrowLeft"));
  await cleaned(() => page.keyboard.press("Shift+ArrowRight"));
  assert.equal(await bar.getAttribute("aria-label"), `right RightToeBase planted, frames ${first + 1} to ${last - 1}`);
  await page.locator("#frame").fill(String(Math.floor((first + last) / 2)));
  await bar.focus();
  await cleaned(() => page.keyboard.press("s"));
  assert.equal(await bars("RightToeBase").count(), count + 1);
  await bar.focus();
  await cleaned(() => page.keyboard.press("Delete"));
  assert.equal(await bars("RightToeBase").count(), count);
  await page.selectOption("#plant-foot", "RightToeBase");
  await page.locator("#frame").fill(String(first + 4));
  await cleaned(() => page.click("#add-plant"));
  assert.equal(await bars("RightToeBase").count(), count + 1);
});

test("a figure with a skin, and the report page", { skip }, async () => {
  page = await studio.stay();
  await cleaned(() => open(sample("child.glb")));
  const { bytes: made } = await saved("#save");
  assert.ok(made.equals((await studio.byCommandLine({ "child.glb": readFileSync(sample("child.glb")) }))()));
  const { name, bytes: report } = await saved("#save-report");
  assert.equal(name, "child_report.html");
  assert.match(report.toString(), /<!doctype html>/i);
  const { bytes: picture } = await saved("#save-picture");
  assert.equal(picture.subarray(1, 4).toString(), "PNG");
});

test("another clip begins anew: nothing to undo, and the address names what is open", { skip }, async () => {
  page = await studio.stay();
  await cleaned(() => page.selectOption("#sample", "samples/slid.bvh"));
  assert.match(page.url(), /clip=samples%2Fslid\.bvh/);
  await bars("LeftToeBase").nth(1).focus();
  await cleaned(() => page.keyboard.press("ArrowLeft"));
  assert.equal(await page.locator("#undo").isEnabled(), true);
  await cleaned(() => open(sample("child.glb")));
  assert.equal(await page.locator("#undo").isEnabled(), false);
  assert.doesNotMatch(page.url(), /clip=/);
});

test("bad files are told in the command's words, and the clip at hand stays open", { skip }, async () => {
  page = await studio.stay();
  await cleaned(() => open(sample("slid.bvh")));
  const cut = join(studio.work, "cut.bvh");
  writeFileSync(cut, readFileSync(sample("slid.bvh")).subarray(0, 300));
  const notes = join(studio.work, "notes.txt");
  writeFileSync(notes, "no motion");
  for (const [path, said] of [
    [cut, /cut\.bvh:\d+:/],
    [notes, /notes\.txt: no motion here; give a BVH, GLB, glTF \(with its parts\) or FBX file/],
  ]) {
    await open(path);
    assert.match(await studio.message(), said);
    assert.match(await page.locator("#file-name").textContent(), /^slid\.bvh/);
  }
});

test("everything has a name and enough contrast, in both themes and on a phone", { skip }, async () => {
  // Begun in a dark one, as the system says; the other by its button.
  page = await studio.visit("?clip=samples/slid.bvh", { width: 1280, height: 800, theme: "dark" });
  await cleaned();
  await page.locator("#frame").fill("220");
  for (const [width, height] of [[1280, 800], [390, 844]])
    for (const theme of ["dark", "light"]) {
      await page.setViewportSize({ width, height });
      if ((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme) await page.click("#theme");
      // Either size once, and either theme.
      if (width > 500 === (theme === "dark")) await studio.checkNames(theme);
      await studio.shoot(`${width}x${height}-${theme}`);
    }
});
