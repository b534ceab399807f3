// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The laboratory: an instance of surefoot.wasm that is not run but called (web/lab/lab.h), for what lasts from frame to
 * frame: a creature that is led, and figures whose hands and feet follow a target. Serves workers and Node.
 */

import { Exit, MemoryFiles, Wasi } from "./wasi.js";

/** Steps a second. */
export const RATE = 120;
/** What a creature is asked for (roam.h). */
export const LEAD = Object.freeze({ TO: 0, STAND: 1, PUSH: 2, LOOK: 3 });
export const GAITS = ["free", "alternate", "diagonal", "tripod", "ripple", "wave"];
export const SOLVERS = ["two bones", "CCD", "FABRIK", "whole body"];
/** What a solver is asked for (lab_ik.c). */
export const ASK = Object.freeze({ POLE: 1, LIMITS: 2, ARC: 4, GO_ON: 8 });

const BODY = 28;
const LEG = 24;
const JOINT = 7;

/** Names what stands where in a creature's block of numbers. */
export class Look {
  /** @param {Float64Array} block @param {number} legs @param {number} joints */
  constructor(block, legs, joints) {
    const at = (index, count) => block.subarray(index, index + count);
    const truth = (index) => block[index] !== 0;
    this.step = block[0];
    this.place = at(1, 3);
    this.rotation = at(4, 4);
    this.velocity = at(8, 3);
    this.turn = block[11];
    this.speedLimit = block[12];
    this.safeSpeed = block[13];
    this.gait = GAITS[block[14]];
    this.group = block[15];
    this.blocked = truth(16);
    this.moving = truth(17);
    this.pushRefused = at(18, 3);
    this.head = at(21, 3);
    this.slide = block[24];
    this.slideMost = block[25];
    this.legs = Array.from({ length: legs }, (_, i) => {
      const leg = BODY + LEG * i;
      return {
        joint: at(leg, 3),
        position: at(leg + 3, 3),
        normal: at(leg + 6, 3),
        from: at(leg + 9, 3),
        to: at(leg + 12, 3),
        toNormal: at(leg + 15, 3),
        swinging: truth(leg + 18),
        standing: truth(leg + 19),
        time: block[leg + 20],
        steps: block[leg + 21],
        ankle: block[leg + 22],
        side: block[leg + 23],
      };
    });
    /** x, y, z and quaternion of each joint in the world */
    this.joints = at(BODY + LEG * legs, JOINT * joints);
  }

  /** Whether anything that is drawn is elsewhere than it was. @param {Look} before */
  moved(before) {
    return this.joints.length !== before.joints.length || this.joints.some((value, i) => Math.abs(value - before.joints[i]) > 1e-6);
  }
}

export class LabModule {
  #exports;
  #files = new MemoryFiles();
  #wasi;
  #said = 0;

  /** @param {WebAssembly.Module} module */
  static async start(module) {
    const lab = new LabModule();
    lab.#wasi = new Wasi({ args: ["surefoot"], files: lab.#files });
    const instance = await WebAssembly.instantiate(module, lab.#wasi.imports);
    lab.#wasi.memory = instance.exports.memory;
    lab.#exports = instance.exports;
    instance.exports._initialize();
    return lab;
  }

  /** Bytes of memory, of which nothing is given back to the system. */
  get memory() {
    return this.#wasi.memory.buffer.byteLength;
  }

  // ---- calls ----

  /** A call that answers an exit code. The command's own words are the error's. */
  #do(name, ...args) {
    let code;
    try {
      code = this.#exports[name](...args);
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      code = error.code;
    }
    if (code === 0) return;
    const words = new TextDecoder().decode(this.#wasi.errors.bytes().subarray(this.#said)).trim();
    this.#said = this.#wasi.errors.size;
    throw new Error(words || `${name} answers ${code}`);
  }

  #give(bytes) {
    const at = this.#exports.lab_room(bytes.length);
    if (at === 0) throw new Error("out of memory");
    this.#wasi.bytesAt(at, bytes.length).set(bytes);
  }

