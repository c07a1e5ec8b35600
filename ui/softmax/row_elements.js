/** The row: every score with its place, how often it has been read, and its share once that is written. */

import { el, setAttribute, setStyle, setText } from "../stage/dom.js";
import { format, toNumber } from "../stage/numbers.js";
import { fill } from "../stage/sentence.js";
import { nameOf, shownScore } from "./row_sentence.js";

/** Make the zone. */
export function createElements(data, words) {
  const parts = data.row.map((x, index) => {
    const pips = el("span", { class: "pips", "aria-hidden": "true" });
    const times = el("span", { class: "times", "data-testid": "reads", "data-index": String(index) });
    const bar = el("span", { class: "bar-of-share", "aria-hidden": "true" });
    const share = el("span", { class: "share", "data-testid": "share", "data-index": String(index) });
    const root = el("li", { "data-index": String(index) }, el("span", { class: "place-name", text: nameOf(index) }),
      el("b", { class: "x", text: shownScore(x), title: format(x, 9) }), pips, times, bar, share);
    return { root, pips, times, bar, share };
  });
  const root = el("section", { class: "zone row-zone", "aria-label": words.zones.row },
    el("header", {}, el("h2", { text: words.zones.row }), el("span", { class: "note", text: words.zones.row_note })),
    el("ol", { class: "elements", "aria-label": words.elements.label }, ...parts.map(({ root: item }) => item)));
  return {
    root,
    update({ frame }) {
      parts.forEach((part, index) => {
        const reads = frame.reads[index];
        const share = frame.shares[index];
        setText(part.pips, "●".repeat(reads) + "○".repeat(Math.max(0, 3 - reads)));
        setText(part.times, fill(words.elements.reads, { times: reads }));
        setAttribute(part.times, "data-value", reads);
        setText(part.share, share === null ? words.elements.unwritten : fill(words.elements.share, { y: format(share) }));
        setAttribute(part.share, "data-value", share === null ? null : String(share));
        setAttribute(part.share, "data-empty", share === null ? "" : null);
        const height = share === null || Number.isNaN(toNumber(share)) ? 0 : toNumber(share);
        setStyle(part.bar, "--share", `${Math.round(height * 1000) / 10}%`);
        setAttribute(part.root, "aria-current", frame.index === index ? "step" : null);
        setAttribute(part.root, "data-wrong", share === "nan" ? "" : null);
      });
    },
  };
}
