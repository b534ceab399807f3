// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** An opened clip: its files, what the command says of it, and the runs of the command that a page makes with it. */

import { readable } from "./fbx_open.js";
import { Labels } from "./labels.js";

const MOTION = /\.(bvh|glb|gltf|fbx)$/i;

/** Labels of the page's own lie beside the clip by this name, and in the command lines that it shows. */
export const LABELS = "labels.csv";

/** The motion file among those dropped together; a glTF file comes with its parts. */
export function motionAmong(names) {
  const motions = names.filter((name) => MOTION.test(name));
  if (motions.length === 0)
    throw new Error(`${names.join(", ")}: no motion here; give a BVH, GLB, glTF (with its parts) or FBX file`);
  if (motions.length > 1) throw new Error(`${motions.join(", ")}: one clip at a time, please`);
  return motions[0];
}

function extensionOf(name) {
  return name.slice(name.lastIndexOf(".")).toLowerCase();
}

export class Clip {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {string} name
   * @param {Record<string, Uint8Array>} files the motion file and its parts
   */
  constructor(engine, name, files) {
    this.engine = engine;
    this.name = name;
    this.files = files;
    this.info = null;
    this.index = 0;
  }

  /** @throws {import("./engine.js").CommandError} with the command's own message */
  static async open(engine, given, index = 0) {
    const name = motionAmong(Object.keys(given));
    const files = await readable(given);
    const clip = new Clip(engine, name, files);
    clip.index = index;
    const which = index > 0 ? ["--clip", String(index)] : [];
    const { output } = await engine.ask(["info", name, "--json", ...which], files);
    clip.info = JSON.parse(new TextDecoder().decode(output));
    return clip;
  }

  /** Options that name this clip of its file; none where it is the only one. */
  get choice() {
    return this.info !== null && this.info.clips.length < 2 ? [] : ["--clip", String(this.index)];
  }

  get frames() {
    return this.info.frames;
  }

  get frameTime() {
    return this.info.frame_time;
  }

  timeOf(frame) {
    return this.info.start + frame * this.frameTime;
  }

  /** The extension of what is saved: that of the source, as far as it is written. */
  get outputExtension() {
    const extension = extensionOf(this.name);
    return extension === ".fbx" ? ".glb" : extension;
  }

  /** Metres a unit of what is drawn: of a BVH that was converted, 1; other files are drawn as they are. */
  get unit() {
    return extensionOf(this.name) === ".bvh" ? 1 : this.info.unit_metres;
  }

  /** @returns {Promise<Uint8Array>} a GLB to draw */
  async view() {
    if (extensionOf(this.name) === ".glb") return this.files[this.name];
    const { files } = await this.engine.ask(["convert", this.name, "-o", "view.glb"], this.files);
    return files["view.glb"];
  }

  /** @returns {Promise<Labels>} */
  async contacts() {
    const { files } = await this.engine.ask(["contacts", this.name, ...this.choice, "-o", LABELS], this.files);
    return Labels.parse(new TextDecoder().decode(files[LABELS]));
  }

  /** The name without its extension. */
  get stem() {
    return this.name.slice(0, this.name.lastIndexOf("."));
  }

  /**
   * Runs the command on this clip's files.
   * @param {string[]} args
   * @param {Record<string, Uint8Array>} [more] files beside the clip's
   * @param {{ topic?: string }} [options] as Engine.run
   * @returns {Promise<import("./surefoot.js").Outcome & { made: Record<string, Uint8Array> }>} made: what it wrote
   */
  async ask(args, more = {}, options = {}) {
    const given = { ...this.files, ...more };
    const outcome = await this.engine.ask(args, given, options);
    return { ...outcome, made: Object.fromEntries(Object.entries(outcome.files).filter(([path]) => !(path in given))) };
  }
}
