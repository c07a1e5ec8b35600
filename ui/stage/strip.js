/** A wide matrix: one strip of colour a row, all on one canvas. */

import { el, setAttribute, setStyle, setToken } from "./dom.js";
import { paintStrips, wipe } from "./heat.js";

/** Fill `face`, which lies in `body`, with a sheet of `rows` strips. `colours()` gives the colour above and below zero. */
export function createStrips(body, face, rows, colours) {
  setAttribute(body, "data-mode", "strip");
  const labels = Array.from({ length: rows }, () => el("span", { class: "token" }));
  const canvas = el("canvas");
  const mark = el("span", { class: "chosen-row" });
  // The mark lies under the canvas and shows in the gaps between its strips.
  const sheet = el("div", { class: "sheet", style: `--rows: ${rows}` }, mark, canvas);
  face.replaceChildren(el("div", { class: "labels" }, ...labels), sheet);
  function choose(place) {
    setStyle(mark, "visibility", place === null ? "hidden" : "");
    setStyle(mark, "--place", String(place ?? 0));
    labels.forEach((label, row) => setAttribute(label, "data-chosen", row === place ? "" : null));
  }
  return {
    show(view, repaint) {
      labels.forEach((label, row) => setToken(label, view.rowTokens[row]));
      choose(view.chosen);
      if (repaint) paintStrips(canvas, view.values, view.scale, ...colours());
    },
    /** What was here is hidden with the panel's face; a canvas stays, so it must be empty. */
    clear: () => wipe(canvas),
    area: () => canvas.getBoundingClientRect(),
  };
}
