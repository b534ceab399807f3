// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The shell about the pages: what is open, which page is shown, what was chosen, and who is told when it changes. */

import { Clip } from "./clip.js";
import { ClipView } from "./clip_view.js";
import { download } from "./controls.js";
import { Engine, Superseded } from "./engine.js";
import { fetchFiles } from "./fetching.js";
import { History } from "./history.js";
import { AdaptPage } from "./pages/adapt.js";
import { CleanPage } from "./pages/clean.js";
import { CreaturePage } from "./pages/creature.js";
import { IkPage } from "./pages/ik.js";
import { RetargetPage } from "./pages/retarget.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";
import { Transport } from "./transport.js";

/**
 * What pages see of the shell.
 *
 * @typedef {object} Page
 * @property {HTMLElement} root what stands in the panel while it is shown
 * @property {() => unknown} enter it is shown now
 * @property {() => void} leave it is no longer: whatever it put into the stage goes
 * @property {() => unknown} [refresh] the shell's state changed under it
 * @property {() => URLSearchParams} [parameters] what is chosen, as far as it is not the default
 * @property {(files: Record<string, Uint8Array>) => Promise<boolean> | boolean} [take] files that were dropped on it
 * @property {() => void} [clipOpened]
 * @property {{ undo(): void, redo(): void, canUndo: boolean, canRedo: boolean }} [history] of a page with state of its own
 */
const PAGES = [CleanPage, AdaptPage, RetargetPage, CreaturePage, IkPage];
const SAMPLES = [
  ["samples/slid.bvh", "A walk that slides (BVH)"],
  ["samples/child.glb", "A child that slides (GLB, with a skin)"],
  ["samples/lizard.glb", "A lizard that walks by itself (GLB)"],
];

const $ = (id) => document.getElementById(id);

export class Shell {
  #pages = new Map();
  #address = undefined; // where the clip came from
  #listed = []; // addresses that the page was opened with, where they are several

