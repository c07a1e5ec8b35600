/** A link to a section is followed again while what stands above it still grows, unless the reader moves first. */

/** After the page opened at a section: how often, and how far apart in milliseconds, to scroll there again. */
const SETTLE_TIMES = 12;
const SETTLE_MS = 250;
const READER_MOVES = ["wheel", "touchstart", "keydown", "pointerdown"];

/** Start, if the address names one of the sections. Returns what ends it. */
export function followAddress(sections) {
  let settling = 0;
  function leaveAlone() {
    clearInterval(settling);
    for (const name of READER_MOVES) window.removeEventListener(name, leaveAlone, { capture: true });
  }
  const key = decodeURIComponent(location.hash.slice(1));
  if (!sections.some((section) => section.key === key)) return leaveAlone;
  let left = SETTLE_TIMES;
  settling = setInterval(() => {
    document.getElementById(key)?.scrollIntoView({ block: "start" });
    if ((left -= 1) === 0) leaveAlone();
  }, SETTLE_MS);
  for (const name of READER_MOVES) window.addEventListener(name, leaveAlone, { capture: true, passive: true });
  return leaveAlone;
}
