/** Presenter mode's buttons: the one in the player's bar that enters and leaves it, and the mode's own. */

import { el, setAttribute, setText } from "./dom.js";
import { createButton } from "./elements.js";

/** Make them. `actions` has a function for each of the mode's own buttons; `turn` enters or leaves. */
export function createPresenterBar(text, actions, turn) {
  const control = (name, action) => createButton({ class: `control present-${name}`, "data-testid": `present-${name}`,
    title: text[`${name}_title`] }, action, el("span", { text: text[name] }));
  const toggle = control("enter", turn);
  const [answer, ask, note, ...others] = ["answer", "ask", "note", "blank", "full"].map((name) => control(name, actions[name]));
  const root = el("span", { class: "presenter-bar", role: "group", "aria-label": text.group, hidden: "" }, answer, ask, note, ...others);
  return {
    toggle,
    root,
    /** `shown` says whether the frame's answer is on show, and is null where the frame has none. */
    draw(presenting, shown, asksFirst, noted) {
      root.hidden = !presenting;
      setAttribute(answer, "aria-pressed", String(shown === true));
      setAttribute(answer, "aria-disabled", shown === null ? "true" : null);
      setAttribute(ask, "aria-pressed", String(asksFirst));
      setAttribute(note, "aria-pressed", String(noted));
      setText(toggle.firstChild, presenting ? text.leave : text.enter);
      setAttribute(toggle, "title", presenting ? text.leave_title : text.enter_title);
    },
  };
}
