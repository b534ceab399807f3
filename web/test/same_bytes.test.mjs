// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * The command in WebAssembly and the command of the machine: the same exit code, words and bytes for the same files.
 *
 * SFT_BIN is the folder of the programs, SFT_WASM the module; SFT_DATA (default ../shared/data beside the checkout) the
 * optional data folder, whose tests say that they are skipped where it is absent.
 */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { EXIT_CRASH, Surefoot } from "../src/surefoot.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const BIN = resolve(process.env.SFT_BIN || join(ROOT, "build", "bin"));
const WASM = process.env.SFT_WASM || join(ROOT, "build", "wasm", "bin", "surefoot.wasm");
const DATA = process.env.SFT_DATA || join(ROOT, "..", "shared", "data");

let surefoot;
let work;
const samples = {};

function filesBelow(folder) {
  const found = {};
  for (const entry of readdirSync(folder, { recursive: true })) {
    const path = join(folder, entry);
    if (statSync(path).isFile()) found[relative(folder, path)] = readFileSync(path);
  }
  return found;
}

function sample(name, ...options) {
  execFileSync(join(BIN, "surefoot-make-sample"), [join(work, name), ...options], { stdio: "ignore" });
  samples[name] = readFileSync(join(work, name));
}

before(async () => {
  surefoot = await Surefoot.load(readFileSync(WASM));
  work = mkdtempSync(join(tmpdir(), "surefoot-web-"));
  sample("walk.bvh", "--frames", "240");
  sample("walk.gltf", "--frames", "120");
  Object.assign(samples, filesBelow(work));
  sample("child.glb", "--figure");
  samples["slid.bvh"] = (await surefoot.run(["convert", "walk.bvh", "--root-scale", "1.25", "-o", "slid.bvh"], samples)).files["slid.bvh"];
  samples["slid.glb"] = (await surefoot.run(["convert", "slid.bvh", "-o", "slid.glb"], samples)).files["slid.glb"];
});
after(() => rmSync(work, { recursive: true, force: true }));

/** Runs both over the same files; returns the outcome they agree on. */
async function agree(args, files) {
  const folder = mkdtempSync(join(work, "run-"));
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const native = spawnSync(join(BIN, "surefoot"), args, { cwd: folder, input: "", maxBuffer: 1 << 28 });
  const web = await surefoot.run(args, files);
  const command = `surefoot ${args.join(" ")}`;
  assert.notEqual(web.code, EXIT_CRASH, `${command}: ${web.errors}`);
  // Systems number the same fault differently.
  const words = (text) => text.replaceAll(/\(code \d+\)/g, "(code)");
  assert.equal(words(web.errors), words(native.stderr.toString()), command);
  assert.equal(web.code, native.status, command);
  assert.ok(Buffer.from(web.output).equals(native.stdout), `${command}: standard output differs`);
  const made = filesBelow(folder);
  rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(Object.keys(web.files).sort(), Object.keys(made).sort(), command);
  for (const [path, bytes] of Object.entries(made))
    assert.ok(bytes.equals(web.files[path]), `${command}: ${path} differs`);
  return web;
}

const pick = (...names) => Object.fromEntries(names.map((name) => [name, samples[name]]));

