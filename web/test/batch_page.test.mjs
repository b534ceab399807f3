// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The page that `surefoot batch` writes, in a real browser: its table sorts, finds and links, with 100,000 rows too. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { BIN, Studio, skip as noBrowser } from "./studio.mjs";

const built = spawnSync(join(BIN, "surefoot"), ["batch", "--help"]).status === 0;
const skip = noBrowser || (!built && "this build has no `surefoot batch` (no xxhash.h)");

const studio = new Studio();
before(() => skip || studio.start());
after(() => studio.end());
afterEach(() => studio.checkConsole());

const ROW = 34; // px, as the page's script has it

/** Numbers from 0 to 1 that are the same each time (xorshift, 32 bits). */
function numbers(state) {
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** A folder with a manifest of `count` clips and its page; the entries that it is of. */
function made(name, count, entryOf) {
  const out = join(studio.work, name);
  const random = numbers(7);
  const entries = Array.from({ length: count }, (_, i) => ({
    hash: "0".repeat(32), options: "0".repeat(32), version: "0.1.0", result: "done", code: 0, size: 1000, seconds: random(), ended: i,
    ...entryOf(i, random),
  }));
  mkdirSync(out);
  writeFileSync(join(out, "manifest.jsonl"), entries.map((entry) => JSON.stringify(entry) + "\n").join(""));
  execFileSync(join(BIN, "surefoot"), ["batch", "summary", out]);
  return { out, entries, address: pathToFileURL(join(out, "report.html")).href };
}

function cleaned(i, random) {
  const input = `day ${i % 7}/take #${String(i).padStart(6, "0")} é.bvh`;
  if (i % 50 === 9) return { input, result: i % 100 === 9 ? "failed" : "timeout", code: 3, message: `takes/${input}:4: OFFSET: '0,0' has a comma` };
  const before = 10 ** (3 * random() - 1), missed = Math.max(0, Math.floor(40 * random()) - 30);
  return {
    input, output: input, output_size: 9, warnings: i % 11 === 0 ? 1 : 0, frames: 30 + Math.floor(3000 * random()), clips: 1, contact_share: random(),
    slide_before_cm_s: before, slide_before_max_cm_s: 3 * before, slide_after_cm_s: before / 1000, slide_after_max_cm_s: before / 300,
    below_ground_before_cm: random(), below_ground_after_cm: random() / 10, unreached_frames: missed, ...(missed > 0 && { unreached_max_cm: random() }),
  };
}

const texts = (page) => page.locator(".list tbody tr").evaluateAll((rows) => rows.slice(1, -1).map((row) => row.cells[0].innerText.replace(/\s*\n\s*/g, "")));
const sort = (page, head) => page.locator(".list thead button", { hasText: head }).click();

test("a page of some hundred clips: sorted, found, linked, in both themes and on a phone", { skip }, async () => {
  const { out, entries, address } = made("some", 300, cleaned);
  const page = await studio.visit("", { width: 1280, height: 900, address });
  assert.equal(await page.locator("h1").textContent(), "300 clips: 294 done, 6 not");
  // The most first; what has none is at the end either way.
  const by = (key) => (a, b) => b[key] - a[key] || (a.input < b.input ? -1 : 1);
  const done = entries.filter((entry) => entry.result === "done");
  await sort(page, "missed frames");
  const most = [...done].sort(by("unreached_frames")).map((entry) => entry.input);
  const shown = await texts(page);
  assert.deepEqual(shown, most.slice(0, shown.length));
  assert.ok(shown.length >= 20);
  await page.locator(".list").evaluate((list) => (list.scrollTop = list.scrollHeight));
  await page.waitForFunction((name) => document.querySelector(".list tbody").innerText.includes(name), "timeout");
  assert.deepEqual((await texts(page)).slice(-6).sort(), entries.filter((entry) => entry.result !== "done").map((entry) => entry.input).sort());
  await sort(page, "missed frames");
  assert.equal((await texts(page))[0], [...done].sort((a, b) => a.unreached_frames - b.unreached_frames || (a.input < b.input ? -1 : 1))[0].input);
  assert.equal(await page.locator(".list th[aria-sort]").getAttribute("aria-sort"), "ascending");
  // Found by name or message, and by result.
  await page.fill("#find", "day 3/");
  assert.equal(await page.locator("#shown").textContent(), `${entries.filter((entry) => entry.input.startsWith("day 3/")).length} of 300`);
  await page.fill("#find", "has a COMMA");
  await page.selectOption("#only", "timeout");
  assert.equal(await page.locator("#shown").textContent(), "3 of 300");
  await page.selectOption("#only", "");
  await page.fill("#find", "");
  // Links lead to the files, whatever is in their names; so do those of the worst.
  const worst = [...done].sort(by("slide_after_max_cm_s"))[0].input;
  const links = await page.locator("a.to").evaluateAll((all) => all.map((a) => a.href));
  const places = new Set(entries.map((entry) => join(out, entry.input)));
  for (const link of links) assert.ok(places.has(fileURLToPath(link)), link);
  assert.equal(fileURLToPath(links[0]), join(out, worst));
  await studio.check("batch-page");
  await studio.visit("", { width: 390, height: 844, theme: "dark", address });
  await studio.check("batch-page-phone");
});

test("a page of a hundred thousand clips", { skip }, async () => {
  const { entries, address } = made("many", 100000, cleaned);
  const page = await studio.visit("", { width: 1280, height: 900, address });
  assert.equal(await page.locator("#shown").textContent(), "100,000 clips");
  await sort(page, "slide before");
  const most = entries.filter((entry) => entry.result === "done").sort((a, b) => b.slide_before_cm_s - a.slide_before_cm_s);
  assert.equal((await texts(page))[0], most[0].input);
  // Any row is where it should be.
  const at = 54321;
  await page.locator(".list").evaluate((list, top) => (list.scrollTop = top), at * ROW);
  await page.waitForFunction((name) => document.querySelector(".list tbody").innerText.replace(/\s*\n\s*/g, "").includes(name), most[at].input);
  assert.ok(await page.locator(".list tbody tr").count() < 100);
});
