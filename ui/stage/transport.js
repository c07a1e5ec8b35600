/** The player's controls: buttons, scrub slider with its markers, and speed. */

import { el, setAttribute, setStyle, setText } from "./dom.js";
import { createButton, elSvg } from "./elements.js";
import { fill } from "./sentence.js";
import { markers, stretches } from "./timeline.js";

/** Steps a second at each speed offered; the last is every frame of a usual screen. */
const SPEEDS = [["0.5×", 0.4], ["1×", 0.8], ["2×", 1.6], ["4×", 3.2], ["8×", 6.4], ["max", 60]];
const USUAL = 1;

const PATHS = {
  first: "M4 4h2v12H4zM17 4v12L7 10z",
  previous: "M15 4v12L5 10z",
  play: "M5 3v14l12-7z",
  pause: "M4 4h4v12H4zM12 4h4v12h-4z",
  next: "M5 4v12l10-6z",
  last: "M14 4h2v12h-2zM3 4v12l10-6z",
  rescale: "M6.5 4l6.5 12H0zM14 5l6 5.5-6 5.5z",
};

function icon(name) {
  return elSvg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, elSvg("path", { d: PATHS[name] }));
}

/** Each event's mark, as one shape whose middle lies at x = 0. */
const SHAPES = {
  rose: "M0 0L5 9H-5Z",
  discard: "M-2.25 2.75h4.5v4.5h-4.5z",
  finished: "M-4 5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
};

/** The marks under the slider: one drawing, because a run has hundreds. */
function createMarks(marks, count) {
  const root = elSvg("svg", { class: "marks", "aria-hidden": "true" });
  for (const { index, event } of marks) {
    root.append(elSvg("svg", { class: event, x: `${(100 * index) / Math.max(count - 1, 1)}%`, overflow: "visible" },
      elSvg("path", { d: SHAPES[event] })));
  }
  return root;
}

function button(name, label, action) {
  return createButton({ class: `control ${name}`, "aria-label": label, title: label }, action, icon(name));
}

/** Make the controls. `actions` has `go(index)`, `by(offset)`, `toggle()`, `rescale()` and `speed(perSecond)`. */
export function createTransport(trace, words, actions) {
  const text = words.transport;
  const count = trace.steps.length;
  const buttons = {
    first: button("first", text.first, () => actions.go(0)),
    previous: button("previous", text.previous, () => actions.by(-1)),
    play: button("play", text.play, actions.toggle),
    next: button("next", text.next, () => actions.by(1)),
    last: button("last", text.last, () => actions.go(count - 1)),
    rescale: button("rescale", text.rescale, actions.rescale),
  };
  buttons.rescale.append(el("span", { text: text.rescale }));
  const marks = markers(trace.steps);
  const never = !marks.some(({ event }) => event === "rose");
  if (never) {
    buttons.rescale.disabled = true;
    setAttribute(buttons.rescale, "title", text.no_rescale);
  }
  const slider = el("input", { type: "range", min: "0", max: String(Math.max(count - 1, 0)), step: "1", value: "0", "aria-label": text.slider });
  slider.oninput = () => actions.go(Number(slider.value));
  const share = (index) => `${(100 * index) / Math.max(count - 1, 1)}%`;
  const outer = trace.problem.order === "q_outer" ? "tile_q" : "tile_k";
  const track = el("div", { class: "track" },
    el("div", { class: "stretches", "aria-hidden": "true" }, ...stretches(trace.steps, trace.problem.order).map(({ tile, start, stop }) =>
      el("span", { style: `left: ${share(start)}; width: ${(100 * (stop - 1 - start)) / Math.max(count - 1, 1)}%`, title: fill(text[outer], { tile: tile + 1 }) }))),
    slider, createMarks(marks, count));
  const speed = el("select", { "aria-label": text.speed }, ...SPEEDS.map(([label], place) =>
    el("option", { value: String(place), text: label })));
  speed.value = String(USUAL);
  speed.onchange = () => actions.speed(SPEEDS[Number(speed.value)][1]);
  const place = el("span");
  // On a phone the words of the step are a screen away; its name goes with the buttons.
  const now = el("p", { class: "now", "aria-hidden": "true" });
  const legend = el("span", { class: "legend" },
    ...[["rose", text.rose], ["discard", text.discard], ["finished", text.finished_q]].filter(([event]) => marks.some((mark) => mark.event === event)).map(([event, label]) =>
      el("span", {}, el("i", { class: event }), label)));
  const root = el("section", { class: "transport", "aria-label": words.zones.transport }, now,
    el("div", { class: "controls" }, el("div", { class: "buttons" }, buttons.first, buttons.previous, buttons.play, buttons.next, buttons.last), buttons.rescale,
      never ? el("span", { class: "reason note", "data-testid": "no-rescale", text: text.no_rescale }) : null,
      el("label", { class: "speed" }, el("span", { text: text.speed }), speed),
      el("span", { class: "place", style: `--letters: ${2 * String(count).length + 3}` }, place), legend),
    track);
  // A tile or a table has a tab stop each; who plays by keyboard need not pass them all.
  const skip = createButton({ class: "to-player", text: text.skip }, () => buttons.play.focus());
  return {
    root,
    skip,
    initialSpeed: SPEEDS[USUAL][1],
    update({ step, index }) {
      if (Number(slider.value) !== index) slider.value = String(index);
      setStyle(slider, "--done", share(index));
      setAttribute(slider, "aria-valuetext", fill(text.slider_value, { step: index + 1, steps: count, kind: words.kinds[step.kind] }));
      setText(place, `${index + 1} / ${count}`);
      setText(now, fill(text.step, { step: index + 1, steps: count, kind: words.kinds[step.kind] }));
      for (const name of ["first", "previous"]) setAttribute(buttons[name], "data-idle", index === 0 ? "" : null);
      for (const name of ["next", "last"]) setAttribute(buttons[name], "data-idle", index === count - 1 ? "" : null);
    },
    playing(on) {
      setAttribute(buttons.play, "aria-label", on ? text.pause : text.play);
      setAttribute(buttons.play, "title", on ? text.pause : text.play);
      buttons.play.replaceChildren(icon(on ? "pause" : "play"));
    },
  };
}
