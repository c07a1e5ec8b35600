/** The sentences of a backward: which variant fits the chosen row, and what goes into its slots. Pure. */

import { bytes, format, toNumber, total, whole } from "./numbers.js";

/** The key with the largest value in a row, by size; −1 when every value is 0, −∞ or absent. */
function strongest(values) {
  let best = -1;
  (values ?? []).forEach((value, key) => {
    const size = Math.abs(toNumber(value));
    if (Number.isFinite(size) && size > 0 && (best < 0 || size > Math.abs(toNumber(values[best])))) best = key;
  });
  return best;
}

/** The highest score of a row; −1 when all are −∞. */
export function highest(scores) {
  let best = -1;
  scores.forEach((score, key) => {
    if (score !== null && (best < 0 || toNumber(score) > toNumber(scores[best]))) best = key;
  });
  return best;
}

/** The key that a step's words and formula speak of, for the chosen row; −1 when the row sees none. */
export function keyInFocus({ step, row }) {
  const { s, p, d_s: dS } = step.work;
  if (step.kind === "recompute_score") return highest(s[row]);
  if (step.kind === "d_q" || step.kind === "d_k") return strongest(dS[row]);
  return strongest(p?.[row]);
}

const seen = (subject) => (keyInFocus(subject) < 0 ? "hidden" : "some");
const only = () => "only";

/** The variant of each kind. */
export const backwardVariants = {
  partition: only,
  delta: only,
  load_kv: only,
  load_q: ({ trace, step }) => (trace.problem.visits[step.tile[0]].indexOf("v") === step.tile[1] ? "first" : "again"),
  recompute_score: seen,
  recompute_p: seen,
  d_v: seen,
  d_p: seen,
  d_s: seen,
  d_q: seen,
  d_k: only,
  discard: only,
  skip: only,
  store: ({ trace, step }) => {
    if (step.tile[0] === null) return "key_tile";
    return trace.problem.visits[step.tile[0]].lastIndexOf("v") === step.tile[1] ? "last_visit" : "visit";
  },
};

function best(name, slot) {
  return (subject) => {
    const key = keyInFocus(subject);
    if (key < 0) return {};
    return { best_key: subject.keys[key], [slot]: format(subject.step.work[name][subject.row][key]) };
  };
}

const moved = (counts) => ({ bytes: bytes(total(counts)) });

/** What goes into the slots of each kind. */
export const backwardSlots = {
  partition: ({ trace }) => trace.problem,
  delta: ({ step, row }) => ({ delta: format(step.work.delta[row]) }),
  load_kv: ({ step }) => moved(step.hbm_read),
  load_q: ({ step }) => moved(step.hbm_read),
  recompute_score: best("s", "best_score"),
  recompute_p: best("p", "best_p"),
  d_v: best("p", "best_p"),
  d_p: best("d_p", "best_d_p"),
  d_s: (subject) => ({ ...best("d_s", "best_d_s")(subject), delta: format(subject.step.work.delta[subject.row]) }),
  discard: ({ step }) => ({
    height: step.rows[1] - step.rows[0],
    width: step.cols[1] - step.cols[0],
    bytes: bytes(step.work.block_bytes),
  }),
  skip: ({ step }) => ({ pairs: whole(step.work.pairs) }),
  store: ({ step }) => moved(step.hbm_write),
};
