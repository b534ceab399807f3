// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Retarget: the clip goes onto a second character. The map of joints is seen, and mended by a click. */

import { motionAmong } from "../clip.js";
import { button, download, make, table } from "../controls.js";
import { readable } from "../fbx_open.js";
import { fetchFiles } from "../fetching.js";
import { History } from "../history.js";
import { JointMap, choicesOf, withChoices } from "../joint_map.js";
import { ClipPage } from "./clip_page.js";

const MAP = "map.json";
const FOUND = "found_map.json";
const SAMPLES = [
  ["samples/child.glb", "A child (GLB, with a skin)"],
  ["samples/slid.bvh", "A grown-up (BVH)"],
];

/** @type {import("../options.js").Option[]} of `surefoot retarget` */
const RETARGET = [
  { key: "mirror", flag: "--mirror", label: "Left and right swapped", kind: "switch", initial: false },
  {
    key: "root",
    flag: "--root",
    label: "Who carries the travel",
    kind: "choice",
    initial: "root",
    choices: [["root", "the joint above the hips"], ["hips", "the hips"]],
    help: "Where the second character has a joint above its hips.",
  },
  { key: "scale", flag: "--scale", label: "Scale", kind: "optional", initial: null, least: 0.001, most: 1000, step: 0.01, help: "Of travel and height. Empty: leg length over leg length." },
  {
    key: "nonRigid",
    flag: "--non-rigid",
    label: "Bones that stretch",
    kind: "choice",
    initial: "none",
    choices: [["none", "keep their lengths"], ["ratio", "stretch as the source's do"]],
  },
  { key: "noClean", flag: "--no-clean", label: "Leave the feet where they come", kind: "switch", initial: false, help: "Else planted feet are planted on the new legs." },
  {
    key: "keep",
    flag: "--keep",
    label: "Hands",
    kind: "choice",
    initial: "",
    choices: [["", "follow the arms"], ["hands", "keep touching what they touch"]],
  },
  {
    key: "unreachable",
    flag: "--unreachable",
    label: "Where a hand cannot reach",
    kind: "choice",
    initial: "pelvis",
    choices: [["pelvis", "the body leans"], ["release", "it is let go"], ["stretch", "the arm stretches a little"]],
    counts: (values) => values.keep === "hands",
  },
  { key: "sourcePose", flag: "--source-pose", label: "Pose the clip is understood in", kind: "choice", initial: "auto", choices: [["auto", "found"], ["rest", "its rest pose"], ["0", "its first frame"]] },
  { key: "targetPose", flag: "--target-pose", label: "Pose the character is understood in", kind: "choice", initial: "auto", choices: [["auto", "found"], ["rest", "its rest pose"], ["0", "its first frame"]] },
  { key: "loop", flag: "--loop", label: "The clip is a cycle", kind: "switch", initial: false },
];

export class RetargetPage extends ClipPage {
  static id = "retarget";
  static title = "Retarget";

