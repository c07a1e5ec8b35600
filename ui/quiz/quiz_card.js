/** One question with its key: commit first, then the reason for the answer given and for the right one. */

import { el, setAttribute, setText } from "../stage/dom.js";
import { gradeAnswer, marksOf } from "./quiz_grade.js";
import { createQuestionView } from "./quiz_view.js";

/**
 * Make the card. `on.graded(question, answer, grade)` is called after each commitment, `on.again()` when other numbers
 * are wanted and `on.next()` for the next question.
 */
export function createQuizCard(words, on) {
  const heading = el("p", { class: "where", "data-testid": "quiz-where" });
  const title = el("h2", { class: "title" });
  const view = createQuestionView(words.answer, () => setText(missing, ""));
  const commit = el("button", { type: "submit", class: "main", text: words.player.commit });
  const missing = el("p", { class: "missing", role: "alert" });
  const given = el("p", { class: "given" });
  const right = el("p", { class: "right-one" });
  const show = el("a", { class: "show", target: "_blank", rel: "noopener", "data-testid": "quiz-show" });
  const again = el("button", { type: "button" });
  const next = el("button", { type: "button", class: "main", text: words.player.next });
  const verdict = el("div", { class: "verdict", tabindex: "-1", "data-testid": "quiz-verdict", hidden: "" },
    given, right, el("p", { class: "after" }, show), el("div", { class: "after" }, again, next));
  const form = el("form", { class: "card-form" }, view.root, el("div", { class: "commit" }, commit, missing));
  const root = el("section", { class: "card", "data-testid": "quiz-card" }, heading, title, form, verdict);
  let variant = null;
  // Whether an order that nobody touched was asked about: it may be what the reader means.
  let asked = false;

  /** Draw the verdict on an answer. */
  function settle(answer) {
    const grade = gradeAnswer(variant.question, variant.key, answer, words.verdict);
    view.lock(true);
    view.mark(marksOf(variant.question, variant.key, answer), words.verdict);
    commit.parentElement.hidden = true;
    setAttribute(root, "data-state", grade.right ? "right" : "wrong");
    given.replaceChildren(el("b", { text: grade.right ? words.verdict.right : words.verdict.wrong }), ` ${grade.reason}`);
    right.hidden = grade.right;
    right.replaceChildren(el("b", { text: `${words.verdict.the_right_one}: ${variant.key.text}.` }), ` ${variant.key.why}`);
    show.href = variant.key.show.href;
    show.replaceChildren(variant.key.show.label, el("span", { class: "unseen", text: ` (${words.player.new_tab})` }), el("span", { "aria-hidden": "true", text: " ↗" }));
    verdict.hidden = false;
    return grade;
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    const { answer, missing: what } = view.read();
    if (what) {
      setText(missing, words.answer[what]);
      view.focus();
      return;
    }
    if (view.untouched() && !asked) {
      asked = true;
      setText(missing, words.answer.missing_order);
      return;
    }
    const grade = settle(answer);
    on.graded(variant.question, answer, grade);
    verdict.focus();
  };
  again.onclick = () => on.again();
  next.onclick = () => on.next();

  return {
    root,
    /** Show a variant, `{ question, key }`, or an answer to it that was given before. */
    show(next, place, generated, answer = null) {
      variant = next;
      asked = false;
      setText(heading, place);
      setText(title, next.question.title);
      // Another listing has another wrong line, but no numbers.
      setText(again, generated && next.question.kind !== "line" ? words.player.again : words.player.again_same);
      setText(missing, "");
      commit.parentElement.hidden = false;
      verdict.hidden = true;
      setAttribute(root, "data-state", "open");
      setAttribute(root, "data-seed", next.question.seed);
      view.show(next.question);
      if (answer) {
        view.set(answer);
        settle(answer);
      }
    },
    focus: () => view.focus(),
  };
}
