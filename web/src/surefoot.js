// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The surefoot command, in a page: the same program, compiled to WebAssembly, over files in memory. Each run has an
 * instance of its own, so its memory goes when it ends and one run's fault cannot touch another.
 */

import { Exit, MemoryFiles, Wasi } from "./wasi.js";

/** What the command answers where the program itself fell over: nothing of it is to be trusted. */
export const EXIT_CRASH = 70;

/**
 * @typedef {object} Outcome
 * @property {number} code exit code, as docs/cli.md lists them; EXIT_CRASH where the program trapped
 * @property {Uint8Array} output standard output
 * @property {string} errors standard error
 * @property {Record<string, Uint8Array>} files all files after the run by path, those given and those made
 */

export class Surefoot {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
  }

  /** @param {BufferSource | Response | PromiseLike<Response>} source of surefoot.wasm */
  static async load(source) {
    const bytes = ArrayBuffer.isView(source) || source instanceof ArrayBuffer;
    return new Surefoot(bytes ? await WebAssembly.compile(source) : await WebAssembly.compileStreaming(source));
  }

  /**
   * Runs `surefoot ARGS` and waits for its end. Paths in `args` are those of `files`.
   * @param {string[]} args without the program's name
   * @param {Record<string, Uint8Array>} [files] not written to
   * @param {object} [options]
   * @param {Uint8Array} [options.input] standard input
   * @param {(text: Uint8Array) => void} [options.onError] sees standard error as it comes
   * @returns {Promise<Outcome>}
   */
  async run(args, files = {}, { input, onError } = {}) {
    const kept = new MemoryFiles(files);
    const wasi = new Wasi({ args: ["surefoot", ...args], files: kept, input, onError });
    let code = EXIT_CRASH;
    let crash = "";
    try {
      const instance = await WebAssembly.instantiate(this.module, wasi.imports);
      wasi.memory = instance.exports.memory;
      instance.exports._initialize();
      code = instance.exports.__main_void();
    } catch (error) {
      if (error instanceof Exit) code = error.code;
      else crash = `surefoot: the program ended by itself (${error.message}); please report the file\n`;
    }
    return {
      code,
      output: wasi.output.bytes(),
      errors: new TextDecoder().decode(wasi.errors.bytes()) + crash,
      files: kept.all(),
    };
  }
}
