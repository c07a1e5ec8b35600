/** The algorithm as a listing, with the line of this step marked and the tensors in their colours. */

import { el, setAttribute } from "./dom.js";
import { pocket } from "./pocket.js";
import { tensorOfLabel } from "./tensor_names.js";

const TENSORS = new Set(["q", "k", "v", "s", "p", "m", "l", "alpha", "acc", "o", "lse", "d_o", "d_q", "d_k", "d_v", "d_p", "d_s", "delta"]);

/** Split a line of code into words and the text between them. */
function wordsOfCode(text) {
  return text.match(/[A-Za-z_]\w*|[^A-Za-z_]+/g) ?? [];
}

function hueOf(word) {
  const base = tensorOfLabel(word).replace(/_(new|old|before|after|tile)$/, "");
  return TENSORS.has(base) ? base.replaceAll("_", "-") : null;
}

/** Make the zone. */
export function createCode(trace, words) {
  const lines = trace.pseudocode.map((text) => {
    const line = el("li");
    const indent = text.length - text.trimStart().length;
    line.style.setProperty("--indent", `${indent}ch`);
    for (const word of wordsOfCode(text.trim())) {
      const hue = hueOf(word);
      line.append(hue ? el("span", { text: word, style: `color: var(--tw-${hue}-text)` }) : word);
    }
    return line;
  });
  const root = el("section", { class: "zone code", "aria-label": words.zones.code },
    el("header", {}, el("h2", { text: words.zones.code })), pocket(el("ol", {}, ...lines)),
    el("p", { class: "note hint", text: words.transport.keys }));
  let current = null;
  return {
    root,
    update({ step }) {
      if (current === step.code) return;
      if (current !== null) setAttribute(lines[current], "aria-current", null);
      current = step.code;
      setAttribute(lines[current], "aria-current", "step");
    },
  };
}
