/** What is kept on chip while the row goes by: m, l, and the factor between old and new. */

import { el, setAttribute, setText } from "../stage/dom.js";
import { format } from "../stage/numbers.js";
import { shownScore } from "./row_sentence.js";

const KEPT = ["m_before", "m", "alpha", "l_before", "l"];

/** Make the zone. */
export function createKept(method, words) {
  const cells = KEPT.map((name) => el("td", { "data-testid": `kept-${name.replace("_", "-")}`, "data-column": name }));
  const table = el("table", { class: "stats" }, el("caption", { class: "spoken", text: words.kept.caption }),
    el("thead", {}, el("tr", {}, ...KEPT.map((name) => el("th", { scope: "col", "data-column": name, text: words.kept[name] })))),
    el("tbody", {}, el("tr", {}, ...cells)));
  const root = el("section", { class: "zone chip kept", "aria-label": words.zones.kept },
    el("header", {}, el("h2", { text: words.zones.kept }), el("span", { class: "note", text: words.zones.kept_note })), table);
  return {
    root,
    update({ frame }) {
      KEPT.forEach((name, place) => {
        const unused = method === "naive" && !name.startsWith("l");
        // Before anything was read there is no old and new maximum for a factor to stand between.
        const idle = name === "alpha" && (method === "two_pass" || frame.kind === "start");
        setText(cells[place], unused || idle ? words.kept.unused : name.startsWith("m") ? shownScore(frame[name]) : format(frame[name], 4));
        setAttribute(cells[place], "data-value", unused || idle ? null : String(frame[name]));
        setAttribute(cells[place], "data-empty", unused || idle ? "" : null);
      });
      setAttribute(root, "data-rescales", frame.rescales ? "" : null);
    },
  };
}
