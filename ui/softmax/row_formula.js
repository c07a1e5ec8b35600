/** The formula of a step of the one-row player, in letters and with its numbers. Pure. */

import { computed, line, wrap } from "../stage/formula_parts.js";
import { format } from "../stage/numbers.js";
import { isFiniteValue, shownScore } from "./row_sentence.js";

/** Digits that a float32 is written with: enough for a calculator to confirm four. */
const MOST = 9;

/** A line whose result is no finite number, or lost its digits in float32, so that no calculator would confirm it. */
function uncomputed(words, symbols, numbers, result) {
  return line(words.formula.overflow, symbols, numbers, format(result));
}

function rowMaxLines({ frame, x }, words) {
  return [computed(words.formula.m, "m = max(m_old, x)", [frame.m_before, x], Math.max, frame.m,
    (m, value) => `max(${m}, ${value})`, MOST)];
}

function naiveSum({ frame, x }, words) {
  const symbols = "l = l_old + e^{x}";
  if (!isFiniteValue(frame.l) || frame.l === frame.l_before) {
    return [uncomputed(words, symbols, `${format(frame.l_before, 4)} + e^{${shownScore(x)}}`, frame.l)];
  }
  return [computed(words.formula.l, symbols, [frame.l_before, x], (l, value) => l + Math.exp(value), frame.l,
    (l, value) => `${l} + e^{${value}}`, MOST)];
}

function rowSumLines(subject, words) {
  const { method, frame, x } = subject;
  if (method === "naive") return naiveSum(subject, words);
  if (frame.m === null) return [line(words.formula.l, "l = l_old + e^{−∞}", `${format(frame.l_before)} + 0`, format(frame.l))];
  if (method === "two_pass") {
    if (frame.l === 0 && x !== null) {
      return [uncomputed(words, "l = l_old + e^{x − m}", `0 + e^{${shownScore(x)} − ${wrap(shownScore(frame.m))}}`, 0)];
    }
    return [computed(words.formula.l, "l = l_old + e^{x − m}", [frame.l_before, x, frame.m],
      (l, value, m) => l + Math.exp(value - m), frame.l, (l, value, m) => `${l} + e^{${value} − ${wrap(m)}}`, MOST)];
  }
  const lines = [computed(words.formula.m, "m_new = max(m_old, x)", [frame.m_before, x], Math.max, frame.m,
    (m, value) => `max(${m}, ${value})`, MOST)];
  const shrunkAway = frame.alpha === 0 && frame.m_before !== null;
  if (shrunkAway) {
    lines.push(uncomputed(words, "alpha = e^{m_old − m_new}", `e^{${shownScore(frame.m_before)} − ${wrap(shownScore(frame.m))}}`, 0));
  } else lines.push(frame.rises
    ? computed(words.formula.alpha, "alpha = e^{m_old − m_new}", [frame.m_before, frame.m], (old, m) => Math.exp(old - m),
      frame.alpha, (old, m) => `e^{${old} − ${wrap(m)}}`, MOST)
    : line(words.formula.alpha, "alpha = e^{m_old − m_new}", `e^{${format(0)}}`, "1"));
  lines.push(computed(words.formula.l, "l = alpha × l_old + e^{x − m_new}", [frame.alpha, frame.l_before, x, frame.m],
    (alpha, l, value, m) => alpha * l + Math.exp(value - m), frame.l,
    (alpha, l, value, m) => `${alpha} × ${l} + e^{${value} − ${wrap(m)}}`, MOST));
  return lines;
}

function rowOutputLines({ method, frame, x }, words) {
  const share = frame.shares[frame.index];
  const naive = method === "naive";
  const symbols = naive ? "y = e^{x} / l" : "y = e^{x − m} / l";
  if (frame.l === 0) return [];
  if (naive) {
    const numbers = `e^{${shownScore(x)}} / ${format(frame.l, 4)}`;
    if (!isFiniteValue(frame.l) || frame.l < 1e-30) return [uncomputed(words, symbols, numbers, share)];
    return [computed(words.formula.y, symbols, [x, frame.l], (value, l) => Math.exp(value) / l, share,
      (value, l) => `e^{${value}} / ${l}`, MOST)];
  }
  // A share too small for float32 is 0 there, which no calculator would confirm.
  if (share === 0 && x !== null) return [uncomputed(words, symbols, `e^{${shownScore(x)} − ${wrap(shownScore(frame.m))}} / ${format(frame.l, 4)}`, share)];
  return [computed(words.formula.y, symbols, [x, frame.m, frame.l], (value, m, l) => Math.exp(value - m) / l, share,
    (value, m, l) => `e^{${value} − ${wrap(m)}} / ${l}`, MOST)];
}

/** The formula of a step, as a list of lines. */
export function rowFormula(subject, words) {
  const make = { max: rowMaxLines, sum: rowSumLines, output: rowOutputLines }[subject.frame.kind];
  return make ? make(subject, words) : [];
}

/** How two parts are joined, with their numbers; nothing when both are empty. */
export function mergeFormula({ left, right, joined }, words) {
  if (joined.m === null) return [];
  return [
    computed(words.merge.m_formula, "m = max(m₁, m₂)", [left.m, right.m], Math.max, joined.m, (a, b) => `max(${a}, ${b})`, MOST),
    computed(words.merge.l_formula, "l = l₁ × e^{m₁ − m} + l₂ × e^{m₂ − m}", [left.l, left.m, right.l, right.m, joined.m],
      (l1, m1, l2, m2, m) => l1 * Math.exp(m1 - m) + l2 * Math.exp(m2 - m), joined.l,
      (l1, m1, l2, m2, m) => `${l1} × e^{${m1} − ${wrap(m)}} + ${l2} × e^{${m2} − ${wrap(m)}}`, MOST),
  ];
}
