// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// mend_fbx_loader.mjs FROM TO: three's FBXLoader as the studio uses it. Four lines differ: of the three curves of a
// translation one that has no key at a time goes the straight way there, as FBX has it and as the loader itself does
// for rotations, where it would stand at its key before; the file's settings, with its frame rate, come along, and the
// range of a take; and of several layers all come, of which the last counts (fbx.js), where only the first came.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to] = process.argv.slice(2);
let text = readFileSync(from, "utf8");
const layer = "const layer = layersMap.get( children[ 0 ].ID );";
if (text.split(layer).length !== 2) throw new Error(`${from}: is not the loader that is known here`);
text = text.replace(layer, "const layer = children.flatMap( ( child ) => layersMap.get( child.ID ) ?? [] );");
for (const [head, more] of [
  [
    "getKeyframeTrackValues( times, curves, initialValue ) {",
    "const straight = [ 'x', 'y', 'z' ].map( ( a, i ) => this.synchronizeCurve( curves[ a ], times, initialValue[ i ] ).values ); return times.flatMap( ( _, i ) => straight.map( ( s ) => s[ i ] ) );",
  ],
  ["addGlobalSceneSettings() {", "sceneGraph.userData.settings = fbxTree.GlobalSettings;"],
  ["addClip( rawClip ) {", "return Object.assign( this.addPlainClip( rawClip ), { range: [ rawClip.localStart, rawClip.localStop ] } );\n}\naddPlainClip( rawClip ) {"],
]) {
  if (text.split(head).length !== 2) throw new Error(`${from}: is not the loader that is known here`);
  text = text.replace(head, `${head}\n${more}`);
}
// Beside it lie other modules, by relative names.
text = text.replaceAll(/from '\.\.\//g, "from 'three/addons/");
writeFileSync(to, text);
