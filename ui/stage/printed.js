/** A narrow matrix: every number printed, on colour. */

import { el, setAttribute, setStyle, setText, setToken } from "./dom.js";
import { strength } from "./heat.js";
import { compact, toNumber } from "./numbers.js";

/** How much of the soft colour the largest value gets, and of the grey one: its number must stay easy to read. */
const FULL = 0.62;
const FULL_BELOW = 0.186;

function createCell() {
  const root = el("span", { class: "cell" });
  let shown = "";
  return {
    root,
    draw(value, scale, [soft, muted]) {
      setText(root, compact(value));
      const below = toNumber(value) < 0;
      const heat = value === null ? 0 : strength(value, scale) * (below ? FULL_BELOW : FULL);
      // Laid over the page's own colour, this is the mixture of both.
      const colour = `rgba(${(below ? muted : soft).join(", ")}, ${heat.toFixed(2)})`;
      if (colour === shown) return;
      shown = colour;
      root.style.backgroundColor = colour;
      setAttribute(root, "data-sign", value === null ? "hidden" : null);
    },
  };
}

/** Fill `face`, which lies in `body`, with `rows` × `columns` cells, under a line of column labels if `headed`. `colours()` gives soft and grey. */
export function createPrinted(body, face, rows, columns, headed, colours) {
  setAttribute(body, "data-mode", "numbers");
  setAttribute(body, "data-headed", headed ? "" : null);
  setStyle(body, "--columns", String(columns));
  const head = Array.from({ length: headed ? columns : 0 }, () => el("span", { class: "token column" }));
  const parts = Array.from({ length: rows }, () => {
    const label = el("span", { class: "token" });
    const cells = Array.from({ length: columns }, createCell);
    return { row: el("div", { class: "row" }, label, ...cells.map(({ root }) => root)), label, cells };
  });
  const heading = headed ? [el("div", { class: "row head" }, el("span", { class: "token" }), ...head)] : [];
  face.replaceChildren(...heading, ...parts.map(({ row }) => row));
  return {
    show(view, repaint) {
      head.forEach((token, column) => setToken(token, view.columnTokens?.[column] ?? ""));
      parts.forEach(({ row, label, cells }, place) => {
        setToken(label, view.rowTokens[place]);
        setAttribute(row, "data-chosen", view.chosen === place ? "" : null);
        if (repaint) cells.forEach((cell, column) => cell.draw(view.values[place][column], view.scale, colours()));
      });
    },
    /** What was here is hidden with the panel's face. */
    clear() {},
    /** Where the cells are on the screen. */
    area() {
      const [first, last] = [parts[0].cells[0], parts.at(-1).cells.at(-1)].map(({ root }) => root.getBoundingClientRect());
      return { left: first.left, top: first.top, width: last.right - first.left, height: last.bottom - first.top };
    },
  };
}
