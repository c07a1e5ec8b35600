/**
 * Shows a page whole. What arrives piece by piece, the sidebar, the text, the parts that scripts fill, stays
 * hidden until nothing grows any more, so that nothing jumps under the reader's eyes or finger. Of a page that
 * follows another one, only the way on at its foot is hidden (page.css): what is above it is read as it comes.
 */

/** How long the page must have kept its height, and how long the reader waits at most: for the page, for the way on. */
const QUIET_MS = 50;
const PAGE_MS = 4000;
const WAY_MS = 10000;

const { classList } = document.documentElement;
const find = (selector) => document.querySelector(selector);
const pathOf = ({ pathname }) => pathname.replace(/\/$/, "");
let path = pathOf(location);
let tells = [];

/** Whether the script has run to its end, and what it asked for is there: no placeholder, no part unfilled. */
function complete() {
  return find('[data-testid="stApp"]')?.dataset.testScriptState === "notRunning" && find('[data-testid="stMain"] h1') !== null
    && find('[data-testid="stSkeleton"], [data-testid^="stBidiComponent"]:not([data-filled])') === null;
}

/** Whether the sidebar's own page is the one that the address names. */
function followed() {
  const here = find(".sidebar-host [aria-current='page']");
  return here !== null && pathOf(here) === path;
}

/** Keep a class on the whole document until the page is there and has kept its height, or for so long. */
function until(name, there, longest) {
  let height = 0, still = 0, first = 0;
  const began = path;
  classList.add(name);
  requestAnimationFrame(function look(now) {
    if (path !== began) return;
    const grown = find('[data-testid="stMainBlockContainer"]')?.offsetHeight ?? 0;
    if (grown !== height || !there()) still = now;
    height = grown;
    first ||= grown ? now : 0;
    if (now - still >= QUIET_MS || (first && now - first >= longest)) classList.remove(name);
    else requestAnimationFrame(look);
  });
}

/** Keep the way on hidden until it moves no more: until all of what was said to tell so does. */
function hideWay(there) {
  tells.push(there);
  until("growing", () => tells.every((each) => each()) && complete() && document.fonts.status === "loaded", WAY_MS);
}

until("arriving", complete, PAGE_MS);
addEventListener("popstate", () => {
  if (pathOf(location) === path) return;
  path = pathOf(location);
  classList.remove("arriving", "growing");
  tells = [];
  hideWay(followed);
});
// A part that will make its page longer by itself says so, and how to tell that it has.
addEventListener("tilewise:growing", ({ detail }) => hideWay(detail));
