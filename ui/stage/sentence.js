/** The one sentence of a step: which variant fits the chosen row, and what goes into its slots. Pure. */

import { backwardSlots, backwardVariants } from "./backward_sentence.js";
import { bytes, format, toNumber, total, whole } from "./numbers.js";

/** Fill `{slots}` of a template. A slot without a value is a mistake in our own text, so it is refused. */
export function fill(template, slots) {
  return template.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in slots)) throw new Error(`no value for {${name}} in "${template}"`);
    return String(slots[name]);
  });
}

/** A token as a label: without the space that a tokeniser puts before a word; line breaks made visible. */
export function showToken(token) {
  return token.replaceAll("\n", "⏎").trim() || "␣";
}

/** Name tokens in a sentence: all of a few, else the first and the last. */
export function nameTokens(tokens) {
  const quoted = tokens.map((token) => `“${token}”`);
  if (quoted.length <= 1) return quoted.join("");
  if (quoted.length <= 4) return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
  return `${quoted[0]} to ${quoted.at(-1)}`;
}

/** The key, inside its tile, that a row scores highest with; −1 when the row may see none. */
export function bestKey(scores) {
  let best = -1;
  scores.forEach((score, key) => {
    if (toNumber(score) > (best < 0 ? -Infinity : toNumber(scores[best]))) best = key;
  });
  return best;
}

const unseen = (value) => value === null || value === undefined;

const variants = {
  partition: () => "only",
  load_q: ({ step }) => {
    if (step.work.o === undefined) return "fresh";
    return step.state.l.every((sum) => sum === 0) ? "first" : "again";
  },
  load_kv: ({ trace, step }) => {
    if (trace.problem.order !== "q_outer") return "stay";
    const before = trace.steps.find(({ kind, tile }) => kind === "load_kv" && tile[1] === step.tile[1]);
    return before === step ? "visit" : "again";
  },
  score: () => "only",
  mask: ({ step, row }) => (step.work.s[row].some(unseen) ? "some" : "none"),
  update_max: ({ step, row }) => {
    if (unseen(step.work.row_max[row])) return "empty";
    if (!step.work.rises[row]) return "stays";
    return unseen(step.work.m_old[row]) ? "first" : "rises";
  },
  rescale: ({ step, row }) => {
    if (step.work.rescaled[row]) return "shrinks";
    if (unseen(step.work.m_new[row])) return "empty";
    return unseen(step.work.m_old[row]) ? "first" : "same";
  },
  accumulate: ({ step, row }) => (toNumber(step.work.row_sum[row]) === 0 ? "nothing" : "adds"),
  discard: ({ trace }) => trace.problem.order,
  skip: () => "only",
  normalise: ({ step, trace, row }) => {
    const once = trace.problem.order === "q_outer";
    if (toNumber(step.state.l[row]) !== 0) return once ? "once" : "each_visit";
    // Where O leaves at every visit, keys that the row may see can still come.
    return !once && trace.problem.allowed[step.rows[0] + row].includes("1") ? "none_yet" : "empty";
  },
  store: ({ trace, isFinal }) => {
    if (!isFinal) return "partial";
    return trace.problem.order === "q_outer" ? "final" : "final_visit";
  },
};

const slotsOf = {
  partition: ({ trace }) => trace.problem,
  load_kv: ({ step }) => ({ bytes: bytes(total(step.hbm_read)) }),
  score: ({ step, row, keys }) => {
    const best = bestKey(step.work.s[row]);
    return { best_key: keys[Math.max(best, 0)], best_score: format(best < 0 ? null : step.work.s[row][best]) };
  },
  mask: ({ step, row, keys }) => ({ masked: nameTokens(keys.filter((_, key) => unseen(step.work.s[row][key]))) }),
  update_max: ({ step, row }) => ({
    m_old: format(step.work.m_old[row]),
    m_new: format(step.work.m_new[row]),
    row_max: format(step.work.row_max[row]),
  }),
  rescale: ({ step, row }) => ({
    m_old: format(step.work.m_old[row]),
    m_new: format(step.work.m_new[row]),
    alpha: format(step.work.alpha[row]),
  }),
  accumulate: ({ step, row }) => ({ row_sum: format(step.work.row_sum[row]) }),
  discard: ({ step }) => ({
    height: step.rows[1] - step.rows[0],
    width: step.cols[1] - step.cols[0],
    bytes: bytes(step.work.block_bytes),
  }),
  skip: ({ step }) => ({ pairs: whole(step.work.pairs) }),
  normalise: ({ step, row }) => ({ l: format(step.state.l[row]) }),
  store: ({ step }) => ({ bytes: bytes(total(step.hbm_write)) }),
};

/** Whether a trace is of a backward, which has kinds, words and panels of its own. */
export function isBackward(trace) {
  return trace.problem.direction === "backward";
}

/** What a sentence is about: the step with the tokens at hand. `row` counts inside the query tile. */
export function topic(trace, step, row, isFinal = false) {
  const named = (tokens, span) => (span ? tokens.slice(span[0], span[1]).map(showToken) : []);
  return {
    trace,
    step,
    row,
    isFinal,
    queries: named(trace.problem.tokens_q, step.rows),
    keys: named(trace.problem.tokens_k, step.cols),
  };
}

/** The variant that fits, for tests and for the notes beside each row. */
export function variantOf(subject) {
  const choose = (isBackward(subject.trace) ? backwardVariants : variants)[subject.step.kind];
  return choose ? choose(subject) : null;
}

/** The sentence of a step in the words given, with the chosen row's numbers. */
export function sentenceOf(subject, words) {
  const { step, row, queries, keys } = subject;
  const variant = variantOf(subject);
  if (variant === null) throw new Error(`no sentence for a step of kind ${step.kind}`);
  const slots = {
    query: queries[row] ?? "",
    queries: nameTokens(queries),
    keys: nameTokens(keys),
    q_tile: step.tile[0] === null ? "" : step.tile[0] + 1,
    k_tile: step.tile[1] === null ? "" : step.tile[1] + 1,
    ...(isBackward(subject.trace) ? backwardSlots : slotsOf)[step.kind]?.(subject),
  };
  return fill(words.sentences[step.kind][variant], slots);
}
