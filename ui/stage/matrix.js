/** A matrix on chip: numbers on colour while it is narrow, strips of colour when it is wide. */

import { el, setAttribute, setStyle, setText } from "./dom.js";
import { paint, strength } from "./heat.js";
import { compact, toNumber } from "./numbers.js";
import { evenCell, readable } from "./tip.js";

/** The widest matrix whose numbers are printed. */
export const WIDEST_PRINTED = 8;

/** How much room a matrix of this width asks for: `few` or `many` printed numbers, or a `strip`. */
export function roomFor(columns) {
  if (columns > WIDEST_PRINTED) return "strip";
  return columns > 4 ? "many" : "few";
}

/**
 * Make a panel.
 *
 * @param {object} spec - `name` (a tensor or `acc_before`), `tensor` (whose colour), `title`, `height` and `width` of
 *   a full tile, and `describe(view, row, column)`, the text of a cell.
 * @param {object} context - `tip`, `colours()`, `choose(row)`.
 */
export function createMatrix(spec, context) {
  const note = el("span", { class: "note" });
  const title = el("span", { class: "name", text: spec.title });
  const body = el("div", { class: "matrix", role: "img", "aria-label": spec.title });
  const root = el("figure", { class: "panel", "data-panel": spec.name, style: `--hue: var(--tw-${spec.tensor}); --soft: var(--tw-${spec.tensor}-soft); --hue-text: var(--tw-${spec.tensor}-text)` },
    el("figcaption", {}, title, note), body);
  let shape = "";
  let parts = [];
  let shown = null;
  let painted = "";

  readable(body, context.tip, {
    cellAt(x, y) {
      if (shown === null) return null;
      const columns = shown.values[0].length;
      return evenCell(x, y, shown.values.length, columns);
    },
    describe: (row, column) => (shown === null ? null : spec.describe(shown, row, column)),
    size: () => (shown === null ? [0, 0] : [shown.values.length, shown.values[0].length]),
    onChoose: (row) => {
      if (shown?.rowsAreQueries) context.choose(row);
    },
  });

  function build(view) {
    body.replaceChildren();
    const columns = view.values[0].length;
    const printed = columns <= WIDEST_PRINTED;
    setAttribute(body, "data-mode", printed ? "numbers" : "strip");
    setStyle(body, "--columns", String(columns));
    parts = view.values.map((values) => {
      const label = el("span", { class: "token" });
      const cells = printed
        ? values.map(() => el("span", { class: "cell" }))
        : [el("canvas", { class: "strip" })];
      const row = el("div", { class: "row" }, label, ...cells);
      body.append(row);
      return { row, label, cells };
    });
    if (view.columnTokens && printed) {
      const head = el("div", { class: "row head" }, el("span", { class: "token" }));
      head.append(...view.columnTokens.map(() => el("span", { class: "token column" })));
      body.prepend(head);
    }
  }

  /** Leave nothing of what was here: an empty place must read as empty too. */
  function clear() {
    for (const { row, label, cells } of parts) {
      setText(label, "");
      setAttribute(row, "data-chosen", null);
      if (body.dataset.mode !== "numbers") continue;
      for (const cell of cells) {
        setText(cell, "");
        setAttribute(cell, "data-sign", null);
      }
    }
    for (const token of body.querySelectorAll(".head .column")) setText(token, "");
    setAttribute(body, "aria-label", spec.title);
  }

  function drawCell(cell, value, scale) {
    const number = toNumber(value);
    setText(cell, compact(value));
    setStyle(cell, "--heat", `${Math.round(strength(value, scale) * 62)}%`);
    setAttribute(cell, "data-sign", value === null ? "hidden" : number < 0 ? "below" : null);
  }

  const blank = Array.from({ length: spec.height }, () => new Array(spec.width).fill(0));
  if (spec.height > 0 && spec.width > 0) build({ values: blank, columnTokens: spec.headed ? blank[0].map(() => "") : null });
  setStyle(body, "--full", String(spec.height));
  setAttribute(root, "data-absent", "");

  return {
    root,
    /** Show a view `{ values, rowTokens, columnTokens, scale, chosen, note, rowsAreQueries }`, or null: not on chip. */
    update(view, emptyNote) {
      setText(note, view ? (view.note ?? "") : emptyNote);
      setAttribute(root, "data-absent", view ? null : "");
      if (view === null) {
        if (shown !== null) clear();
        shown = null;
        return;
      }
      const nextShape = `${view.values.length}x${view.values[0].length}`;
      if (nextShape !== shape) {
        build(view);
        shape = nextShape;
        painted = "";
      }
      if (view.columnTokens) {
        body.querySelectorAll(".head .column").forEach((token, column) => setText(token, view.columnTokens[column]));
      }
      const [positive, negative] = [context.colours()[spec.tensor], context.colours().muted];
      const repaint = painted !== context.theme() || shown?.values !== view.values;
      view.values.forEach((values, row) => {
        const part = parts[row];
        setText(part.label, view.rowTokens[row]);
        setAttribute(part.row, "data-chosen", view.chosen === row ? "" : null);
        if (!repaint) return;
        if (part.cells.length === values.length && values.length <= WIDEST_PRINTED) {
          values.forEach((value, column) => drawCell(part.cells[column], value, view.scale));
        } else paint(part.cells[0], [values], view.scale, positive, negative);
      });
      painted = context.theme();
      shown = view;
      setAttribute(body, "aria-label", view.label);
    },
  };
}
