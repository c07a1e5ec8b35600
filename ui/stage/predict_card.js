/** The card of a question: what is asked, the ways to answer, and afterwards the verdict with its reason. */

import { el, setAttribute, setText } from "./dom.js";
import { createButton } from "./elements.js";
import { format, whole } from "./numbers.js";
import { gradeChoice, gradeNumber, readEntry, shuffled } from "./predict_answer.js";
import { fill } from "./sentence.js";

/** The reason for a grade, in the words given. */
export function reasonOf(question, grade, words) {
  const { reasons } = words[question.kind];
  const template = reasons[grade.reason] ?? reasons[`${grade.reason}_${grade.right ? "right" : "wrong"}`];
  const value = grade.value === null ? "" : question.whole ? whole(grade.value) : format(grade.value);
  return fill(template, { ...question.slots, value });
}

/** The card's elements by name. */
function createCardElements(card, on) {
  const button = (label, action, name) =>
    createButton({ class: `plain ${name}`, "data-testid": `predict-${name}`, text: label }, action);
  const asked = el("p", { class: "asked", "data-testid": "predict-question" });
  const counts = el("p", { class: "note", "data-testid": "predict-counts" });
  const options = el("div", { class: "options", role: "group", "aria-label": card.options });
  const field = el("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": card.number, "data-testid": "predict-number" });
  const check = el("button", { type: "submit", class: "check", text: card.check });
  const form = el("form", { class: "entry" }, field, check);
  const verdict = el("p", { class: "verdict", "data-testid": "predict-verdict" });
  const keys = el("p", { class: "note keys" });
  const score = el("span", { class: "note score", "data-testid": "predict-score" });
  const skip = button(card.skip, on.skip, "skip");
  const never = button(card.never, on.never, "never");
  const close = button(card.again, on.close, "close");
  const root = el("section", { class: "predict", "data-testid": "predict", "aria-label": card.title, hidden: "" },
    el("h3", { text: card.title }), asked, counts, options, form, verdict,
    el("div", { class: "after" }, skip, never, close, score), keys);
  return { root, asked, counts, options, field, check, form, verdict, keys, score, skip, never, close };
}

/** Make the card. `on` has `answer(grade)`, `skip()`, `never()` and `close()`. */
export function createCard(words, on) {
  const { card } = words;
  const { root, asked, counts, options, field, check, form, verdict, keys, score, skip, never, close } = createCardElements(card, on);
  let question = null;
  let done = false;

  /** Show what belongs to an open question, or what follows its answer. */
  function turn(answered) {
    done = answered;
    for (const node of [check, skip, never, keys]) node.hidden = answered;
    for (const node of [verdict, close]) node.hidden = !answered;
    field.readOnly = answered;
  }
  function settle(grade, pressed) {
    if (done) return;
    turn(true);
    for (const each of options.children) {
      setAttribute(each, "aria-disabled", "true");
      setAttribute(each, "data-right", gradeChoice(question, each.dataset.answer).right ? "" : null);
      setAttribute(each, "aria-pressed", String(each === pressed));
    }
    setAttribute(root, "data-state", grade.right ? "right" : "wrong");
    verdict.replaceChildren(el("b", { text: grade.right ? card.right : card.wrong }), ` ${reasonOf(question, grade, words)}`);
    // The field would keep the arrow keys to itself; a button lets them step on.
    if (field.getRootNode().activeElement === field) close.focus();
    on.answer(grade, verdict.textContent);
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    if (done) return;
    const typed = readEntry(field.value, question.whole);
    if (typed === null) {
      verdict.hidden = false;
      setText(verdict, question.whole ? card.not_a_whole : card.not_a_number);
      setAttribute(root, "data-state", "unread");
      setAttribute(field, "aria-invalid", "true");
      on.say(verdict.textContent);
      return;
    }
    setAttribute(field, "aria-invalid", null);
    settle(gradeNumber(question, typed));
  };
  root.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    on.close();
  };

  return {
    root,
    get open() {
      return !root.hidden;
    },
    get answered() {
      return done;
    },
    /** Show a question; the text of it, for those who listen, is returned. */
    ask(next, seed) {
      question = next;
      turn(false);
      const texts = words[next.kind];
      setText(asked, fill(texts.question, next.slots));
      counts.hidden = !texts.counts;
      setText(counts, texts.counts ? fill(texts.counts, next.slots) : "");
      options.hidden = !next.choices;
      form.hidden = !next.wrongs;
      options.replaceChildren(...shuffled(next.choices ?? [], seed).map(({ id }, place) => {
        const node = createButton({ class: "option", "data-testid": "predict-option", "data-answer": id },
          () => settle(gradeChoice(question, id), node),
          el("i", { "aria-hidden": "true", text: String(place + 1) }), el("span", { text: fill(texts.options[id], next.slots) }));
        return node;
      }));
      field.value = "";
      field.inputMode = next.whole ? "numeric" : "decimal";
      setAttribute(field, "aria-invalid", null);
      setText(verdict, "");
      setText(keys, next.choices ? fill(card.keys_choice, { count: next.choices.length }) : card.keys_number);
      setText(score, "");
      setAttribute(root, "data-state", "open");
      setAttribute(root, "data-kind", next.kind);
      setAttribute(root, "data-for", next.index);
      root.hidden = false;
      return fill(card.asked, { question: asked.textContent });
    },
    close() {
      root.hidden = true;
      setAttribute(root, "data-state", null);
    },
    score: (right, answered) => setText(score, fill(card.score, { right, answered })),
    /** Answer by the place of an option; false when there is none. */
    pick(place) {
      const node = options.hidden ? undefined : options.children[place];
      node?.click();
      return node !== undefined;
    },
    /** Put the focus where an answer is given. */
    enter: () => (form.hidden ? options.children[0] : field).focus(),
  };
}
