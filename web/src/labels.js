// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * Contact labels, as `surefoot contacts` writes and `--contacts` reads them (docs/contacts.md): a column a foot, and its
 * `:touch`. Labels are values: each change makes new ones, so that undo keeps the old.
 */

const HEAD = ["frame", "time"];
const TOUCH = ":touch";

/** @typedef {{ first: number, last: number }} Span frames, both of it */

export class Labels {
  /**
   * @param {string[]} columns header
   * @param {string[][]} rows text of the cells, so that what is not edited is written as it was read
   */
  constructor(columns, rows) {
    this.columns = columns;
    this.rows = rows;
    this.feet = columns.slice(HEAD.length).filter((name) => !name.endsWith(TOUCH));
  }

  /** @throws {Error} where the text is no table of labels */
  static parse(text) {
    const lines = text.split(/\r?\n/).filter((line) => line !== "");
    const columns = (lines.shift() ?? "").split(",");
    if (columns[0] !== HEAD[0] || columns[1] !== HEAD[1] || columns.length < 3)
      throw new Error("labels: line 1: wants frame,time and a column a foot, as `surefoot contacts` writes them");
    const rows = lines.map((line, i) => {
      const cells = line.split(",");
      if (cells.length !== columns.length)
        throw new Error(`labels: line ${i + 2}: ${cells.length} cells, where the head has ${columns.length}`);
      return cells;
    });
    return new Labels(columns, rows);
  }

  print() {
    return `${[this.columns, ...this.rows].map((cells) => cells.join(",")).join("\n")}\n`;
  }

  get frames() {
    return this.rows.length;
  }

  isPlanted(foot, frame) {
    return Number(this.rows[frame][this.#column(foot)]) > 0.75;
  }

  /** @returns {Span[]} in order */
  plants(foot) {
    const spans = [];
    for (let i = 0; i < this.frames; ++i) {
      if (!this.isPlanted(foot, i)) continue;
      const last = spans.at(-1);
      if (last !== undefined && last.last === i - 1) last.last = i;
      else spans.push({ first: i, last: i });
    }
    return spans;
  }

  /** Frames first to last become planted or free; those beyond the clip are left out. */
  set(foot, first, last, planted) {
    const column = this.#column(foot);
    const touch = this.columns.indexOf(foot + TOUCH);
    const rows = this.rows.slice();
    for (let i = Math.max(0, first); i <= Math.min(last, this.frames - 1); ++i) {
      rows[i] = rows[i].slice();
      rows[i][column] = planted ? "1" : "0";
      // What is planted touches; what was freed by hand does not.
      if (touch >= 0) rows[i][touch] = rows[i][column];
    }
    return new Labels(this.columns, rows);
  }

  /** The plant's ends go elsewhere; it keeps a frame at least, and one frame of air to its neighbours. */
  move(foot, plant, { first, last }) {
    const others = this.plants(foot).filter((span) => span.first !== plant.first);
    const before = others.filter((span) => span.last < plant.first).at(-1);
    const after = others.find((span) => span.first > plant.last);
    const lo = before === undefined ? 0 : before.last + 2;
    const hi = after === undefined ? this.frames - 1 : after.first - 2;
    const clamp = (x, least, most) => Math.min(Math.max(x, least), Math.max(least, most));
    const to = { first: clamp(first, lo, hi), last: clamp(last, lo, hi) };
    if (to.first > to.last) to.first = to.last = first === plant.first ? to.first : to.last;
    const labels = this.set(foot, plant.first, plant.last, false).set(foot, to.first, to.last, true);
    return { labels, plant: to };
  }

  /** One plant becomes two, with one frame of air at `frame`; as it is where no frame would be left on a side. */
  split(foot, plant, frame) {
    return frame > plant.first && frame < plant.last ? this.set(foot, frame, frame, false) : this;
  }

  #column(foot) {
    const column = this.columns.indexOf(foot);
    if (column < HEAD.length) throw new RangeError(`${foot}: no such foot`);
    return column;
  }
}
