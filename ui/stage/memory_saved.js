/**
 * The few numbers a row that outer memory holds beside O: lse where queries are the outer loop, m and l where keys
 * and values are, because there a row must be taken up again.
 */

import { createMark, el, setAttribute } from "./dom.js";
import { finalStore, heldO, storesOfO } from "./history.js";
import { format } from "./numbers.js";
import { fill, showToken } from "./sentence.js";
import { evenCell, readable } from "./tip.js";

/** The names of the numbers that go out with O. */
function savedNames(trace) {
  return trace.problem.order === "q_outer" ? ["lse"] : ["m", "l"];
}

/** What outer memory holds for the rows of a query tile after step `index`: lists by name, or null. */
function savedAt(trace, stores, index) {
  const held = heldO(stores, index);
  if (held === null) return null;
  const { work, state } = trace.steps[held.index];
  return Object.fromEntries(savedNames(trace).map((name) => [name, work[name] ?? state[name]]));
}

/** Make the strips, one a query tile, and the letters above them. */
export function createSaved(trace, words, context, spans) {
  const names = savedNames(trace);
  const stores = storesOfO(trace);
  const held = new Array(spans.length).fill(null);
  const letters = el("b", { class: "letter saved-name", text: names.join(" ") });
  const strips = spans.map((span, tile) => {
    const node = el("div", { class: "held saved", role: "img", "data-tensor": "stats", "data-tile": String(tile), "data-parts": String(names.length),
      style: `--hue: var(--tw-m); --rows: ${span[1] - span[0]};` });
    const tokens = trace.problem.tokens_q.slice(...span).map(showToken);
    setAttribute(node, "aria-label", `${names.join(", ")} ${tokens.join(" ")}`);
    readable(node, context.tip, {
      cellAt: (x, y) => (held[tile] === null ? null : evenCell(x, y, tokens.length, names.length)),
      describe: (row, part) => (held[tile] === null ? null
        : fill(words.chip.cell, { name: words.zones.outer, row: tokens[row], column: names[part], value: format(held[tile][names[part]][row], 5) })),
      size: () => (held[tile] === null ? [0, 0] : [tokens.length, names.length]),
      onChoose: (row) => context.choose(row, false, tile),
    });
    return node;
  });
  const here = createMark("data-here");
  const states = strips.map(() => "");
  return {
    letters,
    strips,
    update(index, step) {
      strips.forEach((node, tile) => {
        held[tile] = savedAt(trace, stores[tile], index);
        const state = held[tile] === null ? "empty" : index >= finalStore(stores[tile]) ? "final" : "partial";
        if (states[tile] === state) return;
        states[tile] = state;
        setAttribute(node, "data-state", state);
      });
      here(step.kind === "store" ? strips[step.tile[0]] : null);
    },
  };
}
