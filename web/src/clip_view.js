// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** What is seen of a clip: its figure, what became of it, trails, planted points, and the curves of its feet. */

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
 */

export class ClipView {
  #shown = true;

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
    for (const id of ["show", "skin", "trails"]) $(id).addEventListener("change", () => this.showLayers());
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
    const lows = this.feet.map((leg) => Math.min(leg.toe_min_cm, leg.toe_end_min_cm ?? Infinity, leg.heel_min_cm) / 100);
    this.ground = lows.length > 0 ? Math.min(...lows) : box.min.y;
    this.width = Math.max(0.8, box.max.x - box.min.x) + 0.4;
    this.labels = own;
    stage.scene.add(before.group);
    before.group.visible = this.#shown;
    if (this.#shown) this.frameStage();
    this.timeline.setClip(this.#curves(), own, clip.frames, clip.frameTime);
    this.transport.setClip(clip.frames, clip.frameTime);
  }

  /** Turns the camera to the clip. */
  frameStage() {
    if (this.clip === null) return;
    this.before.pose(this.times[0]);
    this.stage.frame(this.before.box(), this.ground);
    this.stage.followed.copy(this.#travelAt(0) ?? this.stage.centre);
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
   */
  async load(glb, { clip = this.clip.index, velocity = [0, 0, 0], joint = (name) => name, times = this.times } = {}) {
    const of = this.clip;
    const figure = await Figure.load(glb, of.files, { clip, colour: COLOUR.after });
    if (this.clip !== of) {
      figure.dispose();
      return;
    }
    const paths = figure.paths(this.wanted.map(joint).filter((name) => name !== undefined), times);
    this.velocity = velocity;
    this.setAfter({ figure, paths, joint, times });
  }

  /** @param {After | null} after is this view's from now on; null: nothing became of the clip yet */
  setAfter(after) {
    this.after?.figure.dispose();
    this.after = after;
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
    if (!shown) this.transport.stop();
    if (this.before !== null) this.before.group.visible = shown;
    if (this.after !== null) this.after.figure.group.visible = shown;
    if (shown) this.showLayers();
    else this.stage.clearExtras();
  }

  #curves() {
    const curve = (path) => (path === undefined ? null : curveOf(path, this.clip.frameTime, this.ground, this.velocity ?? [0, 0, 0]));
    const after = (toe) => (this.after === null ? undefined : this.after.paths.get(this.after.joint(toe)));
    return this.feet
      .map(({ toe, column, words }) => ({ name: column, words, before: curve(this.paths.get(toe)), after: curve(after(toe)) }))
      .filter(({ before }) => before !== null);
  }

  /** What is shown of before and after, and the trails of their feet. */
  showLayers() {
    if (this.clip === null || !this.#shown) return;
    const { before, after, stage } = this;
    const show = $("show").value;
    const shift = show === "beside" && after !== null ? this.width / 2 : 0;
    before.group.position.set(-shift, 0, 0);
    before.group.visible = show !== "after" || after === null;
    before.showSkin($("skin").checked);
    if (after !== null) {
      after.figure.group.position.set(shift, 0, 0);
      after.figure.group.visible = show !== "before";
      after.figure.showSkin($("skin").checked);
    }
    stage.clearExtras();
    if ($("trails").checked) this.#drawTrails();
    this.#showFrame(this.transport.frame);
  }

  #drawTrails() {
    const { before, after, stage } = this;
    const draw = (figure, paths, colour, joint) => {
      if (!figure.group.visible) return;
      for (const { toe } of this.feet) if (paths.has(joint(toe))) stage.addTrail(paths.get(joint(toe)), colour, figure.group.position);
    };
    draw(before, this.paths, COLOUR.before, (name) => name);
    if (after === null) return;
    draw(after.figure, after.paths, COLOUR.after, after.joint);
    if (after.figure.group.visible) this.#drawPlantedPoints();
  }

  #drawPlantedPoints() {
    const { figure, paths, joint } = this.after;
    for (const { toe, column } of this.feet) {
      const path = paths.get(joint(toe));
      for (const { first, last } of path === undefined ? [] : this.labels.plants(column)) {
        const middle = Math.floor((first + last) / 2);
        this.stage.addPlantedPoint(new THREE.Vector3().fromArray(path, 3 * middle).add(figure.group.position), COLOUR.after);
      }
    }
  }

  /** Where the joint that travels is in a frame; null where the clip has none. */
  #travelAt(frame) {
    const { travel_joint: joint } = this.clip.info;
    const path = this.after?.paths.get(this.after.joint(joint)) ?? this.paths.get(joint);
    return path === undefined ? null : new THREE.Vector3().fromArray(path, 3 * frame);
  }

  #showFrame(frame) {
    if (this.clip === null || !this.#shown) return;
    this.timeline.setFrame(frame);
    if (this.before.group.visible) this.before.pose(this.times[frame]);
    if (this.after?.figure.group.visible) this.after.figure.pose(this.after.times[frame]);
    const place = this.#travelAt(frame);
    if ($("follow").checked && place !== null) this.stage.follow(place);
    this.stage.invalidate();
  }
}
