/** The on-chip meter: who holds how many bytes, against the budget line. */

import { el, setAttribute, setStyle, setText } from "./dom.js";
import { bytes, total } from "./numbers.js";
import { fill } from "./sentence.js";

const METER_ORDER = ["q", "k", "v", "s", "p", "acc", "o", "stats", "d_o", "d_q", "d_k", "d_v", "d_p", "d_s", "lse", "delta"];

/** Make the meter. The scale ends a little beyond the larger of budget and peak, so that the line shows. */
export function createMeter(trace, words, context) {
  const { budget, peak } = context;
  const end = Math.max(budget, peak) * 1.04;
  const parts = METER_ORDER.map((name) => {
    const label = name === "stats" ? words.chip.stats : name;
    const hue = name === "stats" ? "m" : name.replace("_", "-");
    const node = el("span", { class: "part", "data-name": name, style: `--hue: var(--tw-${hue}); --on: var(--tw-${hue}-on)` });
    return { name, label, node };
  });
  const text = el("span", { class: "used", "data-testid": "meter" });
  const bar = el("div", { class: "bar", role: "meter", "aria-label": words.chip.meter_label, "aria-valuemin": "0", "aria-valuemax": String(Math.round(end)) },
    ...parts.map(({ node }) => node), el("span", { class: "limit", style: `left: ${(100 * budget) / end}%` }));
  const root = el("div", { class: "meter" }, bar,
    el("div", { class: "legend" }, text, el("span", { class: "peak", text: fill(words.chip.peak, { peak: bytes(peak) }) })));
  return {
    root,
    update({ step }) {
      const used = total(step.resident);
      for (const { name, label, node } of parts) {
        const size = step.resident[name] ?? 0;
        const share = (100 * size) / end;
        setStyle(node, "width", `${share}%`);
        setAttribute(node, "title", size ? fill(words.chip.part, { name: label, bytes: bytes(size) }) : null);
        setText(node, share > 6 ? label : "");
      }
      setAttribute(root, "data-over", used > budget ? "" : null);
      const slots = { used: bytes(used), budget: bytes(budget), excess: bytes(Math.max(0, used - budget)) };
      setText(text, fill(used > budget ? words.chip.over : words.chip.meter, slots));
      setAttribute(bar, "aria-valuenow", used);
      setAttribute(bar, "aria-valuetext", text.textContent);
    },
  };
}
