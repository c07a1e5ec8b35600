/** The practice quiz: every question with its key, graded here in the browser. Answering asks nothing of the server. */

import { createProgress } from "../progress/progress_store.js";
import { el, setAttribute, setText } from "../stage/dom.js";
import { addressOfQuestion, placeInAddress } from "./quiz_address.js";
import { createQuizCard } from "./quiz_card.js";
import { createQuizMap } from "./quiz_map.js";
import { scoreOf } from "./quiz_tally.js";
import { fillWords } from "./quiz_view.js";

/** What is mounted in each parent element. Streamlit calls again on the same element without cleaning up. */
const mountedQuizzes = new WeakMap();

/** The numbered buttons of every question, topic by topic. */
function createIndex(bank, topics, words, open) {
  const buttons = new Map();
  const groups = Object.entries(topics).map(([topic, label]) => {
    const items = bank.map((each, place) => ({ ...each, place })).filter((each) => each.topic === topic);
    const list = el("ul", {}, ...items.map(({ id, place }) => {
      const button = el("button", { type: "button", class: "place", "data-question": id });
      button.onclick = () => open(place);
      buttons.set(id, button);
      return el("li", {}, button);
    }));
    return el("div", { class: "topic" }, el("h3", { class: "about", text: label }), list);
  });
  const root = el("nav", { class: "index", "aria-label": words.questions }, ...groups);
  return {
    root,
    update(kept, current) {
      bank.forEach(({ id, title }, place) => {
        const button = buttons.get(id);
        const state = kept[id] ? (kept[id].right ? "right" : "wrong") : "open";
        setAttribute(button, "data-state", state);
        setAttribute(button, "aria-current", place === current ? "true" : null);
        setAttribute(button, "aria-label", `${place + 1}: ${title}, ${words[`status_${state}`]}`);
        setText(button, `${place + 1}${{ right: " ✓", wrong: " ✗", open: "" }[state]}`);
      });
    },
  };
}

function createQuiz(data) {
  const { bank, words } = data;
  const progress = createProgress();
  const shownVariant = {};
  let place = placeInAddress(location.search, bank);
  const score = el("p", { class: "score", "data-testid": "quiz-score" });
  const said = el("p", { class: "unseen", role: "status" });
  const card = createQuizCard(words, {
    graded(question, answer, { right, from }) {
      const before = progress.load().quiz[question.id];
      progress.record("quiz", question.id, {
        right, from, seed: question.seed, answer, tries: (before?.tries ?? 0) + 1, at: new Date().toISOString(),
      });
      update();
    },
    again() {
      const { id, generated, variants } = bank[place];
      shownVariant[id] = ((shownVariant[id] ?? 0) + 1) % variants.length;
      present(null);
      if (generated) setText(said, words.player.new_numbers);
      card.focus();
    },
    next() {
      open((place + 1) % bank.length);
      card.focus();
    },
  });
  const index = createIndex(bank, data.topics, words.player, open);
  const map = createQuizMap(bank, data.beliefs, words, {
    open(id) {
      open(bank.findIndex((each) => each.id === id));
      card.focus();
    },
    forget() {
      for (const { id } of bank) progress.forget("quiz", id);
      present(null);
      update();
      setText(said, words.player.forgotten);
    },
  });
  const root = el("div", { class: "quiz", "data-testid": "quiz" },
    card.root, el("div", { class: "beside" }, score, index.root), map.root, said);

  /** Show the question at hand; an answer that belongs to its numbers comes back with its reasons. */
  function present(kept) {
    const { id, generated, variants, topic } = bank[place];
    if (kept) {
      const same = variants.findIndex(({ question }) => question.seed === kept.seed);
      if (same >= 0) shownVariant[id] = same;
    }
    const variant = variants[shownVariant[id] ?? 0];
    const where = `${fillWords(words.player.heading, { number: place + 1, count: bank.length })} · ${data.topics[topic]}`;
    card.show(variant, where, generated, kept?.seed === variant.question.seed ? kept.answer : null);
  }

  function update() {
    const kept = progress.load().quiz;
    const { right, answered, left } = scoreOf(bank, kept);
    setText(score, answered ? fillWords(words.player.score, { right, answered, left }) : fillWords(words.player.score_none, { count: bank.length }));
    index.update(kept, place);
    map.update(kept);
  }

  function open(next) {
    place = next;
    history.replaceState(history.state, "", addressOfQuestion(location.href, bank[place].id));
    setText(said, "");
    present(progress.load().quiz[bank[place].id] ?? null);
    update();
  }

  present(progress.load().quiz[bank[place].id] ?? null);
  update();
  return root;
}

/** Mount the quiz, or mount it anew where other questions came. */
export default function mountQuiz({ parentElement, data }) {
  const host = parentElement.querySelector(".quiz-host");
  if (mountedQuizzes.get(parentElement) !== data.id) {
    host.replaceChildren(createQuiz(data));
    mountedQuizzes.set(parentElement, data.id);
  }
  return () => mountedQuizzes.delete(parentElement);
}
