// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * Runs of the command in a worker. Runs of one topic (a slider that moves) replace each other while they wait, so that
 * the page shows the newest and never falls behind; a run that takes too long can be stopped, and the next starts anew.
 */

/** A newer run of the same topic took its place, or it was stopped: nothing to tell. */
export class Superseded extends Error {}

/** The command's own word for what went wrong. */
export class CommandError extends Error {
  constructor(outcome, args) {
    super(outcome.errors.trim() || `surefoot ${args[0]} ended with code ${outcome.code}`);
    this.code = outcome.code;
    this.outcome = outcome;
  }
}

export class Engine {
  #start;
  #worker = null;
  #next = 1;
  #running = null;
  #waiting = [];

  /** @param {() => Worker} start makes a worker that runs worker.js */
  constructor(start) {
    this.#start = start;
  }

  get busy() {
    return this.#running !== null;
  }

  /**
   * @param {string[]} args
   * @param {Record<string, Uint8Array>} files
   * @param {{ topic?: string }} [options] topic: replaces runs of the same topic that still wait
   * @returns {Promise<import("./surefoot.js").Outcome>} whatever the exit code is
   */
  run(args, files, { topic } = {}) {
    if (topic !== undefined) {
      for (const job of this.#waiting) if (job.topic === topic) job.reject(new Superseded());
      this.#waiting = this.#waiting.filter((job) => job.topic !== topic);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id: this.#next++, args, files, topic, resolve, reject });
      this.#go();
    });
  }

  /** As run, but any exit code other than 0 is a CommandError. */
  async ask(args, files, options) {
    const outcome = await this.run(args, files, options);
    if (outcome.code !== 0) throw new CommandError(outcome, args);
    return outcome;
  }

  /** Ends the run at hand and those that wait. */
  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const job of [this.#running, ...this.#waiting]) job?.reject(new Superseded());
    this.#running = null;
    this.#waiting = [];
  }

  #go() {
    if (this.#running !== null || this.#waiting.length === 0) return;
    this.#running = this.#waiting.shift();
    if (this.#worker === null) {
      this.#worker = this.#start();
      this.#worker.onmessage = ({ data }) => this.#done(data);
      this.#worker.onerror = (event) => {
        const failure = `the worker cannot run: ${event.message ?? "it cannot be loaded"}`;
        this.#worker.terminate();
        this.#worker = null;
        if (this.#running !== null) this.#done({ id: this.#running.id, failure });
      };
    }
    const { id, args, files } = this.#running;
    this.#worker.postMessage({ id, args, files });
  }

  #done({ id, outcome, failure }) {
    const job = this.#running;
    if (job === null || job.id !== id) return;
    this.#running = null;
    if (failure !== undefined) job.reject(new Error(failure));
    else job.resolve({ ...outcome, files: { ...job.files, ...outcome.files } });
    this.#go();
  }
}
