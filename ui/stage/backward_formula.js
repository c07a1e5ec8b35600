/** The formulas of a backward, with the chosen row's numbers. Pure. */

import { keyInFocus } from "./backward_sentence.js";
import { blockLine, bytesLine, computed, line, wrap } from "./formula_parts.js";
import { bytes, format, parse, toNumber, whole } from "./numbers.js";

/** Up to this many products are written out; longer sums show their first terms and a dot dot dot. */
const WRITTEN_OUT = 5;

const named = (template, slots) => template.replace(/\{(\w+)\}/g, (_, name) => slots[name]);

/** A sum of products of two lists: confirmed by a calculator when short, else its first terms and the result. */
function productSum(label, symbols, left, right, result, most) {
  const count = left.length;
  if (count <= WRITTEN_OUT) {
    const sum = (...values) => left.reduce((so, _, place) => so + values[place] * values[count + place], 0);
    return computed(label, symbols, [...left, ...right], sum, result,
      (...texts) => left.map((_, place) => `${wrap(texts[place])} × ${wrap(texts[count + place])}`).join(" + "), most);
  }
  const terms = [0, 1].map((place) => `${wrap(format(left[place]))} × ${wrap(format(right[place]))}`);
  return line(label, symbols, `${terms.join(" + ")} + … (${count} products)`, format(result, 4));
}

function growth(label, symbols, before, after, most) {
  return computed(label, symbols, [before, toNumber(after) - toNumber(before)], (a, b) => a + b, after,
    (a, b) => `${a} + ${wrap(b)}`, most);
}

function deltaLines({ trace, step, row, words, most }) {
  const at = step.rows[0] + row;
  const { o, d_o: dO } = trace.arrays;
  return [productSum(words.formula.delta_all, "D = Σ dO × O", dO[at], o[at], step.work.delta[row], most)];
}

function scoreAgainLines({ trace, step, row, keys, words, most }) {
  const key = keyInFocus({ step, row });
  if (key < 0) return [];
  const { scale, softcap, has_bias: hasBias } = trace.problem;
  const label = named(words.formula.score, { key: keys[key] });
  const score = step.work.s[row][key];
  // A soft cap or a bias stands between the product and the score; the forward shows those steps one by one.
  if (softcap || hasBias) return [line(label, "s", format(score, most), "")];
  return [computed(label, "s = scale × (q · k)", [scale, toNumber(score) / scale], (a, b) => a * b, score,
    (a, b) => `${a} × ${wrap(b)}`, most)];
}

function weightLines({ trace, step, row, keys, words, most }) {
  const key = keyInFocus({ step, row });
  if (key < 0) return [];
  return [computed(named(words.formula.p, { key: keys[key] }), "p = e^{s − lse}",
    [step.work.s[row][key], trace.arrays.lse[step.rows[0] + row]], (s, lse) => Math.exp(s - lse), step.work.p[row][key],
    (s, lse) => `e^{${s} − ${wrap(lse)}}`, most)];
}

function valueGradientLines({ trace, step, row, keys, words, most }) {
  const key = Math.max(keyInFocus({ step, row }), 0);
  const before = trace.blocks[step.work.d_v_before][key];
  const after = trace.blocks[step.state.d_v][key];
  if (!before.length) return [];
  const weights = step.work.p.map((weightsOfRow) => weightsOfRow[key]);
  const incoming = weights.map((_, place) => trace.arrays.d_o[step.rows[0] + place][0]);
  return [
    productSum(words.formula.d_v_gain, "Σ p × dO", weights, incoming, toNumber(after[0]) - toNumber(before[0]), most),
    growth(named(words.formula.d_v, { key: keys[key] }), "dV = dV_old + Σ p × dO", before[0], after[0], most),
  ];
}

