// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Creature: legs that walk without key frames, led about with the pointer. */

import { button, commandLine, control, download, make, table } from "../controls.js";
import { CreatureScene } from "../creature_scene.js";
import { motionAmong } from "../clip.js";
import { readable } from "../fbx_open.js";
import { Figure } from "../figure.js";
import { GaitDiagram } from "../gait_diagram.js";
import { goalsFile } from "../goals.js";
import { History } from "../history.js";
import { Lab } from "../lab.js";
import { Latest } from "../latest.js";
import { LEAD, Look, RATE } from "../lab_module.js";
import { argumentsOf, fromParameters, shellWords, toParameters } from "../options.js";
import * as THREE from "../three.js";

const GAITS = {
  lizard: ["diagonal", "wave"],
  hexapod: ["tripod", "ripple", "wave"],
  spider: ["tripod", "ripple", "wave"],
  biped: ["alternate"],
};
const part = (key, label, most, help) => ({ key, label, kind: "number", initial: 1, least: key === "stride" ? 0.2 : 0, most, step: 0.05, unit: "×", help });

const RIG = "rig"; // in the creature's place

/** As `surefoot roam` takes them. */
const MADE = [
  {
    key: "creature",
    flag: "--creature",
    label: "Creature",
    kind: "choice",
    initial: "lizard",
    choices: [
      ["lizard", "lizard, four legs"],
      ["hexapod", "insect, six legs"],
      ["spider", "spider, eight legs"],
      ["biped", "bird, two legs"],
      [RIG, "a rig of your own"],
    ],
  },
  {
    key: "gait",
    flag: "--gait",
    label: "Gait",
    kind: "choice",
    initial: "auto",
    choices: [["auto", "by speed"], ...["alternate", "diagonal", "tripod", "ripple", "wave"].map((name) => [name, name])],
  },
];
const GROUND = {
  key: "ground",
  label: "Ground",
  kind: "choice",
  initial: "flat",
  choices: [
    ["flat", "flat"],
    ["slope", "slope"],
    ["stairs", "stairs"],
    ["rough", "ripples"],
    ["gap", "a gap"],
  ],
};
const SIZES = [
  { key: "scale", flag: "--scale", label: "Size", kind: "number", initial: 1, least: 0.25, most: 4, step: 0.05, unit: "×", counts: ({ creature }) => creature !== RIG },
  { key: "speed", flag: "--speed", label: "Speed", kind: "number", initial: 1, least: 0.1, most: 2, step: 0.05, unit: "×", help: "Of what it would choose; its legs may serve less." },
];
const TUNED = [
  part("stride", "Stride", 2, "How far a foot is left behind before it steps."),
  { ...part("step-time", "Step time", 3), least: 0.3 },
  part("lift", "Lift of feet", 4),
  part("bob", "Sway of the body", 4),
  part("spine", "Bend of the spine", 2),
];
const OPTIONS = [...MADE, GROUND, ...SIZES, ...TUNED];
/** Recordings have so many frames a second. */
const FPS = 30;
const SECOND_FINGER = 150; // [ms] in which it comes

/**
 * A figure of the visitor's own, that walks.
 *
 * @typedef {object} Rig
 * @property {string} name of its file
 * @property {Record<string, Uint8Array>} files it and its parts
 * @property {number} height [m] of the figure
 * @property {number} unit [m] of what is drawn of it
 * @property {string[]} gaits that fit its legs, once they are known
 */

/** Times a lizard of 0.2 m a creature is. */
function sizeOf({ creature, scale, rig }) {
  if (creature === RIG) return Math.min(Math.max(2.3 * rig.height, 0.1), 100);
  return scale * (creature === "biped" ? 2 : 1);
}

/** What a creature of this size can walk on, and what it is stopped by. */
function groundWords(values) {
  const { ground } = values;
  const size = sizeOf(values);
  const metres = (value) => Number((value * size).toFixed(4));
  switch (ground) {
    case "slope":
      return ["--ground", `slope:angle=15,start=${metres(0.6)}`];
    case "stairs":
      return ["--ground", `stairs:rise=${metres(0.025)},run=${metres(0.25)},count=12,start=${metres(0.6)}`];
    case "rough":
      return ["--ground", `rough:height=${metres(0.04)},cell=${metres(0.25)}`];
    case "gap":
      return ["--ground", `gap:width=${metres(0.25)},start=${metres(0.8)}`];
    default:
      return [];
  }
}

