// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** What a creature was asked for, as the file that `surefoot roam --goals` reads. */

import { LEAD, RATE } from "./lab_module.js";

/**
 * @typedef {object} Asked
 * @property {number} step at which it counts first
 * @property {[number, number, number, number]} what kind (LEAD), x, y, z
 */

/** @param {Asked[]} asked in the order of time @returns {string} */
export function goalsFile(asked) {
  const lines = asked.map(({ step, what: [kind, x, y, z] }) => {
    // Far finer than a step, and short.
    const time = Number((step / RATE).toFixed(4));
    switch (kind) {
      case LEAD.TO:
        return `${time},${x},${z}`;
      case LEAD.STAND:
        return `${time},stand`;
      case LEAD.PUSH:
        return `${time},push,${x},${z}`;
      default:
        return `${time},look,${x},${y},${z}`;
    }
  });
  return `# surefoot roam --goals: seconds, then where it was led [m]\n${lines.map((line) => `${line}\n`).join("")}`;
}
