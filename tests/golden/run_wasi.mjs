// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// node run_wasi.mjs PROGRAM.wasm: runs a wasm32-wasi command without glue code.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), returnOnExit: true });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
