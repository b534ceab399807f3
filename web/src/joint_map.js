// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** A map of joints as `surefoot retarget --map-out` writes it: a table to read, whose pairs are chosen anew by a click. */

import { make } from "./controls.js";

const UNSURE = 0.75;
const REST = "";

const listed = (values, indent) => values.map((value) => `${indent}${JSON.stringify(value)}`).join(",\n");

/** The text of a map, a pair a line, as the command writes it. */
export function printMap({ surefoot_map: version, source, target, pairs }) {
  const rig = ({ identity, joints }) => `{"identity": ${JSON.stringify(identity)}, "joints": ${JSON.stringify(joints)}}`;
  return `{\n  "surefoot_map": ${version},\n  "source": ${rig(source)},\n  "target": ${rig(target)},\n  "pairs": [\n${listed(pairs, "    ")}\n  ]\n}\n`;
}

/** Another source for one joint of the target. @param {object} map @param {number} at of its pair @param {number | null} joint of the source; null: none */
export function withSource(map, at, joint) {
  const { target, target_index } = map.pairs[at];
  const own = target_index === undefined ? { target } : { target, target_index };
  const pairs = map.pairs.slice();
  if (joint === null) pairs[at] = { ...own, rule: "rest" };
  else {
    const [source] = map.source.joints[joint];
    const twice = map.source.joints.filter(([name]) => name === source).length > 1;
    pairs[at] = { ...own, rule: "joint", source, ...(twice ? { source_index: joint } : {}), reason: "chosen by hand" };
  }
  return { ...map, pairs };
}

function sourceOf(map, { source, source_index }) {
  if (source === undefined) return null;
  return source_index ?? map.source.joints.findIndex(([name]) => name === source);
}

/** A joint as an address names it: its name, and its number where that is not enough. */
const named = (name, index) => (index === undefined ? [name] : [name, index]);

/**
 * What was chosen by hand, for an address: [joint of the target, joint of the source or null] of each pair.
 * @param {string} found the map as the command finds it @param {string} text the one at hand
 * @returns {string | null} JSON; null where the one at hand is not the found one with pairs chosen anew
 */
export function choicesOf(found, text) {
  let before;
  let after;
  try {
    [before, after] = [found, text].map((one) => JSON.parse(one));
  } catch {
    return null; // the command says where
  }
  if (before.pairs.length !== after.pairs?.length) return null;
  const choices = after.pairs
    .filter((pair, at) => JSON.stringify(pair) !== JSON.stringify(before.pairs[at]))
    .map((pair) => [named(pair.target, pair.target_index), pair.rule === "rest" ? null : named(pair.source, pair.source_index)]);
  const said = JSON.stringify(choices);
  return withChoices(found, said) === printMap(after) ? said : null;
}

/** The map with the choices of an address; null where they are none, or not of these skeletons. */
export function withChoices(found, choices) {
  let map = JSON.parse(found);
  try {
    for (const [[target, twin], source] of JSON.parse(choices)) {
      const at = map.pairs.findIndex((pair) => pair.target === target && pair.target_index === twin);
      const joint = source === null ? null : (source[1] ?? map.source.joints.findIndex(([name]) => name === source[0]));
      if (at < 0 || (joint !== null && map.source.joints[joint]?.[0] !== source[0])) return null;
      map = withSource(map, at, joint);
    }
  } catch {
    return null;
  }
  return printMap(map);
}

export class JointMap {
  #change;
  #text = null;

  /** @param {(text: string) => unknown} change the visitor chose: the map anew */
  constructor(change) {
    this.#change = change;
    this.body = make("tbody");
    const table = make("table", {}, make("caption", { textContent: "A click on a source chooses another" }), make("thead"), this.body);
    const head = table.tHead.insertRow();
    for (const words of ["character", "follows", "sure"]) head.append(make("th", { scope: "col", textContent: words }));
    this.root = make("div", { id: "map", className: "joint-map figures", tabIndex: 0 }, table);
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", "Map of joints");
  }

  /** @param {string} text */
  show(text) {
    if (text === this.#text || text === null) return;
    let map;
    try {
      map = JSON.parse(text);
    } catch {
      return; // the command says where
    }
    if (!Array.isArray(map.pairs) || !Array.isArray(map.source?.joints)) return;
    this.#text = text;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.closest("tr")?.dataset.target : undefined;
    this.body.replaceChildren(...map.pairs.map((pair, at) => this.#row(map, pair, at)));
    if (focused !== undefined) this.body.querySelector(`tr[data-target="${CSS.escape(focused)}"] button`)?.focus();
  }

  #row(map, pair, at) {
    const { target, rule, source, next, confidence = 1, reason } = pair;
    const words = rule === "rest" ? "rests" : next === undefined ? source : `${source} to ${next}`;
    const change = make("button", { type: "button", className: "pair", textContent: words });
    change.setAttribute("aria-label", `${target} follows ${words}. Choose another`);
    change.addEventListener("click", () => this.#choose(map, pair, at, change));
    const row = make("tr", {}, make("th", { scope: "row", textContent: target }), make("td", {}, change), make("td", { textContent: rule === "rest" ? "–" : `${Math.round(100 * confidence)} %` }));
    row.dataset.target = target;
    if (rule !== "rest" && confidence < UNSURE) row.className = "unsure";
    if (reason !== undefined) row.firstChild.append(make("small", { textContent: reason }));
    return row;
  }

  // A list of joints in the button's place; it goes when the visitor does.
  #choose(map, pair, at, button) {
    const own = sourceOf(map, pair);
    const select = make("select", {}, new Option("rests", REST, false, own === null), ...map.source.joints.map(([name], joint) => new Option(this.#unique(map, name, joint), joint, false, joint === own)));
    select.setAttribute("aria-label", `What ${pair.target} follows`);
    let done = false;
    const back = () => {
      if (done) return;
      done = true; // what goes loses the focus, which calls this again
      select.replaceWith(button);
    };
    select.addEventListener("change", () => {
      done = true;
      const joint = select.value === REST ? null : Number(select.value);
      this.#change(printMap(withSource(map, at, joint)));
    });
    select.addEventListener("blur", back);
    select.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      back();
      button.focus();
    });
    button.replaceWith(select);
    select.focus();
    this.#open(select);
  }

  // Browsers that may open the list at once do.
  #open(select) {
    try {
      select.showPicker?.();
    } catch {
      // It opens by the next click or key.
    }
  }

  #unique(map, name, joint) {
    const before = map.source.joints.slice(0, joint).filter(([other]) => other === name).length;
    return before === 0 ? name : `${name}#${before + 1}`;
  }
}