test("every command, every option of weight, over the project's own clips", async (t) => {
  const gltf = Object.fromEntries(Object.entries(samples).filter(([name]) => name.startsWith("walk.") && name !== "walk.bvh"));
  const runs = [
    [["--version"], {}],
    [["clean", "--help"], {}],
    [["info", "slid.bvh"], pick("slid.bvh")],
    [["info", "slid.glb", "--json"], pick("slid.glb")],
    [["check", "slid.bvh", "--json"], pick("slid.bvh")],
    [["contacts", "slid.bvh", "-o", "labels.csv"], pick("slid.bvh")],
    [["clean", "slid.bvh", "-o", "fixed.bvh", "--report", "report.html", "--picture", "picture.svg"], pick("slid.bvh")],
    [["clean", "slid.bvh", "-o", "fixed.bvh", "--method", "runtime"], pick("slid.bvh")],
    [["clean", "slid.bvh", "-o", "fixed.bvh", "--method", "relax"], pick("slid.bvh")],
    [["clean", "slid.glb", "--all-clips", "-o", "fixed.glb"], pick("slid.glb")],
    [["clean", "walk.gltf", "-o", "fixed.gltf"], gltf],
    [["convert", "slid.glb", "-o", "again.bvh"], pick("slid.glb")],
    [["adapt", "walk.bvh", "-o", "up.bvh", "--ground", "slope:angle=10"], pick("walk.bvh")],
    [["adapt", "slid.glb", "-o", "up.glb", "--ground", "stairs:rise=0.15,run=0.3"], pick("slid.glb")],
    [["retarget", "walk.bvh", "--onto", "child.glb", "-o", "child_walk.glb", "--map-out", "map.json", "--report", "r.html"], pick("walk.bvh", "child.glb")],
    [["roam", "--creature", "hexapod", "--seconds", "4", "-o", "hexapod.glb", "--picture", "hexapod.svg"], {}],
  ];
  for (const [args, files] of runs)
    await t.test(args.join(" "), async () => {
      const { code, errors } = await agree(args, files);
      assert.equal(code, 0, errors);
    });
});

test("what is wrong is said in the same words", async () => {
  const failing = [
    [["clean"], {}],
    [["clean", "absent.bvh", "-o", "out.bvh"], {}],
    [["clean", "slid.bvh", "-o", "no/such/folder.bvh"], pick("slid.bvh")],
    [["clean", "slid.bvh", "-o", "out.bvh", "--travel", "walk"], pick("slid.bvh")],
    [["clean", "cut.bvh", "-o", "out.bvh"], { "cut.bvh": samples["slid.bvh"].subarray(0, 300) }],
    [["clean", "cut.glb", "-o", "out.glb"], { "cut.glb": samples["slid.glb"].subarray(0, 3000) }],
    [["info", "empty.bvh"], { "empty.bvh": new Uint8Array(0) }],
  ];
  for (const [args, files] of failing) assert.notEqual((await agree(args, files)).code, 0);
});

test("FBX is refused by name, with the remedy", async () => {
  const bytes = new TextEncoder().encode("Kaydara FBX Binary  \0\x1a\0");
  const { code, errors, files } = await surefoot.run(["info", "clip.fbx"], { "clip.fbx": bytes });
  assert.equal(code, 3);
  assert.match(errors, /clip\.fbx: FBX is not read in this build, which is for WebAssembly; export it as GLB or BVH/);
  assert.deepEqual(Object.keys(files), ["clip.fbx"]);
});

test("the caller's bytes stay as they are, and nothing is left behind", async () => {
  const kept = Buffer.from(samples["slid.bvh"]);
  const { files } = await surefoot.run(["clean", "slid.bvh", "-o", "slid.bvh", "--force"], pick("slid.bvh"));
  assert.ok(kept.equals(samples["slid.bvh"]));
  for (const name of Object.keys(files)) assert.doesNotMatch(name, /tmp/);
});

function real(folder, matching) {
  const path = join(DATA, folder);
  try {
    return readdirSync(path).filter((name) => matching.test(name)).sort().map((name) => [name, join(path, name)]);
  } catch {
    return [];
  }
}

test("real clips, cleaned", { skip: real("bvh", /bvh$/).length === 0 && "no data folder" }, async () => {
  for (const [name, path] of real("bvh", /\.bvh$/).filter(([, path]) => statSync(path).size < 6e5))
    await agree(["clean", name, "-o", "out.bvh"], { [name]: readFileSync(path) });
  for (const [name, path] of real("gltf", /\.glb$/).filter(([, path]) => statSync(path).size < 1e6))
    await agree(["clean", name, "-o", "out.glb"], { [name]: readFileSync(path) });
});

test("malformed files", { skip: real("malformed_bvh", /bvh$/).length === 0 && "no data folder" }, async () => {
  for (const folder of ["malformed_bvh", "malformed_gltf"])
    for (const [name, path] of real(folder, /\.(bvh|glb|gltf)$/))
      await agree(["check", name], { [name]: readFileSync(path) });
});
