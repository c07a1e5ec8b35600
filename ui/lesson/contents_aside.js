/** Keeps the list of sections beside the text, where the page is wide enough, once the reader has scrolled past it. */

import { setAttribute } from "../stage/dom.js";

/** The text's own width, a gap, and the list beside it: as `lesson.css` has them. In pixels. */
const ROOM = 760 + 28 + 256;
/** A section counts as being read once its heading is this near to the top. In pixels. */
const NEAR_TOP = 160;

/** The section that is being read: the last whose heading has come near to the top; null above the first. */
function readingAt(tops) {
  const passed = tops.filter(({ top }) => top !== null && top <= NEAR_TOP);
  return passed.at(-1)?.key ?? null;
}

/** Start. `host` holds the list where it stands in the page, `entries` are its sections with their items. */
export function keepBeside(host, list, entries) {
  let due = 0;
  function look() {
    due = 0;
    const beside = host.getBoundingClientRect().bottom < 0 && host.clientWidth >= ROOM;
    if (beside !== list.hasAttribute("data-beside")) {
      // Its place stays as high as it was, so that nothing below moves.
      host.style.minHeight = beside ? `${host.offsetHeight}px` : "";
      setAttribute(list, "data-beside", beside ? "" : null);
    }
    const reading = beside ? readingAt(entries.map(({ section: { key } }) => ({ key, top: document.getElementById(key)?.getBoundingClientRect().top ?? null }))) : null;
    for (const { section, item } of entries) setAttribute(item, "aria-current", section.key === reading ? "true" : null);
  }
  const soon = () => { due ||= requestAnimationFrame(look); };
  document.addEventListener("scroll", soon, { capture: true, passive: true });
  window.addEventListener("resize", soon);
  return {
    stop() {
      cancelAnimationFrame(due);
      document.removeEventListener("scroll", soon, { capture: true });
      window.removeEventListener("resize", soon);
    },
  };
}
