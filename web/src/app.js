// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** The page: what is open, what was chosen, and who is told when either changes. */

import { Clip } from "./clip.js";
import { Engine, Superseded } from "./engine.js";
import { Figure } from "./figure.js";
import { History } from "./history.js";
import { argumentsOf, CLEAN, fromParameters, toParameters } from "./options.js";
import { Stage } from "./stage.js";
import * as THREE from "./three.js";
import { curveOf, Timeline } from "./timeline.js";

const COLOUR = { before: 0xe08a2c, after: 0x2a9d96 };
const SAMPLES = [
  ["samples/slid.bvh", "A walk that slides (BVH)"],
  ["samples/child.glb", "A child that slides (GLB, with a skin)"],
  ["samples/lizard.glb", "A lizard that walks by itself (GLB)"],
];

const $ = (id) => document.getElementById(id);
const engine = new Engine(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
const stage = new Stage($("canvas"));
const timeline = new Timeline($("timeline"));

/** All that belongs to the clip at hand; null: none is open. */
let opened = null;
/** { values, labels }: labels are the page's own once a bar was touched, else null. */
let state = new History({ values: fromParameters(CLEAN, addressParameters()), labels: null });
let playing = null;

// ---- messages ----

function tell(error) {
  if (error instanceof Superseded) return;
  $("message-text").textContent = error.message;
  $("message").hidden = false;
}

/** Runs what may fail, and shows the command's own words where it does. */
async function trying(action) {
  try {
    return await action();
  } catch (error) {
    tell(error);
    return undefined;
  }
}

function say(words) {
  $("status").textContent = words;
}

async function busily(words, action) {
  say(words);
  const slow = setTimeout(() => ($("stop").hidden = false), 1500);
  try {
    return await action();
  } finally {
    clearTimeout(slow);
    $("stop").hidden = true;
    if ($("status").textContent === words) say("");
  }
}

// ---- opening ----

async function readAll(fileList) {
  const files = {};
  for (const file of fileList) files[file.webkitRelativePath || file.name] = new Uint8Array(await file.arrayBuffer());
  return files;
}

/** @param {string} [address] where the files came from, for the page's own address */
async function openFiles(files, index = 0, address) {
  const done = await trying(() =>
    busily("Reading…", async () => {
      const clip = await Clip.open(engine, files, index);
      const glb = await clip.view();
      const before = await Figure.load(glb, files, { clip: index, colour: COLOUR.before, opacity: 0.45 });
      const labels = clip.info.legs.length > 0 ? await clip.contacts() : null;
      close();
      opened = { clip, before, after: null, own: labels, report: null, address };
      arrange();
      return true;
    }),
  );
  if (done) await clean();
}

function close() {
  stopPlaying();
  opened?.before.dispose();
  opened?.after?.dispose();
  stage.clearExtras();
  opened = null;
}

async function openAddress(address) {
  await trying(async () => {
    const url = new URL(address, location.href);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${address}: the server says ${response.status} ${response.statusText}`);
    const name = decodeURIComponent(url.pathname.split("/").at(-1));
    await openFiles({ [name]: new Uint8Array(await response.arrayBuffer()) }, 0, address);
  });
}

/** Lays out what does not change while a clip is open. */
function arrange() {
  const { clip, before, own } = opened;
  const { info } = clip;
  // Steps back would bring labels of the clip before.
  state = new History({ values: state.value.values, labels: null });
  document.title = `${clip.name} – Surefoot studio`;
  $("file-name").textContent = `${clip.name}: ${clip.frames} frames at ${(1 / clip.frameTime).toFixed(2)} a second, ${info.joints} joints, ${info.legs.length} legs`;
  $("drop-hint").hidden = true;
  $("clip-field").hidden = info.clips.length < 2;
  $("clip").replaceChildren(...info.clips.map(({ index, name }) => new Option(name || `clip ${index}`, index, false, index === clip.index)));
  opened.times = Array.from({ length: clip.frames }, (_, frame) => clip.timeOf(frame));
  opened.feet = info.legs.map((leg) => ({ ...leg, words: leg.side === "none" ? leg.toe : `${leg.side} ${leg.toe}` }));
  // Labels are in the order of the legs.
  opened.feet.forEach((foot, i) => (foot.column = own.feet[i]));
  const wanted = [...new Set([...opened.feet.flatMap(({ toe, heel }) => [toe, heel]), info.travel_joint].filter(Boolean))];
  opened.pathsBefore = before.paths(wanted, opened.times);
  opened.wanted = wanted;
  before.pose(opened.times[0]);
  const box = before.box();
  const lows = opened.feet.map((leg) => Math.min(leg.toe_min_cm, leg.toe_end_min_cm ?? Infinity, leg.heel_min_cm) / 100);
  opened.ground = lows.length > 0 ? Math.min(...lows) : box.min.y;
  stage.scene.add(before.group);
  stage.frame(box, opened.ground);
  stage.followed.copy(travelAt(opened.pathsBefore, 0) ?? stage.centre);
  opened.width = Math.max(0.8, box.max.x - box.min.x) + 0.4;
  for (const id of ["play", "back", "forward", "frame", "save-picture"]) $(id).disabled = false;
  for (const id of ["save", "save-labels", "save-report", "copy", "add-plant", "plant-foot"]) $(id).disabled = opened.feet.length === 0;
  $("plant-foot").replaceChildren(...opened.feet.map((foot) => new Option(foot.words, foot.column)));
  $("frame").max = clip.frames - 1;
  seek(0);
  timeline.setClip(feetFor(null), own, clip.frames, clip.frameTime);
  $("figures").replaceChildren();
}

// ---- cleaning ----

const labelsNow = () => state.value.labels ?? opened.own;

/** Shows the clip as the state at hand cleans it. */
async function clean() {
  showState();
  if (opened === null || opened.feet.length === 0) {
    if (opened !== null) say("No legs were found in this clip, so that there is nothing to clean.");
    return;
  }
  const { clip } = opened;
  const { values, labels } = state.value;
  await trying(() =>
    busily("Cleaning…", async () => {
      const { glb, report, warnings } = await clip.preview(values, labels);
      const after = await Figure.load(glb, clip.files, { clip: clip.index, colour: COLOUR.after });
      if (opened?.clip !== clip) {
        after.dispose();
        return;
      }
      opened.after?.dispose();
      opened.after = after;
      opened.pathsAfter = after.paths(opened.wanted, opened.times);
      opened.report = report;
      stage.scene.add(after.group);
      showResult(warnings);
    }),
  );
}

function feetFor(after) {
  // Of a clip that walks on the spot; told along the file's axes, which are those of the view where Y is up.
  const velocity = (opened.clip.info.up === "Y" && opened.report?.ground_velocity_m_s) || [0, 0, 0];
  const curve = (paths, foot) => {
    const path = paths?.get(foot.toe);
    return path === undefined ? null : curveOf(path, opened.clip.frameTime, opened.ground, velocity);
  };
  return opened.feet
    .map((foot) => ({ name: foot.column, words: foot.words, before: curve(opened.pathsBefore, foot), after: curve(after, foot) }))
    .filter(({ before }) => before !== null);
}

function showResult(warnings) {
  timeline.setFeet(feetFor(opened.pathsAfter));
  showFigures();
  showLayers();
  seek(Number($("frame").value));
  say(warnings);
  document.body.dataset.cleaned = String(Number(document.body.dataset.cleaned ?? 0) + 1);
}

function row(cells, header) {
  const line = document.createElement("tr");
  cells.forEach((text, i) => {
    const names = text !== "" && (header || i === 0);
    const cell = document.createElement(names ? "th" : "td");
    if (names) cell.scope = header ? "col" : "row";
    cell.textContent = text;
    line.append(cell);
  });
  return line;
}

function showFigures() {
  const { report } = opened;
  const table = document.createElement("table");
  table.createCaption().textContent = "Planted feet";
  table.createTHead().append(row(["", "before", "after"], true));
  const body = table.createTBody();
  const line = (words, before, after, digits) => body.append(row([words, before.toFixed(digits), after.toFixed(digits)], false));
  report.before.feet.forEach((foot, i) => {
    const after = report.after.feet[i];
    line(`${foot.name}: slide, mean cm/s`, foot.slide_mean_cm_s, after.slide_mean_cm_s, 2);
    line("most cm/s", foot.slide_max_cm_s, after.slide_max_cm_s, 2);
  });
  line("Pelvis, p99 m/s²", report.before.clip.pelvis_accel_p99_m_s2, report.after.clip.pelvis_accel_p99_m_s2, 1);
  const words = document.createElement("p");
  words.textContent = `${report.plants} plants. ${report.mismatch?.text ? `${report.mismatch.text[0].toUpperCase()}${report.mismatch.text.slice(1)}.` : ""}`;
  $("figures").replaceChildren(table, words);
}

/** What is shown of before and after, and the trails of their feet. */
function showLayers() {
  if (opened === null) return;
  const { before, after } = opened;
  const show = $("show").value;
  const shift = show === "beside" && after !== null ? opened.width / 2 : 0;
  before.group.position.set(-shift, 0, 0);
  before.group.visible = show !== "after" || after === null;
  before.showSkin($("skin").checked);
  if (after !== null) {
    after.group.position.set(shift, 0, 0);
    after.group.visible = show !== "before";
    after.showSkin($("skin").checked);
  }
  stage.clearExtras();
  if ($("trails").checked) {
    const draw = (figure, paths, colour) => {
      if (figure === null || !figure.group.visible) return;
      for (const { toe } of opened.feet) if (paths.has(toe)) stage.addTrail(paths.get(toe), colour, figure.group.position);
    };
    draw(before, opened.pathsBefore, COLOUR.before);
    draw(after, opened.pathsAfter, COLOUR.after);
    if (after !== null && after.group.visible) addPlantedPoints(after);
  }
  seek(Number($("frame").value));
}

function addPlantedPoints(after) {
  for (const { toe, column } of opened.feet) {
    const path = opened.pathsAfter.get(toe);
    for (const { first, last } of path === undefined ? [] : labelsNow().plants(column)) {
      const middle = Math.floor((first + last) / 2);
      stage.addPlantedPoint(new THREE.Vector3().fromArray(path, 3 * middle).add(after.group.position), COLOUR.after);
    }
  }
}

// ---- time ----

/** Where the joint that travels is in a frame; null where the clip has none. */
function travelAt(paths, frame) {
  const path = paths.get(opened.clip.info.travel_joint);
  return path === undefined ? null : new THREE.Vector3().fromArray(path, 3 * frame);
}

function seek(frame) {
  if (opened === null) return;
  const { clip, before, after, pathsBefore } = opened;
  const at = Math.min(Math.max(Math.round(frame), 0), clip.frames - 1);
  $("frame").value = at;
  $("frame-words").textContent = `${at} of ${clip.frames - 1}, ${(at * clip.frameTime).toFixed(2)} s`;
  timeline.setFrame(at);
  for (const figure of [before, after]) if (figure?.group.visible) figure.pose(opened.times[at]);
  const place = travelAt(opened.pathsAfter ?? pathsBefore, at);
  if ($("follow").checked && place !== null) stage.follow(place);
  stage.invalidate();
}

function stopPlaying() {
  if (playing !== null) cancelAnimationFrame(playing.handle);
  playing = null;
  $("play").textContent = "Play";
  $("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (opened === null) return;
  if (playing !== null) return stopPlaying();
  let at = Number($("frame").value);
  if (at >= opened.clip.frames - 1) at = 0;
  let then = performance.now();
  const step = (now) => {
    at += ((now - then) / 1000 / opened.clip.frameTime) * Number($("speed").value);
    then = now;
    const frames = opened.clip.frames;
    if (at > frames - 1 && !$("loop-play").checked) {
      seek(frames - 1);
      return stopPlaying();
    }
    at %= frames;
    seek(Math.floor(at));
    playing.handle = requestAnimationFrame(step);
  };
  playing = { handle: requestAnimationFrame(step) };
  $("play").textContent = "Pause";
  $("play").setAttribute("aria-pressed", "true");
}

// ---- what is chosen ----

function change(value, name = null) {
  state.set({ ...state.value, ...value }, name);
  return clean();
}

function control(option) {
  const { key, label, kind, choices, least, most, step, unit, help } = option;
  const root = document.createElement("label");
  const words = document.createElement("span");
  words.textContent = label;
  const note = document.createElement("small");
  note.textContent = help;
  let input;
  if (kind === "choice") {
    root.className = "wide";
    input = document.createElement("select");
    input.append(...choices.map(([value, text]) => new Option(text, value)));
    input.addEventListener("change", () => change({ values: { ...state.value.values, [key]: input.value } }));
    root.append(words, input, note);
  } else if (kind === "switch") {
    input = document.createElement("input");
    input.type = "checkbox";
    input.addEventListener("change", () => change({ values: { ...state.value.values, [key]: input.checked } }));
    root.append(words, input, note);
  } else {
    input = Object.assign(document.createElement("input"), { type: "range", min: least, max: most, step });
    const shown = document.createElement("output");
    input.addEventListener("input", () => change({ values: { ...state.value.values, [key]: Number(input.value) } }, key));
    input.addEventListener("change", () => state.settle());
    root.append(words, shown, input, note);
    root.show = (value) => (shown.textContent = unit === undefined ? value : `${value} ${unit}`);
  }
  input.id = `option-${key}`;
  return { option, root, input };
}

const controls = CLEAN.map(control);

function showState() {
  const { values, labels } = state.value;
  for (const { option, root, input } of controls) {
    root.hidden = option.counts !== undefined && !option.counts(values);
    if (option.kind === "switch") input.checked = values[option.key];
    else input.value = values[option.key];
    root.show?.(values[option.key]);
  }
  $("undo").disabled = !state.canUndo;
  $("redo").disabled = !state.canRedo;
  if (opened?.own != null) timeline.setLabels(labelsNow());
  const words = argumentsOf(CLEAN, values).join(" ");
  $("command").textContent = opened === null ? `surefoot clean CLIP ${words} -o OUT` : opened.clip.commandLine(values, labels !== null);
  const parameters = toParameters(CLEAN, values);
  if (opened?.address !== undefined) parameters.set("clip", opened.address);
  history.replaceState(null, "", parameters.size > 0 ? `?${parameters}` : location.pathname);
}

function addressParameters() {
  return new URLSearchParams(location.search);
}

// ---- saving ----

function download(name, bytes, type = "application/octet-stream") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const stem = () => opened.clip.name.slice(0, opened.clip.name.lastIndexOf(".")).split("/").at(-1);

const saves = {
  save: async () => {
    const made = await opened.clip.save(state.value.values, state.value.labels);
    for (const [name, bytes] of Object.entries(made)) download(name.split("/").at(-1), bytes);
  },
  "save-labels": () => download("labels.csv", new TextEncoder().encode(labelsNow().print()), "text/csv"),
  "save-report": async () =>
    download(`${stem()}_report.html`, await opened.clip.report(state.value.values, state.value.labels), "text/html"),
  "save-picture": async () => download(`${stem()}.png`, await stage.picture()),
};

// ---- theme ----

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").setAttribute("aria-pressed", String(name === "dark"));
  stage.setTheme(name);
  timeline.draw();
}

// ---- wiring ----

function step(by) {
  stopPlaying();
  seek(Number($("frame").value) + by);
}

function undo(forward) {
  if (forward) state.redo();
  else state.undo();
  return clean();
}

function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    undo(event.shiftKey);
  } else if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === " " && event.target.tagName !== "BUTTON") {
    event.preventDefault();
    play();
  } else if (event.key === ",") step(-1);
  else if (event.key === ".") step(1);
}

function wire() {
  $("options").append(...controls.map(({ root }) => root));
  $("options").addEventListener("submit", (event) => event.preventDefault());
  $("sample").append(...SAMPLES.map(([path, words]) => new Option(words, path)));
  $("open").addEventListener("click", () => $("picker").click());
  $("picker").addEventListener("change", async () => {
    const files = await readAll($("picker").files);
    $("picker").value = "";
    await openFiles(files);
  });
  $("sample").addEventListener("change", () => $("sample").value !== "" && openAddress($("sample").value));
  $("clip").addEventListener("change", () => openFiles(opened.clip.files, Number($("clip").value), opened.address));
  $("undo").addEventListener("click", () => undo(false));
  $("redo").addEventListener("click", () => undo(true));
  $("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  for (const id of ["show", "skin", "trails"]) $(id).addEventListener("change", showLayers);
  $("side").addEventListener("change", () => stage.look($("side").value));
  $("follow").addEventListener("change", () => seek(Number($("frame").value)));
  $("play").addEventListener("click", play);
  $("back").addEventListener("click", () => step(-1));
  $("forward").addEventListener("click", () => step(1));
  $("frame").addEventListener("input", () => {
    stopPlaying();
    seek(Number($("frame").value));
  });
  $("add-plant").addEventListener("click", () => timeline.makePlant($("plant-foot").value, Number($("frame").value)));
  $("stop").addEventListener("click", () => engine.stop());
  $("copy").addEventListener("click", () => trying(() => navigator.clipboard.writeText($("command").textContent)));
  for (const [id, save] of Object.entries(saves)) $(id).addEventListener("click", () => trying(save));
  $("message-close").addEventListener("click", () => ($("message").hidden = true));
  timeline.addEventListener("change", ({ detail }) => change({ labels: detail.labels }, detail.drag));
  timeline.addEventListener("settle", () => state.settle());
  timeline.addEventListener("seek", ({ detail }) => {
    stopPlaying();
    seek(detail);
  });
  const target = $("stage");
  for (const name of ["dragenter", "dragover"])
    document.addEventListener(name, (event) => {
      event.preventDefault();
      target.classList.add("dropping");
    });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && target.classList.remove("dropping"));
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    target.classList.remove("dropping");
    if (event.dataTransfer.files.length > 0) await openFiles(await readAll(event.dataTransfer.files));
  });
  document.addEventListener("keydown", onKey);
}

wire();
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
// Before the address is rewritten to what is open.
const asked = addressParameters().get("clip");
showState();
if (asked !== null) openAddress(asked);
