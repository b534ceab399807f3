// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Adapt: a clip that was made on a flat floor goes onto slopes, stairs, rough ground, or a mesh of one's own. */

import { button, download, make, table } from "../controls.js";
import { GroundMesh } from "../ground_mesh.js";
import { ClipPage } from "./clip_page.js";

const GROUND_OUT = "ground.obj";
const MESH = /\.(obj|glb|gltf)$/i;

/** @param {number | null} value null: nothing there was measured */
const figure = (value) => value === null ? "-" : value.toFixed(2);
const is = (...kinds) => (values) => kinds.includes(values.ground);
const number = (key, label, initial, least, most, step, unit, counts, word = key) => ({
  key, label, kind: "number", initial, least, most, step, unit, counts, word,
});

/**
 * What --ground says: `word` is the option's name in it. Those that are worked out where nothing is said are empty.
 * @type {(import("../options.js").Option & { word?: string })[]}
 */
const GROUND = [
  {
    key: "ground",
    label: "Ground",
    kind: "choice",
    initial: "stairs",
    choices: [
      ["stairs", "stairs"],
      ["slope", "slope"],
      ["rough", "rough ground"],
      ["gap", "a gap"],
      ["plane", "a plane"],
      ["mesh", "a mesh of your own"],
    ],
    help: "It lies along the clip's way, on the floor that the clip was made on.",
  },
  number("rise", "Height of a step", 0.17, -0.4, 0.4, 0.01, "m", is("stairs")),
  number("run", "Depth of a step", 0.29, 0.1, 1, 0.01, "m", is("stairs")),
  number("count", "Steps", 8, 1, 30, 1, undefined, is("stairs")),
  number("angle", "Angle", 10, -30, 30, 1, "°", is("slope")),
  number("height", "Lowest to highest", 0.08, 0, 0.4, 0.01, "m", is("rough")),
  number("cell", "Size of a bump", 0.25, 0.05, 1, 0.05, "m", is("rough")),
  number("seed", "Which one", 1, 1, 50, 1, undefined, is("rough")),
  number("width", "Width", 0.3, 0.05, 1.5, 0.05, "m", is("gap")),
  number("pitch", "Rises ahead by", 0, -30, 30, 1, "°", is("plane")),
  number("roll", "Rises to the left by", 0, -30, 30, 1, "°", is("plane")),
  { key: "start", word: "start", label: "Begins after", kind: "optional", initial: null, least: -100, most: 100, step: 0.1, unit: "m", help: "Empty: a part of the clip's way on.", counts: is("stairs", "slope", "gap") },
  {
    key: "unit",
    word: "unit",
    label: "Unit of the mesh",
    kind: "choice",
    initial: "",
    choices: [["", "as the file says, else metres"], ["m", "metres"], ["cm", "centimetres"], ["mm", "millimetres"], ["foot", "feet"], ["inch", "inches"]],
    counts: is("mesh"),
  },
  { key: "up", word: "up", label: "Up in the mesh", kind: "choice", initial: "", choices: [["", "as the file says, else Y"], ["Y", "Y"], ["Z", "Z"], ["X", "X"]], counts: is("mesh") },
  number("turn", "Turned by", 0, -180, 180, 5, "°", is("mesh"), "heading"),
  number("x", "Moved along x", 0, -10, 10, 0.05, "m", is("mesh")),
  number("y", "Moved up", 0, -5, 5, 0.01, "m", is("mesh")),
  number("z", "Moved along z", 0, -10, 10, 0.05, "m", is("mesh")),
];

const runtime = (values) => values.method === "runtime";

/** @type {import("../options.js").Option[]} */
const ADAPT = [
  {
    key: "method",
    flag: "--method",
    label: "Method",
    kind: "choice",
    initial: "clip",
    choices: [["clip", "whole clip"], ["runtime", "as a game does, frame by frame"]],
    help: "Whole clip sees what comes; a game follows the ground when it is there.",
  },
  { key: "blend", flag: "--blend", label: "Follows within", kind: "number", initial: 0.12, least: 0, most: 1, step: 0.01, unit: "s", counts: runtime },
  { key: "noClean", flag: "--no-clean", label: "Leave foot sliding in", kind: "switch", initial: false, help: "Else a clip that slides is cleaned first." },
  { key: "pitchMax", flag: "--pitch-max", label: "Ankle tilts up and down by", kind: "number", initial: 40, least: 0, most: 80, step: 1, unit: "°" },
  { key: "rollMax", flag: "--roll-max", label: "Ankle tilts sideways by", kind: "number", initial: 25, least: 0, most: 60, step: 1, unit: "°" },
  { key: "edge", flag: "--edge-height", label: "An edge is higher than", kind: "number", initial: 0.04, least: 0, most: 0.3, step: 0.01, unit: "m", help: "The foot does not tilt over it." },
  { key: "place", flag: "--place-max", label: "Steps off edges by", kind: "number", initial: 0.1, least: 0, most: 0.5, step: 0.01, unit: "m" },
  { key: "clearance", flag: "--clearance", label: "Swings over by", kind: "number", initial: 0.02, least: 0, most: 0.2, step: 0.01, unit: "m" },
  { key: "drop", flag: "--pelvis-drop", label: "Pelvis sinks by at most", kind: "optional", initial: null, least: 0, most: 2, step: 0.01, unit: "m", help: "Empty: 0.3 leg lengths." },
  { key: "extension", flag: "--max-extension", label: "Knees straight up to", kind: "number", initial: 0.995, least: 0.8, most: 1, step: 0.005, help: "Part of the leg's length." },
  { key: "floor", flag: "--floor", label: "Floor of the clip", kind: "optional", initial: null, least: -10, most: 10, step: 0.01, unit: "m", help: "Empty: where its planted feet are lowest." },
];

