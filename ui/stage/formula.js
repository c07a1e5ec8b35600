/**
 * The formula of a step: in letters, and with the chosen row's numbers. Pure.
 *
 * A line is `{ label, symbols, numbers, result }`. `numbers` shows operands with enough digits that a calculator
 * gives the digits of `result`. Markup: `^{…}` raises.
 */

import { backwardLines } from "./backward_formula.js";
import { blockLine, bytesLine, computed, dot, line, wrap } from "./formula_parts.js";
import { bytes, format, toNumber, whole } from "./numbers.js";
import { bestKey, fill, isBackward } from "./sentence.js";

function scoreLines({ trace, step, row, keys, words, most }) {
  const { scale, softcap, has_bias: hasBias } = trace.problem;
  const scores = step.work.s[row];
  const best = Math.max(bestKey(scores), 0);
  const q = trace.arrays.q[step.rows[0] + row];
  const k = trace.arrays.k[step.cols[0] + best];
  const product = softcap || hasBias ? dot(q, k) : toNumber(scores[best]) / scale;
  const label = fill(words.formula.dot, { key: keys[best] });
  const lines = [];
  if (q.length <= 4) {
    lines.push(
      computed(label, "q · k", [...q, ...k], (...values) => dot(values.slice(0, q.length), values.slice(q.length)), product,
        (...texts) => q.map((_, index) => `${wrap(texts[index])} × ${wrap(texts[q.length + index])}`).join(" + "), most),
    );
  }
  const scaled = computed(words.formula.score, "s = scale × (q · k)", [scale, product], (a, b) => a * b, scale * product,
    (a, b) => `${a} × ${wrap(b)}`, most);
  lines.push(q.length <= 4 ? scaled : { ...scaled, label });
  let value = scale * product;
  if (softcap) {
    const before = value;
    value = softcap * Math.tanh(value / softcap);
    lines.push(computed(words.formula.capped, "cap × tanh(s / cap)", [softcap, before], (c, s) => c * Math.tanh(s / c), value,
      (c, s) => `${c} × tanh(${s} / ${c})`, most));
  }
  if (hasBias) {
    const final = toNumber(scores[best]);
    lines.push(computed(words.formula.biased, "s + bias", [value, final - value], (a, b) => a + b, final,
      (a, b) => `${a} + ${wrap(b)}`, most));
  }
  return lines;
}

function maskLines({ step, row, keys, words, most }) {
  const scores = step.work.s[row];
  const hidden = scores.findIndex((score) => score === null);
  if (hidden < 0) return [line(fill(words.formula.unmasked, { key: keys[0] }), "s", format(scores[0]), "")];
  const lines = [line(fill(words.formula.mask, { key: keys[hidden] }), "s", format(null), "")];
  const mNew = Math.max(...[step.state.m[row], ...scores].map(toNumber));
  // A row that has seen no key yet has no maximum to subtract.
  if (Number.isFinite(mNew)) {
    lines.push(computed(fill(words.formula.p, { key: keys[hidden] }), "p = e^{s − m_new}", [null, mNew],
      (a, b) => Math.exp(a - b), 0, (a, b) => `e^{${a} − ${wrap(b)}}`, most));
  }
  return lines;
}

function maxLines({ step, row, words, most }) {
  const { m_old: mOld, row_max: rowMax, m_new: mNew } = step.work;
  return [computed(words.formula.update_max, "m_new = max(m_old, max s)", [mOld[row], rowMax[row]], Math.max, mNew[row],
    (a, b) => `max(${a}, ${b})`, most)];
}

function rescaleLines({ trace, step, row, words, most }) {
  const { m_old: mOld, m_new: mNew, alpha, l_before: lBefore, l_after: lAfter, acc_before: accBefore } = step.work;
  if (mNew[row] === null || mNew[row] === undefined) return [];
  const lines = [computed(words.formula.alpha, "alpha = e^{m_old − m_new}", [mOld[row], mNew[row]],
    (a, b) => Math.exp(a - b), alpha[row], (a, b) => `e^{${a} − ${wrap(b)}}`, most)];
  const times = (label, symbols, before, after) =>
    computed(label, symbols, [alpha[row], before], (a, b) => a * b, after, (a, b) => `${a} × ${wrap(b)}`, most);
  lines.push(times(words.formula.l, "l = alpha × l_old", lBefore[row], lAfter[row]));
  const before = trace.blocks[accBefore]?.[row];
  const after = trace.blocks[step.state.acc]?.[row];
  if (before?.length && after?.length) {
    lines.push(times(words.formula.acc, "acc = alpha × acc_old", before[0], after[0]));
  }
  return lines;
}

