// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Files as the command can read them in the page: what is FBX becomes GLB, and keeps its name. */

// By the first bytes, as the command tells it; text by a word that all exporters write.
function isFbx(bytes) {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  return head.startsWith("Kaydara FBX Binary") || /^\s*;[^\n]*FBX|FBXHeaderExtension/.test(head);
}

function convert(bytes, name) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./fbx_worker.js", import.meta.url), { type: "module" });
    const end = (settle, value) => {
      worker.terminate();
      settle(value);
    };
    worker.onmessage = ({ data }) => (data.glb !== undefined ? end(resolve, data.glb) : end(reject, new Error(data.failure)));
    worker.onerror = (event) => end(reject, new Error(`${name}: the reader of FBX cannot be loaded${event.message ? `: ${event.message}` : ""}`));
    worker.postMessage({ bytes, name });
  });
}

/** @param {Record<string, Uint8Array>} files @returns {Promise<Record<string, Uint8Array>>} */
export async function readable(files) {
  const entries = Object.entries(files).map(async ([name, bytes]) => [name, isFbx(bytes) ? await convert(bytes, name) : bytes]);
  return Object.fromEntries(await Promise.all(entries));
}
