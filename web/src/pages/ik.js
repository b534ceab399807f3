// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** IK playground: one target, four solvers. */

import { button, control, make, table } from "../controls.js";
import { History } from "../history.js";
import { IkScene } from "../ik_scene.js";
import { Lab } from "../lab.js";
import { Latest } from "../latest.js";
import { ASK, SOLVERS } from "../lab_module.js";
import { fromParameters, toParameters } from "../options.js";

const ENDS = ["hand", "foot", "tip"];
/** Where the target is at first [m]. */
const BEGIN = { hand: [0.45, 1.25, 0.35], foot: [0.25, 0.4, 0.35], tip: [0.6, 1, 0.3] };
const REACH = 2.5;

const END = {
  key: "end",
  label: "What is dragged",
  kind: "choice",
  initial: "hand",
  choices: [
    ["hand", "the person's left hand"],
    ["foot", "the person's left foot"],
    ["tip", "the tip of an arm of ten bones"],
  ],
};
const SWITCHES = [
  { key: "pole", label: "Pole for two bones", kind: "switch", initial: true, help: "The side that elbow or knee lean to." },
  { key: "limits", label: "Joint limits", kind: "switch", initial: false, help: "Hinges and cones; two bones know none." },
  { key: "arc", label: "Bend chains as a whole first", kind: "switch", initial: true, help: "Off: CCD and FABRIK as they are in books." },
  { key: "goOn", label: "From the last pose", kind: "switch", initial: true, help: "Off: each answer begins at the rest pose." },
  { key: "iterations", label: "Iterations, at most", kind: "number", initial: 20, least: 1, most: 60, step: 1 },
];
const PLACES = ["x", "y", "z"].map((key, i) => ({
  key,
  label: `Target ${key}`,
  kind: "number",
  initial: BEGIN.hand[i],
  least: key === "y" ? -0.5 : -REACH,
  most: REACH,
  step: 0.01,
  unit: "m",
}));
const OPTIONS = [END, ...SWITCHES, ...PLACES];

const targetOf = ({ x, y, z }) => [x, y, z];
const placed = (target) =>
  Object.fromEntries(PLACES.map(({ key, least, most }, i) => [key, Math.round(Math.min(Math.max(target[i], least), most) * 1e3) / 1e3 + 0]));

/** The middle of the last values: the first answers are slow, and a busy machine's are now and then. */
class Middle {
  #values = [];

  add(value) {
    this.#values.push(value);
    if (this.#values.length > 15) this.#values.shift();
    return [...this.#values].sort((a, b) => a - b)[this.#values.length >> 1];
  }
}

const counted = (iterations) => (iterations === 1 ? "1 iteration" : `${iterations} iterations`);

export class IkPage {
  static id = "ik";
  static title = "IK";
  static usesClip = false;

  #lab = new Lab();
  #history;
  #shown = false;
  #solve = new Latest(() => this.#solveOnce(), () => this.#shown);
  #made = null; // the end whose figure stands
  #drag = null;
  #middles = [];

  /** @param {import("../app.js").Shell} shell @param {URLSearchParams} parameters */
  constructor(shell, parameters) {
    this.shell = shell;
    const values = fromParameters(OPTIONS, parameters);
    // Where another end is dragged, its own place is where no other is said.
    PLACES.forEach(({ key }, i) => {
      if (parameters.get(key) === null) values[key] = BEGIN[values.end][i];
    });
    this.#history = new History(values);
    const page = this;
    this.history = {
      get canUndo() {
        return page.#history.canUndo;
      },
      get canRedo() {
        return page.#history.canRedo;
      },
      undo: () => this.#step(() => this.#history.undo()),
      redo: () => this.#step(() => this.#history.redo()),
    };
    this.scene = new IkScene(shell.stage);
    this.#build();
    this.#wire();
  }

  get values() {
    return this.#history.value;
  }

  parameters() {
    const parameters = toParameters(OPTIONS, this.values);
    // All of a place or none of it.
    if (targetOf(this.values).some((value, i) => value !== BEGIN[this.values.end][i])) for (const { key } of PLACES) parameters.set(key, String(this.values[key]));
    else for (const { key } of PLACES) parameters.delete(key);
    return parameters;
  }

  #build() {
    this.controls = OPTIONS.map((option) => control(option, (value, drag) => this.#set({ [option.key]: value }, drag), () => this.#history.settle()));
    const form = make("form", {}, ...this.controls.map(({ root }) => root));
    form.setAttribute("aria-label", "Target and solvers");
    form.addEventListener("submit", (event) => event.preventDefault());
    this.figures = make("div", { className: "figures" });
    this.names = SOLVERS.map((name) => make("div", { className: "pane-name" }, make("strong", { textContent: name }), make("span")));
    this.overlay = make("div", { className: "pane-names" }, ...this.names);
    this.code = make("code", { id: "command", tabIndex: 0 });
    this.root = make(
      "div",
      {},
      make("p", { className: "hint", textContent: "Drag the blue ball, or move it by the arrow keys and Page Up, Page Down, in any of the four. Drag elsewhere to turn the view." }),
      make(
        "div",
        { className: "buttons" },
        button(this.shell, "ik-rest", "Rest pose", () => this.#rest()),
        button(this.shell, "ik-view", "Turn the view back", () => this.scene.frame()),
        button(this.shell, "save-picture", "Picture (PNG)", async () => this.shell.download("ik.png", await this.shell.stage.picture())),
      ),
      this.figures,
      form,
      make("h3", { textContent: "The same in C" }),
      make("div", { className: "command" }, this.code),
    );
    this.#showValues();
  }

  #wire() {
    const { canvas } = this.shell.stage;
    // Before the camera's own controls hear of it.
    canvas.parentElement.addEventListener("pointerdown", (event) => this.#shown && event.target === canvas && event.button === 0 && this.#take(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.#shown || this.#drag === null || event.pointerId !== this.#drag.id) return;
      this.#set(placed(this.scene.pointedAt(event, this.#drag.pane)), "drag");
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, () => {
        if (this.#drag === null) return;
        this.#drag = null;
        this.#history.settle();
      });
    canvas.addEventListener("keydown", (event) => this.#shown && this.#onKey(event));
    this.resized = new ResizeObserver(() => this.#placeNames());
  }

  #take(event) {
    const pane = this.scene.paneAt(event);
    if (pane === null) return;
    event.stopPropagation();
    event.preventDefault();
    const { canvas } = this.shell.stage;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    this.#drag = { pane, id: event.pointerId };
  }

  #onKey(event) {
    const step = event.shiftKey ? 0.1 : 0.02;
    const ways = { ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1] };
    const way = ways[event.key];
    if (way === undefined) return;
    event.preventDefault();
    this.#set(placed(this.scene.moved(...way.map((part) => part * step))), "keys");
  }

  // ---- shown and hidden ----

  async enter() {
    const { stage } = this.shell;
    this.#shown = true;
    this.label = stage.canvas.getAttribute("aria-label");
    this.viewpoint = stage.viewpoint;
    stage.canvas.setAttribute("aria-label", "One target and four solvers in 3D. Drag the target, or move it by the arrow keys.");
    document.getElementById("page-view").append(this.overlay);
    this.scene.enter();
    this.#placeNames();
    this.resized.observe(stage.canvas);
    await this.#solve.run();
  }

  leave() {
    const { stage } = this.shell;
    this.#shown = false;
    this.#made = this.#drag = null;
    this.#lab.stop();
    this.resized.disconnect();
    this.scene.leave();
    this.overlay.remove();
    stage.canvas.setAttribute("aria-label", this.label);
    stage.viewpoint = this.viewpoint;
  }

  #placeNames() {
    this.names.forEach((name, i) => {
      const { left, top, width, height } = this.scene.pane(i);
      Object.assign(name.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    });
  }

  // ---- what is chosen ----

  #set(changed, drag) {
    if (changed.end !== undefined) Object.assign(changed, placed(BEGIN[changed.end]));
    this.#history.set({ ...this.values, ...changed }, drag);
    this.#changed();
  }

  #step(move) {
    move();
    this.#changed();
  }

  #changed() {
    this.#showValues();
    this.shell.refresh();
    this.shell.trying(() => this.#solve.run());
  }

  async #rest() {
    await this.#lab.call("rest");
    this.#set(placed(BEGIN[this.values.end]), null);
  }