  /** @param {import("../app.js").Shell} shell @param {URLSearchParams} parameters */
  constructor(shell, parameters) {
    super(shell, { command: "retarget", options: RETARGET, result: "Retargeted clip", suffix: "retargeted" });
    this.asked = parameters.get("onto");
    this.choices = parameters.get("map"); // of the address, until the map is found that they are of
    this.found = null; // the map as the command finds it
    this.map = new JointMap((text) => this.set({ map: text }));
    const picker = make("input", { type: "file", id: "onto-picker", multiple: true, accept: ".bvh,.glb,.gltf,.bin,.fbx,.png,.jpg,.jpeg", hidden: true });
    picker.addEventListener("change", async () => {
      const files = {};
      for (const file of picker.files) files[file.name] = new Uint8Array(await file.arrayBuffer());
      picker.value = "";
      await shell.trying(() => this.#takeTarget(files));
    });
    this.sample = make("select", { id: "onto-sample" }, new Option("choose…", ""), ...SAMPLES.map(([path, words]) => new Option(words, path)));
    this.sample.addEventListener("change", () => this.sample.value !== "" && shell.trying(() => this.#fetchTarget(this.sample.value)));
    this.ontoName = make("p", { id: "onto-name", className: "file-name" });
    const onto = make(
      "section",
      {},
      make("h3", { textContent: "Second character" }),
      this.ontoName,
      make("div", { className: "buttons" }, button(shell, "choose-onto", "Choose…", () => picker.click()), picker),
      make("label", { className: "field" }, make("span", { textContent: "Sample" }), this.sample),
    );
    this.root.prepend(onto);
    const saveMap = button(shell, "save-map", "Map (JSON)", () => download(`${this.clip.stem}_map.json`, new TextEncoder().encode(this.#mapText()), "application/json"));
    this.forget = button(shell, "forget-map", "Map as found", () => this.set({ map: null }));
    this.saves.push(saveMap);
    this.buttons.insertBefore(saveMap, this.picture);
    this.mapSection = make("section", {}, make("h3", { textContent: "Map of joints" }), this.map.root, make("div", { className: "buttons" }, this.forget));
    this.figures.after(this.mapSection);
  }

  get values() {
    return { onto: null, map: null, ...super.values };
  }

  parameters() {
    const parameters = super.parameters();
    const { onto, map } = this.values;
    const address = this.asked ?? onto?.address;
    if (address !== undefined) parameters.set("onto", address);
    const choices = this.choices ?? (map === null || this.found === null ? null : choicesOf(this.found, map));
    if (choices !== null) parameters.set("map", choices);
    return parameters;
  }

  ownArguments() {
    const { map } = this.values;
    return ["--onto", this.#target()?.name ?? "TARGET", ...(map === null ? [] : ["--map", MAP])];
  }

  ownFiles() {
    const { map } = this.values;
    return { ...this.#target()?.files, ...(map === null ? {} : { [MAP]: new TextEncoder().encode(map) }) };
  }

  previewArguments() {
    return this.values.map === null ? ["--map-out", FOUND] : [];
  }

  get outputName() {
    const name = this.values.onto?.name ?? "target.glb";
    const dot = name.lastIndexOf(".");
    const extension = name.slice(dot).toLowerCase();
    return `${this.clip.stem}_on_${name.slice(0, dot)}${extension === ".fbx" ? ".glb" : extension}`;
  }

  obstacle() {
    return this.values.onto === null ? "Choose the second character, or drop it here." : null;
  }

  async enter() {
    const show = document.getElementById("show");
    if (show.value === "overlay") show.value = "beside";
    const { asked } = this;
    if (asked !== null) {
      await this.shell.trying(() => this.#fetchTarget(asked));
      this.asked = null;
    } else await this.refresh();
  }

  look(report, made) {
    if (made[FOUND] !== undefined) this.found = new TextDecoder().decode(made[FOUND]);
    const joints = new Map();
    for (const { source, target, rule } of report.map.pairs)
      if (source !== null && (rule === "joint" || !joints.has(source))) joints.set(source, target);
    return {
      clip: -1, // it stands behind the character's own
      files: this.values.onto.files,
      joint: (name) => joints.get(name),
      times: Array.from({ length: report.frames }, (_, frame) => frame * report.frame_time_s),
      apart: true,
    };
  }

  describe(report) {
    const { source_figures: source, moved_figures: moved, written_figures: written } = report;
    const row = (words, figure, digits) => [words, ...[source, moved, written].map(({ clip }) => clip[figure].toFixed(digits))];
    const figures = table(
      "Source, moved, with feet planted",
      ["", "source", "moved", "written"],
      [
        row("Slide, mean cm/s", "slide_mean_cm_s", 2),
        row("most cm/s", "slide_max_cm_s", 2),
        row("Pelvis, p99 m/s²", "pelvis_accel_p99_m_s2", 1),
      ],
    );
    const limbs = table(
      "Directions of limbs, off the source's",
      ["", "mean °", "p99 °"],
      report.limbs.map(({ name, written_mean_degrees: mean, written_p99_degrees: p99 }) => [name, mean.toFixed(2), p99.toFixed(2)]),
    );
    const { source_rig: a, target_rig: b } = report;
    const words = [
      `Legs of ${a.leg_length_m.toFixed(2)} m onto ${b.leg_length_m.toFixed(2)} m: scale ${report.scale.toFixed(3)}. Understood in ${a.reason}; onto in ${b.reason}.`,
      ...(report.map.fallbacks ?? []).map((text) => `Kept at rest: ${typeof text === "string" ? text : Object.values(text).join(" ")}.`),
      ...report.misses.map((miss) => `Not reached: ${miss.joint ?? ""}, frames ${miss.first} to ${miss.last}.`),
    ];
    this.map.show(this.#mapText());
    // Behind the run at hand, which says last that it is done.
    if (this.choices !== null) setTimeout(() => this.#takeChoices());
    return [figures, ...words.map((textContent) => make("p", { textContent })), limbs];
  }

  async take(files) {
    const names = Object.keys(files);
    if (this.clip === null) return false;
    const map = names.find((name) => /\.json$/i.test(name));
    if (names.length === 1 && map !== undefined) {
      if (this.values.onto === null) throw new Error(`${map}: a map is of two skeletons; choose the second character first`);
      await this.set({ map: new TextDecoder().decode(files[map]) });
      return true;
    }
    await this.#takeTarget(files);
    return true;
  }

  clipOpened() {
    // A map is of two skeletons.
    const { shell } = this;
    const { value } = shell.state;
    shell.state = new History({ ...value, values: { ...value.values, [this.id]: { ...this.values, map: null } } });
    this.found = null;
  }

  refresh() {
    const { onto, map } = this.values;
    this.ontoName.textContent = onto?.name ?? "None yet. Choose one, or drop it here.";
    if (onto?.address !== this.sample.value) this.sample.value = SAMPLES.some(([path]) => path === onto?.address) ? onto.address : "";
    this.forget.disabled = map === null;
    this.mapSection.hidden = this.clip === null || onto === null;
    if (map !== null) this.map.show(map);
    return super.refresh();
  }

  /** What the address chose, once it is known of what. */
  #takeChoices() {
    const { choices, found } = this;
    if (choices === null || found === null || this.values.map !== null) return;
    this.choices = null;
    const map = withChoices(found, choices);
    if (map === null) this.shell.tell(new Error("The joints that the address pairs are not those of these figures; the map is as found."));
    else this.set({ map });
  }

  #mapText() {
    return this.values.map ?? this.found;
  }

  async #fetchTarget(address) {
    await this.#takeTarget(await fetchFiles(address), address);
  }

  async #takeTarget(given, address) {
    const name = motionAmong(Object.keys(given));
    const files = await readable(given);
    return this.set({ onto: { name, files, address }, map: null });
  }

  // The character by names that no file of the clip has.
  #target() {
    const { onto } = this.values;
    if (onto === null) return undefined;
    const meets = Object.keys(onto.files).some((name) => this.clip?.files[name] !== undefined);
    const below = meets ? "onto/" : "";
    return { name: below + onto.name, files: Object.fromEntries(Object.entries(onto.files).map(([name, bytes]) => [below + name, bytes])) };
  }
}
