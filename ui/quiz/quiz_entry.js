/** From what was touched on the page to an answer, or to what is still missing. Pure. */

import { readEntry } from "../stage/predict_answer.js";

/** The one field of an answer, by the question's kind. */
const ANSWER_FIELDS = { single: "choice", line: "choice", frame: "choice", several: "choices", number: "number", order: "order" };

/**
 * Turn what was given into `{ answer }` as the server wants it, or `{ missing }`, the name of the words that say what
 * is missing. `given` is a list of ids, or the typed text of a number.
 */
export function answerFrom(question, given) {
  if (question.kind === "number") {
    const typed = given.trim();
    if (typed.length > 40 || readEntry(typed, question.whole) === null) return { missing: question.whole ? "missing_whole" : "missing_number" };
    return { answer: { number: typed } };
  }
  if (given.length === 0) return { missing: "missing_choice" };
  const field = ANSWER_FIELDS[question.kind];
  return { answer: { [field]: field === "choice" ? given[0] : [...given] } };
}

/** What was given, back from an answer: the reverse of `answerFrom`. */
export function givenBy(question, answer) {
  const value = answer[ANSWER_FIELDS[question.kind]];
  return question.kind === "number" || Array.isArray(value) ? value : [value];
}

/** The same list with the item at `place` moved by `by`; unchanged where it cannot move. */
export function moved(list, place, by) {
  const to = place + by;
  if (to < 0 || to >= list.length) return list;
  const next = [...list];
  [next[place], next[to]] = [next[to], next[place]];
  return next;
}
