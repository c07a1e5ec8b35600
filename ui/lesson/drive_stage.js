/** Links in the lesson's text that show a frame on the lesson's own stage, and the way back to the text. */

/** Asks whoever has the stage to show a step: `detail` is `{ step, section }`. */
export const SHOW_EVENT = "tilewise:show";

/** The step that an address shows on the lesson's own stage, or null: only what asks for nothing else is shown there. */
export function stepOfLink(href) {
  const url = new URL(href, "http://app/");
  const names = [...url.searchParams.keys()];
  const step = url.searchParams.get("step");
  const ours = /\/step_through$/.test(url.pathname) && names.length === 1 && step !== null && /^\d+$/.test(step);
  return ours ? Number(step) : null;
}

/** The stage on the page, or null. It lives in a shadow root of its own. */
export function findStage(within = document) {
  for (const host of within.querySelectorAll("[data-testid='stBidiComponentIsolated']")) {
    const stage = host.shadowRoot?.querySelector("[data-testid='stage']");
    if (stage) return stage;
  }
  return null;
}

/** Scrub the stage to a step, as a reader would. Says whether it could. */
export function showStep(stage, step) {
  const slider = stage?.querySelector(".transport input[type=range]");
  if (!slider) return false;
  slider.value = String(step);
  slider.dispatchEvent(new Event("input"));
  return true;
}

/** Whether a click is a plain one: with a modifier or another button it means a new tab. */
export function isPlainClick(event) {
  return event.button === 0 && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

/** Bring the stage into view, whole where the window is high enough, below Streamlit's own bar. */
export function bringIntoView(stage) {
  stage.style.scrollMarginTop = "3.75rem";
  stage.scrollIntoView({ behavior: scrollManner(), block: "start" });
}

/** How to scroll: at once for those who asked for less motion. */
export function scrollManner() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}
