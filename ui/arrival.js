/**
 * Shows a page whole. What arrives piece by piece, the sidebar, the text, the parts that scripts fill, stays
 * hidden until nothing grows any more, so that nothing jumps under the reader's eyes or finger.
 */

/** How long the page must have kept its height, and how long the reader waits at most once something is there. */
const QUIET_MS = 50;
const LONGEST_MS = 4000;

const { classList } = document.documentElement;
let height = 0, still = 0, first = 0;

/** Whether the script has run to its end, and what it asked for is there: no placeholder, no part unfilled. */
function complete() {
  const app = document.querySelector('[data-testid="stApp"]');
  return app?.dataset.testScriptState === "notRunning" && document.querySelector('[data-testid="stMain"] h1') !== null
    && document.querySelector('[data-testid="stSkeleton"], [data-testid^="stBidiComponent"]:not([data-filled])') === null;
}

function look(now) {
  const grown = document.querySelector('[data-testid="stMainBlockContainer"]')?.offsetHeight ?? 0;
  if (grown !== height || !complete()) still = now;
  height = grown;
  first ||= grown ? now : 0;
  if (now - still >= QUIET_MS || (first && now - first >= LONGEST_MS)) classList.remove("arriving");
  else requestAnimationFrame(look);
}

classList.add("arriving");
requestAnimationFrame(look);
