/** The lesson's list of sections with its ticks, and the listener that lets links in the text drive the stage. */

import { createProgress, PROGRESS_EVENT } from "../progress/progress_store.js";
import { el, setAttribute, setText } from "../stage/dom.js";
import { keepBeside } from "./contents_aside.js";
import { followAddress } from "./contents_settle.js";
import { bringIntoView, findStage, isPlainClick, scrollManner, SHOW_EVENT, showStep, stepOfLink } from "./drive_stage.js";

const contentsMounted = new WeakMap();

/** Go to a section, as a link to it would, and put the focus there. */
function goTo(key) {
  history.replaceState(history.state, "", `#${key}`);
  const heading = document.getElementById(key);
  heading?.scrollIntoView({ behavior: scrollManner(), block: "start" });
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

/** The section that an element of the text stands in: the last heading before it. */
function sectionOf(node, sections) {
  const before = sections.filter(({ key }) => {
    const heading = document.getElementById(key);
    return heading && heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
  });
  return before.at(-1)?.key ?? null;
}

/** A section's line in the list. */
function createEntry(section, words) {
  const sign = el("span", { class: "sign", "aria-hidden": "true" });
  const spoken = el("span", { class: "spoken" });
  const link = el("a", { href: `#${section.key}` }, section.title);
  link.onclick = (event) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    goTo(section.key);
  };
  const added = section.added ? el("span", { class: "added", text: words.added }) : null;
  return { section, sign, spoken, item: el("li", { "data-section": section.key }, sign, link, added, spoken) };
}

/** Put the list of sections into an element. */
export function createContents(host, data) {
  const { words } = data;
  const progress = createProgress();
  const count = el("span", { class: "count", "data-testid": "contents-count" });
  const entries = data.sections.map((section) => createEntry(section, words));
  const back = el("button", { type: "button", class: "back", hidden: "", "data-testid": "back-to-text" });
  const list = el("nav", { class: "contents", "aria-label": words.title, "data-testid": "contents" },
    el("header", {}, el("strong", { text: words.title }), count), el("ol", {}, ...entries.map((entry) => entry.item)));
  host.replaceChildren(list, back);
  const aside = keepBeside(host, list, entries);

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
    if (stage === null) return false;
    // The browser's own way back leads to the text too, and not out of the lesson.
    if (back.hidden) history.pushState(history.state, "", location.href);
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
  const onClick = (event) => {
    const link = event.target.closest?.("a[href]");
    const step = link && isPlainClick(event) ? stepOfLink(link.href) : null;
    if (step === null || !link.closest("[data-testid='stMarkdown']")) return;
    const section = sectionOf(link, data.sections);
    if (!drive(step, section)) return;
    event.preventDefault();
    if (section && !(section in progress.load().sections)) progress.record("sections", section);
  };
  const onBack = () => {
    if (!back.hidden) back.click();
  };
  document.addEventListener("click", onClick);
  window.addEventListener("popstate", onBack);
  window.addEventListener(SHOW_EVENT, onShow);
  window.addEventListener(PROGRESS_EVENT, show);
  window.addEventListener("storage", show);
  show();
  const leaveAlone = followAddress(data.sections);
  return {
    id: JSON.stringify(data),
    destroy() {
      leaveAlone();
      aside.stop();
      returning?.disconnect();
      document.removeEventListener("click", onClick);
      window.removeEventListener("popstate", onBack);
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
