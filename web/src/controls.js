// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Parts that pages are made of: controls of options, tables of figures, a command line to copy. */

/** @param {string} tag @param {Record<string, unknown>} [properties] @param {(Node | string)[]} children */
export function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/**
 * A labelled control of an option.
 * @param {import("./options.js").Option} option
 * @param {(value: unknown, drag: string | null) => void} set the visitor's choice; `drag`: one of many of one movement
 * @param {() => void} settle the movement ended
 * @returns {{ root: HTMLElement, show(values: Record<string, unknown>): void }}
 */
export function control(option, set, settle) {
  const { key, label, kind, choices, least, most, step, unit, help, initial, counts } = option;
  const root = make("label", {}, make("span", { textContent: label }));
  const id = `option-${key}`;
  let input;
  let shown;
  if (kind === "choice") {
    root.className = "wide";
    input = make("select", { id }, ...choices.map(([value, text]) => new Option(text, value)));
    input.addEventListener("change", () => set(input.value, null));
  } else if (kind === "switch") {
    input = make("input", { id, type: "checkbox" });
    input.addEventListener("change", () => set(input.checked, null));
  } else if (kind === "optional") {
    input = make("input", { id, type: "number", min: least, max: most, step: "any", placeholder: "auto" });
    input.addEventListener("change", () => {
      const value = input.value === "" ? null : Number(input.value);
      if (input.checkValidity()) set(value, null);
      else input.reportValidity();
    });
    if (unit !== undefined) root.firstChild.append(` (${unit})`);
  } else {
    shown = make("output");
    root.append(shown);
    input = make("input", { id, type: "range", min: least, max: most, step });
    input.addEventListener("input", () => set(Number(input.value), key));
    input.addEventListener("change", settle);
  }
  root.append(input);
  if (help !== undefined) root.append(make("small", { textContent: help }));
  const show = (values) => {
    const value = values[key] ?? initial;
    root.hidden = counts !== undefined && !counts(values);
    if (kind === "switch") input.checked = value;
    else input.value = value ?? "";
    if (shown !== undefined) shown.textContent = unit === undefined ? value : `${value} ${unit}`;
  };
  return { root, show };
}

function row(cells, header) {
  const line = make("tr");
  cells.forEach((text, i) => {
    const names = text !== "" && (header || i === 0);
    const cell = make(names ? "th" : "td", { textContent: text });
    if (names) cell.scope = header ? "col" : "row";
    line.append(cell);
  });
  return line;
}

/** @param {string} caption @param {string[]} head @param {string[][]} rows each begins with its name */
export function table(caption, head, rows) {
  const made = make("table");
  made.createCaption().textContent = caption;
  made.createTHead().append(row(head, true));
  made.createTBody().append(...rows.map((cells) => row(cells, false)));
  return made;
}

/** A button that says what it did not manage. @param {import("./app.js").Shell} shell */
export function button(shell, id, words, action, className = "") {
  const made = make("button", { type: "button", id, textContent: words, className });
  made.addEventListener("click", () => shell.trying(action));
  return made;
}

/** The line that does the same in a shell, and a button that copies it. @param {import("./app.js").Shell} shell */
export function commandLine(shell) {
  const code = make("code", { id: "command", tabIndex: 0 });
  const copy = button(shell, "copy", "Copy", () => navigator.clipboard.writeText(code.textContent));
  return {
    root: make(
      "section",
      {},
      make("h3", { textContent: "The same on the command line" }),
      make("div", { className: "command" }, code, copy),
    ),
    show: (text, whole = true) => {
      code.textContent = text;
      copy.disabled = !whole;
    },
  };
}

/** Gives bytes to the visitor as a file. @param {string} name @param {Uint8Array | Blob} bytes */
export function download(name, bytes, type = "application/octet-stream") {
  const link = make("a", { download: name });
  link.href = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
