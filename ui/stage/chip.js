/** The small fast memory: the meter, and every tile and block that is on chip after this step. */

import { BACKWARD } from "./backward_panels.js";
import { createBackwardRows } from "./backward_rows.js";
import { el, setAttribute } from "./dom.js";
import { createMatrix, roomFor } from "./matrix.js";
import { createMeter } from "./meter.js";
import { format } from "./numbers.js";
import { createRows } from "./rows.js";
import { fill, isBackward } from "./sentence.js";
import { tensorLabel } from "./tensor_names.js";

const rowsOf = (matrix, span) => (span ? matrix.slice(span[0], span[1]) : null);

/**
 * What each panel of a forward run shows. `read(frame)` gives the values or null, `rows` and `columns` say what
 * its two sides are.
 */
const FORWARD = [
  { name: "q", tensor: "q", line: "tiles", rows: "queries", columns: "dimensions",
    read: ({ trace, step }) => (step.resident.q ? rowsOf(trace.arrays.q, step.rows) : null) },
  { name: "k", tensor: "k", line: "tiles", rows: "keys", columns: "dimensions",
    read: ({ trace, step }) => (step.resident.k ? rowsOf(trace.arrays.k, step.cols) : null) },
  { name: "v", tensor: "v", line: "tiles", rows: "keys", columns: "dimensions",
    read: ({ trace, step }) => (step.resident.v ? rowsOf(trace.arrays.v, step.cols) : null) },
  { name: "s", tensor: "s", line: "blocks", rows: "queries", columns: "keys", read: ({ step }) => (step.resident.s ? step.work.s ?? null : null),
    absent: ({ step }, words) => (step.resident.p ? words.notes.became_p : words.notes.not_here) },
  { name: "p", tensor: "p", line: "blocks", rows: "queries", columns: "keys", read: ({ step }) => step.work.p ?? null },
  { name: "acc_before", tensor: "acc", line: "gathered", rows: "queries", columns: "dimensions",
    read: ({ trace, step }) => trace.blocks[step.work.acc_before] ?? null,
    note: (_, words) => words.notes.before,
    absent: (_, words) => words.notes.no_before },
  { name: "acc", tensor: "acc", line: "gathered", rows: "queries", columns: "dimensions",
    read: ({ trace, step }) =>
      trace.blocks[step.kind === "normalise" || step.kind === "store" ? step.work.o : step.state?.acc] ?? null,
    title: ({ step }, words) =>
      step.kind === "normalise" || step.kind === "store" ? words.panels.o : words.panels.acc,
    note: ({ step }, words) => {
      if (step.kind === "normalise" || step.kind === "store") return words.notes.normalised;
      if (step.kind === "rescale") return words.notes.after;
      return words.notes.not_normalised;
    } },
];

/** Make the zone. */
export function createChip(trace, words, context) {
  const meter = createMeter(trace, words, context);
  const stats = (isBackward(trace) ? createBackwardRows : createRows)(trace, words, context);
  const { block_q: blockQ, block_k: blockK, d, d_v: dV } = trace.problem;
  const widths = { q: d, k: d, v: dV, s: blockK, p: blockK, acc: dV, acc_before: dV, o: dV, d_o: dV, d_p: blockK, d_s: blockK, d_q: d, d_k: d, d_v: dV };
  const panels = (isBackward(trace) ? BACKWARD : FORWARD).map((spec) => ({
    spec,
    matrix: createMatrix({ name: spec.name, tensor: spec.tensor, title: words.panels[spec.name],
      height: spec.rows === "queries" ? blockQ : blockK, width: widths[spec.name], headed: spec.columns === "keys",
      describe: (view, row, column) => describe(spec, view, row, column) }, context),
  }));
  const roomOf = { tiles: roomFor(Math.max(d, dV)), blocks: roomFor(blockK), gathered: roomFor(dV) };
  const group = (name) =>
    el("div", { class: `line ${name}`, "data-columns": roomOf[name] }, ...panels.filter(({ spec }) => spec.line === name).map(({ matrix }) => matrix.root));
  const blocks = group("blocks");
  const root = el("section", { class: "zone chip", "data-direction": trace.problem.direction, "aria-label": words.zones.chip },
    el("header", {}, el("h2", { text: words.zones.chip }), el("span", { class: "note", text: words.zones.chip_note })),
    meter.root, group("tiles"), blocks, stats.root, group("gathered"));

  function describe(spec, view, row, column) {
    const value = format(view.values[row][column], 5);
    if (spec.columns === "keys") {
      return fill(words.chip.score_cell, { name: tensorLabel(view.name), row: view.rowTokens[row], column: view.columnNames[column], value });
    }
    const name = spec.name === "acc_before" ? "acc" : tensorLabel(spec.name);
    return fill(words.chip.cell, { name, row: view.rowTokens[row], value,
      column: fill(words.chip.cell_dimension, { dimension: column }) });
  }

  const labels = new Map();
  /** What a panel of this size is called. */
  function labelOf(spec, rows, columns) {
    const key = `${spec.name} ${rows} ${columns}`;
    if (!labels.has(key)) labels.set(key, fill(words.chip.strip, { name: words.panels[spec.name], rows, columns }));
    return labels.get(key);
  }

  function viewOf(spec, frame) {
    const values = spec.read(frame);
    if (!values || values.length === 0 || values[0].length === 0) return null;
    const { queries, keys } = frame.subject;
    const rowTokens = spec.rows === "queries" ? queries : keys;
    const columnNames = spec.columns === "keys" ? keys : null;
    return {
      title: spec.title?.(frame, words) ?? words.panels[spec.name],
      values,
      rowTokens,
      columnNames,
      columnTokens: columnNames,
      name: spec.holds?.(frame) ?? spec.name,
      scale: context.scales[spec.holds?.(frame) ?? spec.scale ?? spec.tensor],
      chosen: spec.rows === "queries" ? frame.row : null,
      note: spec.note?.(frame, words),
      rowsAreQueries: spec.rows === "queries",
      label: labelOf(spec, values.length, values[0].length),
    };
  }

  const slices = new Map();
  /** The same slice object for the same tile, so that an unchanged panel is not painted again. */
  function steady(spec, frame, view) {
    if (view === null || (spec.line !== "tiles")) return view;
    const key = `${spec.name}:${spec.rows === "queries" ? frame.step.rows : frame.step.cols}`;
    if (!slices.has(key)) slices.set(key, view.values);
    return { ...view, values: slices.get(key) };
  }

  return {
    root,
    panel: (name) => panels.find(({ spec }) => spec.name === name)?.matrix.root,
    focusRow: stats.focusRow,
    destroy: meter.destroy,
    stats: stats.root.firstElementChild,
    update(frame) {
      meter.update(frame);
      stats.update(frame);
      for (const { spec, matrix } of panels) {
        matrix.update(steady(spec, frame, viewOf(spec, frame)), spec.absent?.(frame, words) ?? words.notes.not_here);
      }
      setAttribute(blocks, "data-holds", frame.step.resident.p ? "p" : "s");
    },
  };
}
