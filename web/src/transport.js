// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The frame shown, and what moves it: play, step, scrub, loop, slow. Says "frame" when it changes. */

const $ = (id) => document.getElementById(id);

export class Transport extends EventTarget {
  #playing = null;
  #frames = 0;
  #frameTime = 1;

  constructor() {
    super();
    $("play").addEventListener("click", () => this.toggle());
    $("back").addEventListener("click", () => this.step(-1));
    $("forward").addEventListener("click", () => this.step(1));
    $("frame").addEventListener("input", () => this.scrub(Number($("frame").value)));
  }

  /** @param {number} frames @param {number} frameTime [s] */
  setClip(frames, frameTime) {
    this.stop();
    this.#frames = frames;
    this.#frameTime = frameTime;
    $("frame").max = Math.max(0, frames - 1);
    for (const id of ["play", "back", "forward", "frame"]) $(id).disabled = frames === 0;
    this.seek(0);
  }

  get frame() {
    return Number($("frame").value);
  }

  seek(frame) {
    const last = Math.max(0, this.#frames - 1);
    const at = Math.min(Math.max(Math.round(frame), 0), last);
    $("frame").value = at;
    $("frame-words").textContent = `${at} of ${last}, ${(at * this.#frameTime).toFixed(2)} s`;
    this.dispatchEvent(new CustomEvent("frame", { detail: at }));
  }

  /** Goes to a frame that the visitor points at. */
  scrub(frame) {
    this.stop();
    this.seek(frame);
  }

  step(by) {
    this.scrub(this.frame + by);
  }

  stop() {
    if (this.#playing !== null) cancelAnimationFrame(this.#playing.handle);
    this.#show(null);
  }

  toggle() {
    if (this.#frames === 0) return;
    if (this.#playing !== null) return this.stop();
    let at = this.frame >= this.#frames - 1 ? 0 : this.frame;
    let then = performance.now();
    const step = (now) => {
      at += ((now - then) / 1000 / this.#frameTime) * Number($("speed").value);
      then = now;
      if (at > this.#frames - 1 && !$("loop-play").checked) return this.scrub(this.#frames - 1);
      at %= this.#frames;
      this.seek(Math.floor(at));
      this.#playing.handle = requestAnimationFrame(step);
    };
    this.#show({ handle: requestAnimationFrame(step) });
  }

  #show(playing) {
    this.#playing = playing;
    $("play").textContent = playing === null ? "Play" : "Pause";
    $("play").setAttribute("aria-pressed", String(playing !== null));
  }
}
