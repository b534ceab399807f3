// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** FBX to GLB off the page's own thread; see fbx_open.js for the other end. */

import { fbxToGlb } from "./fbx.js";

self.onmessage = ({ data: { bytes, name } }) => {
  try {
    self.postMessage({ glb: fbxToGlb(bytes, name) });
  } catch (error) {
    self.postMessage({ failure: error.message });
  }
};
