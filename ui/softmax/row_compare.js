/** What each way returns for the whole row, beside float64: shares, reads, and the largest difference. */

import { el } from "../stage/dom.js";
import { format } from "../stage/numbers.js";
import { fill } from "../stage/sentence.js";
import { nameOf, shownScore } from "./row_sentence.js";

const WAYS = ["naive", "two_pass", "online"];
const SUMMARY = [
  ["statistics", (method) => String(method.statistics)],
  ["loads", (method) => String(method.loads)],
  ["writes", () => "1"],
  ["m", (method, name, words) => (name === "naive" ? words.kept.unused : shownScore(method.m))],
  ["l", (method) => format(method.l, 4)],
  ["error", (method) => format(method.error)],
];

function cell(value, name, row) {
  return el("td", { "data-way": name, "data-row": row, "data-wrong": value === "NaN" || value === "∞" ? "" : null, text: value });
}

/** Make the zone. It is the same at every step. */
export function createCompare(data, words) {
  const text = words.compare;
  const head = el("tr", {}, ...[text.element, text.x].map((label) => el("th", { scope: "col", text: label })),
    ...WAYS.map((name) => el("th", { scope: "col", text: words.methods[name] })), el("th", { scope: "col", text: text.exact }));
  const shares = data.row.map((x, index) => el("tr", {}, el("th", { scope: "row", text: nameOf(index) }),
    el("td", { text: shownScore(x) }), ...WAYS.map((name) => cell(format(data.methods[name].result[index], 4), name, String(index))),
    cell(format(data.exact[index], 4), "exact", String(index))));
  const summary = SUMMARY.map(([row, read]) => el("tr", {}, el("th", { scope: "row", colspan: "2", text: text[row] }),
    ...WAYS.map((name) => cell(read(data.methods[name], name, words), name, row)), el("td", {})));
  const table = el("table", { class: "compare" }, el("caption", { class: "spoken", text: text.caption }),
    el("thead", {}, head), el("tbody", {}, ...shares), el("tbody", { class: "summary" }, ...summary));
  const verdict = el("p", { class: "row-verdict", "data-testid": "row-verdict", text: fill(text[data.verdict], { worst: format(data.worst, 2) }) });
  return {
    root: el("section", { class: "zone compare-zone", "aria-label": words.zones.compare },
      el("header", {}, el("h2", { text: words.zones.compare })), verdict,
      el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": text.caption }, table)),
  };
}
