/** What happens now, in words: the step's name, its one sentence, and the formula with the chosen row's numbers. */

import { el, setAttribute, setText } from "./dom.js";
import { formulaOf, isAboutARow } from "./formula.js";
import { pocket } from "./pocket.js";
import { fill, sentenceOf } from "./sentence.js";

/** Turn `^{…}` into raised text. */
function typeset(markup) {
  const parts = document.createDocumentFragment();
  for (const piece of markup.split(/(\^\{[^}]*\})/)) {
    if (piece.startsWith("^{")) parts.append(el("sup", { text: piece.slice(2, -1) }));
    else if (piece) parts.append(piece);
  }
  return parts;
}

/** A setter that typesets markup into a node, unless it stands there already. `lead` goes before it. */
function markupOf(node, lead = "") {
  let shown = null;
  return (markup) => {
    if (shown === markup) return;
    // Most numbers follow others that were raised nowhere: their text is changed in place.
    if (markup.includes("^{") || shown?.includes("^{")) node.replaceChildren(lead, typeset(markup));
    else setText(node, lead + markup);
    shown = markup;
  };
}

/** One line of a formula, which is kept from step to step: only what differs is drawn again. */
function createLine() {
  const symbols = el("span", { class: "symbols" });
  const label = el("span", { class: "label" });
  const numbers = el("span", { class: "numbers" });
  const value = el("b");
  const result = el("span", { class: "result" }, "= ", value);
  const worked = el("dd", {}, numbers, " ");
  const root = el("div", {}, el("dt", {}, symbols, " ", label), worked);
  const setSymbols = markupOf(symbols);
  const setNumbers = markupOf(numbers, "= ");
  return {
    root,
    update(line) {
      setSymbols(line.symbols);
      setText(label, line.label);
      setNumbers(line.numbers);
      setText(value, line.result ?? "");
      if (!line.result) result.remove();
      else if (result.parentNode === null) worked.append(result);
    },
  };
}

/** Draw one line of a formula that stays as it is. */
export function drawLine(line) {
  const { root, update } = createLine();
  update(line);
  return root;
}

/** Make the zone. */
export function createWords(trace, words) {
  const heading = el("h2", { class: "step-name", "data-testid": "step-name" });
  const sentence = el("p", { class: "sentence", "data-testid": "sentence" });
  const about = el("h3", { class: "about" });
  const formula = el("dl", { class: "formula", "data-testid": "formula" });
  const root = el("section", { class: "zone words", "aria-label": words.formula.whole },
    pocket(el("div", { class: "flow" }, heading, sentence, el("div", { class: "worked-out" }, about, formula))));
  const kept = [];
  return {
    root,
    update(frame) {
      const { step, index, subject } = frame;
      setText(heading, fill(words.transport.step, { step: index + 1, steps: trace.steps.length, kind: words.kinds[step.kind] }));
      setText(sentence, sentenceOf(subject, words));
      const lines = formulaOf(subject, words);
      setAttribute(about, "hidden", lines.length ? null : "");
      setText(about, isAboutARow(step.kind) ? fill(words.formula.row, { query: subject.queries[subject.row] }) : words.formula.whole);
      while (kept.length < lines.length) kept.push(createLine());
      lines.forEach((line, place) => {
        kept[place].update(line);
        if (kept[place].root.parentNode === null) formula.append(kept[place].root);
      });
      for (const unused of kept.slice(lines.length)) unused.root.remove();
      setAttribute(formula, "data-of", step.kind === "rescale" ? "alpha" : null);
    },
  };
}
