/** The score, the beliefs that still show, and what can be taken from the results. */

import { el, setText } from "../stage/dom.js";
import { saveFile } from "../stage/export-save.js";
import { beliefsHeld, resultsCsv, resultsJson, scoreOf } from "./quiz_tally.js";
import { fillWords } from "./quiz_view.js";

/** Make the part. `on.open(id)` goes to a question and `on.forget()` forgets every answer. */
export function createQuizMap(bank, beliefs, words, on) {
  const { player } = words;
  const count = el("p", { class: "note", "data-testid": "quiz-beliefs" });
  const list = el("ul", { class: "beliefs" });
  let kept = {};
  let sure = false;
  const now = () => new Date().toISOString();
  const save = (label, action, name) => {
    const button = el("button", { type: "button", "data-testid": name, text: label });
    button.onclick = action;
    return button;
  };
  const json = save(player.download_json, () => saveFile("tilewise-quiz.json", "application/json", resultsJson(bank, beliefs, kept, now())), "quiz-json");
  const csv = save(player.download_csv, () => saveFile("tilewise-quiz.csv", "text/csv;charset=utf-8", resultsCsv(bank, kept)), "quiz-csv");
  const forget = save(player.forget, () => {
    if (sure) on.forget();
    sure = !sure;
    setText(forget, sure ? player.forget_sure : player.forget);
  }, "quiz-forget");
  forget.onblur = () => {
    sure = false;
    setText(forget, player.forget);
  };
  const files = el("div", { class: "after files" }, json, csv, forget, el("span", { class: "note", text: player.kept }));
  const root = el("section", { class: "map", "data-testid": "quiz-map", "aria-labelledby": "quiz-map-title" },
    el("h2", { class: "title", id: "quiz-map-title", text: player.map_title }), count, list, files);

  function belief({ belief: each, ids }) {
    const from = ids.map((id) => {
      const button = el("button", { type: "button", class: "link", text: bank.find((one) => one.id === id).title });
      button.onclick = () => on.open(id);
      return button;
    });
    return el("li", { "data-belief": each.key },
      el("p", { class: "belief", text: `“${each.belief}”` }),
      el("p", {}, el("b", { text: `${player.map_truth}: ` }), each.truth),
      el("p", { class: "after" }, el("span", { class: "note", text: player.map_from }), ...from,
        el("a", { class: "show", href: each.href, target: "_blank", rel: "noopener" }, `${player.map_go}: ${each.label}`,
          el("span", { class: "unseen", text: ` (${player.new_tab})` }), el("span", { "aria-hidden": "true", text: " ↗" }))));
  }

  return {
    root,
    update(answers) {
      kept = answers;
      const { answered } = scoreOf(bank, kept);
      const held = beliefsHeld(bank, beliefs, kept);
      const left = held.length === 1 ? player.map_left_one : fillWords(player.map_left, { count: held.length });
      setText(count, answered === 0 ? player.map_none : held.length === 0 ? player.map_clear : left);
      list.replaceChildren(...held.map(belief));
      for (const button of [json, csv, forget]) button.disabled = answered === 0;
    },
  };
}
