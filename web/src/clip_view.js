// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** What is seen of a clip: its figure, what became of it, trails, planted points, and the curves of its feet. */

import { Balance, BalanceMark } from "./balance.js";
import { Difference } from "./difference.js";
import { Figure } from "./figure.js";
import * as THREE from "./three.js";
import { curveOf } from "./timeline.js";

const COLOUR = { before: 0xe08a2c, after: 0x2a9d96 };
const $ = (id) => document.getElementById(id);

/**
 * @typedef {object} After what became of the clip
 * @property {Figure} figure
 * @property {Map<string, Float32Array>} paths of its joints
 * @property {(joint: string) => string | undefined} joint its own name of a joint of the clip
 * @property {number[]} times its frames' [s]
 * @property {boolean} apart it goes another way than the clip, so that the clip is drawn where it is
 * @property {((x: number, z: number, y: number) => number) | null} heightAt the ground that it stands on; null: the clip's
 */

export class ClipView {
  #shown = true;
  #shift = 0; // of each figure from the middle, where they stand side by side
  #trails = []; // of the figure before
  #marks = []; // of the centres of mass
  #difference = null;
  #framed = false;

  /**
   * @param {import("./stage.js").Stage} stage
   * @param {import("./timeline.js").Timeline} timeline
   * @param {import("./transport.js").Transport} transport
   */
  constructor(stage, timeline, transport) {
    this.stage = stage;
    this.timeline = timeline;
    this.transport = transport;
    this.clip = null;
    this.before = null;
    /** @type {After | null} */
    this.after = null;
    this.own = null; // labels as the command gives them
    this.feet = [];
    transport.addEventListener("frame", ({ detail }) => this.#showFrame(detail));
    for (const id of ["show", "skin", "trails", "balance"]) $(id).addEventListener("change", () => this.showLayers());
    $("side").addEventListener("change", () => stage.look($("side").value));
    $("follow").addEventListener("change", () => this.#showFrame(transport.frame));
  }

  /** Reads what is shown of a clip; the clip at hand stays where that fails. @param {import("./clip.js").Clip} clip */
  async open(clip) {
    const before = await Figure.load(await clip.view(), clip.files, { clip: clip.index, colour: COLOUR.before, opacity: 0.45 });
    const own = clip.info.legs.length > 0 ? await clip.contacts() : null;
    this.close();
    Object.assign(this, { clip, before, own });
    this.#arrange();
  }

  close() {
    this.transport.stop();
    this.before?.dispose();
    this.setAfter(null);
    this.stage.clearExtras();
    this.clip = this.before = this.own = null;
    this.feet = [];
  }

  /** Lays out what does not change while a clip is open. */
  #arrange() {
    const { clip, before, own, stage } = this;
    const { info } = clip;
    this.times = Array.from({ length: clip.frames }, (_, frame) => clip.timeOf(frame));
    // Labels are in the order of the legs.
    this.feet = info.legs.map((leg, i) => ({ ...leg, words: leg.side === "none" ? leg.toe : `${leg.side} ${leg.toe}`, column: own.feet[i] }));
    this.wanted = [...new Set([...this.feet.flatMap(({ toe, heel }) => [toe, heel]), info.travel_joint].filter(Boolean))];
    this.paths = before.paths(this.wanted, this.times);
    before.pose(this.times[0]);
    const box = before.box();
    const lows = this.feet.map((leg) => Math.min(leg.toe_min_cm, leg.toe_end_min_cm ?? Infinity, leg.heel_min_cm) / 100 / clip.unit);
    this.ground = lows.length > 0 ? Math.min(...lows) : box.min.y;
    this.width = Math.max(0.8 / clip.unit, box.max.x - box.min.x) + 0.4 / clip.unit;
    this.labels = own;
    stage.scene.add(before.group);
    before.group.visible = this.#shown;
    this.#framed = false;
    if (this.#shown) this.frameStage();
    this.timeline.setClip(this.#curves(), own, clip.frames, clip.frameTime);
    this.transport.setClip(clip.frames, clip.frameTime);
  }

  /** Turns the camera to the clip. */
  frameStage() {
    if (this.clip === null) return;
    this.#framed = true;
    this.before.pose(this.times[0]);
    this.stage.frame(this.before.box(), this.ground, this.#travelAt(0));
    this.#showFrame(this.transport.frame);
  }

  /**
   * Shows what became of the clip.
   * @param {Uint8Array} glb
   * @param {object} [options]
   * @param {number} [options.clip] of the GLB
   * @param {number[]} [options.velocity] of the ground [m/s], where the clip walks on the spot
   * @param {(joint: string) => string | undefined} [options.joint] its own name of a joint of the clip
   * @param {number[]} [options.times] of its frames [s]
   * @param {Record<string, Uint8Array>} [options.files] beside it, with its pictures
   * @param {boolean} [options.apart] it goes another way than the clip
   * @param {THREE.Object3D} [options.scenery] ground that it stands on, drawn in the grid's place
   * @param {(x: number, z: number, y: number) => number} [options.heightAt] how high that is; NaN where there is none
   */
  async load(glb, options = {}) {
    const { clip = this.clip.index, velocity = [0, 0, 0], joint = (name) => name, times = this.times, scenery = null } = options;
    const { heightAt = null, apart = false } = options;
    const of = this.clip;
    const figure = await Figure.load(glb, options.files ?? of.files, { clip, colour: COLOUR.after });
    if (this.clip !== of) {
      figure.dispose();
      return;
    }
    const paths = figure.paths(this.wanted.map(joint).filter((name) => name !== undefined), times);
    this.velocity = velocity;
    this.setAfter({ figure, paths, joint, times, heightAt, apart });
    this.stage.setScenery(scenery);
  }

  /** @param {After | null} after is this view's from now on; null: nothing became of the clip yet */
  setAfter(after) {
    this.after?.figure.dispose();
    this.after = after;
    if (after === null) this.stage.setScenery(null);
    if (this.clip === null) return;
    if (after !== null) {
      this.stage.scene.add(after.figure.group);
      after.figure.group.visible = this.#shown;
    }
    this.timeline.setFeet(this.#curves());
    this.showLayers();
  }

  /** @param {import("./labels.js").Labels} labels */
  setLabels(labels) {
    this.labels = labels;
    this.timeline.setLabels(labels);
  }

  /** Hides and shows all of it, for pages with scenes of their own. */
  setShown(shown) {
    this.#shown = shown;
    if (!shown) {
      this.transport.stop();
      this.stage.setSpread(0);
    }
    if (this.before !== null) this.before.group.visible = shown;
    if (this.after !== null) this.after.figure.group.visible = shown;
    // One that was opened while it was hidden is not in sight yet.
    if (shown && !this.#framed) this.frameStage();
    if (shown) this.showLayers();
    else this.stage.clearExtras();
  }

  #curves() {
    const curve = (path, ground = this.ground, unit = this.clip.unit) =>
      path === undefined ? null : curveOf(path, this.clip.frameTime, ground, unit, this.velocity ?? [0, 0, 0]);
    const after = (toe) => (this.after === null ? undefined : this.after.paths.get(this.after.joint(toe)));
    const below = (x, z, y) => this.after.heightAt(x, z, y) || this.ground;
    return this.feet
      .map(({ toe, column, words }) => ({ name: column, words, before: curve(this.paths.get(toe)), after: curve(after(toe), this.after?.heightAt ? below : this.ground) }))
      .filter(({ before }) => before !== null);
  }

  /** What is shown of before and after, and the trails of their feet. */
  showLayers() {
    if (this.clip === null || !this.#shown) return;
    const { before, after, stage } = this;
    const show = $("show").value;
    const different = show === "difference" && after !== null;
    this.#shift = show === "beside" && after !== null ? this.width / 2 : 0;
    stage.setSpread(this.#shift === 0 ? 0 : this.width);
    before.group.position.set(-this.#shift, 0, 0);
    before.group.visible = show !== "after" || after === null;
    before.showSkin($("skin").checked && !different);
    if (after !== null) {
      after.figure.group.position.set(this.#shift, 0, 0);
      after.figure.group.visible = show !== "before";
      after.figure.showSkin($("skin").checked && !different);
      after.figure.shade(null);
    }
    stage.clearExtras();
    this.#trails = [];
    if ($("trails").checked) this.#drawTrails();
    this.#difference = different ? new Difference(before, after.figure, after.joint, stage.size) : null;
    if (different) stage.extras.add(this.#difference.lines);
    $("difference-words").hidden = !different;
    this.#marks = $("balance").checked ? this.#makeMarks() : [];
    this.#showFrame(this.transport.frame);
  }

  #makeMarks() {
    const { before, after, clip, stage } = this;
    const mark = (figure, joint, colour) => {
      if (figure === undefined || !figure.group.visible) return [];
      const one = { balance: new Balance(figure, clip.info, joint), mark: new BalanceMark(stage.size, colour), figure };
      stage.extras.add(one.mark.group);
      return [one];
    };
    return [...mark(before, (name) => name, COLOUR.before), ...mark(after?.figure, after?.joint, COLOUR.after)];
  }

  #drawTrails() {
    const { before, after, stage } = this;
    const draw = (figure, paths, colour, joint) => {
      const feet = figure.group.visible ? this.feet.filter(({ toe }) => paths.has(joint(toe))) : [];
      return feet.map(({ toe }) => stage.addTrail(paths.get(joint(toe)), colour, figure.group.position));
    };
    this.#trails = draw(before, this.paths, COLOUR.before, (name) => name);
    if (after === null) return;
    draw(after.figure, after.paths, COLOUR.after, after.joint);
    if (after.figure.group.visible) this.#drawPlantedPoints();
  }

  #drawPlantedPoints() {
    const { figure, paths, joint, heightAt } = this.after;
    for (const { toe, column } of this.feet) {
      const path = paths.get(joint(toe));
      for (const { first, last } of path === undefined ? [] : this.labels.plants(column)) {
        const middle = Math.floor((first + last) / 2);
        const place = new THREE.Vector3().fromArray(path, 3 * middle);
        const height = heightAt?.(place.x, place.z, place.y);
        this.stage.addPlantedPoint(place.add(figure.group.position), COLOUR.after, Number.isNaN(height) ? undefined : height);
      }
    }
  }

  /** Where the joint that travels is in a frame; null where the clip has none. */
  #travelAt(frame) {
    const path = this.after?.paths.get(this.after.joint(this.clip.info.travel_joint));
    return path === undefined ? this.#travelBefore(frame) : new THREE.Vector3().fromArray(path, 3 * frame);
  }

  #travelBefore(frame) {
    const path = this.paths.get(this.clip.info.travel_joint);
    return path === undefined ? null : new THREE.Vector3().fromArray(path, 3 * frame);
  }

  // The clip goes its own way, and is drawn where the other is.
  #bringBeside(place, frame) {
    const own = this.#travelBefore(frame);
    if (place === null || own === null) return;
    const { position } = this.before.group;
    position.set(place.x - own.x - this.#shift, 0, place.z - own.z);
    for (const trail of this.#trails) trail.position.copy(position);
  }

  #showFrame(frame) {
    if (this.clip === null || !this.#shown) return;
    this.timeline.setFrame(frame);
    const place = this.#travelAt(frame);
    if (this.after?.apart) this.#bringBeside(place, frame);
    if (this.before.group.visible) this.before.pose(this.times[frame]);
    if (this.after?.figure.group.visible) this.after.figure.pose(this.after.times[frame]);
    if (this.#difference !== null) {
      const { joint, distance } = this.#difference.update();
      $("difference-words").textContent = `most: ${(100 * this.clip.unit * distance).toFixed(1)} cm, ${joint || "nothing moved"}`;
    }
    for (const { balance, mark, figure } of this.#marks) {
      const at = balance.place();
      const own = figure === this.after?.figure ? this.after.heightAt?.(at.x - figure.group.position.x, at.z, at.y) : undefined;
      mark.put(at, own || this.stage.grid.position.y);
    }
    if ($("follow").checked && place !== null) this.stage.follow(place, Boolean(this.after?.heightAt));
    this.stage.invalidate();
  }
}
