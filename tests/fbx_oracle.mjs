// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Compares what surefoot-fbx gives with what another reader of FBX gives: three's FBXLoader. World positions of all
// nodes that both have, at every frame of every take, in centimetres. The GLB is evaluated here, by a few lines that
// share nothing with the library.
//   node fbx_oracle.mjs NODE_MODULES SUREFOOT_FBX FILE...     a line a file; with --table, a table for docs/fbx.md
// Fails where a file differs by more than 0.01 cm and is not among `known`, or where one of those agrees by now.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const args = process.argv.slice(2);
const table = args[0] === '--table';
if (table) args.shift();
const [modules, reader, ...files] = args;
const limit = 0.01; // cm

// Files that differ or that one of the two does not read, and why.
const known = {
    ufbx_max7_skin_5000_binary: 'FBX 5 of 2004: assimp starts at 7.1 (refused, with the version)',
    ufbx_maya_anim_pivot_rotate_7700_ascii:
        'three leaves out the rotation pivot where a curve turns; by hand: half a turn about (0, 0.5, 0) takes the origin 1 cm up',
    ufbx_maya_human_ik_7400_binary:
        'three hands the scale 0.01 down to joints that do not inherit it (InheritType 2): its thigh is 0.4 cm long, ours 44.9',
    ufbx_motionbuilder_sausage_rrss_7700_binary:
        'an uneven scale that moves, above joints of InheritType 0; assimp hands it down as matrices do, and a warning says so'
};

// three looks at a page that is not there; textures are never loaded.
globalThis.window = globalThis;
globalThis.self = globalThis;
globalThis.document = {
    createElementNS: () => ({ addEventListener() {}, removeEventListener() {}, set src(value) {} })
};
const from = (path) => import(pathToFileURL(resolve(modules, 'three', path)));
const THREE = await from('build/three.module.js');
const { FBXLoader } = await from(straightened());
// Of the three curves of a translation, three takes one that has no key at a time to stand at its key before; for
// rotations it goes the straight way, as FBX has it. A copy in which both go straight:
function straightened() {
    const folder = resolve(modules, 'three/examples/jsm/loaders');
    const text = readFileSync(`${folder}/FBXLoader.js`, 'utf8');
    const head = 'getKeyframeTrackValues( times, curves, initialValue ) {';
    if (text.split(head).length !== 2) throw new Error('FBXLoader.js is not the one that is known here');
    writeFileSync(`${folder}/FBXLoaderStraight.js`, text.replace(head, `${head}
        const straight = [ 'x', 'y', 'z' ].map( ( a, i ) => this.synchronizeCurve( curves[ a ], times, initialValue[ i ] ).values );
        return times.flatMap( ( _, i ) => straight.map( ( s ) => s[ i ] ) );`));
    return 'examples/jsm/loaders/FBXLoaderStraight.js';
}
for (const level of ['warn', 'error', 'log']) console[`${level}Plain`] = console[level];
console.warn = console.error = () => {};

// ---- GLB, evaluated by hand ----

function multiply(a, b) {
    const m = new Array(16).fill(0); // row-major
    for (let i = 0; i < 4; ++i)
        for (let k = 0; k < 4; ++k)
            for (let n = 0; n < 4; ++n) m[4 * i + k] += a[4 * i + n] * b[4 * n + k];
    return m;
}
function compose(t, [x, y, z, w], s) {
    const r = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
    return [r[0] * s[0], r[1] * s[1], r[2] * s[2], t[0], r[3] * s[0], r[4] * s[1], r[5] * s[2], t[1],
            r[6] * s[0], r[7] * s[1], r[8] * s[2], t[2], 0, 0, 0, 1];
}
function slerp(a, b, at) {
    let dot = a.reduce((sum, v, i) => sum + v * b[i], 0);
    const sign = dot < 0 ? -1 : 1;
    dot = Math.min(1, Math.abs(dot));
    const angle = Math.acos(dot), sine = Math.sin(angle);
    const x = sine > 1e-6 ? Math.sin((1 - at) * angle) / sine : 1 - at;
    const y = (sine > 1e-6 ? Math.sin(at * angle) / sine : at) * sign;
    const q = a.map((v, i) => x * v + y * b[i]);
    const length = Math.hypot(...q);
    return q.map((v) => v / length);
}
export function readGlb(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = view.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + size)));
    const bin = 28 + size;
    const floats = (index) => {
        const a = json.accessors[index], width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[a.type];
        return Array.from({ length: a.count }, (_, i) =>
            Array.from({ length: width }, (_, k) => view.getFloat32(bin + a.byteOffset + 4 * (i * width + k), true)));
    };
    const parents = json.nodes.map(() => -1);
    json.nodes.forEach((n, i) => (n.children ?? []).forEach((c) => (parents[c] = i)));
    const clips = (json.animations ?? []).map((a) => ({
        name: a.name, extras: a.extras?.surefoot ?? {},
        channels: a.channels.map((c) => ({
            node: c.target.node, path: c.target.path,
            times: floats(a.samplers[c.sampler].input).map((v) => v[0]), values: floats(a.samplers[c.sampler].output)
        }))
    }));
    return { json, parents, clips, extras: json.asset.extras.surefoot };
}
// World positions by node, in metres.
export function positionsAt(glb, clip, time) {
    const pose = glb.json.nodes.map((n) => ({
        translation: n.translation ?? [0, 0, 0], rotation: n.rotation ?? [0, 0, 0, 1], scale: n.scale ?? [1, 1, 1],
        matrix: n.matrix
    }));
    for (const c of clip?.channels ?? []) {
        let i = 0;
        while (i + 1 < c.times.length && c.times[i + 1] <= time) ++i;
        const j = Math.min(i + 1, c.times.length - 1);
        const at = j > i ? Math.min(1, Math.max(0, (time - c.times[i]) / (c.times[j] - c.times[i]))) : 0;
        pose[c.node][c.path] = c.path === 'rotation' ? slerp(c.values[i], c.values[j], at)
            : c.values[i].map((v, k) => v + (c.values[j][k] - v) * at);
    }
    const worlds = [];
    return glb.json.nodes.map((n, i) => {
        const p = pose[i];
        const local = p.matrix ? [0, 1, 2, 3].flatMap((r) => [0, 1, 2, 3].map((c) => p.matrix[4 * c + r]))
            : compose(p.translation, p.rotation, p.scale);
        worlds[i] = glb.parents[i] >= 0 ? multiply(worlds[glb.parents[i]], local) : local;
        return [worlds[i][3], worlds[i][7], worlds[i][11]];
    });
}

