/** A wide matrix: one strip of colour a row, all on one canvas. */

import { el, setAttribute, setStyle, setText } from "./dom.js";
import { paint } from "./heat.js";

/** Fill `body` with a sheet of `rows` strips. `colours()` gives the colour above and below zero. */
export function createStrips(body, rows, colours) {
  setAttribute(body, "data-mode", "strip");
  const labels = Array.from({ length: rows }, () => el("span", { class: "token" }));
  const canvas = el("canvas");
  const mark = el("span", { class: "chosen-row", hidden: "" });
  const sheet = el("div", { class: "sheet", style: `--rows: ${rows}` }, canvas, mark);
  body.replaceChildren(el("div", { class: "labels" }, ...labels), sheet);
  function choose(place) {
    mark.hidden = place === null;
    setStyle(mark, "--place", String(place ?? 0));
    labels.forEach((label, row) => setAttribute(label, "data-chosen", row === place ? "" : null));
  }
  return {
    show(view, repaint) {
      labels.forEach((label, row) => setText(label, view.rowTokens[row]));
      choose(view.chosen);
      if (repaint) paint(canvas, view.values, view.scale, ...colours());
    },
    clear() {
      for (const label of labels) setText(label, "");
      choose(null);
    },
    area: () => sheet.getBoundingClientRect(),
  };
}
