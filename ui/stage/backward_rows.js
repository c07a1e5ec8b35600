/** lse and D, one row a query: all that a backward needs to know of a row's softmax. */

import { deltasOf } from "./backward_history.js";
import { backwardVariants } from "./backward_sentence.js";
import { el, setAttribute, setText } from "./dom.js";
import { format } from "./numbers.js";
import { fill } from "./sentence.js";

const SAVED = ["lse", "delta"];
const BLOCK_KINDS = new Set(["recompute_score", "recompute_p", "d_v", "d_p", "d_s", "d_q"]);

function makeSavedRow(row, context) {
  const button = el("button", { type: "button", class: "pick", "data-testid": "row-pick", "data-row": String(row) });
  const cells = SAVED.map((name) => el("td", { "data-testid": `row-${name}`, "data-row": String(row), "data-column": name }));
  const note = el("td", { class: "what", "data-testid": "row-note", "data-row": String(row) });
  const root = el("tr", { "data-row": String(row) }, el("th", { scope: "row" }, button), ...cells, note);
  button.onmousedown = (event) => event.preventDefault();
  root.onclick = () => context.choose(row);
  button.onkeydown = (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    context.choose(row + move, true);
  };
  return { root, button, cells, note };
}

/** Make the table; the same form as `createRows`. */
export function createBackwardRows(trace, words, context) {
  const deltas = deltasOf(trace);
  const rows = Array.from({ length: trace.problem.block_q }, (_, row) => makeSavedRow(row, context));
  const head = el("tr", {}, el("th", { scope: "col", text: words.columns.row }),
    ...SAVED.map((name) => el("th", { scope: "col", text: words.columns[name], "data-column": name })),
    el("th", { scope: "col", class: "what", text: words.columns.note }));
  const table = el("table", { class: "stats" }, el("caption", { text: words.panels.stats }), el("thead", {}, head),
    el("tbody", {}, ...rows.map(({ root }) => root)));

  /** What is on chip of one row's two numbers. */
  function valuesOf(step, row) {
    const at = step.rows[0] + row;
    return [step.resident.stats ? trace.arrays.lse[at] : undefined, step.resident.stats || step.resident.delta ? deltas[at] : undefined];
  }

  return {
    root: el("div", { class: "stats-box" }, table),
    update({ step, subject, row: chosen }) {
      const onChip = Boolean(step.rows && (step.resident.stats || step.resident.delta));
      const held = onChip ? step.rows[1] - step.rows[0] : 0;
      rows.forEach((part, row) => {
        const here = row < held;
        part.root.hidden = !here && held > 0;
        setText(part.button, here ? subject.queries[row] : "\u00b7");
        part.button.disabled = !here;
        setAttribute(part.button, "aria-pressed", String(here && row === chosen));
        setAttribute(part.button, "aria-label", here ? fill(words.chip.choose, { row: subject.queries[row] }) : null);
        setAttribute(part.root, "data-chosen", here && row === chosen ? "" : null);
        const values = here ? valuesOf(step, row) : [];
        SAVED.forEach((_, place) => {
          setText(part.cells[place], values[place] === undefined ? "" : format(values[place]));
          setAttribute(part.cells[place], "data-value", values[place] === undefined ? null : String(values[place]));
        });
        const looks = here && BLOCK_KINDS.has(step.kind) ? backwardVariants[step.kind]({ ...subject, row }) : null;
        setText(part.note, looks === null ? "" : looks === "some" ? words.notes.looks : words.notes.no_look);
      });
    },
    focusRow(row) {
      rows[row]?.button.focus();
    },
  };
}
