// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The command, off the page's own thread. One run at a time, in the order asked; see engine.js for the other end. */

import { Surefoot } from "./surefoot.js";

const surefoot = Surefoot.load(fetch(new URL("./surefoot.wasm", import.meta.url)));
surefoot.catch(() => {}); // told with each run

async function answer({ id, args, files, input }) {
  try {
    const outcome = await (await surefoot).run(args, files, { input });
    // What was given is at hand on the other side already.
    for (const name of Object.keys(files)) if (outcome.files[name]?.buffer === files[name].buffer) delete outcome.files[name];
    self.postMessage({ id, outcome });
  } catch (error) {
    self.postMessage({ id, failure: `surefoot.wasm cannot be loaded: ${error.message}` });
  }
}

let last = Promise.resolve();
self.onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};
