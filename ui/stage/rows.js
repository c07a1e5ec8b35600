/** m, l and alpha, one row a query. The chosen row is the one whose numbers the formula shows. */

import { el, setAttribute, setText } from "./dom.js";
import { format } from "./numbers.js";
import { pocket } from "./pocket.js";
import { fill, variantOf } from "./sentence.js";

const COLUMNS = ["m_old", "m_new", "alpha", "l_before", "l_after"];

/** The cell of each column at a step, or undefined where the step has no such number. */
export function statsOfRow(step, row) {
  const { work, state } = step;
  return {
    m_old: work.m_old?.[row],
    m_new: work.m_new ? work.m_new[row] : state?.m?.[row],
    alpha: work.alpha?.[row],
    l_before: work.l_before?.[row],
    l_after: work.l_after ? work.l_after[row] : state?.l?.[row],
  };
}

const NOTES = {
  update_max: { rises: "rose", first: "first_tile", stays: "stayed", empty: "no_key" },
  rescale: { shrinks: "rescale", first: "first_tile", same: "nothing_to_fix", empty: "no_key" },
  accumulate: { nothing: "no_key" },
};

/** The few words beside a row, as a key of `words.notes`, or null. */
function noteOf(subject) {
  return NOTES[subject.step.kind]?.[variantOf(subject)] ?? null;
}

/** One row: a button that chooses it, a cell for each column, and room for a few words. */
function createStatsRow(row, columns, context) {
  const button = el("button", { type: "button", class: "pick", "data-testid": "row-pick", "data-row": String(row) });
  const cells = columns.map((column) =>
    el("td", { "data-testid": `row-${column.replace("_", "-")}`, "data-row": String(row), "data-column": column }));
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
  return { root, button, cells, note, shown: columns.map(() => ""), named: "" };
}

/** An empty table with these columns, a row for each query of a full tile. */
export function createStatsTable(trace, words, columns, context) {
  const rows = Array.from({ length: trace.problem.block_q }, (_, row) => createStatsRow(row, columns, context));
  const head = el("tr", {}, el("th", { scope: "col", text: words.columns.row }),
    ...columns.map((column) => el("th", { scope: "col", text: words.columns[column], "data-column": column })),
    el("th", { scope: "col", class: "what", text: words.columns.note }));
  const table = el("table", { class: "stats" }, el("caption", { text: words.panels.stats }), el("thead", {}, head),
    el("tbody", {}, ...rows.map(({ root }) => root)));
  return { root: pocket(el("div", { class: "stats-box" }, table)), rows };
}

/** Show whose row it is and whether it is chosen; `query` is null for a row that is not on chip. */
export function nameStatsRow(part, query, chosen, words) {
  const here = query !== null;
  const name = `${query} ${here && chosen}`;
  if (part.named === name) return;
  part.named = name;
  setText(part.button, here ? query : "\u00b7");
  setAttribute(part.button, "disabled", here ? null : "");
  setAttribute(part.button, "aria-pressed", String(here && chosen));
  setAttribute(part.button, "aria-label", here ? fill(words.chip.choose, { row: query }) : null);
  setAttribute(part.root, "data-chosen", here && chosen ? "" : null);
}

/** Show a number in a row's cell, or nothing for undefined. */
export function showStat(part, place, value) {
  if (part.shown[place] === value) return;
  part.shown[place] = value;
  const cell = part.cells[place];
  setText(cell, value === undefined ? "" : format(value));
  setAttribute(cell, "data-value", value === undefined ? null : String(value));
}

/** Make the table. */
export function createRows(trace, words, context) {
  const { root, rows } = createStatsTable(trace, words, COLUMNS, context);
  return {
    root,
    update(frame) {
      const { step, subject } = frame;
      const held = step.state?.m ? step.state.m.length : 0;
      rows.forEach((part, row) => {
        setAttribute(part.root, "hidden", row >= held && held > 0 ? "" : null);
        const empty = held === 0;
        // A row that waits for its queries has nothing to read out.
        setAttribute(part.root, "aria-hidden", empty ? "true" : null);
        const stats = empty ? {} : statsOfRow(step, row);
        nameStatsRow(part, empty ? null : subject.queries[row] ?? "", row === frame.row, words);
        COLUMNS.forEach((column, place) => showStat(part, place, stats[column]));
        const note = empty ? null : noteOf({ ...subject, row });
        setAttribute(part.root, "data-note", note);
        setText(part.note, note ? words.notes[note] : "");
      });
    },
    focusRow(row) {
      rows[row]?.button.focus();
    },
  };
}
