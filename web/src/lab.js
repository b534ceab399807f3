// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The laboratory's end in the page: calls of lab_module.js, answered in order by a worker that lives until stopped. */
export class Lab {
  #start;
  #worker = null;
  #next = 1;
  #waiting = new Map();

  /** @param {() => Worker} [start] makes a worker that runs lab_worker.js */
  constructor(start = () => new Worker(new URL("./lab_worker.js", import.meta.url), { type: "module" })) {
    this.#start = start;
  }

  /**
   * @param {keyof import("./lab_module.js").LabModule} name
   * @param {...unknown} args
   * @returns {Promise<any>} what it answers; null where the lab was stopped meanwhile
   */
  call(name, ...args) {
    if (this.#worker === null) this.#begin();
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, name, args });
    });
  }

  #begin() {
    this.#worker = this.#start();
    this.#worker.onmessage = ({ data: { id, value, failure } }) => {
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failure !== undefined) call?.reject(new Error(failure));
      else call?.resolve(value);
    };
    this.#worker.onerror = (event) => {
      const waiting = [...this.#waiting.values()];
      this.stop();
      for (const { reject } of waiting) reject(new Error(`the laboratory cannot run: ${event.message ?? "it cannot be loaded"}`));
    };
  }

  /** Ends it; its memory goes with it. */
  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { resolve } of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}