/** The words of `surefoot roam`, but for what leads it and where it goes. */
export function wordsOf(values) {
  const tuned = TUNED.filter(({ key, initial }) => values[key] !== initial).map(({ key }) => `${key}=${values[key]}`);
  const made = argumentsOf(MADE, values);
  return [
    ...(values.creature === RIG ? ["--rig", values.rig.name, ...made.slice(2)] : made),
    ...groundWords(values),
    ...argumentsOf(SIZES, values),
    ...(tuned.length > 0 ? ["--tune", tuned.join(",")] : []),
  ];
}

/** Short, and read back as it is. */
const rounded = (value) => Math.round(value * 1e4) / 1e4 + 0;

export class CreaturePage {
  static id = "creature";
  static title = "Creature";
  static usesClip = false;

  #lab = new Lab();
  #history;
  #shown = false;
  #make = new Latest(() => this.#makeOnce(), () => this.#shown);
  #busy = false;
  #owed = 0; // steps of the time that went by
  #then = 0;
  #handle = 0;
  #pending = []; // asked for, not sent yet
  #made = null;
  #dressed = ""; // what the figure was made by
  #laid = null; // ground words that are shown
  #look = null;
  #figure = null;
  #joints = [];
  #goal = null;
  #pointer = null; // the event of a pointer that is down
  #down = 0; // since when
  #recorded = null; // what was asked for since recording began
  #playback = null;
  #told = 0;

  /** @param {import("../app.js").Shell} shell @param {URLSearchParams} parameters */
  constructor(shell, parameters) {
    this.shell = shell;
    this.recording = null;
    this.#history = new History(this.#fitting({ rig: null, ...fromParameters(OPTIONS, parameters) }));
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
    this.scene = new CreatureScene(shell.stage);
    this.diagram = new GaitDiagram();
    this.#build();
    this.#wire();
  }

  get values() {
    return this.#history.value;
  }

  parameters() {
    const parameters = toParameters(OPTIONS, this.values);
    // A rig is in no address.
    if (this.values.creature === RIG) parameters.delete("creature");
    return parameters;
  }

  // ---- parts ----

