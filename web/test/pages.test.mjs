// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The pages Adapt and Retarget, and `surefoot view`, in a real browser (studio.mjs says what they want). */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";

import { BIN, ROOT, Studio, WEB, sample, skip } from "./studio.mjs";

const studio = new Studio();
before(() => skip || studio.start());
after(() => studio.end());
afterEach(() => studio.checkConsole());

const slid = () => readFileSync(sample("slid.bvh"));
const child = () => readFileSync(sample("child.glb"));
const WEDGE = "v -5 0 -5\nv 5 0 -5\nv 5 1 25\nv -5 1 25\nf 1 4 3 2\n";

test("adapt: stairs, as the command makes them, with the ground", { skip }, async () => {
  const page = await studio.visit("?page=adapt&clip=samples/slid.bvh&rise=0.1");
  await studio.result();
  assert.equal(await page.locator("#command").textContent(), "surefoot adapt slid.bvh --ground stairs:rise=0.1 -o slid_adapted.bvh");
  await studio.result(() => page.locator("#option-run").fill("0.35"));
  await studio.result(() => page.selectOption("#option-method", "runtime"));
  assert.match(page.url(), /run=0\.35/);
  assert.match(await page.locator("#figures").textContent(), /off the ground in support/);
  const { name, bytes } = await studio.saved("#save");
  assert.equal(name, "slid_adapted.bvh");
  const { bytes: ground } = await studio.saved("#save-ground");
  const made = await studio.byCommandLine({ "slid.bvh": slid() }, "--ground-out", "g.obj");
  assert.ok(bytes.equals(made()));
  assert.ok(ground.equals(made("g.obj")));
  const { bytes: report } = await studio.saved("#save-report");
  assert.match(report.toString(), /<!doctype html>/i);
  await studio.result(() => page.click("#undo"));
  assert.equal(await page.locator("#option-method").inputValue(), "clip");
});

test("adapt: a mesh of one's own, dropped", { skip }, async () => {
  const page = await studio.stay("?page=adapt&clip=samples/slid.bvh");
  await studio.settled();
  await studio.result(() => studio.drop(["hill.obj", Buffer.from(WEDGE)]));
  assert.equal(await page.locator("#option-ground").inputValue(), "mesh");
  await studio.result(() => page.locator("#option-turn").fill("10"));
  assert.match(await page.locator("#command").textContent(), /--ground hill\.obj,heading=10 /);
  const { bytes } = await studio.saved("#save");
  assert.ok(bytes.equals((await studio.byCommandLine({ "slid.bvh": slid(), "hill.obj": WEDGE }))()));
  await studio.drop(["bad.obj", Buffer.from("v 0 0\nf 1 2 3\n")]);
  assert.match(await studio.message(), /bad\.obj: byte 5: a vertex wants three numbers/);
});

test("retarget: a second character, the map mended by a click and taken back", { skip }, async () => {
  const page = await studio.visit("?page=retarget&clip=samples/slid.bvh");
  await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Choose the second character"));
  await studio.result(() => studio.drop(["child.glb", child()]));
  assert.equal(await page.locator("#command").textContent(), "surefoot retarget slid.bvh --onto child.glb -o slid_on_child.glb");
  const plain = await studio.saved("#save");
  assert.ok(plain.bytes.equals((await studio.byCommandLine({ "slid.bvh": slid(), "child.glb": child() }))()));

  const pair = page.locator('#map tr[data-target="hand_l"] button');
  assert.equal(await pair.textContent(), "LeftHand");
  await pair.click();
  await studio.result(() => page.selectOption('#map tr[data-target="hand_l"] select', { label: "RightHand" }));
  assert.equal(await pair.textContent(), "RightHand");
  assert.match(await page.locator("#command").textContent(), /--onto child\.glb --map map\.json -o/);
  const map = await studio.saved("#save-map");
  assert.equal(map.name, "slid_map.json");
  const mended = await studio.saved("#save");
  assert.ok(!mended.bytes.equals(plain.bytes));
  const files = { "slid.bvh": slid(), "child.glb": child(), "map.json": map.bytes };
  assert.ok(mended.bytes.equals((await studio.byCommandLine(files))()));

  await studio.result(() => page.click("#undo"));
  assert.equal(await pair.textContent(), "LeftHand");
  // By keys: the list opens in the button's place, and Escape leaves it as it is.
  await pair.focus();
  await page.keyboard.press("Enter");
  await page.locator('#map tr[data-target="hand_l"] select').waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await pair.waitFor();
  // The map that was saved, dropped.
  await studio.result(() => studio.drop(["slid_map.json", map.bytes]));
  assert.equal(await pair.textContent(), "RightHand");
  assert.ok((await studio.saved("#save")).bytes.equals(mended.bytes));
  await studio.result(() => page.click("#forget-map"));
  assert.equal(await pair.textContent(), "LeftHand");
  // Another clip: the map of the one before is of other joints.
  await studio.result(() => page.locator("#picker").setInputFiles([sample("child.glb")]));
  assert.equal(await page.locator("#command").textContent(), "surefoot retarget child.glb --onto onto/child.glb -o child_on_child.glb");
});

