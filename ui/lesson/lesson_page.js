/**
 * All that the lesson's page needs beside its sentences, as one part: the list of sections where the part stands, and
 * what each section ends in, below the section's own text. One part for all of them, because each part of a page costs
 * the server and the browser time.
 */

import { createAct } from "./act.js";
import { createContents } from "./contents.js";
import { findStage } from "./drive_stage.js";

const lessonsMounted = new WeakMap();
/**
 * The sentences are asked for when the stage has stood for a while, or nothing stands after a longer one; at once when
 * the reader scrolls or came by a link to a section. In milliseconds.
 */
const STOOD_MS = 800;
const LATEST_MS = 4000;
const LOOK_MS = 50;
/** Tells the page (arrival.js) that the way on will move: below the sentences, which come later. */
const GROWING = "tilewise:growing";

/** Ask once for the sentences. Composing them takes the browser longer than all else, and the stage is above them. */
function askLater(ask) {
  const since = performance.now();
  let stood = 0;
  const looking = setInterval(() => {
    if (!stood && findStage()) stood = performance.now();
    if (location.hash || performance.now() - since > LATEST_MS || (stood && performance.now() - stood > STOOD_MS)) now();
  }, LOOK_MS);
  function stop() {
    clearInterval(looking);
    document.removeEventListener("scroll", now, { capture: true });
  }
  function now() {
    stop();
    ask();
  }
  document.addEventListener("scroll", now, { capture: true, passive: true });
  return stop;
}

/** What Streamlit made of the column's stretches, in order, once all of it is there; null before. */
function stretchesOf(data) {
  const column = document.querySelector(`.st-key-${data.column}`);
  const made = column ? [...column.children].map((child) => child.querySelector("[data-testid='stMarkdownContainer'], .stHtml")) : [];
  return made.length === data.stretches && made.every(Boolean) ? made : null;
}

/** The blocks of a stretch that are headings. */
function headingsOf(stretch) {
  return [...stretch.children].filter((block) => block.matches("h2, h3") || block.querySelector("h2, h3"));
}

/** Name a section's heading, so that links to it work: Streamlit calls it after its title. */
function nameHeading(block, key) {
  const heading = block.matches("h2, h3") ? block : block.querySelector("h2, h3");
  heading.id = key;
  heading.querySelector("a[href^='#']")?.setAttribute("href", `#${key}`);
}

/** What the lesson is made of: whether its sentences are there makes no other lesson of it. */
function idOf({ open, ...lesson }) {
  return JSON.stringify(lesson);
}

function createLesson(host, data, sheets) {
  const contents = createContents(host, data.contents);
  const acts = [];
  // Streamlit tells its theme to parts of its own only.
  const font = getComputedStyle(host).getPropertyValue("--st-font");
  const watcher = new MutationObserver(place);
  function place() {
    const stretches = stretchesOf(data);
    if (!stretches) return;
    const headings = stretches.map(headingsOf);
    // A text with formulas stands empty until Streamlit has fetched what draws them.
    if (!data.acts.every(({ at }) => headings[at.starts][at.heading])) return;
    watcher.disconnect();
    for (const section of data.acts) {
      const { starts, heading, ends, before } = section.at;
      nameHeading(headings[starts][heading], section.section);
      const place = document.createElement("div");
      place.className = "tw-act";
      const root = place.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = sheets;
      place.style.setProperty("--st-font", font);
      // Between blocks of Streamlit's own, none of which is moved: what it adds or takes away stays its own affair.
      stretches[ends].insertBefore(place, before === null ? null : headings[ends][before]);
      acts.push({ place, act: createAct(root, section) });
    }
  }
  window.dispatchEvent(new CustomEvent(GROWING, { detail: () => document.querySelector(".tw-act") !== null }));
  watcher.observe(document.querySelector("[data-testid='stMain']"), { childList: true, subtree: true });
  place();
  return {
    id: idOf(data),
    destroy() {
      this.stopAsking?.();
      watcher.disconnect();
      contents.destroy();
      for (const { place: at, act } of acts) {
        act.destroy();
        at.remove();
      }
    },
  };
}

/** Streamlit's entry: called on mount, and again on the same element whenever the data changes. */
export default function mountLesson({ data, parentElement, setStateValue }) {
  const before = lessonsMounted.get(parentElement);
  if (before?.id !== idOf(data)) {
    before?.destroy();
    const host = parentElement.querySelector(".lesson-host");
    const lesson = createLesson(host, data, parentElement.getRootNode().adoptedStyleSheets);
    if (!data.open) lesson.stopAsking = askLater(() => setStateValue("open", true));
    lessonsMounted.set(parentElement, lesson);
  }
  return () => {
    lessonsMounted.get(parentElement)?.destroy();
    lessonsMounted.delete(parentElement);
  };
}
