/** At which frames of a run to ask, what, and about which row. Pure. */

import { alphaOf } from "./predict_wrong.js";
import { toNumber } from "./numbers.js";

/** Two questions of one kind stand at least so many frames apart. */
const APART = 12;

/** An alpha that a learner can tell from 0 and from 1. */
const TELLING = [0.05, 0.95];

const isKnown = (value) => value !== null && value !== undefined && Number.isFinite(toNumber(value));

/** The rows of an `update_max` that had a maximum before and meet a score now, with what becomes of them. */
function comparedRows(step) {
  const { m_old: mOld, row_max: rowMax, m_new: mNew, rises } = step.work;
  return mOld.flatMap((old, row) =>
    (isKnown(old) && isKnown(rowMax[row]) ? [{ row, rises: rises[row], alpha: alphaOf({ mOld: old, mNew: mNew[row] }) }] : []));
}

/** Of rows that rise, the one whose alpha lies nearest to the middle; null when there is none. */
function mostTelling(rows) {
  const middle = ({ alpha }) => Math.abs(alpha - 0.5);
  return rows.reduce((best, each) => (best === null || middle(each) < middle(best) ? each : best), null);
}

function firstAfter(candidates, earliest) {
  return candidates.find(({ index }) => index >= earliest) ?? null;
}

function rowQuestions(steps) {
  const rising = [];
  const staying = [];
  const shrinking = [];
  steps.forEach((step, index) => {
    if (step.kind === "update_max") {
      const rows = comparedRows(step);
      const up = mostTelling(rows.filter(({ rises }) => rises));
      const level = rows.find(({ rises }) => !rises);
      if (up) rising.push({ kind: "rise", index, row: up.row });
      if (level) staying.push({ kind: "rise", index, row: level.row });
    } else if (step.kind === "rescale") {
      const rows = step.work.rescaled.flatMap((yes, row) => (yes ? [{ row, alpha: toNumber(step.work.alpha[row]) }] : []));
      const row = mostTelling(rows);
      if (row) shrinking.push({ kind: "alpha", index, row: row.row, telling: row.alpha >= TELLING[0] && row.alpha <= TELLING[1] });
    }
  });
  const up = rising[0] ?? null;
  const level = firstAfter(staying, up ? up.index + APART : 0);
  const telling = shrinking.filter((each) => each.telling);
  const alpha = telling[0] ?? shrinking[0] ?? null;
  const again = alpha ? [...telling].reverse().find(({ index }) => index >= alpha.index + 3 * APART) : null;
  return [up, level, alpha, again];
}

function tileQuestions(trace) {
  const { steps, problem } = trace;
  const at = (kind) => steps.flatMap((step, index) => (step.kind === kind ? [{ index, step }] : []));
  const [discards, divisions, stores] = ["discard", "normalise", "store"].map(at);
  const asked = [];
  if (discards.length) asked.push({ kind: "leaves", index: discards[0].index });
  if (divisions.length) asked.push({ kind: "final", index: divisions[0].index });
  // With keys outside, the first division is not the last one of its rows: both are worth a question.
  if (problem.order === "kv_outer" && divisions.length > 1) asked.push({ kind: "final", index: divisions.at(-1).index });
  const store = stores[1] ?? stores[0];
  if (store) asked.push({ kind: "bytes", index: store.index });
  return asked;
}

/** Where to ask, in the order of the run: `{ kind, index, row }`. A frame is asked about at most once. */
export function planQuestions(trace) {
  if (trace.problem.direction !== "forward") return [];
  const planned = new Map();
  for (const question of [...rowQuestions(trace.steps), ...tileQuestions(trace)]) {
    if (question && question.index > 0 && !planned.has(question.index)) {
      planned.set(question.index, { kind: question.kind, index: question.index, row: question.row ?? 0 });
    }
  }
  return [...planned.values()].sort((left, right) => left.index - right.index);
}