// ---- the other reader ----

function objectsByName(root) {
    const found = new Map();
    root.traverse((o) => {
        const name = o.userData.originalName ?? o.name;
        if (!found.has(name)) found.set(name, o);
    });
    return found;
}

function compare(file) {
    const row = { name: basename(file, '.fbx'), takes: 0, frames: 0, nodes: 0, of: 0, worst: 0, where: '' };
    let glb;
    try {
        glb = readGlb(execFileSync(reader, [file], { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'pipe'] }));
    } catch (error) {
        return { ...row, unread: `surefoot-fbx: ${String(error.stderr).trim()}` };
    }
    let group;
    try {
        const bytes = readFileSync(file);
        group = new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
    } catch (error) {
        return { ...row, unread: `three: ${error.message}` };
    }
    // Joints, or where there are none, all nodes. (three makes what a camera looks at its child, which it is not.)
    const joints = new Set((glb.json.skins ?? []).flatMap((s) => s.joints));
    const objects = objectsByName(group);
    const pairs = [];
    glb.json.nodes.forEach((n, i) => {
        if (i === 0 || (joints.size > 0 && !joints.has(i))) return;
        ++row.of;
        if (objects.has(n.name)) pairs.push([i, objects.get(n.name)]);
    });
    row.nodes = pairs.length;
    // It turns Z up to Y up, and leaves the unit as it is.
    const toCm = (group.userData.unitScaleFactor ?? 1);
    const rest = group.animations.length === 0 || glb.clips.length === 0;
    const point = new THREE.Vector3();
    const measure = (clip, time, frame) => {
        group.updateMatrixWorld(true);
        const ours = positionsAt(glb, clip, time);
        for (const [i, object] of pairs) {
            point.setFromMatrixPosition(object.matrixWorld);
            const off = Math.hypot(...ours[i].map((v, k) => 100 * v - toCm * point.getComponent(k)));
            if (!(off <= row.worst)) {
                row.worst = off;
                row.where = `${glb.json.nodes[i].name}, ${clip ? `take ${clip.name} frame ${frame}` : 'at rest'}`;
            }
        }
        ++row.frames;
    };
    measure(null, 0, 0);
    for (const clip of glb.clips) {
        const theirs = group.animations.find((a) => a.name === clip.name);
        if (rest || !theirs || theirs.tracks.length === 0) continue;
        ++row.takes;
        const mixer = new THREE.AnimationMixer(group);
        const action = mixer.clipAction(theirs);
        action.setLoop(THREE.LoopOnce, 1);
        action.clampWhenFinished = true;
        action.play();
        const shift = clip.extras.shift ?? 0;
        const last = Math.max(...clip.channels.map((c) => c.times[c.times.length - 1])) - shift;
        const first = Math.min(...clip.channels.map((c) => c.times[0])) - shift;
        const rate = glb.extras.frame_rate;
        for (let frame = 0; first + frame / rate <= last + 1e-6; ++frame) {
            const time = first + frame / rate;
            action.reset();
            action.time = Math.min(time, theirs.duration);
            action.paused = true;
            mixer.update(0);
            measure(clip, time + shift, frame);
        }
        mixer.stopAllAction();
        mixer.uncacheRoot(group);
    }
    return row;
}

let failed = 0;
const rows = files.map(compare);
if (table) console.logPlain('| file | joints | takes | frames | largest difference, cm | reason |\n|---|---:|---:|---:|---:|---|');
for (const r of rows) {
    const why = known[r.name];
    const agrees = !r.unread && r.nodes > 0 && r.worst <= limit;
    if (agrees === (why !== undefined)) {
        ++failed;
        console.errorPlain(`FAIL ${r.name}: ${r.unread ?? `${r.worst} cm at ${r.where}`}${why ? ` (no longer: ${why})` : ''}`);
    }
    const off = r.unread ? '-' : r.worst.toPrecision(2);
    if (table) console.logPlain(`| ${r.name} | ${r.nodes} | ${r.takes} | ${r.frames} | ${off} | ${why ?? ''} |`);
    else console.logPlain(`${r.name}: ${r.unread ?? `${off} cm (${r.where}); ${r.nodes} of ${r.of} joints, ${r.takes} takes, ${r.frames} frames`}`);
}
if (!table) console.logPlain(failed === 0 ? `${rows.filter((r) => !r.unread && r.worst <= limit).length} of ${rows.length} files agree within ${limit} cm` : `${failed} of ${rows.length} files are not as they should be`);
process.exit(failed === 0 ? 0 : 1);
