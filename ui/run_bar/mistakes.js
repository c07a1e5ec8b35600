/** The wrong algorithms as a list to choose one from, each with a line on what it does. */

import { el, setText } from "../stage/dom.js";

/**
 * Make the list. `mistake` has its `label`, its `note`, another note for when nothing can be broken, and the
 * `options`: a key, a word and a line each. `name` is that of the radio buttons; `change(key)` is called at once.
 */
export function createMistakes({ label, note, none, options }, name, change) {
  const inputs = [];
  const items = options.map(([key, word, line]) => {
    const [wordId, lineId] = [`${name}-${key}`, `${name}-${key}-line`];
    const input = el("input", { type: "radio", name, value: key, "aria-labelledby": wordId, "aria-describedby": lineId });
    input.onchange = () => change(key);
    inputs.push(input);
    return el("label", {}, input, el("span", { class: "words" }, el("span", { class: "word", id: wordId, text: word }), el("span", { class: "line", id: lineId, text: line })));
  });
  const said = el("p", { class: "note" });
  const root = el("fieldset", { class: "mistakes" }, el("legend", { text: label }), said, ...items);
  return {
    root,
    show(value) { for (const input of inputs) input.checked = input.value === value; },
    allow(possible) {
      root.disabled = !possible;
      setText(said, possible ? note : none);
    },
  };
}
