/** What happens now, in words: the step's name, its one sentence, and the formula with the chosen row's numbers. */

import { el, setAttribute, setText } from "./dom.js";
import { formulaOf, isAboutARow } from "./formula.js";
import { fill, sentenceOf } from "./sentence.js";

/** Turn `^{…}` into raised text. */
export function typeset(markup) {
  const parts = document.createDocumentFragment();
  for (const piece of markup.split(/(\^\{[^}]*\})/)) {
    if (piece.startsWith("^{")) parts.append(el("sup", { text: piece.slice(2, -1) }));
    else if (piece) parts.append(piece);
  }
  return parts;
}

/** Draw one line of a formula. */
export function drawLine({ label, symbols, numbers, result }) {
  const letters = el("dt", {}, el("span", { class: "symbols" }, typeset(symbols)), " ", el("span", { class: "label", text: label }));
  const worked = el("dd", {}, el("span", { class: "numbers" }, "= ", typeset(numbers)), " ");
  if (result) worked.append(el("span", { class: "result" }, "= ", el("b", { text: result })));
  return el("div", {}, letters, worked);
}

/** Make the zone. */
export function createWords(trace, words) {
  const heading = el("h2", { class: "step-name", "data-testid": "step-name" });
  const sentence = el("p", { class: "sentence", "data-testid": "sentence" });
  const about = el("h3", { class: "about" });
  const formula = el("dl", { class: "formula", "data-testid": "formula" });
  const root = el("section", { class: "zone words", "aria-label": words.formula.whole }, heading, sentence, el("div", { class: "worked-out" }, about, formula));
  return {
    root,
    update(frame) {
      const { step, index, subject } = frame;
      setText(heading, fill(words.transport.step, { step: index + 1, steps: trace.steps.length, kind: words.kinds[step.kind] }));
      setText(sentence, sentenceOf(subject, words));
      const lines = formulaOf(subject, words);
      setAttribute(about, "hidden", lines.length ? null : "");
      setText(about, isAboutARow(step.kind) ? fill(words.formula.row, { query: subject.queries[subject.row] }) : words.formula.whole);
      formula.replaceChildren(...lines.map(drawLine));
      setAttribute(root, "data-kind", step.kind);
    },
  };
}