  get #asked() {
    const { pole, limits, arc, goOn } = this.values;
    return (pole ? ASK.POLE : 0) | (limits ? ASK.LIMITS : 0) | (arc ? ASK.ARC : 0) | (goOn ? ASK.GO_ON : 0);
  }

  // ---- solving ----

  async #solveOnce() {
    const { values } = this;
    if (this.#made !== values.end) {
      const figure = await this.#lab.call("makeFigure", ENDS.indexOf(values.end));
      if (figure === null || !this.#shown) return;
      this.scene.setFigure(figure);
      this.#made = values.end;
      this.#middles = SOLVERS.map(() => new Middle());
    }
    const target = targetOf(values);
    const answers = await this.#lab.call("solve", target, this.#asked, values.iterations);
    if (answers === null || !this.#shown) return;
    this.scene.show(answers, target, values.pole);
    this.#showFigures(answers.map((answer, i) => ({ ...answer, microseconds: this.#middles[i].add(answer.microseconds) })));
  }

  #showFigures(answers) {
    const rows = answers.map(({ residual, iterations, microseconds }, i) => [SOLVERS[i], (1000 * residual).toFixed(2), i === 0 ? "–" : String(iterations), microseconds.toFixed(0)]);
    this.figures.replaceChildren(table("What is left", ["", "error, mm", "iterations", "µs"], rows));
    answers.forEach(({ residual, reached, iterations }, i) => {
      this.names[i].lastChild.textContent = reached ? `there${i === 0 ? "" : `, ${counted(iterations)}`}` : `${(1000 * residual).toFixed(0)} mm away`;
      this.names[i].dataset.reached = String(reached);
    });
    this.root.dataset.residuals = answers.map(({ residual }) => residual).join(" ");
    this.root.dataset.target = targetOf(this.values).join(" ");
    this.root.dataset.seen = JSON.stringify(SOLVERS.map((_, i) => this.scene.seen(i)));
  }

  #showValues() {
    for (const { show } of this.controls) show(this.values);
    const { pole, limits, arc, iterations } = this.values;
    const chain = `chain.iterations = ${iterations};${arc ? "" : " chain.arc = false;"}${limits ? " chain.limits = limits;" : ""}`;
    this.code.textContent = [
      `const sft_v3d target = {${targetOf(this.values).join(", ")}};`,
      `sft_ik_two_bone_place(&bones, root, target, ${pole ? "&pole" : "NULL"}, &memory, &out);`,
      chain,
      "sft_ik_ccd(&chain, &joints, target, &pose, scratch, &report);",
      "sft_ik_fabrik(&chain, &joints, target, &pose, scratch, &report);",
      `body.iterations = ${iterations};${limits ? " body.limits = limits;" : ""}`,
      "sft_ik_body(&body, skeleton, &goals, &pose, scratch, &done);",
    ].join("\n");
  }
}
