/** What a phone shows after the reveal: the own answers with their reasons, the right one, and everybody's. */

import { el } from "../stage/dom.js";
import { fillWords } from "../quiz/quiz_view.js";

/** The share that `count` is of `total`, as a whole number of hundredths. */
function shareOf(count, total) {
  return total > 0 ? Math.round((100 * count) / total) : 0;
}

function verdictPart({ round, text, right, reason }, { totals, why }, words) {
  const label = totals.length < 2 ? words.your_answer : round === 1 ? words.your_first : words.your_second;
  return el("div", { class: `verdict ${right ? "good" : "bad"}`, "data-testid": "verdict" },
    el("p", {}, el("b", { text: `${label}: ${right ? words.right : words.wrong}` })),
    el("p", { class: "given", text }),
    // What stands below as the reason for the right answer need not be read twice.
    right && reason === why ? null : el("p", { text: reason }));
}

function bar(line, totals, words) {
  const row = el("li", { class: line.right ? "right" : null },
    el("span", { class: "what" },
      line.label ? el("i", { text: line.label }) : null,
      el("span", { text: line.text }),
      line.right ? el("b", { text: `✓ ${words.right}` }) : null));
  line.counts.forEach((count, place) => {
    const share = shareOf(count, totals[place]);
    const track = el("span", { class: "track", "aria-hidden": "true" }, el("span", { class: `fill round${place + 1}` }));
    track.firstChild.style.width = `${share}%`;
    const vote = place === 0 ? words.first_vote : words.second_vote;
    row.append(
      el("span", { class: "round", text: line.counts.length > 1 ? vote : "" }),
      track,
      el("span", { class: "count", text: `${count} · ${share} %` }));
  });
  return row;
}

/** Everything below the question after the reveal. `verdicts` are the own ones, by round. */
export function resultParts(results, verdicts, words) {
  const others = results.others.some((count) => count > 0)
    ? [{ label: "", text: words.others, right: false, counts: results.others }]
    : [];
  const [first, second] = results.totals;
  const total = fillWords(second === undefined ? words.total : words.totals, { first, second });
  return [
    ...verdicts.map((verdict) => verdictPart(verdict, results, words)),
    el("div", { class: "verdict key", "data-testid": "right-answer" },
      el("p", {}, el("b", { text: words.the_right_one })),
      el("p", { class: "given", text: results.answer }),
      el("p", { text: results.why })),
    el("h2", { text: words.everybody }),
    el("p", { class: "quiet", text: total }),
    el("ul", { class: "bars", "data-testid": "bars" }, ...[...results.lines, ...others].map((line) => bar(line, results.totals, words))),
  ];
}