test("retarget: an address shares what was chosen; what does not go is told in the command's words", { skip }, async () => {
  let page = await studio.visit("?page=retarget&clip=samples/slid.bvh&onto=samples/child.glb");
  await studio.result();
  const pair = () => page.locator('#map tr[data-target="hand_l"] button');
  await pair().click();
  await studio.result(() => page.selectOption('#map tr[data-target="hand_l"] select', { label: "RightHand" }));
  const { search } = new URL(page.url());
  assert.match(search, /&map=/);
  page = await studio.visit(search);
  await page.waitForFunction(() => document.querySelector('#map tr[data-target="hand_l"] button')?.textContent === "RightHand");
  await studio.settled();
  // Written from the map at hand, whose every pair is compared with what the command found.
  assert.equal(new URL(page.url()).search, search);
  // Taken back, it is the map as found.
  await studio.result(() => page.click("#undo"));
  assert.equal(await pair().textContent(), "LeftHand");
  await studio.drop(["lizard.glb", readFileSync(sample("lizard.glb"))]);
  assert.match(await studio.message(), /legs/);
  await studio.result(() => page.click("#undo"));
  assert.match(await page.locator("#onto-name").textContent(), /child\.glb/);
  await studio.drop(["map.json", Buffer.from('{"surefoot_map": 1,\n "pairs": [}')]);
  assert.match(await studio.message(), /map\.json:2: /);
  await studio.result(() => page.click("#forget-map"));
  await studio.drop(["notes.txt", Buffer.from("no motion")]);
  assert.match(await studio.message(), /notes\.txt: no motion here/);
});

test("difference and centre of mass", { skip }, async () => {
  const page = await studio.visit("?page=adapt&clip=samples/slid.bvh&ground=plane&noClean=true");
  await studio.result();
  await page.selectOption("#show", "difference");
  await page.check("#balance");
  // Level ground at the floor's height changes nothing.
  assert.match(await page.locator("#difference-words").textContent(), /^most: 0\.0 cm/);
  await studio.result(() => page.locator("#option-pitch").fill("10"));
  await page.locator("#frame").fill("400");
  const words = await page.locator("#difference-words").textContent();
  assert.ok(Number(words.match(/most: ([\d.]+) cm/)[1]) > 20, words);
});

test("Adapt and Retarget: everything has a name and enough contrast, in both themes and on a phone", { skip }, async () => {
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    const page = await studio.visit("?page=adapt&clip=samples/slid.bvh", { width, height });
    await studio.result();
    await page.check("#balance");
    await page.locator("#frame").fill("160");
    await studio.check(`adapt-${width}x${height}-light`);
    await page.click("#theme");
    await studio.check(`adapt-${width}x${height}-dark`);
    await page.getByRole("button", { name: "Retarget", exact: true }).click();
    await studio.result(() => page.selectOption("#onto-sample", "samples/child.glb"));
    await studio.check(`retarget-${width}x${height}-dark`);
    await page.click("#theme");
    await studio.check(`retarget-${width}x${height}-light`);
  }
});

