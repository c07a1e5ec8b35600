/** The one sentence of a step of the one-row player: which variant fits, and what goes into its slots. Pure. */

import { format, shortest, toNumber } from "../stage/numbers.js";
import { fill } from "../stage/sentence.js";

const DIGITS = "₀₁₂₃₄₅₆₇₈₉";

/** A score's name with its place as a reader counts: x₁ is the first. */
export function nameOf(index) {
  return `x${[...String(index + 1)].map((digit) => DIGITS[Number(digit)]).join("")}`;
}

/** A score as it was typed, up to the six digits that a float32 keeps. */
export function shownScore(x) {
  return shortest(toNumber(x), 6);
}

function sumVariant({ method, frame, x }) {
  if (x === null) return "masked";
  if (method === "two_pass") return "two_pass_adds";
  if (method === "online") {
    if (!frame.rises) return "online_stays";
    return frame.rescales ? "online_rises" : "online_first";
  }
  if (frame.l === "inf") return frame.l_before === "inf" ? "naive_stuck" : "naive_overflows";
  return frame.l === frame.l_before ? "naive_underflows" : "naive_adds";
}

function maxVariant({ frame, x }) {
  if (x === null) return "masked";
  if (!frame.rises) return "stays";
  return frame.m_before === null ? "first" : "rises";
}

function outputVariant({ data, frame, x }) {
  const share = frame.shares[frame.index];
  if (share === "nan") return "nan";
  if (frame.l === 0) return data.verdict === "empty" ? "empty" : "nothing";
  if (x === null) return "masked";
  return frame.l === "inf" ? "lost" : "share";
}

/** The variant of the sentence of a step. `subject` is `{ data, method, frame, x }`. */
function rowVariant(subject) {
  const choose = { start: ({ method }) => method, max: maxVariant, sum: sumVariant, output: outputVariant };
  return choose[subject.frame.kind](subject);
}

/** The sentence of a step, with its numbers. */
export function rowSentence(subject, words) {
  const { data, frame, x } = subject;
  const template = words.sentences[frame.kind][rowVariant(subject)];
  if (frame.index === null) return template;
  return fill(template, {
    name: nameOf(frame.index),
    x: shownScore(x),
    m_before: shownScore(frame.m_before),
    m: shownScore(frame.m),
    l: format(frame.l, 4),
    alpha: format(frame.alpha, 4),
    y: format(frame.shares[frame.index]),
    exact: format(data.exact[frame.index]),
  });
}

/** Whether a value is a number that arithmetic can use: not ∞, −∞ or NaN. */
export function isFiniteValue(value) {
  return Number.isFinite(toNumber(value));
}
