/** A question to commit to: the reason for the answer given comes first, then the right one. */

import { el, setAttribute } from "../stage/dom.js";

let questionsMade = 0;

/**
 * Make it. `predict` is `{ question, options: [{ text, right, reason }], quiz }`; the answer is kept as
 * `lesson:<section>`, and among the quiz's answers too where the question is one of the quiz (`quiz: { id, seed }`).
 */
export function createPrediction(predict, section, words, progress, finish) {
  const id = `lesson:${section}`;
  const name = `predict-${(questionsMade += 1)}`;
  const inputs = predict.options.map((_, place) => el("input", { type: "radio", name, value: String(place) }));
  const labels = predict.options.map((option, place) =>
    el("label", { "data-testid": "act-option" }, inputs[place], el("span", { text: option.text }), el("span", { class: "mark", "aria-hidden": "true" })));
  const commit = el("button", { type: "submit", class: "commit", text: words.commit });
  const again = el("button", { type: "button", class: "again", text: words.again });
  const verdict = el("div", { class: "verdict", role: "status", "aria-live": "polite", "data-testid": "act-verdict" });
  const form = el("form", { class: "predict", "data-testid": "act-predict" },
    el("fieldset", {}, el("legend", { text: predict.question }), ...labels), verdict, commit, again);

  function reveal(choice) {
    const option = predict.options[choice];
    const right = predict.options.find((each) => each.right);
    verdict.replaceChildren(el("p", {}, el("strong", { text: option.right ? words.right : words.wrong }), ` ${option.reason}`));
    if (!option.right) {
      verdict.append(el("p", {}, el("strong", { text: words.right_answer.replace("{text}", right.text) }), ` ${right.reason}`));
    }
    setAttribute(form, "data-state", option.right ? "right" : "wrong");
    predict.options.forEach((each, place) => {
      inputs[place].disabled = true;
      inputs[place].checked = place === choice;
      const sign = each.right ? "✓" : place === choice ? "✗" : "";
      labels[place].querySelector(".mark").textContent = sign;
      setAttribute(labels[place], "data-mark", each.right ? "right" : place === choice ? "wrong" : null);
    });
  }
  function ask() {
    setAttribute(form, "data-state", "open");
    verdict.replaceChildren();
    inputs.forEach((input, place) => {
      input.disabled = false;
      input.checked = false;
      labels[place].querySelector(".mark").textContent = "";
      setAttribute(labels[place], "data-mark", null);
    });
  }
  form.onsubmit = (event) => {
    event.preventDefault();
    const choice = inputs.findIndex((input) => input.checked);
    if (choice < 0) {
      verdict.replaceChildren(el("p", { text: words.choose_first }));
      return;
    }
    const { right, id: answer, from } = predict.options[choice];
    const at = new Date().toISOString();
    progress.record("predictions", id, { right, choice, at });
    if (predict.quiz) {
      const tries = (progress.load().quiz[predict.quiz.id]?.tries ?? 0) + 1;
      progress.record("quiz", predict.quiz.id, { right, from: right ? null : from, seed: predict.quiz.seed, answer: { choice: answer }, tries, at });
    }
    finish();
    reveal(choice);
    again.focus();
  };
  again.onclick = () => {
    ask();
    inputs[0].focus();
  };
  /** The answer that is kept, or null. */
  function keptChoice() {
    const choice = progress.load().predictions[id]?.choice;
    return Number.isInteger(choice) && choice in predict.options ? choice : null;
  }
  // What was answered before stands here again.
  if (keptChoice() === null) ask();
  else reveal(keptChoice());
  return {
    root: form,
    /** Forgotten answers are asked for anew. A question that stands open stays as the reader has it. */
    refresh() {
      if (keptChoice() === null && form.dataset.state !== "open") ask();
    },
  };
}