  #room() {
    return this.#wasi.bytesAt(this.#exports.lab_room_bytes(), this.#exports.lab_room_size()).slice();
  }

  #block(at, count) {
    return new Float64Array(this.#wasi.memory.buffer, at, count).slice();
  }

  // ---- a creature that is led ----

  /**
   * @param {string[]} words of `surefoot roam`: creature, gait, ground and numbers
   * @param {Record<string, Uint8Array>} [files] that the words name
   * @returns {{ names: string[], feet: number[], gaits: string[], ground: string, reach: number }}
   */
  makeCreature(words, files = {}) {
    this.#files.files = new MemoryFiles(files).files;
    this.#give(new TextEncoder().encode(words.map((word) => `${word}\0`).join("")));
    this.#do("lab_creature_make");
    this.#do("lab_creature_words");
    const lines = new TextDecoder().decode(this.#room()).split("\n");
    const joints = this.#exports.lab_creature_joints();
    return {
      names: lines.slice(0, joints),
      feet: lines[joints].split(",").map(Number),
      gaits: lines[joints + 1].split(","),
      ground: lines[joints + 2],
      reach: this.#exports.lab_creature_reach(),
    };
  }

  releaseCreature() {
    this.#exports.lab_creature_release();
  }

  /** At the origin again, at rest. */
  putDown() {
    this.#do("lab_creature_put_down");
  }

  move(x, z, heading) {
    this.#do("lab_creature_move", x, z, heading);
  }

  /**
   * Asks for things and goes on.
   * @param {[number, number, number, number][]} asked kind (LEAD), x, y, z
   * @param {number} steps
   * @returns {Float64Array} a Look's block
   */
  advance(asked, steps) {
    for (const [kind, x, y, z] of asked) this.#exports.lab_creature_lead(kind, x, y, z);
    if (steps > 0) this.#do("lab_creature_step", steps);
    const legs = this.#exports.lab_creature_legs();
    const joints = this.#exports.lab_creature_joints();
    return this.#block(this.#exports.lab_creature_look(), BODY + LEG * legs + JOINT * joints);
  }

  /** @returns {string} the ground within `reach` metres of the origin, as OBJ */
  ground(reach) {
    this.#do("lab_creature_ground", reach);
    const file = this.#files.files.get("/ground.obj");
    this.#files.files.delete("/ground.obj");
    return new TextDecoder().decode(file.bytes());
  }

  /** @returns {Uint8Array} where it is and what it was asked for */
  save() {
    this.#do("lab_creature_save");
    return this.#room();
  }

  restore(bytes) {
    this.#give(bytes);
    this.#do("lab_creature_restore");
  }

  // ---- a figure whose end follows a target ----

  /** @param {number} end 0 the person's hand, 1 its foot, 2 the tip of an arm of ten bones */
  makeFigure(end) {
    if (this.#exports.lab_ik_make(end) !== 0) throw new Error("this figure cannot be made");
    const joints = this.#exports.lab_ik_joints();
    const all = Array.from({ length: joints }, (_, i) => i);
    // The first call of a function compiles it: not a time to show.
    SOLVERS.forEach((_, solver) => this.#answer(solver, [0.2, 1, 0.2], ASK.LIMITS, 4));
    this.rest();
    return {
      parents: all.map((joint) => this.#exports.lab_ik_parent(joint)),
      places: this.#block(this.#exports.lab_ik_places(), 3 * joints),
      end: this.#exports.lab_ik_end(),
      limb: [0, 1, 2].map((which) => this.#exports.lab_ik_limb(which)),
      pole: this.#block(this.#exports.lab_ik_pole(), 3),
    };
  }

  /** Every solver begins at the rest pose again. */
  rest() {
    this.#exports.lab_ik_rest();
  }

  #answer(solver, [x, y, z], asked, iterations) {
    const at = this.#exports.lab_ik_solve(solver, x, y, z, asked, iterations);
    if (at === 0) throw new Error("the target's numbers are out of range");
    return at;
  }

  /**
   * One answer of every solver.
   * @param {[number, number, number]} target [m]
   * @param {number} asked bits of ASK
   * @param {number} iterations most
   * @returns {{ iterations: number, residual: number, reached: boolean, microseconds: number, places: Float64Array }[]}
   */
  solve(target, asked, iterations) {
    const joints = this.#exports.lab_ik_joints();
    return SOLVERS.map((_, solver) => {
      // A browser's clock is coarse: the same answer is found until a millisecond is gone.
      this.#exports.lab_ik_keep();
      const begun = performance.now();
      let times = 0;
      let at = 0;
      let gone = 0;
      while (times === 0 || (gone < 1 && times < 200)) {
        if (times > 0) this.#exports.lab_ik_back();
        at = this.#answer(solver, target, asked, iterations);
        ++times;
        gone = performance.now() - begun;
      }
      const [count, residual, reached] = this.#block(at, 3);
      return { iterations: count, residual, reached: reached !== 0, microseconds: (1000 * gone) / times, places: this.#block(at + 32, 3 * joints) };
    });
  }

  releaseFigure() {
    this.#exports.lab_ik_release();
  }
}
