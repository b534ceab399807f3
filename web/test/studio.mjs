// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The built studio in a browser, for tests. SFT_WEB is the built page, SFT_BIN the folder of the programs, SFT_NPM the
 * folder with playwright-core and axe-core, SFT_SHOTS where screenshots go (default build/web-shots).
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { serve } from "./serve.mjs";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const WEB = resolve(process.env.SFT_WEB || join(ROOT, "build", "web"));
export const BIN = resolve(process.env.SFT_BIN || join(ROOT, "build", "bin"));
export const NPM = resolve(process.env.SFT_NPM || `${WEB}-work/npm`);
export const SHOTS = resolve(process.env.SFT_SHOTS || join(ROOT, "build", "web-shots"));
const CHROMIUM = process.env.SFT_CHROMIUM || "/usr/bin/chromium";
const there = existsSync(CHROMIUM) && existsSync(join(NPM, "node_modules", "playwright-core"));
export const skip = !there && `no ${CHROMIUM} or no playwright-core in ${NPM}`;

export const sample = (name) => join(WEB, "samples", name);

export class Studio {
  async start() {
    const require = createRequire(join(NPM, "node_modules", "x.js"));
    this.server = await serve(WEB);
    this.work = mkdtempSync(join(tmpdir(), "surefoot-studio-"));
    mkdirSync(SHOTS, { recursive: true });
    this.browser = await require("playwright-core").chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
  }

  async end() {
    await this.browser?.close();
    await this.server?.close();
    if (this.work !== undefined) rmSync(this.work, { recursive: true, force: true });
  }

  /** A new page; what its console says is to be empty in the end. `until`: as goto's waitUntil; `onRequest` sees addresses. */
  async visit(query = "", { width = 900, height = 640, theme = "light", address = this.server.address, until = "load", touch = false, onRequest } = {}) {
    await this.page?.close();
    this.troubles = [];
    const page = await this.browser.newPage({ viewport: { width, height }, colorScheme: theme, hasTouch: touch, isMobile: touch });
    // A busy machine without a graphics card draws a frame in a tenth of a second or more.
    page.setDefaultTimeout(120000);
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && this.troubles.push(message.text()));
    page.on("pageerror", (error) => this.troubles.push(error.message));
    if (onRequest !== undefined) page.on("request", (request) => onRequest(request.url()));
    this.page = page;
    await page.goto(address + query, { waitUntil: until });
    return page;
  }

  async leave() {
    await this.page?.close();
    this.page = undefined;
    this.checkConsole();
  }

  /**
   * The page that is open, with all that was done taken back; a new one where there is none. A page costs seconds where no
   * graphics card compiles its shaders.
   */
  async stay(query) {
    const { page } = this;
    if (page === undefined) return this.visit(query);
    while (await page.locator("#undo").isEnabled()) await page.click("#undo");
    if (Number(await page.evaluate(() => document.body.dataset.results ?? 0)) > 0) await this.settled();
    return page;
  }

  /** Nothing is being read or computed, and there is a result. */
  settled() {
    return this.page.waitForFunction(() => Number(document.body.dataset.results ?? 0) > 0 && !/…$/.test(document.getElementById("status").textContent));
  }

  checkConsole() {
    assert.deepEqual(this.troubles ?? [], [], "the console stays empty");
  }

  results() {
    return this.page.evaluate(() => Number(document.body.dataset.results ?? 0));
  }

  /** Waits for the first result of the page, or the next that an action brings. */
  async result(action) {
    const now = action === undefined ? 0 : await this.results();
    await action?.();
    await this.page.waitForFunction((n) => Number(document.body.dataset.results ?? 0) > n, now);
  }

  /** Drops files, [name, bytes], onto the stage. */
  async drop(...files) {
    const data = await this.page.evaluateHandle((list) => {
      const transfer = new DataTransfer();
      for (const [name, text] of list) transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
      return transfer;
    }, files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]));
    await this.page.dispatchEvent("#stage", "drop", { dataTransfer: data });
  }

  async message() {
    await this.page.locator("#message").waitFor();
    const text = await this.page.locator("#message-text").textContent();
    await this.page.click("#message-close");
    return text;
  }

  async saved(button) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.page.click(button)]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  /** What the command makes of the same files, by the line that the page shows, and more arguments behind it. */
  async byCommandLine(files, ...more) {
    const folder = mkdtempSync(join(this.work, "run-"));
    for (const [name, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    const line = await this.page.locator("#command").textContent();
    // Words in quotes are one.
    const words = line.match(/'[^']*'|[^ ]+/g).map((word) => word.replace(/^'|'$/g, ""));
    assert.equal(words.shift(), "surefoot");
    execFileSync(join(BIN, "surefoot"), [...words, ...more], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    return (name = words[words.indexOf("-o") + 1]) => readFileSync(join(folder, name));
  }

  /** Names and contrast as axe-core sees them. */
  async checkNames(name) {
    const { page } = this;
    if (!(await page.evaluate(() => "axe" in globalThis)))
      await page.addScriptTag({ content: readFileSync(join(NPM, "node_modules", "axe-core", "axe.min.js"), "utf8") });
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], name);
  }

  /** That the page is no wider than its window, and a picture of it. */
  async shoot(name) {
    const { page } = this;
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name}: the page is ${wide} pixels too wide`);
    await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: page.viewportSize().width < 500 });
  }

  async check(name) {
    await this.checkNames(name);
    await this.shoot(name);
  }
}
