/** What happens now in the one-row player: the step's name, its sentence and its formula. */

import { el, setAttribute, setText } from "../stage/dom.js";
import { fill } from "../stage/sentence.js";
import { drawLine } from "../stage/words.js";
import { rowFormula } from "./row_formula.js";
import { nameOf, rowSentence } from "./row_sentence.js";

/** Make the zone. */
export function createRowWords(count, words) {
  const heading = el("h2", { class: "step-name", "data-testid": "row-step-name" });
  const sentence = el("p", { class: "sentence", "data-testid": "row-sentence" });
  const about = el("h3", { class: "about" });
  const formula = el("dl", { class: "formula", "data-testid": "row-formula" });
  const root = el("section", { class: "zone words", "aria-label": words.zones.words }, heading, sentence,
    el("div", { class: "worked-out" }, about, formula));
  return {
    root,
    update({ frame, subject, index }) {
      const kind = words.kinds[frame.rescales ? "rescale" : frame.kind];
      setText(heading, fill(words.transport.step, { step: index + 1, steps: count, kind }));
      setText(sentence, rowSentence(subject, words));
      const lines = rowFormula(subject, words);
      setAttribute(about, "hidden", lines.length ? null : "");
      setText(about, frame.index === null ? "" : fill(words.formula.row, { name: nameOf(frame.index) }));
      formula.replaceChildren(...lines.map(drawLine));
    },
  };
}
