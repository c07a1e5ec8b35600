/** Pure: what the progress amounts to, page by page. */

/** Whether each page has its tick: the lesson when every section is done, a lab once it was used, the quiz once answered. */
export function pagesDone(progress, plan) {
  return plan.pages.map(({ key, counts }) => {
    if (counts === "sections") return plan.sections.every((section) => section in progress.sections);
    if (counts === "quiz") return Object.keys(progress.quiz).length > 0;
    return counts === "lab" && key in progress.labs;
  });
}

/** The counts for the summary. Only what the lesson has is counted, so an old file cannot exceed the whole. */
export function progressCounts(progress, plan) {
  return {
    sections: plan.sections.filter((section) => section in progress.sections).length,
    all: plan.sections.length,
    predictions: Object.keys(progress.predictions).length,
    labs: plan.labs.filter((lab) => lab in progress.labs).length,
    all_labs: plan.labs.length,
    quiz: Object.keys(progress.quiz).length,
  };
}

/** What a template says with its `{slots}` filled. */
export function filledWords(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Whether an event on this path means that a learner works with the page itself. */
export function worksOnPage(path) {
  if (path.some((node) => node.dataset?.testid === "stSidebar" || node.dataset?.testid === "stHeader")) return false;
  return Boolean(path[0]?.closest?.("button, input, select, textarea, summary, label, [role=slider], [role=tab], [role=radio], [role=option]"));
}