function accumulateLines({ trace, step, row, keys, words, most }) {
  const { s, p, row_sum: rowSum, l_before: lBefore } = step.work;
  const best = bestKey(s[row]);
  if (best < 0) return [];
  const lines = [computed(fill(words.formula.p, { key: keys[best] }), "p = e^{s − m_new}", [s[row][best], step.state.m[row]],
    (a, b) => Math.exp(a - b), p[row][best], (a, b) => `e^{${a} − ${wrap(b)}}`, most)];
  if (p[row].length <= 8) {
    const sum = (...values) => values.reduce((left, right) => left + right, 0);
    lines.push(computed(words.formula.row_sum, "Σ p", p[row], sum, rowSum[row], (...texts) => texts.join(" + "), most));
  }
  lines.push(computed(words.formula.l, "l = l_old + Σ p", [lBefore[row], rowSum[row]], (a, b) => a + b, step.state.l[row],
    (a, b) => `${a} + ${b}`, most));
  const before = trace.blocks[step.work.acc_before]?.[row];
  const after = trace.blocks[step.state.acc]?.[row];
  if (before?.length && after?.length) {
    const gain = toNumber(after[0]) - toNumber(before[0]);
    lines.push(computed(words.formula.acc, "acc = acc_old + p v", [before[0], gain], (a, b) => a + b, after[0],
      (a, b) => `${a} + ${wrap(b)}`, most));
  }
  return lines;
}

function normaliseLines({ trace, step, row, words, most }) {
  const l = step.state.l[row];
  if (toNumber(l) === 0) return [];
  const acc = trace.blocks[step.work.acc_before]?.[row];
  const o = trace.blocks[step.work.o]?.[row];
  const lines = [];
  if (acc?.length && o?.length) {
    lines.push(computed(words.formula.o, "o = acc / l", [acc[0], l], (a, b) => a / b, o[0], (a, b) => `${a} / ${b}`, most));
  }
  if (step.work.lse) {
    lines.push(computed(words.formula.lse, "lse = m + ln l", [step.state.m[row], l], (a, b) => a + Math.log(b),
      step.work.lse[row], (a, b) => `${a} + ln(${b})`, most));
  }
  return lines;
}

function partitionLines({ trace, words }) {
  const { n_q: nQ, n_k: nK, block_q: blockQ, block_k: blockK, tiles_q: tilesQ, tiles_k: tilesK } = trace.problem;
  return [
    line(words.formula.partition_q, "⌈n_q / block_q⌉", `⌈${nQ} / ${blockQ}⌉`, String(tilesQ)),
    line(words.formula.partition_k, "⌈n_k / block_k⌉", `⌈${nK} / ${blockK}⌉`, String(tilesK)),
  ];
}

const lines = {
  partition: partitionLines,
  load_q: ({ step, words }) => [bytesLine(words.formula.bytes_in, step.hbm_read)],
  load_kv: ({ step, words }) => [bytesLine(words.formula.bytes_in, step.hbm_read)],
  score: scoreLines,
  mask: maskLines,
  update_max: maxLines,
  rescale: rescaleLines,
  accumulate: accumulateLines,
  discard: ({ step, words }) => {
    const pairs = (step.rows[1] - step.rows[0]) * (step.cols[1] - step.cols[0]);
    return [blockLine(words.formula.block, step, step.work.block_bytes / pairs, bytes(step.work.block_bytes))];
  },
  skip: ({ step, words }) => [blockLine(words.formula.pairs, step, null, whole(step.work.pairs))],
  normalise: normaliseLines,
  store: ({ step, words }) => [bytesLine(words.formula.bytes_out, step.hbm_write)],
};

/** Kinds whose formula belongs to the whole step and not to one row. */
const OF_THE_STEP = new Set(["partition", "load_q", "load_kv", "discard", "skip", "store"]);

/** Whether the formula of this kind changes with the chosen row. */
export function isAboutARow(kind) {
  return (kind in lines || kind in backwardLines) && !OF_THE_STEP.has(kind);
}

/** The formula of a step, as a list of lines. `subject` comes from `topic()` of sentence.js. */
export function formulaOf(subject, words) {
  const make = (isBackward(subject.trace) ? backwardLines : lines)[subject.step.kind];
  return make ? make({ ...subject, words, most: subject.trace.digits ?? 8 }) : [];
}
