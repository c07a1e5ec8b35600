/** Presenter mode's keys, and the focus kept inside the stage: the page behind is covered. */

import { belongsTo } from "./keys.js";

/** The key of an action of presenter mode, or null. Remote controls send B or a full stop to blank the screen. */
function presenterAction(key) {
  const actions = { a: "answer", n: "note", b: "blank", ".": "blank", f: "full", h: "ask", Escape: "leave" };
  return actions[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/** Make them. Any key ends the `blank` screen, `by` steps, and a focus that wanders off goes to `toggle`. */
export function createPresenterKeys(root, blank, toggle, actions, by) {
  function keepFocus(event) {
    if (!event.composedPath().includes(root)) toggle.focus();
  }
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return;
    const target = event.composedPath()[0];
    const take = () => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    if (!blank.hidden) {
      take();
      actions.blank();
      return;
    }
    // A remote control knows only these two keys; a slider that has the focus must not eat them.
    if (event.key === "PageDown" || event.key === "PageUp") {
      take();
      by(event.key === "PageDown" ? 1 : -1);
      return;
    }
    const action = presenterAction(event.key);
    if (action === null || event.shiftKey || (action !== "leave" && belongsTo(target, event.key))) return;
    take();
    actions[action]();
  }
  return {
    start() {
      document.addEventListener("keydown", onKey, true);
      document.addEventListener("focusin", keepFocus);
    },
    stop() {
      document.removeEventListener("keydown", onKey, true);
      document.removeEventListener("focusin", keepFocus);
    },
  };
}
