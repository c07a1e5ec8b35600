/**
 * A box that is laid out alone. A browser lays out the whole page again for a new word, unless the word stands in a
 * box whose size depends on nothing inside it. Such a box is made here for content of any height.
 */

import { el, setAttribute, setStyle } from "./dom.js";

/**
 * Put `flow` into a box that has its height and is laid out alone.
 *
 * The height is taken over before the frame is painted, so that it never shows an older one.
 */
export function pocket(flow) {
  const root = el("div", { class: "pocket" }, flow);
  const watcher = new ResizeObserver(([{ borderBoxSize }]) => {
    const height = borderBoxSize[0].blockSize;
    if (height === 0) return; // not drawn just now
    setStyle(root, "height", `${height}px`);
    setAttribute(root, "data-held", "");
  });
  watcher.observe(flow);
  return root;
}
