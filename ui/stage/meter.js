/** The on-chip meter: who holds how many bytes, against the budget line. */

import { METER_ORDER } from "./budget.js";
import { createBudgetLine } from "./budget_line.js";
import { el, labelIn, percent, setAttribute, setStyle, setText } from "./dom.js";
import { bytes, total } from "./numbers.js";
import { fill } from "./sentence.js";
import { tensorLabel } from "./tensor_names.js";

/** Make the meter. Its scale ends beyond the larger of budget and peak, so that the line shows and can be moved. */
export function createMeter(trace, words, context) {
  const line = createBudgetLine(trace, words, context);
  const parts = METER_ORDER.map((name) => {
    const label = name === "stats" ? words.chip.stats : tensorLabel(name);
    const hue = name === "stats" ? "m" : name.replace("_", "-");
    const node = el("span", { class: "part", "data-name": name, style: `background-color: var(--tw-${hue}); color: var(--tw-${hue}-on)` });
    return { name, label, node, drawn: "" };
  });
  const text = el("span", { "data-testid": "meter" });
  const bar = el("div", { class: "bar", role: "meter", "aria-label": words.chip.meter_label, "aria-valuemin": "0" },
    ...parts.map(({ node }) => node));
  const limit = el("span", { class: "limit" });
  const root = el("div", { class: "meter" }, el("div", { class: "bar-box" }, bar, limit, line.slider),
    el("div", { class: "legend" }, el("span", { class: "used" }, text), line.field),
    line.root);
  let told = "";
  return {
    root,
    destroy: line.destroy,
    update(frame) {
      const { step } = frame;
      const { budget } = context;
      const end = line.end();
      line.update(frame);
      setStyle(limit, "left", percent(budget / end));
      setAttribute(bar, "aria-valuemax", Math.ceil(end));
      const used = total(step.resident);
      for (const part of parts) {
        const { name, label, node } = part;
        const size = step.resident[name] ?? 0;
        if (part.drawn === `${size}/${end}`) continue;
        part.drawn = `${size}/${end}`;
        const share = size / end;
        setStyle(node, "width", percent(share));
        setAttribute(node, "title", size ? fill(words.chip.part, { name: label, bytes: bytes(size) }) : null);
        setText(node, labelIn(share, label));
      }
      if (told === `${used}/${budget}`) return;
      told = `${used}/${budget}`;
      setAttribute(root, "data-over", used > budget ? "" : null);
      const slots = { used: bytes(used), budget: bytes(budget), excess: bytes(Math.max(0, used - budget)) };
      setText(text, fill(words.budget.in_use, slots));
      setAttribute(bar, "aria-valuenow", used);
      setAttribute(bar, "aria-valuetext", fill(used > budget ? words.chip.over : words.chip.meter, slots));
    },
  };
}
