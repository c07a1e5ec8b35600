/** A narrow matrix: every number printed, on colour. */

import { el, setAttribute, setStyle, setText } from "./dom.js";
import { strength } from "./heat.js";
import { compact, toNumber } from "./numbers.js";

/** How much of the soft colour the largest value gets, in per cent: its number must stay easy to read. */
const FULL = 62;

function drawCell(cell, value, scale) {
  setText(cell, compact(value));
  setStyle(cell, "--heat", `${Math.round(strength(value, scale) * FULL)}%`);
  setAttribute(cell, "data-sign", value === null ? "hidden" : toNumber(value) < 0 ? "below" : null);
}

/** Fill `body` with `rows` × `columns` cells, under a line of column labels if `headed`. */
export function createPrinted(body, rows, columns, headed) {
  setAttribute(body, "data-mode", "numbers");
  setStyle(body, "--columns", String(columns));
  const head = Array.from({ length: headed ? columns : 0 }, () => el("span", { class: "token column" }));
  const parts = Array.from({ length: rows }, () => {
    const label = el("span", { class: "token" });
    const cells = Array.from({ length: columns }, () => el("span", { class: "cell" }));
    return { row: el("div", { class: "row" }, label, ...cells), label, cells };
  });
  const heading = headed ? [el("div", { class: "row head" }, el("span", { class: "token" }), ...head)] : [];
  body.replaceChildren(...heading, ...parts.map(({ row }) => row));
  return {
    show(view, repaint) {
      head.forEach((token, column) => setText(token, view.columnTokens?.[column] ?? ""));
      parts.forEach(({ row, label, cells }, place) => {
        setText(label, view.rowTokens[place]);
        setAttribute(row, "data-chosen", view.chosen === place ? "" : null);
        if (repaint) cells.forEach((cell, column) => drawCell(cell, view.values[place][column], view.scale));
      });
    },
    /** Leave nothing of what was here: an empty place must read as empty too. */
    clear() {
      for (const token of head) setText(token, "");
      for (const { row, label, cells } of parts) {
        setText(label, "");
        setAttribute(row, "data-chosen", null);
        for (const cell of cells) {
          setText(cell, "");
          setAttribute(cell, "data-sign", null);
        }
      }
    },
    /** Where the cells are on the screen. */
    area() {
      const [first, last] = [parts[0].cells[0], parts.at(-1).cells.at(-1)].map((cell) => cell.getBoundingClientRect());
      return { left: first.left, top: first.top, width: last.right - first.left, height: last.bottom - first.top };
    },
  };
}
