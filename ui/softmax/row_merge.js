/** Two parts of the row, each reduced to its pair (m, l), and joined in both orders. */

import { el, setAttribute, setStyle, setText } from "../stage/dom.js";
import { format, whole } from "../stage/numbers.js";
import { fill } from "../stage/sentence.js";
import { drawLine } from "../stage/words.js";
import { mergeFormula } from "./row_formula.js";
import { nameOf, shownScore } from "./row_sentence.js";

const ROWS = ["left", "right", "left_right", "right_left", "whole"];

/** Make the zone. */
export function createMerge(data, words) {
  const text = words.merge;
  const count = data.row.length;
  const { splits, whole: all, difference } = data.merge;
  const slider = el("input", { type: "range", min: "0", max: String(count), step: "1", value: String(Math.floor(count / 2)), "aria-label": text.split });
  const value = el("span", { class: "note" });
  const chips = data.row.map((x, index) => el("li", { title: `${nameOf(index)} = ${format(x, 9)}`, text: shownScore(x) }));
  const rows = ROWS.map((name) => ({
    name,
    m: el("td", { "data-testid": `merge-${name}-m` }),
    l: el("td", { "data-testid": `merge-${name}-l` }),
  }));
  const table = el("table", { class: "compare joins" }, el("caption", { class: "spoken", text: text.caption }),
    el("thead", {}, el("tr", {}, ...[text.part, "m", "l"].map((label) => el("th", { scope: "col", text: label })))),
    el("tbody", {}, ...rows.map(({ name, m, l }) => el("tr", { "data-part": name }, el("th", { scope: "row", text: text[name] }), m, l))));
  const formula = el("dl", { class: "formula", "data-testid": "merge-formula" });
  const note = el("p", { class: "row-verdict", "data-testid": "merge-note" });
  const neutral = el("p", { class: "note", text: text.neutral });
  setText(note, difference > 0 ? fill(text.same, { parts: whole(Math.floor(1 / difference)) }) : text.exact);

  function draw() {
    const split = Number(slider.value);
    const joined = { ...splits[split], whole: all };
    chips.forEach((chip, index) => setAttribute(chip, "data-part", index < split ? "left" : "right"));
    setText(value, fill(text.split_value, { left: split, count }));
    setAttribute(slider, "aria-valuetext", value.textContent);
    setStyle(slider, "--done", `${(100 * split) / count}%`);
    for (const { name, m, l } of rows) {
      setText(m, shownScore(joined[name].m));
      setText(l, format(joined[name].l, 6));
      setAttribute(m, "data-value", String(joined[name].m));
      setAttribute(l, "data-value", String(joined[name].l));
    }
    neutral.hidden = split > 0 && split < count;
    formula.replaceChildren(...mergeFormula({ left: joined.left, right: joined.right, joined: joined.left_right }, words).map(drawLine));
  }
  slider.oninput = draw;
  draw();
  return {
    root: el("section", { class: "zone merge-zone", "aria-label": words.zones.merge },
      el("header", {}, el("h2", { text: words.zones.merge }), value),
      el("ol", { class: "halves", "aria-hidden": "true" }, ...chips),
      el("div", { class: "track" }, slider), table, el("div", { class: "worked-out" }, formula), note, neutral),
  };
}
