// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * FBX as the GLB that the command takes it for (docs/fbx.md), by a module of its own, fbx.wasm, which is loaded with the
 * first FBX. Runs in a worker and in Node.
 */

import { Surefoot } from "./surefoot.js";

/**
 * @param {BufferSource | Response | PromiseLike<Response>} source of fbx.wasm
 * @returns {Promise<(bytes: Uint8Array, name: string) => Promise<Uint8Array>>} FBX to GLB; an Error has the file's name
 */
export async function fbxReader(source) {
  const reader = await Surefoot.load(source);
  return async (bytes, name) => {
    const { code, output, errors } = await reader.run(["-"], {}, { input: bytes });
    if (code !== 0) throw new Error(`surefoot: ${name}: ${errors.trim().replace(/^surefoot: /, "")}`);
    return output;
  };
}
