/** The progress in the sidebar: a summary, and a file to keep or bring back. */

import { el, setText } from "../stage/dom.js";
import { filledWords, progressCounts, worksOnPage } from "./progress_marks.js";
import { createProgress, PROGRESS_EVENT, ProgressError } from "./progress_store.js";

const WORK_EVENTS = ["click", "input", "change"];
/** Keys that play and step: they work on a page without any control having the focus. */
const STEP_KEYS = ["ArrowLeft", "ArrowRight", " ", "PageDown", "PageUp"];

/** Make the panel. `data` is what the sidebar gets: `{ page, labs, plan, words }`. */
export function createPanel(data) {
  const { words, plan } = data;
  const progress = createProgress();
  const summary = el("p", { class: "summary", "data-testid": "progress-summary" });
  const said = el("p", { class: "said", role: "status", "aria-live": "polite", "data-testid": "progress-said" });
  const download = el("button", { type: "button", text: words.download, "data-testid": "progress-download" });
  const chooser = el("input", { type: "file", accept: ".json,application/json", hidden: "", "aria-label": words.restore, "data-testid": "progress-file" });
  const restore = el("button", { type: "button", text: words.restore, "data-testid": "progress-restore" });
  const clear = el("button", { type: "button", text: words.clear, "data-testid": "progress-clear" });
  const root = el("details", { class: "progress-panel", "data-testid": "progress" },
    el("summary", { text: words.title }), summary, el("div", { class: "buttons" }, download, restore, clear), chooser, said,
    el("p", { class: "where", text: words.where }));
  const lab = data.labs.includes(data.page) ? data.page : null;

  function show() {
    const now = progress.load();
    setText(summary, filledWords(words.summary, progressCounts(now, plan)));
  }
  download.onclick = () => {
    const address = URL.createObjectURL(new Blob([progress.exportText()], { type: "application/json" }));
    el("a", { href: address, download: words.file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  restore.onclick = () => chooser.click();
  chooser.onchange = async () => {
    const [file] = chooser.files;
    if (!file) return;
    try {
      progress.restore(await file.text());
      setText(said, words.restored);
    } catch (error) {
      if (!(error instanceof ProgressError)) throw error;
      setText(said, filledWords(words[error.problem], { place: error.place, value: error.value, known: 1 }));
    }
    chooser.value = "";
  };
  let sure = 0;
  clear.onclick = () => {
    if (!sure) {
      setText(clear, words.clear_sure);
      sure = setTimeout(calm, 4000);
      return;
    }
    calm();
    progress.clear();
    setText(said, words.cleared);
  };
  function calm() {
    clearTimeout(sure);
    sure = 0;
    setText(clear, words.clear);
  }
  const noteWork = (event) => {
    const byKey = event.type === "keydown" && STEP_KEYS.includes(event.key);
    if (!lab || !(byKey || worksOnPage(event.composedPath()))) return;
    if (!(lab in progress.load().labs)) progress.record("labs", lab);
  };
  const listened = [...WORK_EVENTS, "keydown"];
  for (const name of listened) document.addEventListener(name, noteWork, { capture: true, passive: true });
  window.addEventListener(PROGRESS_EVENT, show);
  window.addEventListener("storage", show);
  show();
  return {
    root,
    destroy() {
      calm();
      for (const name of listened) document.removeEventListener(name, noteWork, { capture: true });
      window.removeEventListener(PROGRESS_EVENT, show);
      window.removeEventListener("storage", show);
    },
  };
}