function weightGradientLines({ trace, step, row, keys, words, most }) {
  const key = keyInFocus({ step, row });
  if (key < 0) return [];
  const { d_o: dO, v } = trace.arrays;
  return [productSum(named(words.formula.d_p, { key: keys[key] }), "dP = dO · v", dO[step.rows[0] + row], v[step.cols[0] + key],
    step.work.d_p[row][key], most)];
}

function scoreGradientLines({ trace, step, row, keys, words, most }) {
  const key = keyInFocus({ step, row });
  if (key < 0) return [];
  const { p, d_p: dP, d_s: dS, delta } = step.work;
  const label = named(words.formula.d_s, { key: keys[key] });
  const operands = [p[row][key], dP[row][key], delta[row]];
  const uncapped = operands[0] * (operands[1] - operands[2]);
  if (!trace.problem.softcap || uncapped === 0) {
    const slopeOf = (a, b, c) => a * (b - c);
    const write = (a, b, c) => `${a} × (${b} − ${wrap(c)})`;
    const shown = operands.map((operand) => format(operand, most));
    // Where dP and D agree to almost every digit, what is left is rounding, and no calculator would confirm it.
    if (format(slopeOf(...shown.map(parse)), 1) !== format(dS[row][key], 1)) return [line(label, "dS = p × (dP − D)", write(...shown), "≈ 0")];
    return [computed(label, "dS = p × (dP − D)", operands, slopeOf, dS[row][key], write, most)];
  }
  return [computed(label, "dS = p × (dP − D) × slope", [...operands, dS[row][key] / uncapped], (a, b, c, slope) => a * (b - c) * slope,
    dS[row][key], (a, b, c, slope) => `${a} × (${b} − ${wrap(c)}) × ${slope}`, most)];
}

function queryGradientLines({ trace, step, row, queries, words, most }) {
  const before = trace.blocks[step.work.d_q_before][row];
  const after = trace.blocks[step.state.d_q][row];
  if (!before.length) return [];
  return [growth(named(words.formula.d_q, { query: queries[row] }), "dQ = dQ_old + scale × dS k", before[0], after[0], most)];
}

function keyGradientLines({ trace, step, row, keys, words, most }) {
  const key = Math.max(keyInFocus({ step, row }), 0);
  const before = trace.blocks[step.work.d_k_before][key];
  const after = trace.blocks[step.state.d_k][key];
  if (!before.length) return [];
  return [growth(named(words.formula.d_k, { key: keys[key] }), "dK = dK_old + scale × dSᵀ q", before[0], after[0], most)];
}

/** The lines of each kind. */
export const backwardLines = {
  partition: ({ trace, words }) => {
    const { n_q: nQ, n_k: nK, block_q: blockQ, block_k: blockK, tiles_q: tilesQ, tiles_k: tilesK } = trace.problem;
    return [
      line(words.formula.partition_q, "⌈n_q / block_q⌉", `⌈${nQ} / ${blockQ}⌉`, String(tilesQ)),
      line(words.formula.partition_k, "⌈n_k / block_k⌉", `⌈${nK} / ${blockK}⌉`, String(tilesK)),
    ];
  },
  delta: deltaLines,
  load_kv: ({ step, words }) => [bytesLine(words.formula.bytes_in, step.hbm_read)],
  load_q: ({ step, words }) => [bytesLine(words.formula.bytes_in, step.hbm_read)],
  recompute_score: scoreAgainLines,
  recompute_p: weightLines,
  d_v: valueGradientLines,
  d_p: weightGradientLines,
  d_s: scoreGradientLines,
  d_q: queryGradientLines,
  d_k: keyGradientLines,
  discard: ({ step, words }) => {
    const pairs = (step.rows[1] - step.rows[0]) * (step.cols[1] - step.cols[0]);
    return [blockLine(words.formula.block, step, step.work.block_bytes / pairs, bytes(step.work.block_bytes))];
  },
  skip: ({ step, words }) => [blockLine(words.formula.pairs, step, null, whole(step.work.pairs))],
  store: ({ step, words }) => [bytesLine(words.formula.bytes_out, step.hbm_write)],
};
