/** What a section ends in: something to do, and the tick that says it was done. All in the browser. */

import { createProgress, PROGRESS_EVENT } from "../progress/progress_store.js";
import { el, setAttribute, setText } from "../stage/dom.js";
import { createPlaces } from "./act_places.js";
import { createPrediction } from "./act_predict.js";
import { createSizeRun } from "./act_run.js";
import { createSlider } from "./act_slider.js";

/** What is mounted in each parent element. Streamlit calls again on the same element without cleaning up. */
const actsMounted = new WeakMap();

function createTick(data, progress) {
  const box = el("button", { type: "button", class: "tick", "data-testid": "section-tick", title: data.words.tick_help });
  const sign = el("span", { class: "sign", "aria-hidden": "true" });
  const label = el("span");
  box.append(sign, label);
  const done = () => data.section in progress.load().sections;
  const show = () => {
    setAttribute(box, "aria-pressed", String(done()));
    setText(sign, done() ? "✓" : "");
    setText(label, done() ? data.words.done : data.words.not_done);
  };
  box.onclick = () => {
    if (done()) progress.forget("sections", data.section);
    else progress.record("sections", data.section);
    show();
  };
  show();
  return { box, show };
}

/** Put what a section ends in into an element. */
export function createAct(host, data) {
  const progress = createProgress();
  const finish = () => {
    if (!(data.section in progress.load().sections)) progress.record("sections", data.section);
  };
  const root = el("section", { class: "act", "data-testid": "act", "data-section": data.section, "aria-label": `${data.words.label}: ${data.title}` });
  const tick = createTick(data, progress);
  root.append(el("header", {}, el("p", { class: "do" }, el("strong", { text: data.words.label }), ` ${data.do}`), tick.box));
  const parts = [];
  if (data.slider) parts.push(createSlider(data.slider, finish));
  if (data.run) parts.push(createSizeRun(data.run, progress, finish));
  if (data.places.length) parts.push(createPlaces(data.places, data.section, finish));
  if (data.predict) parts.push(createPrediction(data.predict, data.section, data.words, progress, finish));
  root.append(...parts.map((part) => part.root));
  host.replaceChildren(root);
  const refresh = () => {
    tick.show();
    for (const part of parts) part.refresh?.();
  };
  window.addEventListener(PROGRESS_EVENT, refresh);
  window.addEventListener("storage", refresh);
  return {
    id: JSON.stringify(data),
    destroy() {
      window.removeEventListener(PROGRESS_EVENT, refresh);
      window.removeEventListener("storage", refresh);
      for (const part of parts) part.destroy?.();
      host.replaceChildren();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountAct({ data, parentElement }) {
  const before = actsMounted.get(parentElement);
  if (before?.id !== JSON.stringify(data)) {
    before?.destroy();
    actsMounted.set(parentElement, createAct(parentElement.querySelector(".act-host"), data));
  }
  return () => {
    actsMounted.get(parentElement)?.destroy();
    actsMounted.delete(parentElement);
  };
}
