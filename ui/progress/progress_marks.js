/** Pure: what the progress amounts to, page by page. */

/**
 * What stands behind each page's name: whether it is done, and how much of it, as text, where it has parts. The lesson is
 * done with its last section, the quiz when every question was once answered rightly, a lab once it was used.
 */
export function pageMarks(progress, plan) {
  const { sections, quiz } = progressCounts(progress, plan);
  const marks = { sections: [sections, plan.sections.length], quiz: [quiz, plan.quiz.length] };
  return plan.pages.map(({ key, counts }) => {
    if (!(counts in marks)) return { done: counts === "lab" && key in progress.labs, part: "" };
    const [had, all] = marks[counts];
    return { done: had === all, part: had ? `${had}/${all}` : "" };
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
    quiz: plan.quiz.filter((question) => progress.quiz[question]?.right).length,
    all_quiz: plan.quiz.length,
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
