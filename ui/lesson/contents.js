/** The lesson's list of sections with its ticks, and the listener that lets links in the text drive the stage. */

import { createProgress, PROGRESS_EVENT } from "../progress/progress_store.js";
import { el, setAttribute, setText } from "../stage/dom.js";
import { keepBeside } from "./contents_aside.js";
import { bringIntoView, findStage, isPlainClick, scrollManner, SHOW_EVENT, showStep, stepOfLink } from "./drive_stage.js";

const contentsMounted = new WeakMap();

/** After the page opened at a section: how often, and how far apart in milliseconds, to scroll there again. */
const SETTLE_TIMES = 12;
const SETTLE_MS = 250;
const READER_MOVES = ["wheel", "touchstart", "keydown", "pointerdown"];

/** Put the list of sections into an element. */
export function createContents(host, data) {
  const { words } = data;
  const progress = createProgress();
  const count = el("span", { class: "count", "data-testid": "contents-count" });
  const entries = data.sections.map((section) => {
    const sign = el("span", { class: "sign", "aria-hidden": "true" });
    const spoken = el("span", { class: "spoken" });
    const link = el("a", { href: `#${section.key}` }, section.title);
    link.onclick = (event) => {
      if (!isPlainClick(event)) return;
      event.preventDefault();
      goTo(section.key);
    };
    return { section, sign, spoken, item: el("li", { "data-section": section.key }, sign, link, section.added ? el("span", { class: "added", text: words.added }) : null, spoken) };
  });
  const back = el("button", { type: "button", class: "back", hidden: "", "data-testid": "back-to-text" });
  const list = el("nav", { class: "contents", "aria-label": words.title, "data-testid": "contents" },
    el("header", {}, el("strong", { text: words.title }), count), el("ol", {}, ...entries.map((entry) => entry.item)));
  host.replaceChildren(list, back);
  const aside = keepBeside(host, list, entries);

  function goTo(key) {
    history.replaceState(history.state, "", `#${key}`);
    const heading = document.getElementById(key);
    heading?.scrollIntoView({ behavior: scrollManner(), block: "start" });
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
  }
  function show() {
    const { sections } = progress.load();
    for (const { section, sign, spoken, item } of entries) {
      const done = section.key in sections;
      setText(sign, done ? "✓" : "");
      setText(spoken, done ? ` (${words.ticked})` : "");
      setAttribute(item, "data-done", done ? "" : null);
    }
    const done = entries.filter(({ section }) => section.key in sections).length;
    setText(count, words.done.replace("{done}", done).replace("{all}", entries.length));
  }
  /** Take the way back away once the reader has come back without it. */
  let returning = null;
  function hideWhenSeenAgain(heading) {
    let left = false;
    returning?.disconnect();
    returning = new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting && left) {
        back.hidden = true;
        returning.disconnect();
      }
      left ||= !entry.isIntersecting;
    });
    returning.observe(heading);
  }
  /** Show a step on the stage of this page; false where there is none. */
  function drive(step, section) {
    const stage = findStage();
    if (!showStep(stage, step)) return false;
    bringIntoView(stage);
    const title = data.sections.find((each) => each.key === section)?.title;
    back.hidden = !title;
    if (title) {
      setText(back, `↓ ${words.back.replace("{title}", title)}`);
      back.onclick = () => {
        back.hidden = true;
        goTo(section);
      };
      hideWhenSeenAgain(document.getElementById(section));
    }
    return true;
  }
  const onShow = (event) => {
    if (drive(event.detail.step, event.detail.section)) event.preventDefault();
  };
  /** The section that an element of the text stands in: the last heading before it. */
  function sectionOf(node) {
    const before = data.sections.filter(({ key }) => {
      const heading = document.getElementById(key);
      return heading && heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
    });
    return before.at(-1)?.key ?? null;
  }
  const onClick = (event) => {
    const link = event.target.closest?.("a[href]");
    const step = link && isPlainClick(event) ? stepOfLink(link.href) : null;
    if (step === null || !link.closest("[data-testid='stMarkdown']")) return;
    const section = sectionOf(link);
    if (!drive(step, section)) return;
    event.preventDefault();
    if (section && !(section in progress.load().sections)) progress.record("sections", section);
  };
  /** A link to a section is followed again while what stands above it still grows, unless the reader moves first. */
  let settling = 0;
  function settle() {
    const key = decodeURIComponent(location.hash.slice(1));
    if (!data.sections.some((section) => section.key === key)) return;
    let left = SETTLE_TIMES;
    settling = setInterval(() => {
      document.getElementById(key)?.scrollIntoView({ block: "start" });
      if ((left -= 1) === 0) leaveAlone();
    }, SETTLE_MS);
    for (const name of READER_MOVES) window.addEventListener(name, leaveAlone, { capture: true, passive: true });
  }
  function leaveAlone() {
    clearInterval(settling);
    for (const name of READER_MOVES) window.removeEventListener(name, leaveAlone, { capture: true });
  }
  document.addEventListener("click", onClick);
  window.addEventListener(SHOW_EVENT, onShow);
  window.addEventListener(PROGRESS_EVENT, show);
  window.addEventListener("storage", show);
  show();
  settle();
  return {
    id: JSON.stringify(data),
    destroy() {
      leaveAlone();
      aside.stop();
      returning?.disconnect();
      document.removeEventListener("click", onClick);
      window.removeEventListener(SHOW_EVENT, onShow);
      window.removeEventListener(PROGRESS_EVENT, show);
      window.removeEventListener("storage", show);
      host.replaceChildren();
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountContents({ data, parentElement }) {
  const before = contentsMounted.get(parentElement);
  if (before?.id !== JSON.stringify(data)) {
    before?.destroy();
    contentsMounted.set(parentElement, createContents(parentElement.querySelector(".contents-host"), data));
  }
  return () => {
    contentsMounted.get(parentElement)?.destroy();
    contentsMounted.delete(parentElement);
  };
}
