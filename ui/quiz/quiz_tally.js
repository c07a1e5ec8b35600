/** What a learner's answers add up to: the score, the beliefs that still show, and both as files. Pure. */

/** The answers that belong to the bank, in its order: `{ id, right, from, ... }`. */
function answersOf(bank, kept) {
  return bank.filter(({ id }) => kept[id]).map(({ id }) => ({ ...kept[id], id }));
}

/** How many are right, answered and left. */
export function scoreOf(bank, kept) {
  const answers = answersOf(bank, kept);
  return { right: answers.filter(({ right }) => right).length, answered: answers.length, left: bank.length - answers.length };
}

/**
 * The beliefs that show in the latest answer to each question: `[{ belief, ids }]` in the order given. A later right
 * answer to the same question takes its belief off.
 */
export function beliefsHeld(bank, beliefs, kept) {
  const answers = answersOf(bank, kept).filter(({ right, from }) => !right && from);
  return beliefs
    .map((belief) => ({ belief, ids: answers.filter(({ from }) => from === belief.key).map(({ id }) => id) }))
    .filter(({ ids }) => ids.length > 0);
}

/** A field of a CSV file: quoted where needed, and never one that a spreadsheet would run as a formula. */
export function csvField(value) {
  const text = String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An answer in one short text. */
function shortAnswer(answer = {}) {
  return answer.number ?? answer.choice ?? answer.choices?.join("+") ?? answer.order?.join(">") ?? "";
}

/** The answers as CSV: UTF-8 with a byte order mark, RFC 4180. */
export function resultsCsv(bank, kept) {
  const head = ["question", "title", "topic", "seed", "answer", "right", "belief", "tries", "at"];
  const lines = answersOf(bank, kept).map((each) => {
    const { title, topic } = bank.find(({ id }) => id === each.id);
    return [each.id, title, topic, each.seed, shortAnswer(each.answer), each.right ? "yes" : "no", each.from ?? "", each.tries, each.at];
  });
  return `\ufeff${[head, ...lines].map((line) => line.map(csvField).join(",")).join("\r\n")}\r\n`;
}

/** The answers as JSON, with the score and the beliefs that show. */
export function resultsJson(bank, beliefs, kept, at) {
  const held = beliefsHeld(bank, beliefs, kept).map(({ belief }) => belief.key);
  return JSON.stringify({ format: "tilewise-quiz", version: 1, at, score: scoreOf(bank, kept), beliefs: held, answers: answersOf(bank, kept) }, null, 2);
}
