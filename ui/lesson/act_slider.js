/** A slider over stops that were computed beforehand: bars and one sentence for each. */

import { el, setAttribute, setStyle, setText } from "../stage/dom.js";

let slidersMade = 0;

/** Make it. `slider` is what `lesson.sliders.slider` returns. */
export function createSlider(slider, finish) {
  const name = `slider-${(slidersMade += 1)}`;
  const input = el("input", { type: "range", id: name, min: "0", max: String(slider.stops.length - 1), step: "1", value: String(slider.start), "data-testid": "act-slider" });
  const value = el("output", { for: name, class: "value" });
  const bars = slider.stops[0].bars.map((bar) => {
    const fill = el("span", { class: "fill" });
    setStyle(fill, "background", `var(--tw-${bar.tensor})`);
    const text = el("span", { class: "bytes" });
    return { fill, text, row: el("div", { class: "bar" }, el("span", { class: "name", text: bar.name }), el("span", { class: "track" }, fill), text) };
  });
  const says = el("p", { class: "says", "data-testid": "act-says" });
  function show() {
    const stop = slider.stops[Number(input.value)];
    setText(value, stop.label);
    setAttribute(input, "aria-valuetext", stop.label);
    stop.bars.forEach((bar, place) => {
      setStyle(bars[place].fill, "width", `${Math.max(bar.share * 100, 0.4)}%`);
      setText(bars[place].text, bar.text);
    });
    setText(says, stop.says);
  }
  input.oninput = () => {
    show();
    finish();
  };
  show();
  return {
    root: el("div", { class: "slider" },
      el("div", { class: "control" }, el("label", { for: name, text: slider.label }), input, value),
      el("div", { class: "bars" }, ...bars.map((bar) => bar.row)),
      says, el("p", { class: "assumes", text: slider.assumes })),
  };
}
