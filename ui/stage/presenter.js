/**
 * Presenter mode: one run for a whole room. The stage fills the screen, answers wait for a key, the screen goes
 * blank on demand, and a lecturer's note lies ready for every kind of frame.
 *
 * The stage stays one element all along: `data-presenter` on its root turns the layout, `data-answer` says whether
 * the answer of this frame is `hidden` or `shown`.
 */

import { addressWithParameter } from "./address.js";
import { el, setAttribute, setText } from "./dom.js";
import { createButton } from "./elements.js";
import { createPresenterBar } from "./presenter_bar.js";
import { createFitting } from "./presenter_fit.js";
import { createPresenterKeys } from "./presenter_keys.js";
import { createScreen } from "./presenter_screen.js";
import { fill, nameTokens } from "./sentence.js";

/** Whether an address asks for presenter mode. */
export function presentInAddress(search) {
  return new URLSearchParams(search).get("present") === "1";
}

/** What the room is asked while the answer waits, and the lecturer's note. */
function createRoomWords({ bar: text, questions, notes }) {
  const question = el("p", { class: "room-question", "data-testid": "room-question", hidden: "" });
  const waiting = el("p", { class: "waiting", text: text.waiting, hidden: "" });
  const noteText = el("p");
  const note = el("aside", { class: "lecturer-note", "data-testid": "lecturer-note", "aria-label": text.note_heading, hidden: "" },
    el("h3", { text: text.note_heading }), noteText);
  const asked = ({ step, row, queries, keys }) =>
    fill(questions[step.kind], { query: queries[row] ?? "", keys: nameTokens(keys) });
  return {
    question,
    waiting,
    note,
    asked,
    draw(frame, hides) {
      question.hidden = !hides;
      waiting.hidden = !hides;
      if (hides) setText(question, asked(frame.subject));
      if (frame) setText(noteText, notes[frame.step.kind]);
    },
  };
}

/**
 * Make it. `hooks` has `root` (the stage's), `keepsAddress`, `by(offset)`, `playing()` and `say(subject)`, which
 * speaks the frame's words.
 *
 * Returns `toggle` for the player's bar, `bar` with the mode's own controls, `room` with question, note and
 * what stands where the answer waits, and the `blank` screen.
 */
export function createPresenter(words, hooks) {
  const { root } = hooks;
  const { bar: text, questions } = words;
  const room = createRoomWords(words);
  const blank = createButton({ class: "blank-screen", "data-testid": "blank-screen", "aria-label": text.blank_screen, hidden: "" }, () => actions.blank());
  let presenting = false;
  let asksFirst = true;
  let answered = true;
  let shown = null;

  const actions = {
    answer() {
      if (answer() === null) return;
      answered = !answered;
      draw();
      hooks.say(shown.subject);
    },
    ask() {
      asksFirst = !asksFirst;
      if (!asksFirst) answered = true;
      draw();
    },
    note() {
      room.note.hidden = !room.note.hidden;
      draw();
    },
    blank() {
      blank.hidden = !blank.hidden;
      if (!blank.hidden) blank.focus();
      else toggle.focus();
    },
    full: () => screen.full(),
    leave: () => leave(),
  };
  const bar = createPresenterBar(text, actions, () => (presenting ? leave() : enter(true)));
  const { toggle } = bar;
  const keys = createPresenterKeys(root, blank, toggle, actions, hooks.by);
  const screen = createScreen(root, () => leave());
  const fitting = createFitting(root);

  /** Whether the frame's answer is on show; null where it has none. */
  function answer() {
    return presenting && shown !== null && shown.step.kind in questions ? answered : null;
  }

  let drawn = false;
  function draw() {
    // Outside the mode a step changes nothing here.
    if (drawn && !presenting && !root.hasAttribute("data-presenter")) return;
    drawn = true;
    const told = answer();
    setAttribute(root, "data-presenter", presenting ? "" : null);
    // The style sheet asks for this one and not for data-kind: outside this mode a step then restyles nothing here.
    setAttribute(root, "data-presenting", presenting && shown ? shown.step.kind : null);
    setAttribute(root, "data-answer", told === null ? null : told ? "shown" : "hidden");
    room.draw(shown, told === false);
    bar.draw(presenting, told, asksFirst, !room.note.hidden);
    if (presenting) fitting.fit();
  }
  function remember() {
    if (hooks.keepsAddress) history.replaceState(history.state, "", addressWithParameter(location.href, "present", presenting ? "1" : null));
  }
  function enter(byHand) {
    presenting = true;
    answered = byHand || !asksFirst;
    draw();
    screen.enter(byHand);
    fitting.start();
    keys.start();
    remember();
  }
  function leave({ forget = true } = {}) {
    if (!presenting) return;
    presenting = false;
    blank.hidden = true;
    room.note.hidden = true;
    keys.stop();
    screen.leave();
    fitting.stop();
    draw();
    if (forget) remember();
  }

  return {
    toggle,
    bar: bar.root,
    room,
    blank,
    /** Open the mode, as an address asks for it. */
    open: () => enter(false),
    /** The letter P opens the mode, as the button does. */
    enter: () => enter(true),
    /** Whether a step forward was spent on showing the answer. */
    reveals() {
      if (answer() !== false) return false;
      actions.answer();
      return true;
    },
    /** What to say of a frame instead of its sentence, or null. */
    spoken: (subject) => (answer() === false ? room.asked(subject) : null),
    update(frame) {
      // Going back, and every frame while playing, shows what has been said already.
      if (shown === null || frame.index !== shown.index) {
        answered = !asksFirst || hooks.playing() || (shown !== null && frame.index === shown.index - 1);
      }
      shown = frame;
      draw();
    },
    /** The address keeps the mode: another run of the same page opens in it. */
    destroy() {
      leave({ forget: false });
    },
  };
}