const DATA = process.env.SFT_DATA || join(ROOT, "..", "shared", "data");
const TAKE = join(DATA, "fbx", "mixamo_original_rig.fbx");
const SPARSE = join(DATA, "fbx", "ozz_jog.fbx");
test("FBX: its reader comes with the first file, and what is lost is said", { skip: skip || (!existsSync(TAKE) && `no ${TAKE}`) }, async () => {
  const page = await studio.visit();
  const loaded = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await studio.result(() => page.locator("#picker").setInputFiles([sample("slid.bvh")]));
  assert.ok(!loaded.includes("/fbx.wasm"));
  assert.equal(await page.locator("#losses").isVisible(), false);
  // In the first of its two takes nothing moves.
  await studio.result(() => page.locator("#picker").setInputFiles([TAKE]));
  await studio.result(() => page.selectOption("#clip", "1"));
  assert.ok(loaded.includes("/fbx.wasm"));
  assert.match(await page.locator("#file-name").textContent(), /^mixamo_original_rig\.fbx: 148 frames at 30\.00 a second, 65 joints, 2 legs$/);
  assert.equal((await studio.saved("#save")).name, "mixamo_original_rig_clean.glb");
  await studio.drop(["old.fbx", Buffer.from("Kaydara FBX Binary  \0\x1a\0\x88\x13\0\0", "latin1")]);
  assert.match(await studio.message(), /^surefoot: old\.fbx: byte 23: FBX version 5000; .* Export it anew, or as GLB or BVH$/);
  assert.match(await page.locator("#file-name").textContent(), /^mixamo_original_rig/);
  await studio.result(() => page.locator("#picker").setInputFiles([SPARSE]));
  const { warnings } = JSON.parse(execFileSync(join(BIN, "surefoot"), ["info", SPARSE, "--json"], { maxBuffer: 1 << 26 }));
  assert.ok(warnings.length > 0);
  await page.click("#losses summary");
  assert.deepEqual(await page.locator("#losses li").allTextContents(), warnings.map(({ message }) => message));
  await studio.checkNames("losses");
});

const FOX = join(DATA, "gltf", "khronos_Fox.glb");
test("a figure in centimetres, of four legs: the command's own bytes, clip by clip", { skip: skip || (!existsSync(FOX) && `no ${FOX}`) }, async () => {
  const page = await studio.stay();
  await studio.result(() => page.locator("#picker").setInputFiles([FOX]));
  await studio.result(() => page.selectOption("#clip", "1"));
  assert.match(await page.locator("#file-name").textContent(), /4 legs$/);
  assert.match(await page.locator("#command").textContent(), /--clip 1/);
  const { bytes } = await studio.saved("#save");
  assert.ok(bytes.equals((await studio.byCommandLine({ "khronos_Fox.glb": readFileSync(FOX) }))()));
  await page.selectOption("#show", "difference");
  const [, most] = (await page.locator("#difference-words").textContent()).match(/^most: ([\d.]+) cm/);
  assert.ok(Number(most) < 50, `${most} cm: a unit is taken for another`);
});

test("surefoot view: several clips in a list, each opened", { skip }, async (t) => {
  const process = spawn(join(BIN, "surefoot"), ["view", "--no-open", "--json", "--studio", WEB, sample("slid.bvh"), sample("child.glb")]);
  const ended = new Promise((resolve) => process.on("exit", resolve));
  let words = "";
  process.stderr.on("data", (text) => (words += text));
  const said = await new Promise((resolve) => {
    let text = "";
    process.stdout.on("data", (piece) => {
      text += piece;
      if (text.trimEnd().endsWith("}")) resolve(JSON.parse(text));
    });
    process.on("exit", () => resolve(null));
  });
  if (said === null && /is not in this build/.test(words)) return t.skip(words.trim());
  assert.notEqual(said, null, words);
  const page = await studio.visit("", { address: said.address });
  await studio.result();
  assert.match(await page.locator("#file-name").textContent(), /^slid\.bvh/);
  assert.deepEqual(await page.locator("#sample optgroup option").allTextContents(), ["slid.bvh", "child.glb"]);
  await studio.result(() => page.selectOption("#sample", "files/1/child.glb"));
  assert.match(await page.locator("#file-name").textContent(), /^child\.glb/);
  assert.match(page.url(), /\?clip=files%2F1%2Fchild\.glb&clip=files%2F0%2Fslid\.bvh$/);
  process.kill("SIGINT");
  assert.equal(await ended, 0);
  return undefined;
});
