/** Elements that the stage alone makes: buttons, and parts of a drawing. */

import { el } from "./dom.js";

/** Make a button. Attributes are those of `el`. */
export function createButton(attributes, action, ...children) {
  const node = el("button", { type: "button", ...attributes }, ...children);
  node.onclick = action;
  return node;
}

/** Make an element of a drawing. */
export function elSvg(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
