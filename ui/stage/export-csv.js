/** The byte ledger as CSV (RFC 4180), step by step and in total. Pure. */

import { total } from "./numbers.js";
import { showToken } from "./sentence.js";

/** A spreadsheet runs a cell that begins like this as a formula, whatever quotes stand around it. */
const LIKE_A_FORMULA = /^\s*[=+\-@＝＋－＠\t\r]/;

/** One field: text that a spreadsheet would run gets an apostrophe; quotes, commas and line breaks are quoted. */
export function csvField(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = LIKE_A_FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows of fields as one text. */
function csvText(rows) {
  return rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

const ends = (span, tokens) => (span ? [showToken(tokens[span[0]]), showToken(tokens[span[1] - 1])] : [null, null]);

/** One line a step: where it is, what it moved of each tensor, and the running totals of both algorithms. */
export function ledgerBySteps({ steps, problem }) {
  const last = steps.at(-1);
  const [read, written] = [Object.keys(last.hbm_read_total), Object.keys(last.hbm_write_total)];
  const head = ["step", "kind", "tile_q", "tile_k", "first_query", "last_query", "first_key", "last_key",
    ...read.map((tensor) => `read_${tensor}_bytes`), ...written.map((tensor) => `written_${tensor}_bytes`),
    "tiled_read_total_bytes", "tiled_written_total_bytes", "standard_read_total_bytes", "standard_written_total_bytes", "on_chip_bytes"];
  return csvText([head, ...steps.map((step, index) => [index, step.kind, ...step.tile,
    ...ends(step.rows, problem.tokens_q), ...ends(step.cols, problem.tokens_k),
    ...read.map((tensor) => step.hbm_read[tensor] ?? 0), ...written.map((tensor) => step.hbm_write[tensor] ?? 0),
    total(step.hbm_read_total), total(step.hbm_write_total), total(step.standard_read_total), total(step.standard_write_total),
    total(step.resident)])]);
}

/** One line a tensor and algorithm, and one for each algorithm's sum, over the whole run. */
export function ledgerTotals({ steps }) {
  const last = steps.at(-1);
  const rows = [["algorithm", "tensor", "read_bytes", "written_bytes"]];
  for (const [name, read, written] of [["standard", last.standard_read_total, last.standard_write_total], ["tiled", last.hbm_read_total, last.hbm_write_total]]) {
    for (const tensor of new Set([...Object.keys(read), ...Object.keys(written)])) rows.push([name, tensor, read[tensor] ?? 0, written[tensor] ?? 0]);
    rows.push([name, "all", total(read), total(written)]);
  }
  return csvText(rows);
}
