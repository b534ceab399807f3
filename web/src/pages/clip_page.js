// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * A page that makes something of the clip that is open by one run of the command: options that are live, figures, the
 * command line, what can be saved. Its values are in the shell's state, so that undo goes through all such pages.
 */

import { LABELS } from "../clip.js";
import { button, commandLine, control, download, make } from "../controls.js";
import { argumentsOf, fromParameters, initialValues, shellWords, toParameters } from "../options.js";

export class ClipPage {
  static usesClip = true;

  /**
   * @param {import("../app.js").Shell} shell
   * @param {object} page
   * @param {string} page.command of surefoot
   * @param {import("../options.js").Option[]} page.options
   * @param {string} page.result what is saved, in the page's words
   * @param {string} page.suffix of the name it is saved by
   */
  constructor(shell, { command, options, result, suffix }) {
    this.shell = shell;
    this.command = command;
    this.options = options;
    this.suffix = suffix;
    this.line = commandLine(shell);
    this.controls = options.map((option) =>
      control(option, (value, drag) => this.set({ [option.key]: value }, drag), () => shell.state.settle()),
    );
    const form = make("form", { id: "options" }, ...this.controls.map(({ root }) => root));
    form.setAttribute("aria-label", `Options of ${command}`);
    form.addEventListener("submit", (event) => event.preventDefault());
    this.figures = make("div", { id: "figures", className: "figures" });
    this.figures.setAttribute("aria-live", "polite");
    this.saves = [
      button(shell, "save", result, () => this.save(), "primary"),
      button(shell, "save-labels", "Labels (CSV)", () => this.saveLabels()),
      button(shell, "save-report", "Report page", () => this.saveReport()),
    ];
    this.picture = button(shell, "save-picture", "Picture (PNG)", async () => download(`${this.clip.stem}.png`, await shell.stage.picture()));
    this.buttons = make("div", { className: "buttons" }, ...this.saves, this.picture);
    this.root = make("div", {}, form, this.figures, this.line.root, make("h3", { textContent: "Save" }), this.buttons);
  }

  // ---- what a page may do otherwise ----

  /** Arguments of the page's own, between the clip and the options. @returns {string[]} */
  ownArguments() {
    return [];
  }

  /** Files that its arguments name, beside the clip's and the labels. @returns {Record<string, Uint8Array>} */
  ownFiles() {
    return {};
  }

  /** Why nothing can be made of the clip that is open, or null. @returns {string | null} */
  obstacle() {
    return this.shell.view.feet.length === 0 ? "No legs were found in this clip, so that there is nothing to do." : null;
  }

  /** Arguments of the run that is shown, beside those of what is saved. @returns {string[]} */
  previewArguments() {
    return [];
  }

  /**
   * How what was made is shown (ClipView.load).
   * @param {object} report what the command says with --json
   * @param {Record<string, Uint8Array>} made what the run wrote
   */
  // eslint-disable-next-line no-unused-vars
  look(report, made) {
    // Told along the file's axes, which are those of the view where Y is up.
    return { velocity: (this.clip.info.up === "Y" && report.ground_velocity_m_s) || [0, 0, 0] };
  }

  /** @returns {Node[]} */
  // eslint-disable-next-line no-unused-vars
  describe(report) {
    return [];
  }

  get outputName() {
    return `${this.clip.stem}_${this.suffix}${this.clip.outputExtension}`;
  }

  /** Another clip was opened: what belonged to the one before goes. */
  clipOpened() {}

  /** Files that were dropped. @returns {Promise<boolean> | boolean} whether this page took them; else they are opened */
  // eslint-disable-next-line no-unused-vars
  take(files) {
    return false;
  }

  // ---- what all do ----

  get clip() {
    return this.shell.view.clip;
  }

  get id() {
    return this.constructor.id;
  }

  /** The page's values, those that were never touched at the command's defaults. */
  get values() {
    return { ...initialValues(this.options), ...this.shell.state.value.values[this.id] };
  }

  /** @param {Record<string, unknown>} changed @param {string | null} [drag] one of many changes of one movement */
  set(changed, drag = null) {
    return this.shell.change({ values: { [this.id]: { ...this.values, ...changed } } }, drag);
  }

  /** @param {URLSearchParams} parameters */
  fromParameters(parameters) {
    return fromParameters(this.options, parameters);
  }

  parameters() {
    return toParameters(this.options, this.values);
  }

  arguments(output) {
    const labels = this.shell.state.value.labels === null ? [] : ["--contacts", LABELS];
    const own = [...this.ownArguments(), ...argumentsOf(this.options, this.values)];
    return [this.command, this.clip.name, ...this.clip.choice, ...own, ...labels, "-o", output];
  }

  files() {
    const { labels } = this.shell.state.value;
    return { ...this.ownFiles(), ...(labels === null ? {} : { [LABELS]: new TextEncoder().encode(labels.print()) }) };
  }

  enter() {
    return this.refresh();
  }

  leave() {}

  /** Shows the state at hand: controls at once, what the command makes of it when it is done. */
  async refresh() {
    const { values } = this;
    for (const { show } of this.controls) show(values);
    const { shell, clip } = this;
    const able = clip !== null && this.obstacle() === null;
    for (const save of this.saves) save.disabled = !able;
    this.picture.disabled = clip === null;
    const unopened = [this.command, "CLIP", ...this.ownArguments(), ...argumentsOf(this.options, values), "-o", "OUT"];
    this.line.show(shellWords(["surefoot", ...(clip === null ? unopened : this.arguments(this.outputName))]), able);
    if (able) return shell.trying(() => shell.busily("Computing…", () => this.#preview()));
    shell.view.setAfter(null);
    this.figures.replaceChildren();
    if (clip !== null) shell.say(this.obstacle());
    return undefined;
  }

  async #preview() {
    const { shell, clip } = this;
    const { made, output, errors } = await clip.ask([...this.arguments("preview.glb"), ...this.previewArguments(), "--json"], this.files(), { topic: "preview" });
    if (shell.page !== this || this.clip !== clip) return;
    const report = JSON.parse(new TextDecoder().decode(output));
    await shell.view.load(made["preview.glb"], this.look(report, made));
    if (shell.page !== this || this.clip !== clip) return;
    this.report = report;
    this.figures.replaceChildren(...this.describe(report));
    shell.say(errors.trim());
    document.body.dataset.results = String(Number(document.body.dataset.results ?? 0) + 1);
  }

  async save() {
    const { made } = await this.clip.ask(this.arguments(this.outputName), this.files());
    for (const [name, bytes] of Object.entries(made)) download(name.split("/").at(-1), bytes);
  }

  saveLabels() {
    download(LABELS, new TextEncoder().encode(this.shell.labels().print()), "text/csv");
  }

  async saveReport() {
    const { made } = await this.clip.ask([...this.arguments("made.glb"), "--report", "report.html"], this.files());
    download(`${this.clip.stem}_report.html`, made["report.html"], "text/html");
  }
}
