#!/usr/bin/env node
// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Says whether written glTF files have errors or warnings that the files they came from had not, by Khronos'
// gltf-validator. Needs the npm package gltf-validator in FOLDER/node_modules (tools/npm_packages.sh) and no network.
//
//   validate_gltf.mjs [--packages FOLDER] [--json] IN OUT [IN OUT]...   pairs
//   validate_gltf.mjs [--packages FOLDER] [--json] --list FILE...       the errors and warnings of each file
//
// A pair fails where OUT has more issues of one severity and code than IN; IN '-' stands for a file without issues.
// --json prints one object a line. Exit code: 0 all well, 1 a pair fails (--list: a file has errors), 2 usage, a file
// that cannot be opened, or no package. Other files are read only from the folder of the file that names them.

import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const severities = ['error', 'warning']; // the validator's 0 and 1; 2 is information, 3 a hint

function fail(text) {
    process.stderr.write(`validate_gltf: ${text}\n`);
    process.exit(2);
}

function options(argv) {
    const o = { packages: '.', json: false, list: false, files: [] };
    for (let i = 0; i < argv.length; ++i) {
        if (argv[i] === '--json') o.json = true;
        else if (argv[i] === '--list') o.list = true;
        else if (argv[i] === '--packages') o.packages = argv[++i] ?? fail('--packages needs a folder');
        else if (argv[i].startsWith('--')) fail(`unknown option ${argv[i]}`);
        else o.files.push(argv[i]);
    }
    if (o.files.length === 0 || (!o.list && o.files.length % 2 !== 0))
        fail('usage: validate_gltf.mjs [--packages FOLDER] [--json] IN OUT [IN OUT]... | --list FILE...');
    return o;
}

function loadValidator(folder) {
    try {
        return createRequire(path.resolve(folder, 'x.cjs'))('gltf-validator');
    } catch {
        return fail(`no gltf-validator in ${folder}/node_modules: run tools/npm_packages.sh`);
    }
}

// A file that `uri` names beside `file`; throws where it would lie elsewhere.
function beside(file, uri) {
    const folder = realpathSync(path.dirname(path.resolve(file)));
    const target = realpathSync(path.resolve(folder, decodeURIComponent(uri)));
    if (!target.startsWith(folder + path.sep)) throw new Error(`${uri} lies outside the folder`);
    return new Uint8Array(readFileSync(target));
}

// {issues: {"error CODE": n}, first: {"error CODE": "pointer: message"}}
async function look(validator, file) {
    const found = { issues: {}, first: {} };
    if (file === '-') return found;
    let bytes;
    try {
        bytes = new Uint8Array(readFileSync(file));
    } catch (error) {
        fail(`${file}: ${error.message}`);
    }
    let messages;
    try {
        const report = await validator.validateBytes(bytes, {
            uri: path.basename(file),
            maxIssues: 0,
            writeTimestamp: false,
            externalResourceFunction: (uri) => new Promise((resolve) => resolve(beside(file, uri))),
        });
        messages = report.issues.messages;
    } catch (error) {
        // Not glTF at all: the validator throws instead of reporting.
        messages = [{ severity: 0, code: 'NOT_GLTF', message: String(error), pointer: '' }];
    }
    for (const m of messages) {
        if (m.severity >= severities.length) continue;
        const key = `${severities[m.severity]} ${m.code}`;
        found.issues[key] = (found.issues[key] ?? 0) + 1;
        found.first[key] ??= `${m.pointer ?? ''}: ${m.message}`;
    }
    return found;
}

async function list(validator, o) {
    let bad = false;
    for (const file of o.files) {
        const found = await look(validator, file);
        bad ||= Object.keys(found.issues).some((key) => key.startsWith('error'));
        if (o.json) console.log(JSON.stringify({ file, ...found }));
        else {
            console.log(file);
            for (const key of Object.keys(found.issues).sort())
                console.log(`    ${found.issues[key]} x ${key}  ${found.first[key]}`);
        }
    }
    return bad ? 1 : 0;
}

async function pairs(validator, o) {
    let bad = 0;
    const seen = new Map(); // an input that several outputs came from is looked at once
    for (let i = 0; i < o.files.length; i += 2) {
        const [given, made] = [o.files[i], o.files[i + 1]];
        if (!seen.has(given)) seen.set(given, await look(validator, given));
        const [before, after] = [seen.get(given), await look(validator, made)];
        const fresh = Object.keys(after.issues)
            .filter((key) => after.issues[key] > (before.issues[key] ?? 0))
            .sort()
            .map((key) => ({ issue: key, before: before.issues[key] ?? 0, after: after.issues[key], first: after.first[key] }));
        if (fresh.length > 0) ++bad;
        if (o.json) console.log(JSON.stringify({ in: given, out: made, ok: fresh.length === 0, fresh }));
        else {
            console.log(`${fresh.length === 0 ? 'ok  ' : 'FAIL'} ${given} -> ${made}`);
            for (const f of fresh) console.log(`     ${f.issue}: ${f.before} before, ${f.after} after; first ${f.first}`);
        }
    }
    if (!o.json) console.log(`${o.files.length / 2 - bad} of ${o.files.length / 2} pairs have no new error or warning`);
    return bad > 0 ? 1 : 0;
}

const o = options(process.argv.slice(2));
const validator = loadValidator(o.packages);
process.exitCode = await (o.list ? list : pairs)(validator, o);