  constructor() {
    this.engine = new Engine(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
    this.stage = new Stage($("canvas"));
    this.timeline = new Timeline($("timeline"));
    this.transport = new Transport();
    this.view = new ClipView(this.stage, this.timeline, this.transport);
    this.download = download;
    /** @type {Page | null} */
    this.page = null;
    /** labels: the page's own once a bar was touched, else null. values: by page. page: whose change it was. */
    this.state = new History({ page: null, labels: null, values: {} });
  }

  // ---- messages ----

  tell(error) {
    if (error instanceof Superseded) return;
    $("message-text").textContent = error.message;
    $("message").hidden = false;
  }

  /** Runs what may fail, and shows the command's own words where it does. */
  async trying(action) {
    try {
      return await action();
    } catch (error) {
      this.tell(error);
      return undefined;
    }
  }

  say(words) {
    $("status").textContent = words;
  }

  /** Says what is done meanwhile, and offers to stop it where it takes long. */
  async busily(words, action) {
    this.say(words);
    const slow = setTimeout(() => ($("stop").hidden = false), 1500);
    try {
      return await action();
    } finally {
      clearTimeout(slow);
      $("stop").hidden = true;
      if ($("status").textContent === words) this.say("");
    }
  }

  // ---- opening ----

  /** @param {string} [address] where the files came from, for the page's own address */
  async openFiles(files, index = 0, address = undefined) {
    const done = await this.trying(() =>
      this.busily("Reading…", async () => {
        await this.view.open(await Clip.open(this.engine, files, index));
        return true;
      }),
    );
    if (!done) return;
    this.#address = address;
    const { clip, feet } = this.view;
    const { info } = clip;
    // Steps back would bring labels of the clip before.
    this.state = new History({ ...this.state.value, labels: null });
    for (const page of this.#pages.values()) page.clipOpened?.();
    document.title = `${clip.name} – Surefoot studio`;
    $("file-name").textContent = `${clip.name}: ${clip.frames} frames at ${(1 / clip.frameTime).toFixed(2)} a second, ${info.joints} joints, ${info.legs.length} legs`;
    $("clip").replaceChildren(...info.clips.map(({ index: i, name }) => new Option(name || `clip ${i}`, i, false, i === clip.index)));
    this.#showLosses(info.warnings);
    $("plant-foot").replaceChildren(...feet.map((foot) => new Option(foot.words, foot.column)));
    for (const id of ["add-plant", "plant-foot"]) $(id).disabled = feet.length === 0;
    if (!this.page.constructor.usesClip) await this.show(CleanPage.id);
    else await this.refresh();
  }

  /** What the reader of the file says about it: what it left out of an FBX, what it mended in a BVH. */
  #showLosses(warnings) {
    const losses = $("losses");
    losses.hidden = warnings.length === 0;
    losses.querySelector("summary").textContent = warnings.length === 1 ? "One note on the file" : `${warnings.length} notes on the file`;
    const words = ({ line, message }) => (line > 0 ? `line ${line}: ${message}` : message);
    losses.querySelector("ul").replaceChildren(...warnings.map((one) => Object.assign(document.createElement("li"), { textContent: words(one) })));
  }

  async openAddress(address) {
    await this.trying(async () => this.openFiles(await fetchFiles(address), 0, address));
  }

  /** Files that the visitor gave: for the page, where it wants them, else a clip to open. */
  async give(files) {
    const taken = await this.trying(async () => (await this.page.take?.(files)) ?? false);
    if (taken === false) await this.openFiles(files);
  }

  // ---- pages ----

  /** @param {string} id */
  async show(id) {
    const page = this.#pages.get(id) ?? this.#pages.get(CleanPage.id);
    if (page === this.page) return;
    this.page?.leave();
    this.page = page;
    const { title, usesClip } = page.constructor;
    for (const tab of $("pages").children) {
      if (tab.dataset.page === page.constructor.id) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    $("page-title").textContent = title;
    $("panel").setAttribute("aria-label", title);
    $("page").replaceChildren(page.root);
    document.body.dataset.page = page.constructor.id;
    this.say("");
    this.view.setAfter(null);
    this.view.setShown(usesClip);
    for (const part of ["time", "clip-tools"]) $(part).hidden = !usesClip;
    await this.trying(() => page.enter());
    this.#showState();
  }

  /** The labels at hand: the page's own, or the command's. */
  labels() {
    return this.state.value.labels ?? this.view.own;
  }

  /** @param {{ labels?: object, values?: object }} changed @param {string | null} [drag] one of many of one movement */
  change({ labels, values }, drag = null) {
    const { value } = this.state;
    this.state.set(
      {
        page: this.page.constructor.id,
        labels: labels ?? value.labels,
        values: { ...value.values, ...values },
      },
      drag,
    );
    return this.refresh();
  }

  async refresh() {
    this.#showState();
    await this.page.refresh?.();
  }

  async undo(forward) {
    const own = this.page.history;
    if (own !== undefined) {
      if (forward) own.redo();
      else own.undo();
      this.#showState();
      return;
    }
    // The page of the change that goes or comes.
    const before = this.state.value.page;
    if (forward) this.state.redo();
    else this.state.undo();
    const id = forward ? this.state.value.page : before;
    if (id !== null && id !== this.page.constructor.id) await this.show(id);
    else await this.refresh();
  }

  #showState() {
    const steps = this.page.history ?? this.state;
    $("undo").disabled = !steps.canUndo;
    $("redo").disabled = !steps.canRedo;
    $("drop-hint").hidden = this.view.clip !== null || !this.page.constructor.usesClip;
    $("clip-field").hidden = !this.page.constructor.usesClip || (this.view.clip?.info.clips.length ?? 0) < 2;
    if (this.view.own !== null) this.view.setLabels(this.labels());
    this.address();
  }

  /** Writes what is open and chosen into the address. */
  address() {
    const parameters = new URLSearchParams(this.page.parameters?.());
    if (this.page.constructor.id !== CleanPage.id) parameters.set("page", this.page.constructor.id);
    // The one that is open comes first.
    const clips = this.#address === undefined ? [] : [this.#address, ...this.#listed.filter((one) => one !== this.#address)];
    for (const address of clips) parameters.append("clip", address);
    history.replaceState(null, "", parameters.size > 0 ? `?${parameters}` : location.pathname);
  }

  // ---- wiring ----

  setTheme(name) {
    document.documentElement.dataset.theme = name;
    $("theme").setAttribute("aria-pressed", String(name === "dark"));
    this.stage.setTheme(name);
    this.timeline.draw();
  }

  #onKey(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      this.undo(event.shiftKey);
    } else if (typing || event.ctrlKey || event.metaKey || event.altKey || !this.page.constructor.usesClip) return;
    else if (event.key === " " && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      this.transport.toggle();
    } else if (event.key === ",") this.transport.step(-1);
    else if (event.key === ".") this.transport.step(1);
  }

  #wireFiles() {
    const read = async (list) => {
      const files = {};
      for (const file of list) files[file.webkitRelativePath || file.name] = new Uint8Array(await file.arrayBuffer());
      return files;
    };
    $("sample").append(...SAMPLES.map(([path, words]) => new Option(words, path)));
    $("sample").addEventListener("change", () => $("sample").value !== "" && this.openAddress($("sample").value));
    $("open").addEventListener("click", () => $("picker").click());
    $("picker").addEventListener("change", async () => {
      const files = await read($("picker").files);
      $("picker").value = "";
      await this.openFiles(files);
    });
    const target = $("stage");
    for (const name of ["dragenter", "dragover"])
      document.addEventListener(name, (event) => {
        event.preventDefault();
        target.classList.add("dropping");
      });
    document.addEventListener("dragleave", (event) => event.relatedTarget === null && target.classList.remove("dropping"));
    document.addEventListener("drop", async (event) => {
      event.preventDefault();
      target.classList.remove("dropping");
      if (event.dataTransfer.files.length > 0) await this.give(await read(event.dataTransfer.files));
    });
  }

  #wireState() {
    const { timeline, transport, view } = this;
    $("clip").addEventListener("change", () => this.openFiles(view.clip.files, Number($("clip").value), this.#address));
    $("undo").addEventListener("click", () => this.undo(false));
    $("redo").addEventListener("click", () => this.undo(true));
    $("theme").addEventListener("click", () => this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    $("add-plant").addEventListener("click", () => timeline.makePlant($("plant-foot").value, transport.frame));
    $("stop").addEventListener("click", () => this.engine.stop());
    $("message-close").addEventListener("click", () => ($("message").hidden = true));
    timeline.addEventListener("change", ({ detail }) => this.change({ labels: detail.labels }, detail.drag));
    timeline.addEventListener("settle", () => this.state.settle());
    timeline.addEventListener("seek", ({ detail }) => transport.scrub(detail));
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  #wirePages(parameters) {
    const values = {};
    for (const Kind of PAGES) {
      const { id, title, usesClip } = Kind;
      const asked = parameters.get("page") ?? CleanPage.id;
      const own = id === asked ? parameters : new URLSearchParams();
      const page = new Kind(this, own);
      this.#pages.set(id, page);
      if (usesClip) values[id] = page.fromParameters(own);
      const tab = Object.assign(document.createElement("button"), { type: "button", textContent: title });
      tab.dataset.page = id;
      tab.addEventListener("click", () => this.show(id));
      $("pages").append(tab);
    }
    this.state = new History({ page: null, labels: null, values });
  }

  /** Several clips by address: a list to choose from, beside the samples. */
  #listClips(addresses) {
    const group = Object.assign(document.createElement("optgroup"), { label: "Clips" });
    const words = (address) => decodeURIComponent(address.split("/").at(-1));
    group.append(...addresses.map((address) => new Option(words(address), address)));
    $("sample").querySelector("option").after(group);
    $("sample").value = addresses[0];
    $("sample-words").textContent = "Clip";
    this.#listed = addresses;
  }

  async start() {
    const parameters = new URLSearchParams(location.search);
    this.#wirePages(parameters);
    this.#wireFiles();
    this.#wireState();
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    await this.show(parameters.get("page") ?? CleanPage.id);
    const clips = parameters.getAll("clip");
    if (clips.length > 1) this.#listClips(clips);
    if (clips.length > 0) await this.openAddress(clips[0]);
  }
}

new Shell().start();
