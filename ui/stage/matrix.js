/** A matrix on chip: numbers on colour while it is narrow, strips of colour when it is wide. */

import { el, setAttribute, setStyle, setText } from "./dom.js";
import { createPrinted } from "./printed.js";
import { createStrips } from "./strip.js";
import { evenCell, readable } from "./tip.js";

/** The widest matrix whose numbers are printed. */
export const WIDEST_PRINTED = 8;

/** Whether two matrices of one size show the same: steps that pass a block on send it again. */
function same(left, right) {
  return left === right || left.every((row, at) => row.every((value, column) => value === right[at][column]));
}

/** How much room a matrix of this width asks for: `few` or `many` printed numbers, or a `strip`. */
export function roomFor(columns) {
  if (columns > WIDEST_PRINTED) return "strip";
  return columns > 4 ? "many" : "few";
}

/**
 * Make a panel.
 *
 * @param {object} spec - `name` (a tensor or `acc_before`), `tensor` (whose colour), `title`, `height` and `width` of
 *   a full tile, `headed` (does it name its columns?), and `describe(view, row, column)`, the text of a cell.
 * @param {object} context - `tip`, `colours()`, `theme()`, `choose(row)`.
 */
export function createMatrix(spec, context) {
  const { name, tensor, title, height, width, headed } = spec;
  const note = el("span", { class: "note" });
  const heading = el("span", { class: "name", text: title });
  const sheet = el("div", { class: "face" });
  const body = el("div", { class: "matrix", role: "img", "aria-label": title }, sheet);
  const hues = `--hue: var(--tw-${tensor}); --hue-text: var(--tw-${tensor}-text)`;
  const root = el("figure", { class: "panel", "data-panel": name, "data-absent": "", style: hues },
    el("figcaption", {}, heading, note), body);
  const colours = () => [context.colours()[tensor], context.colours().muted];
  const softColours = () => [context.colours()[`${tensor}-soft`], context.colours().muted];
  const fit = (rows, columns) =>
    width <= WIDEST_PRINTED ? createPrinted(body, sheet, rows, columns, headed, softColours) : createStrips(body, sheet, rows, colours);
  let [rows, columns] = [Math.max(height, 1), Math.max(width, 1)];
  let face = fit(rows, columns);
  let shown = null;
  let painted = "";
  setStyle(body, "--full", String(height));

  readable(body, context.tip, {
    area: () => face.area(),
    cellAt: (x, y) => (shown === null ? null : evenCell(x, y, rows, columns)),
    describe: (row, column) => (shown === null ? null : spec.describe(shown, row, column)),
    size: () => (shown === null ? [0, 0] : [rows, columns]),
    onChoose: (row) => {
      if (shown?.rowsAreQueries) context.choose(row);
    },
  });

  return {
    root,
    /** Show a view `{ title, values, rowTokens, columnTokens, scale, chosen, note, label }`, or null: not on chip. */
    update(view, emptyNote) {
      setText(heading, view?.title ?? title);
      setText(note, view ? (view.note ?? "") : emptyNote);
      setAttribute(root, "data-absent", view ? null : "");
      setAttribute(body, "aria-label", view?.label ?? title);
      if (view === null) {
        if (shown !== null) face.clear();
        shown = null;
        return;
      }
      if (view.values.length !== rows || view.values[0].length !== columns) {
        [rows, columns] = [view.values.length, view.values[0].length];
        face = fit(rows, columns);
        painted = "";
      }
      face.show(view, painted !== context.theme() || shown === null || !same(shown.values, view.values) || shown.scale !== view.scale);
      painted = context.theme();
      shown = view;
    },
  };
}
