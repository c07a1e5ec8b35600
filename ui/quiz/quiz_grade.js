/** Right or wrong, and why, from a question's key. Pure; the same rules as `lesson/quiz/grading.py`. */

import { gradeNumber, readEntry } from "../stage/predict_answer.js";

const sameList = (left, right) => left.length === right.length && left.every((item, place) => item === right[place]);

/** Say how an answer fared: `{ right, reason, from }`, where `from` is the belief that it may come from, or null. */
export function gradeAnswer(question, key, answer, words) {
  if (question.kind === "number") {
    const typed = readEntry(answer.number, question.whole);
    const grade = gradeNumber({ answer: key.value, tolerance: key.tolerance, wrongs: key.wrongs }, typed);
    if (grade.right) return { right: true, reason: key.why, from: null };
    const wrong = key.wrongs.find(({ id }) => id === grade.reason);
    return wrong ? { right: false, reason: wrong.reason, from: wrong.from } : { right: false, reason: words[grade.reason], from: null };
  }
  if (question.kind === "order") {
    if (sameList(answer.order, key.answer.order)) return { right: true, reason: key.why, from: null };
    const first = key.answer.order.find((id, place) => id !== answer.order[place]);
    return { right: false, reason: key.reasons[first], from: key.from[first] ?? null };
  }
  if (question.kind === "several") {
    const slips = question.options.map(({ id }) => id).filter((id) => key.answer.choices.includes(id) !== answer.choices.includes(id));
    if (slips.length === 0) return { right: true, reason: key.why, from: null };
    return {
      right: false,
      reason: slips.map((id) => key.reasons[id]).join(" "),
      from: slips.map((id) => key.from[id]).find(Boolean) ?? null,
    };
  }
  const right = answer.choice === key.answer.choice;
  return { right, reason: key.reasons[answer.choice], from: right ? null : key.from[answer.choice] ?? null };
}

/** What to write beside each option: `mark_right`, `mark_wrong` or `mark_missed` by its id. */
export function marksOf(question, key, answer) {
  if (question.kind === "number") return { number: gradeAnswer(question, key, answer, {}).right ? "mark_right" : "mark_wrong" };
  if (question.kind === "order") {
    return Object.fromEntries(answer.order.map((id, place) => [id, id === key.answer.order[place] ? "mark_right" : "mark_wrong"]));
  }
  const wanted = key.answer.choices ?? [key.answer.choice];
  const chosen = answer.choices ?? [answer.choice];
  const marks = {};
  for (const { id } of question.options) {
    if (wanted.includes(id)) marks[id] = chosen.includes(id) ? "mark_right" : "mark_missed";
    else if (chosen.includes(id)) marks[id] = "mark_wrong";
  }
  return marks;
}
