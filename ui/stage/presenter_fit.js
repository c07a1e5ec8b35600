/** Let the two memories fill the screen: they are drawn larger where there is room, and smaller where they would not fit. */

import { setStyle } from "./dom.js";

/** Narrower than this, in pixels, presenter mode scrolls instead: a telephone is no projector. */
const NARROWEST = 800;

/** Smaller than this share the numbers could not be told apart. */
const SMALLEST = 0.4;

/** What is tried, the largest first, where a zone leaves room. */
const LARGER = [1.75, 1.5, 1.3, 1.15];

/** Make it. `fit()` is to be called whenever what the zones show has changed. */
export function createFitting(root) {
  const zones = () => [...root.querySelectorAll(".zone.outer, .zone.chip")];
  let due = 0;

  /** Draw a zone at a size, and say whether it fits. */
  function fits(zone, share) {
    setStyle(zone, "--shrink", share.toFixed(3));
    return zone.scrollHeight <= zone.clientHeight + 1 && zone.scrollWidth <= zone.clientWidth + 1;
  }
  function shrink(zone) {
    let share = 1;
    // A narrower zoom gives more width, so lines may join: a second look is enough.
    for (let look = 0; look < 3 && zone.scrollHeight > zone.clientHeight + 1; look += 1) {
      share = Math.max(SMALLEST, (share * zone.clientHeight) / zone.scrollHeight);
      fits(zone, share);
    }
  }
  function measure() {
    due = 0;
    if (!root.isConnected || !root.hasAttribute("data-presenter")) return;
    for (const zone of zones()) {
      const whole = fits(zone, 1);
      if (root.clientWidth < NARROWEST) continue;
      if (!whole) shrink(zone);
      else if (!LARGER.some((share) => fits(zone, share))) fits(zone, 1);
    }
  }
  const watcher = new ResizeObserver(() => schedule());
  function schedule() {
    if (!due) due = requestAnimationFrame(measure);
  }
  return {
    fit: schedule,
    start() {
      watcher.observe(root);
      schedule();
    },
    stop() {
      watcher.disconnect();
      cancelAnimationFrame(due);
      due = 0;
      for (const zone of zones()) zone.style.removeProperty("--shrink");
    },
  };
}
