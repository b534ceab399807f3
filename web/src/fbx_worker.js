// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** FBX to GLB off the page's own thread; see fbx_open.js for the other end. */

import { fbxReader } from "./fbx.js";

const reader = fbxReader(fetch(new URL("./fbx.wasm", import.meta.url)));
reader.catch(() => {}); // told with the file

self.onmessage = async ({ data: { bytes, name } }) => {
  try {
    self.postMessage({ glb: await (await reader)(bytes, name) });
  } catch (error) {
    self.postMessage({ failure: error.message });
  }
};
