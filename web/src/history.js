// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Undo and redo over values that are never written to. Changes with one `name` in a row count as one. */
export class History {
  #past = [];
  #future = [];
  #name = null;

  constructor(value) {
    this.value = value;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** @param {string | null} [name] a drag or a slider: only its first change is a step back */
  set(value, name = null) {
    if (name === null || name !== this.#name) this.#past.push(this.value);
    this.#name = name;
    this.#future = [];
    this.value = value;
  }

  /** The change at hand is done: the next of the same name is a step of its own. */
  settle() {
    this.#name = null;
  }

  undo() {
    if (!this.canUndo) return;
    this.#future.push(this.value);
    this.value = this.#past.pop();
    this.#name = null;
  }

  redo() {
    if (!this.canRedo) return;
    this.#past.push(this.value);
    this.value = this.#future.pop();
    this.#name = null;
  }
}
