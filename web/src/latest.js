// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Work that answers what is chosen: what is chosen while it runs is answered after it, once, however often it changed. */
export class Latest {
  #once;
  #wanted;
  #stale = false;
  #busy = false;

  /** @param {() => Promise<void>} once does it @param {() => boolean} wanted whether anybody still waits for it */
  constructor(once, wanted) {
    this.#once = once;
    this.#wanted = wanted;
  }

  get busy() {
    return this.#busy;
  }

  async run() {
    this.#stale = true;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#stale && this.#wanted()) {
        this.#stale = false;
        await this.#once();
      }
    } finally {
      this.#busy = false;
    }
  }
}
