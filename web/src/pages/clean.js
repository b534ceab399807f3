// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Clean: planted feet stand. */

import { make, table } from "../controls.js";
import { CLEAN } from "../options.js";
import { ClipPage } from "./clip_page.js";

export class CleanPage extends ClipPage {
  static id = "clean";
  static title = "Clean";

  constructor(shell) {
    super(shell, { command: "clean", options: CLEAN, result: "Cleaned clip", suffix: "clean" });
  }

  describe(report) {
    const line = (words, before, after, digits) => [words, before.toFixed(digits), after.toFixed(digits)];
    const rows = report.before.feet.flatMap((foot, i) => {
      const after = report.after.feet[i];
      return [
        line(`${foot.name}: slide, mean cm/s`, foot.slide_mean_cm_s, after.slide_mean_cm_s, 2),
        line("most cm/s", foot.slide_max_cm_s, after.slide_max_cm_s, 2),
      ];
    });
    rows.push(line("Pelvis, p99 m/s²", report.before.clip.pelvis_accel_p99_m_s2, report.after.clip.pelvis_accel_p99_m_s2, 1));
    const { text } = report.mismatch ?? {};
    const mismatch = text === undefined ? "" : ` ${text[0].toUpperCase()}${text.slice(1)}.`;
    return [table("Planted feet", ["", "before", "after"], rows), make("p", { textContent: `${report.plants} plants.${mismatch}` })];
  }
}