  #build() {
    const { shell } = this;
    const controls = (options) => options.map((option) => control(option, (value, drag) => this.#set({ [option.key]: value }, drag), () => this.#history.settle()));
    this.controls = controls([...MADE, GROUND, ...SIZES]);
    this.knobs = controls(TUNED);
    const form = make("form", {}, ...this.controls.map(({ root }) => root));
    form.setAttribute("aria-label", "What walks, and on what");
    const more = make("details", {}, make("summary", { textContent: "How it walks" }), make("div", { className: "knobs" }, ...this.knobs.map(({ root }) => root)));
    form.append(more);
    form.addEventListener("submit", (event) => event.preventDefault());
    const check = (id, words) => {
      const input = make("input", { id, type: "checkbox", checked: true });
      input.addEventListener("change", () => this.#show(this.#look));
      return { input, root: make("label", { className: "check" }, input, words) };
    };
    this.trails = check("creature-trails", "Foot trails");
    this.marks = check("creature-marks", "Feet and footholds");
    this.follow = check("creature-follow", "Follow");
    this.skin = check("creature-skin", "Skin");
    const tools = make("div", { className: "stage-tools" }, this.follow.root, this.skin.root, this.marks.root, this.trails.root);
    tools.setAttribute("role", "toolbar");
    tools.setAttribute("aria-label", "View");
    this.tools = tools;
    const picker = make("input", { type: "file", id: "rig-picker", multiple: true, accept: ".bvh,.glb,.gltf,.bin,.fbx,.png,.jpg,.jpeg", hidden: true });
    picker.addEventListener("change", async () => {
      const files = {};
      for (const file of picker.files) files[file.name] = new Uint8Array(await file.arrayBuffer());
      picker.value = "";
      await shell.trying(() => this.take(files));
    });
    this.own = make("div", { className: "buttons" }, button(shell, "choose-rig", "A rig of your own…", () => picker.click()), picker);
    this.record = button(shell, "record", "Record", () => this.#toggleRecording(), "primary");
    this.record.setAttribute("aria-pressed", "false");
    this.play = button(shell, "play-recording", "Play recording", () => this.#togglePlayback());
    this.saves = [
      this.play,
      button(shell, "save", "Clip (GLB)", () => download(this.recording.name, this.recording.glb)),
      button(shell, "save-goals", "Goals (CSV)", () => download("goals.csv", new TextEncoder().encode(this.recording.goals), "text/csv")),
      button(shell, "open-recording", "Open in Clean", () => shell.openFiles({ ...this.recording.rig?.files, [this.recording.name]: this.recording.glb }, this.recording.clip)),
    ];
    this.scrub = make("input", { type: "range", id: "recording-frame", min: 0, max: 0, value: 0 });
    this.scrubField = make("label", { className: "field grow" }, make("span", { textContent: "Frame" }), this.scrub);
    this.scrub.addEventListener("input", () => shell.trying(() => this.#seek(Number(this.scrub.value))));
    this.line = commandLine(shell);
    this.figures = make("div", { className: "figures" });
    const lead = [
      this.record,
      button(shell, "stand", "Stand", () => this.#ask(LEAD.STAND)),
      button(shell, "push-left", "Push to its left", () => this.#push(1)),
      button(shell, "push-right", "Push to its right", () => this.#push(-1)),
      button(shell, "home", "Start over", () => this.#startOver()),
    ];
    this.root = make(
      "div",
      {},
      make("p", { className: "hint", textContent: "Click or drag on the ground, or use the arrow keys there: it goes where you point, if that is outside its ring. Right button or two fingers turn the view. A figure of your own (GLB, glTF, FBX, BVH) that is dropped here walks too." }),
      make("div", { className: "buttons" }, ...lead),
      this.figures,
      form,
      this.own,
      this.line.root,
      make("h3", { textContent: "Recording" }),
      this.scrubField,
      make("div", { className: "buttons" }, ...this.saves, button(shell, "save-picture", "Picture (PNG)", async () => download("creature.png", await shell.stage.picture()))),
    );
    this.#showRecording();
    this.#showValues();
  }

  #wire() {
    const { canvas } = this.shell.stage;
    const own = (action) => (event) => this.#shown && action(event);
    const lead = (event) => {
      this.#pointer = event;
      event.preventDefault();
    };
    canvas.addEventListener(
      "pointerdown",
      own((event) => {
        // A second finger turns the view.
        if (!event.isPrimary) this.#pointer = null;
        if (event.button !== 0 || !event.isPrimary || this.#playback !== null) return;
        canvas.setPointerCapture(event.pointerId);
        canvas.focus({ preventScroll: true });
        lead(event);
        this.#down = event.pointerType === "touch" ? performance.now() : -Infinity;
        if (this.#leads()) this.#leadTo(this.scene.pointedAt(event));
      }),
    );
    canvas.addEventListener("pointermove", own((event) => this.#pointer !== null && event.pointerId === this.#pointer.pointerId && lead(event)));
    canvas.addEventListener(
      "pointerup",
      own((event) => {
        if (this.#pointer?.pointerId === event.pointerId) this.#leadTo(this.scene.pointedAt(event));
        this.#pointer = null;
      }),
    );
    canvas.addEventListener("pointercancel", own(() => (this.#pointer = null)));
    canvas.addEventListener("keydown", own((event) => this.#onKey(event)));
  }

  // ---- shown and hidden ----

  async enter() {
    const { stage } = this.shell;
    this.#shown = true;
    this.scene.enter();
    document.getElementById("page-view").append(this.diagram.root, this.tools);
    this.label = stage.canvas.getAttribute("aria-label");
    this.viewpoint = stage.viewpoint;
    stage.canvas.setAttribute("aria-label", "A creature in 3D. Click on the ground or use the arrow keys to lead it.");
    this.buttons = { ...stage.controls.mouseButtons };
    this.touches = { ...stage.controls.touches };
    Object.assign(stage.controls.mouseButtons, { LEFT: null, RIGHT: THREE.MOUSE.ROTATE });
    Object.assign(stage.controls.touches, { ONE: null, TWO: THREE.TOUCH.DOLLY_ROTATE });
    this.#dressed = "";
    this.#laid = null;
    await this.#make.run();
    this.#then = performance.now();
    this.#loop();
  }

  leave() {
    const { stage } = this.shell;
    this.#shown = false;
    cancelAnimationFrame(this.#handle);
    this.#stopPlayback();
    this.#stopRecording();
    this.#lab.stop();
    this.scene.leave();
    this.#figure?.dispose();
    this.#figure = this.#made = this.#look = this.#pointer = null;
    this.tools.remove();
    this.diagram.root.remove();
    stage.canvas.setAttribute("aria-label", this.label);
    stage.viewpoint = this.viewpoint;
    Object.assign(stage.controls.mouseButtons, this.buttons);
    Object.assign(stage.controls.touches, this.touches);
  }

  // ---- what is chosen ----

  /** A gait that the creature has not is given up, and a rig that is not there. */
  #fitting(values) {
    if (values.creature === RIG && values.rig === null) return this.#fitting({ ...values, creature: "lizard" });
    return this.#gaitsOf(values).includes(values.gait) ? values : { ...values, gait: "auto" };
  }

  #gaitsOf({ creature, rig }) {
    return creature === RIG ? rig.gaits : GAITS[creature];
  }

  /** Files that were dropped: a figure that walks from now on. */
  async take(given) {
    const { engine } = this.shell;
    const name = motionAmong(Object.keys(given));
    await this.shell.busily("Reading…", async () => {
      const files = await readable(given);
      const { output } = await engine.ask(["info", name, "--json"], files);
      const { figure_height_m: height, unit_metres: unit } = JSON.parse(new TextDecoder().decode(output));
      // A BVH is drawn as it is converted, in metres.
      const rig = { name, files, height, unit: /\.bvh$/i.test(name) ? 1 : unit, gaits: [] };
      // Whether it can walk is told before the one that walks is given up.
      await engine.ask(["roam", "--rig", name, "--creature-out", "creature.json"], files);
      this.#set({ creature: RIG, rig, gait: "auto" }, null);
    });
    return true;
  }

  #set(changed, drag) {
    this.#history.set(this.#fitting({ ...this.values, ...changed }), drag);
    this.#changed();
  }

  #step(move) {
    move();
    this.#changed();
  }

  #changed() {
    this.#showValues();
    this.shell.refresh();
    this.shell.trying(() => this.#make.run());
  }

  #showValues() {
    for (const { show } of [...this.controls, ...this.knobs]) show(this.values);
    for (const option of this.controls[1].root.querySelectorAll("option")) option.disabled = option.value !== "auto" && !this.#gaitsOf(this.values).includes(option.value);
    const own = this.controls[0].root.querySelector(`option[value=${RIG}]`);
    own.disabled = this.values.rig === null;
    own.textContent = this.values.rig?.name ?? "a rig of your own";
    this.#showLine();
  }

  #nameOf({ creature, rig }) {
    return creature === RIG ? `${rig.name.slice(0, rig.name.lastIndexOf("."))}_roam.glb` : `${creature}.glb`;
  }

  #showLine() {
    const { recording } = this;
    const words = recording?.args ?? ["roam", ...wordsOf(this.values), "-o", this.#nameOf(this.values)];
    this.line.show(shellWords(["surefoot", ...words]));
  }

  // ---- making ----

  async #makeOnce() {
    const { values } = this;
    const words = wordsOf(values);
    const ground = groundWords(values).join(" ");
    this.#stopPlayback();
    this.#stopRecording();
    const made = await this.#lab.call("makeCreature", words, values.rig?.files ?? {});
    if (made === null) return;
    const stays = this.#look !== null && this.#laid === ground;
    if (stays) {
      const { place, rotation } = this.#look;
      await this.#lab.call("move", place[0], place[2], headingOf(rotation));
      if (this.#goal !== null) this.#pending.push([LEAD.TO, this.#goal[0], 0, this.#goal[1]]);
    } else this.#setGoal(null);
    if (values.creature === RIG) {
      values.rig.gaits = made.gaits;
      this.#showValues();
    }
    const dress = values.creature === RIG ? values.rig : `${values.creature} ${values.scale}`;
    if (dress !== this.#dressed) await this.#dress(values, dress, made.feet.length);
    if (this.#laid !== ground) {
      // So far that its end is not met soon; rough ground has a face for each of its cells.
      const reach = values.ground === "rough" ? 8 * sizeOf(values) : 60;
      const obj = await this.#lab.call("ground", reach);
      if (obj !== null) this.scene.setGround(obj, 0.2 * values.scale);
      this.#laid = ground;
    }
    if (!this.#shown) return;
    this.#joints = made.names.map((name) => this.#figure.joints.get(name));
    this.#made = made;
    this.scene.setReach(made.reach);
    this.diagram.begin(made.feet.map((joint) => made.names[joint].replaceAll("_", " ")));
    await this.#advance(0);
    if (dress !== this.#framed) this.#frame(dress);
  }

  #framed = "";

  async #dress(values, dress, legs) {
    const { engine } = this.shell;
    const { rig } = values;
    const own = values.creature === RIG;
    const who = own ? ["--rig", rig.name] : ["--creature", values.creature, "--scale", String(values.scale)];
    const { files } = await engine.ask(["roam", ...who, "--path", "stand", "--seconds", "0", "-o", "rest.glb"], own ? rig.files : {});
    const figure = await Figure.load(files["rest.glb"], own ? rig.files : {}, { clip: -1, colour: 0x2a9d96 });
    figure.unit = own ? rig.unit : 1;
    if (!this.#shown) return figure.dispose();
    this.#figure?.dispose();
    this.#figure = figure;
    this.#dressed = dress;
    this.#framed = "";
    const size = figure.unit * figure.box().getSize(new THREE.Vector3()).length();
    this.scene.setFeet(legs, size);
    this.shell.stage.scene.add(figure.group);
  }

  #frame(dress) {
    const { stage } = this.shell;
    stage.frame(this.#figure.box(), 0);
    // From behind and above, and farther off than a clip: there must be ground ahead to point at.
    stage.camera.position.set(0.75, 0.85, -0.9).multiplyScalar(4 * stage.size).add(stage.controls.target);
    stage.controls.update();
    stage.followed.set(...this.#look.place);
    this.#framed = dress;
  }

  // ---- time ----

  #loop() {
    if (!this.#shown) return;
    this.#handle = requestAnimationFrame(() => this.#loop());
    const now = performance.now();
    // After a stall it does not race.
    this.#owed += Math.min((now - this.#then) / 1000, 0.25) * RATE;
    this.#then = now;
    if (this.#playback !== null) {
      this.#owed = 0;
      return;
    }
    if (this.#busy || this.#make.busy || this.#made === null) return;
    if (this.#pointer !== null && this.#leads()) this.#leadTo(this.scene.pointedAt(this.#pointer));
    const steps = Math.floor(this.#owed);
    this.#owed -= steps;
    if (steps > 0) this.shell.trying(() => this.#advance(Math.min(steps, 60)));
  }

  async #advance(steps) {
    const made = this.#made;
    const asked = this.#pending;
    this.#pending = [];
    // What is asked for now counts from the step that is shown.
    if (this.#recorded !== null) this.#recorded.push(...asked.map((what) => ({ step: this.#look.step, what })));
    this.#busy = true;
    let block;
    try {
      block = await this.#lab.call("advance", asked, steps);
    } finally {
      this.#busy = false;
    }
    if (block === null || made !== this.#made || !this.#shown) return;
    const before = this.#look;
    this.#look = new Look(block, made.feet.length, made.names.length);
    // One that stands still is not drawn again and again.
    if (before === null || asked.length > 0 || this.#look.moved(before)) this.#show(this.#look);
    else this.diagram.add(this.#look);
    Object.assign(this.root.dataset, { step: this.#look.step, moving: this.#look.moving });
  }

  #show(look) {
    if (look === null || this.#figure === null) return;
    const { stage } = this.shell;
    this.#figure.showSkin(this.skin.input.checked);
    this.#figure.place(this.#joints, look.joints);
    this.scene.show(look, { trails: this.trails.input.checked, marks: this.marks.input.checked });
    if (this.follow.input.checked && this.#playback === null) stage.follow(new THREE.Vector3(...look.place));
    this.diagram.add(look);
    this.#showFigures(look);
    stage.invalidate();
    Object.assign(this.root.dataset, { x: look.place[0], z: look.place[2] });
  }

  #showFigures(look) {
    const now = performance.now();
    if (now - this.#told < 200) return;
    this.#told = now;
    const speed = Math.hypot(look.velocity[0], look.velocity[2]);
    const air = look.legs.filter(({ swinging }) => swinging).length;
    const refused = Math.hypot(look.pushRefused[0], look.pushRefused[2]);
    const rows = [
      ["Speed", `${speed.toFixed(3)} m/s`],
      ["Of what its legs can serve", `${((100 * speed) / look.safeSpeed).toFixed(0)} %`],
      ["Gait", look.gait],
      ["Feet in the air", `${air} of ${look.legs.length}`],
      ["Slide of standing feet", `${look.slideMost.toFixed(4)} cm/s`],
      ["Held back", look.blocked ? "by ground or reach" : refused > 1e-9 ? "from a push" : "no"],
    ];
    if (this.#recorded !== null) rows.unshift(["Recording", `${(look.step / RATE).toFixed(1)} s`]);
    this.figures.replaceChildren(table("Now", [], rows));
  }

  // ---- leading ----

  /** A finger leads once no second one came to turn the view. */
  #leads() {
    return performance.now() - this.#down > SECOND_FINGER;
  }

  #ask(kind, x = 0, y = 0, z = 0) {
    this.#pending.push([kind, rounded(x), rounded(y), rounded(z)]);
    if (kind === LEAD.STAND) this.#setGoal(null);
  }

  #setGoal(goal) {
    this.#goal = goal;
    this.scene.setGoal(goal);
    if (goal === null) delete this.root.dataset.goal;
    else this.root.dataset.goal = goal.join(" ");
  }

  #leadTo(point) {
    if (point === null || !point.every((value) => Math.abs(value) < 1000)) return;
    const goal = point.map(rounded);
    if (this.#goal !== null && goal.every((value, i) => value === this.#goal[i])) return;
    this.#setGoal(goal);
    this.#ask(LEAD.TO, goal[0], 0, goal[1]);
  }

  #push(side) {
    if (this.#look === null) return;
    const heading = headingOf(this.#look.rotation) + (side * Math.PI) / 2;
    const far = 0.12 * this.scene.size;
    this.#ask(LEAD.PUSH, far * Math.sin(heading), 0, far * Math.cos(heading));
  }

  /** Arrows move the goal as the view is turned. */
  #onKey(event) {
    const way = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (way === undefined || this.#look === null || this.#playback !== null) return;
    event.preventDefault();
    const ahead = this.shell.stage.camera.getWorldDirection(new THREE.Vector3()).setY(0);
    if (ahead.lengthSq() < 1e-6) ahead.set(0, 0, -1);
    ahead.normalize();
    const far = 0.3 * this.scene.size;
    const [x, z] = this.#goal ?? [this.#look.place[0], this.#look.place[2]];
    this.#leadTo([x + far * (way[1] * ahead.x - way[0] * ahead.z), z + far * (way[1] * ahead.z + way[0] * ahead.x)]);
  }

  async #startOver() {
    this.#stopPlayback();
    this.#stopRecording();
    this.#pending = [];
    this.#setGoal(null);
    await this.#lab.call("putDown");
    this.scene.clearTrails();
    await this.#advance(0);
  }

  // ---- recording ----

  async #toggleRecording() {
    if (this.#recorded === null) {
      await this.#startOver();
      this.#recorded = [];
      this.shell.say("Recording from the origin…");
    } else await this.#keep();
    this.#showRecording();
  }

  /** The command walks what was recorded; what is saved are its bytes. */
  async #keep() {
    const asked = this.#recorded;
    const { step } = this.#look;
    this.#stopRecording();
    const name = this.#nameOf(this.values);
    const rig = this.values.creature === RIG ? this.values.rig : null;
    const args = ["roam", ...wordsOf(this.values), "--goals", "goals.csv", "--seconds", String(Math.max(1, Math.round((step / RATE) * FPS)) / FPS), "-o", name];
    const goals = goalsFile(asked);
    await this.shell.busily("Walking it again…", async () => {
      const { files } = await this.shell.engine.ask(args, { ...rig?.files, "goals.csv": new TextEncoder().encode(goals) });
      const clip = rig === null ? 0 : clipsOf(files[name]) - 1; // behind those of the rig
      this.recording = { args, goals, name, rig, clip, glb: files[name], frames: Math.max(1, Math.round((step / RATE) * FPS)) + 1 };
    });
    this.#showRecording();
    this.#showLine();
  }

  #stopRecording() {
    if (this.#recorded === null) return;
    this.#recorded = null;
    this.shell.say("");
    this.#showRecording();
  }

  #showRecording() {
    const now = this.#recorded !== null;
    this.record.textContent = now ? "Stop recording" : "Record";
    this.record.setAttribute("aria-pressed", String(now));
    for (const each of this.saves) each.disabled = now || this.recording === null;
    this.play.textContent = this.#playback === null ? "Play recording" : "Back to live";
    this.scrub.max = this.recording === null ? 0 : this.recording.frames - 1;
    this.scrub.disabled = now || this.recording === null;
    this.root.dataset.recording = this.recording === null ? "" : this.recording.name;
  }

  async #seek(frame) {
    if (this.#playback === null) await this.#beginPlayback();
    cancelAnimationFrame(this.#playback.handle);
    this.#playback.figure.pose(frame / FPS);
    this.shell.stage.invalidate();
  }

  async #beginPlayback() {
    const { stage } = this.shell;
    const { rig, glb } = this.recording;
    const figure = await Figure.load(glb, rig?.files ?? {}, { clip: -1, colour: 0x2a9d96 });
    figure.group.scale.setScalar(rig?.unit ?? 1);
    if (!this.#shown || this.#playback !== null) return figure.dispose();
    figure.showSkin(this.skin.input.checked);
    stage.scene.add(figure.group);
    this.#figure.group.visible = false;
    this.scene.setLive(false);
    this.#playback = { figure, handle: 0 };
    this.#showRecording();
    return undefined;
  }

  async #togglePlayback() {
    if (this.#playback !== null) return this.#stopPlayback();
    await this.#beginPlayback();
    const begun = performance.now();
    const hips = this.#playback.figure.joints.values().next().value;
    const step = (now) => {
      if (this.#playback === null) return;
      const frame = (((now - begun) / 1000) * FPS) % this.recording.frames;
      this.scrub.value = Math.max(0, Math.floor(frame));
      this.#playback.figure.pose(Math.max(0, frame) / FPS);
      if (this.follow.input.checked) this.shell.stage.follow(new THREE.Vector3().setFromMatrixPosition(hips.matrixWorld));
      this.shell.stage.invalidate();
      this.#playback.handle = requestAnimationFrame(step);
    };
    this.#playback.handle = requestAnimationFrame(step);
    return undefined;
  }

  #stopPlayback() {
    if (this.#playback === null) return;
    cancelAnimationFrame(this.#playback.handle);
    this.#playback.figure.dispose();
    this.#playback = null;
    if (this.#figure !== null) this.#figure.group.visible = true;
    this.scene.setLive(true);
    this.#setGoal(this.#goal);
    this.#showRecording();
  }
}

function clipsOf(glb) {
  const length = new DataView(glb.buffer, glb.byteOffset).getUint32(12, true);
  return JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length))).animations.length;
}

/** About up, 0 along +Z. */
function headingOf([x, y, z, w]) {
  return Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
}
