// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * Contact bars of each foot over curves of its speed and height, before and after. Bars are buttons: dragged by pointer
 * or moved by keys (arrows: the end; with Shift: the start; with Alt: both; S splits, Delete takes away). A double click
 * makes a plant. Slides are red.
 */

const SLIDE = 0.02; // [m/s] horizontally, of a planted toe: what is drawn as sliding
const NEW_PLANT = 0.15; // [s]
const ROW = 92;
const BAR = 22;
const END = { mouse: 8, pen: 12, touch: 16 }; // so near to an end of a bar it is the end that is held [pixels]

/** @typedef {{ name: string, words: string, before: Curve, after: Curve | null }} Foot @typedef {{ speed: Float32Array, height: Float32Array }} Curve */

export class Timeline extends EventTarget {
  /** @param {HTMLElement} root */
  constructor(root) {
    super();
    this.root = root;
    this.feet = [];
    this.labels = null;
    this.frame = 0;
    this.selected = null;
    this.scroll = document.createElement("div");
    this.scroll.className = "timeline-scroll";
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.bars = document.createElement("div");
    this.bars.className = "timeline-bars";
    this.cursor = document.createElement("div");
    this.cursor.className = "timeline-cursor";
    this.scroll.append(this.canvas, this.bars, this.cursor);
    root.replaceChildren(this.scroll);
    this.bars.addEventListener("pointerdown", (event) => this.#grab(event));
    this.bars.addEventListener("dblclick", (event) => this.#makeAt(event));
    this.bars.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.draw()).observe(root);
  }

  /**
   * @param {Foot[]} feet
   * @param {import("./labels.js").Labels | null} labels of these feet
   * @param {number} frameTime [s]
   */
  setClip(feet, labels, frames, frameTime) {
    this.feet = feet;
    this.labels = labels;
    this.frames = frames;
    this.frameTime = frameTime;
    this.draw();
  }

  setFeet(feet) {
    this.feet = feet;
    this.draw();
  }

  setLabels(labels) {
    this.labels = labels;
    this.draw();
  }

  setFrame(frame) {
    this.frame = frame;
    this.cursor.style.left = `${this.#x(frame)}px`;
  }

  get width() {
    return this.root.clientWidth;
  }

  #x(frame) {
    return (frame / Math.max(1, this.frames - 1)) * this.width;
  }