/** @param {Record<string, unknown>} values @param {string | undefined} mesh name of the visitor's own */
export function groundSpec(values, mesh) {
  const keys = GROUND.filter(({ key, word, initial, counts }) => word !== undefined && counts(values) && values[key] !== initial).map(
    ({ key, word }) => `${word}=${values[key]}`,
  );
  if (values.ground !== "mesh") return `${values.ground}:${keys.join(",")}`;
  return [mesh ?? "MESH", ...keys].join(",");
}

export class AdaptPage extends ClipPage {
  static id = "adapt";
  static title = "Adapt";

  constructor(shell) {
    super(shell, { command: "adapt", options: [...GROUND, ...ADAPT], result: "Adapted clip", suffix: "adapted" });
    const picker = make("input", { type: "file", id: "mesh-picker", multiple: true, accept: ".obj,.glb,.gltf,.bin", hidden: true });
    const choose = button(shell, "choose-mesh", "Choose a mesh…", () => picker.click());
    this.meshName = make("span", { id: "mesh-name" });
    picker.addEventListener("change", async () => {
      const files = {};
      for (const file of picker.files) files[file.name] = new Uint8Array(await file.arrayBuffer());
      picker.value = "";
      await shell.trying(() => this.#takeMesh(files));
    });
    this.meshChoice = make("div", { className: "buttons", id: "mesh" }, choose, this.meshName, picker);
    this.root.querySelector("form").after(this.meshChoice);
    const ground = button(shell, "save-ground", "Ground (OBJ)", () => this.saveGround());
    this.saves.push(ground);
    this.buttons.insertBefore(ground, this.picture);
  }

  get values() {
    return { mesh: null, ...super.values };
  }

  ownArguments() {
    return ["--ground", groundSpec(this.values, this.#mesh()?.name)];
  }

  ownFiles() {
    return this.#mesh()?.files ?? {};
  }

  previewArguments() {
    return ["--ground-out", `${GROUND_OUT},unit=${this.clip.unit},up=Y`];
  }

  obstacle() {
    if (this.values.ground === "mesh" && this.values.mesh === null) return "Choose the mesh to stand on, or drop it here: OBJ, GLB or glTF.";
    return super.obstacle();
  }

  look(report, made) {
    this.ground = GroundMesh.parse(new TextDecoder().decode(made[GROUND_OUT]), this.clip.unit);
    return { ...super.look(report, made), scenery: this.ground.draw(), heightAt: (x, z, y) => this.ground.heightAt(x, z, y) };
  }

  describe(report) {
    const rows = report.feet.flatMap((foot) => [
      [`${foot.name}: off the ground in support, cm`, figure(foot.support_off_cm)],
      ["through the ground, cm", figure(foot.through_ground_cm)],
      ["pitch, roll off, °", `${figure(foot.pitch_off_degrees)}, ${figure(foot.roll_off_degrees)}`],
      ["straightest knee", foot.knee_straightest.toFixed(3)],
    ]);
    const shift = `${report.pelvis_shift_min_cm.toFixed(1)} to ${report.pelvis_shift_max_cm.toFixed(1)} cm`;
    const words = [
      `${report.ground}`,
      `${report.plants} plants, ${report.moved_plants} moved by up to ${report.place_shift_max_cm.toFixed(1)} cm; pelvis ${shift}, jerk ${report.pelvis_jerk_ratio.toFixed(2)} times.`,
      ...report.misses.map(({ foot, fault, first, last, remedy }) => `${foot}, frames ${first} to ${last}: ${fault}. ${remedy ?? ""}`),
      ...report.faults.map(({ foot, joint, fault, frame, amount, unit, remedy }) => `${joint ?? foot}, frame ${frame}: ${fault}, ${amount.toFixed(1)} ${unit}. ${remedy}`),
    ];
    return [table("Feet on the ground", ["", "most"], rows), ...words.map((textContent) => make("p", { textContent }))];
  }

  // A mesh; a GLB may also be a clip to open, which it is unless a mesh was asked for.
  async take(files) {
    const names = Object.keys(files);
    const wanted = names.some((name) => /\.obj$/i.test(name)) || (this.values.ground === "mesh" && names.some((name) => MESH.test(name)));
    if (!wanted || this.clip === null) return false;
    await this.#takeMesh(files);
    return true;
  }

  refresh() {
    const { values } = this;
    this.meshChoice.hidden = values.ground !== "mesh";
    this.meshName.textContent = values.mesh?.name ?? "none yet";
    return super.refresh();
  }

  async saveGround() {
    const name = `${this.clip.stem}_ground.obj`;
    const { made } = await this.clip.ask([...this.arguments("made.glb"), "--ground-out", name], this.files());
    download(name, made[name], "text/plain");
  }

  #takeMesh(files) {
    const name = Object.keys(files).find((one) => MESH.test(one));
    if (name === undefined) throw new Error(`${Object.keys(files).join(", ")}: no mesh here; give an OBJ, GLB or glTF file`);
    // The text of --ground takes what is behind a comma for its keys.
    if (name.includes(",")) throw new Error(`${name}: a name with a comma cannot be said in --ground; give it another`);
    return this.set({ ground: "mesh", mesh: { name, files } });
  }

  // The mesh by a name that no file of the clip has.
  #mesh() {
    const { ground, mesh } = this.values;
    if (ground !== "mesh" || mesh === null) return undefined;
    const meets = Object.keys(mesh.files).some((name) => this.clip?.files[name] !== undefined);
    const below = meets ? "ground/" : "";
    return { name: below + mesh.name, files: Object.fromEntries(Object.entries(mesh.files).map(([name, bytes]) => [below + name, bytes])) };
  }
}
