/** What a learner has answered, kept in the browser. A browser that keeps nothing forgets, and nothing breaks. */

import { createProgress } from "../progress/progress_store.js";

const PLACE = "tilewise.predict";
const MOST_RUNS = 40;

/** Wrap a storage (or null) as `{ answers(run), note(run, index, mark), forget(run), asking(page), setAsking(page, on) }`. */
export function createMemoryOfAnswers(storage) {
  const progress = createProgress(storage);
  let held = { runs: {}, asking: {} };
  try {
    const kept = JSON.parse(storage?.getItem(PLACE) ?? "null");
    if (kept && typeof kept.runs === "object" && typeof kept.asking === "object") held = { runs: kept.runs ?? {}, asking: kept.asking ?? {} };
  } catch {
    held = { runs: {}, asking: {} };
  }
  const keep = () => {
    const runs = Object.keys(held.runs);
    for (const run of runs.slice(0, Math.max(0, runs.length - MOST_RUNS))) delete held.runs[run];
    try {
      storage?.setItem(PLACE, JSON.stringify(held));
    } catch {
      // A full or forbidden storage: the answers last as long as the page.
    }
  };
  return {
    answers: (run) => held.runs[run] ?? {},
    note(run, index, mark) {
      held.runs[run] = { ...held.runs[run], [index]: mark };
      keep();
      // An answer counts as progress, right or wrong; a question passed over does not.
      if (mark !== "skipped") progress.record("predictions", `${run}:${index}`, { right: mark === "right", at: new Date().toISOString() });
    },
    forget(run) {
      delete held.runs[run];
      keep();
    },
    asking: (page) => held.asking[page] ?? null,
    setAsking(page, on) {
      held.asking[page] = on;
      keep();
    },
  };
}

/** The browser's own storage, or null where it may not be touched. */
export function ownStorage() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
