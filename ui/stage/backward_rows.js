/** lse and D, one row a query: all that a backward needs to know of a row's softmax. */

import { deltasOf } from "./backward_history.js";
import { backwardVariants } from "./backward_sentence.js";
import { setAttribute, setText } from "./dom.js";
import { createStatsTable, nameStatsRow, showStat } from "./rows.js";

const SAVED = ["lse", "delta"];
const BLOCK_KINDS = new Set(["recompute_score", "recompute_p", "d_v", "d_p", "d_s", "d_q"]);

/** Make the table; the same form as `createRows`. */
export function createBackwardRows(trace, words, context) {
  const deltas = deltasOf(trace);
  const { root, rows } = createStatsTable(trace, words, SAVED, context);

  /** What is on chip of one row's two numbers. */
  function valuesOf(step, row) {
    const at = step.rows[0] + row;
    return [step.resident.stats ? trace.arrays.lse[at] : undefined, step.resident.stats || step.resident.delta ? deltas[at] : undefined];
  }

  return {
    root,
    update({ step, subject, row: chosen }) {
      const onChip = Boolean(step.rows && (step.resident.stats || step.resident.delta));
      const held = onChip ? step.rows[1] - step.rows[0] : 0;
      rows.forEach((part, row) => {
        const here = row < held;
        setAttribute(part.root, "hidden", !here && held > 0 ? "" : null);
        nameStatsRow(part, here ? subject.queries[row] : null, row === chosen, words);
        const values = here ? valuesOf(step, row) : [];
        SAVED.forEach((_, place) => showStat(part, place, values[place]));
        const looks = here && BLOCK_KINDS.has(step.kind) ? backwardVariants[step.kind]({ ...subject, row }) : null;
        setText(part.note, looks === null ? "" : looks === "some" ? words.notes.looks : words.notes.no_look);
      });
    },
    focusRow(row) {
      rows[row]?.button.focus();
    },
  };
}
