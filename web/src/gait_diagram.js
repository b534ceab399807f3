// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Which foot stands when, as bars that run to the left: the newest moment is at the right edge. */

import { make } from "./controls.js";
import { RATE } from "./lab_module.js";

const SECONDS = 6;
const ROW = 14;

export class GaitDiagram {
  #moments = []; // { step, standing[] }, one where something changed
  #names = [];

  constructor() {
    this.canvas = make("canvas", { className: "gait" });
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Which foot stands, over the last ${SECONDS} seconds`);
    this.root = make("div", { className: "gait-panel" }, make("span", { textContent: "Which foot stands when" }), this.canvas);
  }

  /** @param {string[]} names of the feet */
  begin(names) {
    this.#names = names;
    this.#moments = [];
  }

  /** @param {import("./lab_module.js").Look} look */
  add(look) {
    const standing = look.legs.map((leg) => leg.standing && !leg.swinging);
    const last = this.#moments.at(-1);
    if (last !== undefined && last.step > look.step) this.#moments = [];
    if (last === undefined || last.standing.some((value, i) => value !== standing[i])) this.#moments.push({ step: look.step, standing });
    // One that began before the picture's left edge is kept.
    while (this.#moments.length > 1 && this.#moments[1].step < look.step - SECONDS * RATE) this.#moments.shift();
    this.#draw(look.step);
  }

  #draw(now) {
    const ratio = window.devicePixelRatio;
    const width = this.canvas.clientWidth;
    const height = ROW * this.#names.length;
    if (width === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.height = `${height}px`;
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.canvas);
    const left = 92;
    const x = (step) => Math.max(left, width - ((now - step) / (SECONDS * RATE)) * (width - left));
    pen.font = `11px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    this.#names.forEach((name, row) => {
      pen.fillStyle = style.getPropertyValue("--ink");
      pen.fillText(name, 0, ROW * (row + 0.5), left - 6);
      pen.fillStyle = style.getPropertyValue("--after");
      this.#moments.forEach(({ step, standing }, i) => {
        if (!standing[row]) return;
        const end = x(this.#moments[i + 1]?.step ?? now);
        pen.fillRect(x(step), ROW * row + 2, end - x(step), ROW - 4);
      });
      pen.fillStyle = style.getPropertyValue("--rule");
      pen.fillRect(left, ROW * (row + 1) - 0.5, width - left, 0.5);
    });
  }
}
