/** The places that a section leads to: a step of the stage above, or another page in the same tab. */

import { el } from "../stage/dom.js";
import { isPlainClick, SHOW_EVENT } from "./drive_stage.js";

/** Make the list. `places` are `{ name, label, href, step }`; `step` is null where another page is meant. */
export function createPlaces(places, section, finish) {
  const items = places.map((place) => {
    const link = el("a", { href: place.href, "data-testid": "place", "data-place": place.name, "data-step": place.step },
      el("span", { class: "arrow", "aria-hidden": "true", text: place.step === null ? "→" : "↑" }), place.label);
    link.onclick = (event) => {
      finish();
      if (!isPlainClick(event)) return;
      if (place.step === null) {
        // The way back from there leads to this section.
        history.replaceState(history.state, "", `#${section}`);
        return;
      }
      const asked = new CustomEvent(SHOW_EVENT, { cancelable: true, detail: { step: place.step, section } });
      if (!window.dispatchEvent(asked)) event.preventDefault();
    };
    return el("li", {}, link);
  });
  return { root: el("ul", { class: "places" }, ...items) };
}