  #frameAt(clientX) {
    const { left, width } = this.bars.getBoundingClientRect();
    return Math.round(((clientX - left) / Math.max(1, width)) * Math.max(1, this.frames - 1));
  }

  // ---- bars ----

  #layBars() {
    const focused = document.activeElement?.dataset?.plant;
    this.bars.style.height = `${this.feet.length * ROW}px`;
    const made = this.feet.flatMap((foot, row) => {
      const name = document.createElement("span");
      name.className = "timeline-foot";
      name.style.top = `${row * ROW + 4}px`;
      name.textContent = foot.words;
      return [name, ...this.labels.plants(foot.name).map((plant, i) => this.#bar(foot, row, plant, i))];
    });
    this.bars.replaceChildren(...made);
    if (focused !== undefined) this.bars.querySelector(`[data-plant="${CSS.escape(focused)}"]`)?.focus();
  }

  #bar(foot, row, plant, i) {
    const bar = document.createElement("button");
    bar.type = "button";
    bar.className = "timeline-bar";
    bar.dataset.foot = foot.name;
    bar.dataset.first = plant.first;
    bar.dataset.last = plant.last;
    bar.dataset.plant = `${foot.name}/${i}`;
    bar.setAttribute("aria-label", `${foot.words} planted, frames ${plant.first} to ${plant.last}`);
    bar.title = "Drag an end or the whole; arrows move the end, Shift and arrows the start, S splits, Delete takes away";
    bar.style.top = `${row * ROW + ROW - BAR - 4}px`;
    bar.style.left = `${this.#x(plant.first - 0.5)}px`;
    bar.style.width = `${Math.max(6, this.#x(plant.last + 0.5) - this.#x(plant.first - 0.5))}px`;
    return bar;
  }

  #plantOf(bar) {
    return { foot: bar.dataset.foot, plant: { first: Number(bar.dataset.first), last: Number(bar.dataset.last) } };
  }

  /** @param {string | null} drag changes of one drag belong together */
  #change(labels, what, drag = null) {
    if (labels !== this.labels) this.dispatchEvent(new CustomEvent("change", { detail: { labels, what, drag } }));
  }

  #move(foot, plant, first, last, drag) {
    const moved = this.labels.move(foot, plant, { first, last });
    if (moved.plant.first !== plant.first || moved.plant.last !== plant.last) this.#change(moved.labels, "contacts moved", drag);
    return moved.plant;
  }

  #grab(event) {
    const bar = event.target.closest(".timeline-bar");
    if (bar === null) {
      this.dispatchEvent(new CustomEvent("seek", { detail: this.#frameAt(event.clientX) }));
      return;
    }
    event.preventDefault();
    bar.focus();
    const { left, right } = bar.getBoundingClientRect();
    const reach = Math.min(END[event.pointerType] ?? END.mouse, (right - left) / 3);
    const moves = { start: event.clientX - left > reach ? 0 : 1, end: right - event.clientX > reach ? 0 : 1 };
    if (moves.start === moves.end) moves.start = moves.end = 1;
    const { foot, plant } = this.#plantOf(bar);
    const from = this.#frameAt(event.clientX);
    const drag = `drag ${event.timeStamp}`;
    let at = plant;
    const follow = ({ clientX }) => {
      const by = this.#frameAt(clientX) - from;
      at = this.#move(foot, at, plant.first + moves.start * by, plant.last + moves.end * by, drag);
    };
    // The bars are laid anew while one is dragged, so that the row listens, not the bar.
    this.bars.setPointerCapture(event.pointerId);
    this.bars.addEventListener("pointermove", follow);
    const end = () => {
      this.bars.removeEventListener("pointermove", follow);
      this.dispatchEvent(new CustomEvent("settle"));
    };
    this.bars.addEventListener("pointerup", end, { once: true });
    this.bars.addEventListener("pointercancel", end, { once: true });
  }

  #makeAt(event) {
    if (event.target.closest(".timeline-bar") !== null) return;
    const row = Math.floor((event.clientY - this.bars.getBoundingClientRect().top) / ROW);
    if (this.feet[row] !== undefined) this.makePlant(this.feet[row].name, this.#frameAt(event.clientX));
  }

  /** A short plant about a frame. */
  makePlant(foot, frame) {
    const half = Math.max(1, Math.round((0.5 * NEW_PLANT) / this.frameTime));
    this.#change(this.labels.set(foot, frame - half, frame + half, true), "contact added");
  }

  #key(event) {
    const bar = event.target.closest(".timeline-bar");
    if (bar === null) return;
    const { foot, plant } = this.#plantOf(bar);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) {
      const start = event.shiftKey || event.altKey ? by : 0;
      const end = event.shiftKey ? 0 : by;
      this.#move(foot, plant, plant.first + start, plant.last + end, null);
    } else if (event.key === "Delete" || event.key === "Backspace")
      this.#change(this.labels.set(foot, plant.first, plant.last, false), "contact taken away");
    else if (event.key === "s" || event.key === "S") this.#change(this.labels.split(foot, plant, this.frame), "contact split");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- curves ----

  // Planted, and so are the frames beside it: speeds look at both.
  #stays(foot, frame) {
    const planted = (i) => i < 0 || i >= this.frames || this.labels.isPlanted(foot, i);
    return planted(frame - 1) && planted(frame) && planted(frame + 1);
  }

  draw() {
    const { width } = this;
    if (this.feet.length === 0 || width === 0) {
      this.bars.replaceChildren();
      this.canvas.height = 0;
      return;
    }
    const ratio = window.devicePixelRatio;
    const height = this.feet.length * ROW;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(name);
    const fastest = Math.max(0.1, ...this.feet.map(({ before }) => before.speed.reduce((a, b) => Math.max(a, b), 0)));
    const highest = Math.max(0.02, ...this.feet.map(({ before }) => before.height.reduce((a, b) => Math.max(a, b), 0)));
    this.feet.forEach((foot, row) => {
      const top = row * ROW;
      const floor = top + ROW - BAR - 10;
      const curve = (values, most, name, dash) => {
        pen.strokeStyle = colour(name);
        pen.setLineDash(dash);
        pen.lineWidth = 1.5;
        pen.beginPath();
        for (let i = 0; i < this.frames; ++i)
          pen.lineTo(this.#x(i), floor - (Math.max(0, values[i]) / most) * (floor - top - 20));
        pen.stroke();
      };
      for (const [values, name] of [[foot.before, "--before"], [foot.after, "--after"]])
        if (values !== null) {
          curve(values.height, highest, name, [2, 3]);
          curve(values.speed, fastest, name, []);
        }
      // Where a planted toe slides, its speed is red down to the ground.
      pen.fillStyle = colour("--slide");
      for (const values of [foot.before, foot.after])
        for (let i = 0; values !== null && this.labels !== null && i < this.frames; ++i)
          if (this.#stays(foot.name, i) && values.speed[i] > SLIDE) {
            const left = this.#x(i - 0.5);
            const tall = Math.max(4, (values.speed[i] / fastest) * (floor - top - 20));
            pen.fillRect(left, floor - tall, Math.max(1, this.#x(i + 0.5) - left), tall + 3);
          }
      pen.setLineDash([]);
      pen.strokeStyle = colour("--rule");
      pen.lineWidth = 1;
      pen.strokeRect(0, top + ROW - 0.5, width, 0);
    });
    if (this.labels !== null) this.#layBars();
    this.setFrame(this.frame);
  }
}

/**
 * Horizontal speed and height over the ground of a path.
 * @param {number | ((x: number, z: number, y: number) => number)} ground height of it
 * @param {number} unit metres a unit of the path and of that height
 * @param {number[]} velocity of it [m/s], not zero where the clip walks on the spot
 */
export function curveOf(path, frameTime, ground, unit, velocity) {
  const frames = path.length / 3;
  const curve = { speed: new Float32Array(frames), height: new Float32Array(frames) };
  for (let i = 0; i < frames; ++i) {
    const a = Math.max(0, i - 1);
    const b = Math.min(frames - 1, i + 1);
    const time = (b - a) * frameTime;
    const speed = (axis) => (unit * (path[3 * b + axis] - path[3 * a + axis])) / time - velocity[axis];
    curve.speed[i] = time > 0 ? Math.hypot(speed(0), speed(2)) : 0;
    const [x, y, z] = path.subarray(3 * i, 3 * i + 3);
    curve.height[i] = unit * (y - (typeof ground === "number" ? ground : ground(x, z, y)));
  }
  return curve;
}
