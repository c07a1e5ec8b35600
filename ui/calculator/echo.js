/**
 * On a phone the fields fill the screen, and what they change lies below it: until it is in sight, the first result
 * is told at the screen's foot.
 */

import { el, setText } from "../stage/dom.js";

/** Make the line, and return what looks for the first result anew, after the pieces may have changed. */
export function createEcho(host) {
  const label = el("span");
  const value = el("strong");
  const bar = el("button", { type: "button", class: "echo", hidden: "" }, label, value,
    el("span", { class: "icon", "aria-hidden": "true", translate: "no", text: "arrow_downward" }));
  let result = null;
  bar.onclick = () => result?.scrollIntoView({ block: "center" });
  host.after(bar);
  const watcher = new IntersectionObserver((entries) => {
    const seen = entries.at(-1);
    bar.hidden = seen.isIntersecting || seen.boundingClientRect.top < 0;
  });
  return () => {
    const found = host.firstElementChild?.querySelector(".twc-result, .twc-card") ?? null;
    if (found !== null) {
      setText(label, found.querySelector(".twc-label").textContent);
      setText(value, found.querySelector(".twc-big, .twc-value").textContent);
    }
    if (found === result) return;
    watcher.disconnect();
    result = found;
    if (result === null) bar.hidden = true;
    else watcher.observe(result);
  };
}
