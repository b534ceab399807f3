// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT
// What reads FBX, bundled by build.sh as fbx_loader.js: it is loaded when the first FBX is opened.
export { FBXLoader } from "fbx-loader";
