/** The budget line that a reader moves, and the words about what fits beside it. The browser alone keeps it. */

import { addressWithParameter } from "./address.js";
import { fullestStep, partsBeyond, tilesThatFit } from "./budget.js";
import { el, setAttribute, setStyle, setText } from "./dom.js";
import { createButton } from "./elements.js";
import { bytes, total, whole } from "./numbers.js";
import { fill } from "./sentence.js";
import { tensorLabel } from "./tensor_names.js";

/** The largest budget that can be typed: beyond it the exact bytes would not be whole numbers for long. */
const MOST = 999_999_999_999;

/** Browsers refuse hundreds of changes of the address in a row; in milliseconds. */
const WRITE_AFTER = 150;

/** How many stops the slider has at least. */
const STOPS = 128;

/**
 * Make the controls. `context` has `budget` and `peak`, `usualBudget`, `keepsAddress` and `redraw()`; a change is
 * written into `context.budget`.
 *
 * Returns `slider` to lay over the meter's bar, `field` for its legend, `root` with what does not fit, and `end()`,
 * the bytes at the right end of the bar.
 */
export function createBudgetLine(trace, words, context) {
  const text = words.budget;
  const names = (name) => (name === "stats" ? words.chip.stats : tensorLabel(name));
  const widest = Math.max(context.usualBudget, context.peak) * 1.25;
  const grain = 2 ** Math.max(0, Math.floor(Math.log2(widest / STOPS)));
  const fullest = fullestStep(trace.steps);
  const slider = el("input", { type: "range", class: "budget-slider", min: "0", step: String(grain), "aria-label": text.label, "data-testid": "budget-slider" });
  const number = el("input", { type: "number", class: "budget-number", min: "1", max: String(MOST), step: "1", inputmode: "numeric", "aria-label": text.number, "data-testid": "budget-number" });
  const reset = createButton({ class: "budget-reset", text: text.reset, title: fill(text.reset_title, { bytes: bytes(context.usualBudget) }) }, () => {
    change(context.usualBudget);
    number.focus();
  });
  const field = el("span", { class: "budget-field" }, el("span", { text: text.field }), number, el("span", { text: "B" }), reset);
  const now = el("p", { "data-testid": "budget-now" });
  const peak = el("p", { "data-testid": "budget-peak" });
  const would = el("p", { "data-testid": "budget-would" });
  const root = el("div", { class: "budget-fit", "data-testid": "budget-fit" }, now, peak, would);
  const end = () => Math.max(widest, context.budget * 1.04);
  let writing = 0;
  let drawnFor = null;

  function change(budget) {
    if (!Number.isInteger(budget) || budget < 1 || budget > MOST || budget === context.budget) return;
    context.budget = budget;
    clearTimeout(writing);
    if (context.keepsAddress) {
      writing = setTimeout(() => history.replaceState(history.state, "", addressWithParameter(location.href, "budget", budget, context.usualBudget)), WRITE_AFTER);
    }
    context.redraw();
  }
  slider.oninput = () => change(Math.max(Number(slider.value), 1));
  number.onchange = () => {
    const typed = Number(number.value);
    if (Number.isInteger(typed) && typed >= 1 && typed <= MOST) change(typed);
    else number.value = String(context.budget);
  };
  number.onkeydown = (event) => {
    if (event.key === "Enter") number.onchange();
  };

  const named = (parts) => parts.map(({ name, bytes: size, beyond }) =>
    fill(beyond === size ? text.part : text.part_of, { name: names(name), bytes: whole(size), beyond: whole(beyond) })).join("; ");

  function adviceFor(budget) {
    const { blockQ, blockK, square, least } = tilesThatFit(trace, budget);
    const slots = { fewer_q: blockQ, fewer_k: blockK, square, peak: bytes(context.peak), least: bytes(least) };
    if (blockQ !== null && blockK !== null) return fill(text.would_either, slots);
    if (blockQ !== null) return fill(text.would_q, slots);
    if (blockK !== null) return fill(text.would_k, slots);
    return fill(square === null ? text.would_none : text.would_square, slots);
  }

  return {
    slider,
    field,
    root,
    end,
    update({ step }) {
      const { budget } = context;
      if (drawnFor !== budget) {
        drawnFor = budget;
        setAttribute(slider, "max", String(Math.ceil(end())));
        slider.value = String(budget);
        number.value = String(budget);
        setAttribute(slider, "aria-valuetext", bytes(budget));
        setStyle(slider, "--at", String(budget / end()));
        reset.hidden = budget === context.usualBudget;
        const fits = context.peak <= budget;
        setAttribute(root, "data-fits", fits ? "" : null);
        const parts = partsBeyond(trace.steps[fullest].resident, budget);
        setText(peak, fits ? "" : fill(text.peak, { step: fullest + 1, excess: whole(context.peak - budget), parts: named(parts) }));
        setText(would, fits ? "" : adviceFor(budget));
      }
      const used = total(step.resident);
      const beyond = partsBeyond(step.resident, budget);
      if (context.peak <= budget) setText(now, fill(text.fits, { peak: bytes(context.peak), step: fullest + 1, left: whole(budget - context.peak) }));
      else setText(now, beyond.length ? fill(text.now, { excess: whole(used - budget), parts: named(beyond) }) : text.now_fits);
    },
    destroy() {
      clearTimeout(writing);
    },
  };
}
