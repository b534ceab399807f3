// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * Options of a command as the page shows them, and the arguments they make. A value at its default makes none, so that
 * the command line to copy is as short as a person would write it.
 */

/**
 * @typedef {object} Option
 * @property {string} key of the value, and in the address
 * @property {string} [flag] none: the page makes its argument
 * @property {string} label
 * @property {string} help
 * @property {"choice" | "switch" | "number" | "optional"} kind optional: a number, or null where nothing is said
 * @property {unknown} initial the command's own default
 * @property {[string, string][]} [choices] value and words
 * @property {number} [least]
 * @property {number} [most]
 * @property {number} [step]
 * @property {string} [unit]
 * @property {(values: Record<string, unknown>) => boolean} [counts] where it has no effect it is not shown
 */

const runtime = (values) => values.method === "runtime";

/** @type {Option[]} of `surefoot clean` */
export const CLEAN = [
  {
    key: "method",
    flag: "--method",
    label: "Method",
    kind: "choice",
    initial: "direct",
    choices: [
      ["direct", "whole clip"],
      ["runtime", "as a game does, frame by frame"],
      ["relax", "relaxation (slow)"],
    ],
    help: "Whole clip sees what comes; a game's foot lock does not.",
  },
  {
    key: "giveWay",
    flag: "--give-way",
    label: "Who gives way",
    kind: "choice",
    initial: "both",
    choices: [
      ["both", "path and legs"],
      ["legs", "legs; the path keeps its numbers"],
      ["root", "path; the root follows the feet"],
    ],
    help: "What may change so that planted feet stand still.",
    counts: (values) => !runtime(values),
  },
  {
    key: "loop",
    flag: "--loop",
    label: "The clip is a cycle",
    kind: "switch",
    initial: false,
    help: "Its end meets its start; a plant may cross the seam.",
    counts: (values) => !runtime(values),
  },
  {
    key: "stretch",
    flag: "--allow-stretch",
    label: "Legs may stretch",
    kind: "switch",
    initial: false,
    help: "Where a leg is too short to reach.",
  },
  {
    key: "threshold",
    flag: "--contact-threshold",
    label: "Contact threshold",
    kind: "number",
    initial: 0.75,
    least: 0,
    most: 1,
    step: 0.05,
    help: "Labels above it count as contact.",
  },
  {
    key: "blend",
    flag: "--blend",
    label: "Blend",
    kind: "number",
    initial: 0.2,
    least: 0,
    most: 1,
    step: 0.01,
    unit: "s",
    help: "Time in which a foot crosses between animation and planted point.",
    counts: runtime,
  },
  {
    key: "unlock",
    flag: "--unlock-distance",
    label: "Lets go beyond",
    kind: "number",
    initial: 0.25,
    least: 0.01,
    most: 1,
    step: 0.01,
    unit: "m",
    help: "Distance from the animation at which a lock is given up.",
    counts: runtime,
  },
  {
    key: "orientation",
    flag: "--lock-orientation",
    label: "Hold the foot's orientation too",
    kind: "switch",
    initial: false,
    help: "Else the foot pivots about its toe.",
    counts: runtime,
  },
];

export function initialValues(options) {
  return Object.fromEntries(options.map(({ key, initial }) => [key, initial]));
}

/** @returns {string[]} */
export function argumentsOf(options, values) {
  return options.flatMap(({ key, flag, kind, initial, counts }) => {
    const value = values[key];
    if (flag === undefined || value === initial || (counts !== undefined && !counts(values))) return [];
    return kind === "switch" ? [flag] : [flag, String(value)];
  });
}

/** The words of a shell: quoted where a shell would read them otherwise. */
export function shellWords(args) {
  return args.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** Values that differ from their defaults, for the address. */
export function toParameters(options, values) {
  const parameters = new URLSearchParams();
  for (const { key, initial } of options) if (values[key] !== initial) parameters.set(key, String(values[key]));
  return parameters;
}

/** What an address says; what makes no sense there is left out. */
export function fromParameters(options, parameters) {
  const values = initialValues(options);
  for (const { key, kind, choices, least, most } of options) {
    const text = parameters.get(key);
    if (text === null) continue;
    if (kind === "switch") values[key] = text === "true";
    else if (kind === "choice" && choices.some(([value]) => value === text)) values[key] = text;
    else if ((kind === "number" || kind === "optional") && text.trim() !== "" && Number(text) >= least && Number(text) <= most)
      values[key] = Number(text);
  }
  return values;
}
