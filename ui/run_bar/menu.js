/** A button that opens a panel of its own. Escape and a press elsewhere close it; after Escape the button has the focus. */

import { el, setAttribute } from "../stage/dom.js";

/** Pixels between the panel and its button, and at least between it and the window's edges. */
const PANEL_GAP = 6;
const PANEL_MARGIN = 12;
/** However far down the button is, its panel gets this share of the window's height. */
const PANEL_SHARE = 0.55;

/** Where a panel stands: under its button, flush with the button's right end, and inside the window. */
export function panelPlace(button, wanted, view) {
  const width = Math.min(wanted, view.width - 2 * PANEL_MARGIN);
  const left = Math.max(PANEL_MARGIN, Math.min(button.right, view.width - PANEL_MARGIN) - width);
  const top = Math.max(PANEL_MARGIN, Math.min(button.bottom + PANEL_GAP, view.height * (1 - PANEL_SHARE)));
  return { width, left, top, height: view.height - top - PANEL_MARGIN };
}

function sign(symbol) {
  return el("span", { class: "icon", "aria-hidden": "true", translate: "no", text: symbol });
}

/** Make both. `icon` is the name of a Material symbol, `width` that of the panel in pixels. */
export function createMenu({ name, label, icon, width }, content) {
  const panel = el("div", { class: "panel", role: "dialog", "aria-label": label, popover: "auto", "data-testid": `${name}-panel` }, content);
  const button = el("button", { type: "button", class: "menu", "aria-expanded": "false" }, sign(icon), el("span", { text: label }), sign("keyboard_arrow_down"));
  const changed = new Set();
  function place() {
    const at = panelPlace(button.getBoundingClientRect(), width, { width: innerWidth, height: innerHeight });
    Object.assign(panel.style, { width: `${at.width}px`, left: `${at.left}px`, top: `${at.top}px`, maxHeight: `${at.height}px` });
  }
  button.popoverTargetElement = panel;
  panel.onbeforetoggle = ({ newState }) => {
    if (newState === "open") place();
    setAttribute(button, "aria-expanded", newState === "open");
  };
  const onResize = () => { if (panel.matches(":popover-open")) place(); };
  window.addEventListener("resize", onResize);
  return {
    button,
    panel,
    /** Mark the button while a value behind it is not the usual one. */
    mark(field, differs) {
      changed[differs ? "add" : "delete"](field);
      setAttribute(button, "data-changed", changed.size ? "" : null);
    },
    destroy() { window.removeEventListener("resize", onResize); },
  };
}
