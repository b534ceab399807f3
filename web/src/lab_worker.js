// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The laboratory, off the page's own thread; lab.js is its other end. */

import { LabModule } from "./lab_module.js";

const lab = WebAssembly.compileStreaming(fetch(new URL("./surefoot.wasm", import.meta.url))).then((module) => LabModule.start(module));
lab.catch(() => {}); // told with each call

async function answer({ id, name, args }) {
  try {
    const value = await (await lab)[name](...args);
    self.postMessage({ id, value });
  } catch (error) {
    self.postMessage({ id, failure: error.message });
  }
}

let last = Promise.resolve();
self.onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};
