/**
 * Predict, then see: stops the player before some frames and asks what they will show.
 *
 * It asks only when the player goes one frame forward, and only about a frame that has not been on screen. A second
 * step forward goes on without an answer, so no key of the player is ever taken away.
 */

import { el, setAttribute, setText } from "./dom.js";
import { createButton } from "./elements.js";
import { belongsTo } from "./keys.js";
import { hashOf } from "./predict_answer.js";
import { createCard } from "./predict_card.js";
import { createMemoryOfAnswers, ownStorage } from "./predict_memory.js";
import { planQuestions } from "./predict_plan.js";
import { makeQuestion } from "./predict_questions.js";
import { fill } from "./sentence.js";

/** The name of a run, the same tomorrow: it depends on what is computed and not on how it is shown. */
export function runName(trace) {
  return hashOf(JSON.stringify([trace.problem, trace.arrays.q, trace.arrays.k])).toString(36);
}

/** Whether an address turns the questions on or off: `ask=on`, `ask=off`, or null. */
function askInAddress(search) {
  return { on: true, off: false }[new URLSearchParams(search).get("ask")] ?? null;
}

/**
 * Whether the player asks, with its button. Remembered apart for pages that ask as a rule and for those that do not.
 * `turned(on)` is called when the reader presses the button.
 */
function createAsking(words, memory, standard, turned) {
  const page = standard ? "asks" : "quiet";
  const toggle = createButton({ class: "control ask", "data-testid": "predict-toggle" }, () => {
    set(!on);
    turned(on);
  }, el("i", { "aria-hidden": "true", text: "?" }), el("span", { text: words.ask }));
  let on = askInAddress(location.search) ?? memory.asking(page) ?? standard;
  function show() {
    setAttribute(toggle, "aria-pressed", String(on));
    setAttribute(toggle, "title", on ? words.ask_on : words.ask_off);
  }
  function set(wanted) {
    on = wanted;
    memory.setAsking(page, on);
    show();
  }
  show();
  return { toggle, set, on: () => on };
}

/** Give a key to an open card; false for one that means nothing to it. */
function giveKey(card, key, dismiss) {
  const place = "123456789".indexOf(key);
  if (key === "Escape") dismiss();
  else if (card.answered) return false;
  else if (key === "a" || key === "A") card.enter();
  else return place >= 0 && card.pick(place);
  return true;
}

/**
 * Make it. `standard` says whether this page asks unless told otherwise.
 *
 * `hooks` has `root` (the stage's), `go(index)`, `resume()`, `choose(row)`, `say(text)` and `giveFocus()`.
 */
export function createPredict(trace, words, standard, hooks, storage = ownStorage()) {
  const memory = createMemoryOfAnswers(storage);
  const run = runName(trace);
  const planned = new Map(planQuestions(trace).map((each) => [each.index, each]));
  const seen = new Set();
  let pending = null;
  let playing = false;
  const asking = createAsking(words.card, memory, standard, (on) => {
    if (on) {
      memory.forget(run);
      seen.clear();
      const ahead = [...planned.keys()].filter((index) => index > at).sort((left, right) => left - right)[0];
      tell(ahead === undefined ? words.card.none_ahead : fill(words.card.ahead, { step: ahead + 1 }));
    } else {
      dismiss();
      passed.hidden = true;
    }
  });
  asking.toggle.hidden = planned.size === 0;
  const passed = el("p", { class: "passed note", role: "status", "data-testid": "predict-passed", hidden: "" });
  let at = 0;
  let toldAt = null;
  let hasPassed = false;
  const card = createCard(words, {
    say: hooks.say,
    answer(grade, text) {
      const index = pending;
      memory.note(run, index, grade.right ? "right" : "wrong");
      const marks = Object.values(memory.answers(run)).filter((mark) => mark !== "skipped");
      card.score(marks.filter((mark) => mark === "right").length, marks.length);
      setAttribute(hooks.root, "data-asking", null);
      hooks.go(index);
      hooks.say(text);
    },
    skip: () => goOn(),
    never() {
      asking.set(false);
      goOn();
    },
    close() {
      const resume = card.answered && playing;
      dismiss();
      if (resume) hooks.resume();
    },
  });

  /** Close the card. If the focus was in it, it is handed on, so that the keyboard is not lost. */
  function dismiss() {
    if (!card.open) return;
    const held = card.root.contains(card.root.getRootNode().activeElement);
    card.close();
    pending = null;
    document.removeEventListener("keydown", onKey);
    setAttribute(hooks.root, "data-asking", null);
    if (held) hooks.giveFocus();
  }
  /** Go on without an answer. */
  function goOn() {
    const [index, resume] = [pending, playing];
    memory.note(run, index, "skipped");
    dismiss();
    hooks.go(index);
    if (resume) hooks.resume();
  }

  /** Who steps with a key may not notice that it passed a question. Said once a run. */
  function tellOfPassing(index) {
    if (hasPassed) return;
    hasPassed = true;
    at = index;
    tell(words.card.passed);
  }
  /** Say a line below the controls until another step is shown. */
  function tell(text) {
    toldAt = at;
    passed.hidden = false;
    setText(passed, text);
  }

  function onKey(event) {
    if (!card.open || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!hooks.root.isConnected || belongsTo(event.composedPath()[0], event.key)) return;
    if (giveKey(card, event.key, dismiss)) event.preventDefault();
  }

  return {
    card: card.root,
    passed,
    toggle: asking.toggle,
    /** Whether to stop before a frame: true when a question now stands open, false to go on. */
    stops(index, whilePlaying = false) {
      if (card.open && pending === index && !card.answered) {
        memory.note(run, index, "skipped");
        dismiss();
        tellOfPassing(index);
        return false;
      }
      const plan = planned.get(index);
      if (!plan || !asking.on() || seen.has(index) || memory.answers(run)[index]) return false;
      if (hooks.root.hasAttribute("data-presenter")) return false;
      const question = makeQuestion(trace, plan);
      dismiss();
      pending = index;
      playing = whilePlaying;
      if (question.kind === "rise" || question.kind === "alpha") hooks.choose(question.row);
      const text = card.ask(question, `${run}:${index}`);
      setAttribute(hooks.root, "data-asking", question.kind);
      document.addEventListener("keydown", onKey);
      hooks.say(text);
      return true;
    },
    /** Told of every frame shown: a frame that has been on screen is asked about no more. */
    update({ index }) {
      at = index;
      if (at !== toldAt) passed.hidden = true;
      seen.add(index);
      const keeps = index === (card.answered ? pending : pending - 1);
      if (!keeps) dismiss();
    },
    destroy() {
      document.removeEventListener("keydown", onKey);
    },
  };
}
