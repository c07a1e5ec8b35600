/**
 * Presenter mode: one run for a whole room. The stage fills the screen, answers wait for a key, the screen goes
 * blank on demand, and a lecturer's note lies ready for every kind of frame.
 *
 * The stage stays one element all along: `data-presenter` on its root turns the layout, `data-answer` says whether
 * the answer of this frame is `hidden` or `shown`.
 */

import { el, setAttribute, setText } from "./dom.js";
import { belongsTo } from "./keys.js";
import { createScreen } from "./presenter_screen.js";
import { createFitting } from "./presenter_fit.js";
import { fill, nameTokens } from "./sentence.js";

/** Whether an address asks for presenter mode. */
export function presentInAddress(search) {
  return new URLSearchParams(search).get("present") === "1";
}

/** The same address with presenter mode on or off. */
function addressWithPresent(href, on) {
  const url = new URL(href);
  if (on) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  return url.href;
}

/** The key of an action of presenter mode, or null. Remote controls send B or a full stop to blank the screen. */
function presenterAction(key) {
  const actions = { a: "answer", n: "note", b: "blank", ".": "blank", f: "full", h: "ask", Escape: "leave" };
  return actions[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/**
 * Make it. `hooks` has `root` (the stage's), `keepsAddress`, `by(offset)`, `playing()` and `say(subject)`, which
 * speaks the frame's words.
 *
 * Returns `toggle` for the player's bar, `bar` with the mode's own controls, and `layer` with question, note and
 * blank screen.
 */
export function createPresenter(words, hooks) {
  const { root } = hooks;
  const { bar: text, questions, notes } = words;
  const question = el("p", { class: "room-question", "data-testid": "room-question", hidden: "" });
  const waiting = el("p", { class: "waiting", text: text.waiting, hidden: "" });
  const note = el("aside", { class: "lecturer-note", "data-testid": "lecturer-note", "aria-label": text.note_heading, hidden: "" });
  const noteText = el("p");
  note.append(el("h3", { text: text.note_heading }), noteText);
  const blank = el("button", { type: "button", class: "blank-screen", "data-testid": "blank-screen", "aria-label": text.blank_screen, hidden: "" });
  let presenting = false;
  let asksFirst = true;
  let answered = true;
  let shown = null;

  const control = (name, action, pressed = false) => {
    const node = el("button", { type: "button", class: `control present-${name}`, "data-testid": `present-${name}`,
      title: text[`${name}_title`], "aria-pressed": pressed ? "false" : null }, el("span", { text: text[name] }));
    node.onclick = action;
    return node;
  };
  const actions = {
    answer() {
      if (!hasAnswer()) return;
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
      note.hidden = !note.hidden;
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
  const toggle = control("enter", () => (presenting ? leave() : enter(true)));
  const buttons = {
    answer: control("answer", actions.answer, true),
    ask: control("ask", actions.ask, true),
    note: control("note", actions.note, true),
    blank: control("blank", actions.blank),
    full: control("full", actions.full),
  };
  const bar = el("span", { class: "presenter-bar", role: "group", "aria-label": text.group }, ...Object.values(buttons));
  blank.onclick = actions.blank;
  const screen = createScreen(root, () => leave());
  const fitting = createFitting(root);

  function hasAnswer() {
    return presenting && shown !== null && shown.step.kind in questions;
  }
  function hides() {
    return hasAnswer() && !answered;
  }

  let drawn = false;
  function draw() {
    // Outside the mode a step changes nothing here.
    if (drawn && !presenting && !root.hasAttribute("data-presenter")) return;
    drawn = true;
    setAttribute(root, "data-presenter", presenting ? "" : null);
    // The style sheet asks for this one and not for data-kind: outside this mode a step then restyles nothing here.
    setAttribute(root, "data-presenting", presenting && shown ? shown.step.kind : null);
    setAttribute(root, "data-answer", hasAnswer() ? (answered ? "shown" : "hidden") : null);
    question.hidden = !hides();
    waiting.hidden = !hides();
    if (hides()) setText(question, askedOf(shown.subject));
    if (shown) setText(noteText, notes[shown.step.kind]);
    bar.hidden = !presenting;
    setAttribute(buttons.answer, "aria-pressed", String(hasAnswer() && answered));
    setAttribute(buttons.answer, "aria-disabled", hasAnswer() ? null : "true");
    setAttribute(buttons.ask, "aria-pressed", String(asksFirst));
    setAttribute(buttons.note, "aria-pressed", String(!note.hidden));
    setText(toggle.firstChild, presenting ? text.leave : text.enter);
    setAttribute(toggle, "title", presenting ? text.leave_title : text.enter_title);
    if (presenting) fitting.fit();
  }
  function askedOf({ step, row, queries, keys }) {
    return fill(questions[step.kind], { query: queries[row] ?? "", keys: nameTokens(keys) });
  }

  function remember() {
    if (hooks.keepsAddress) history.replaceState(history.state, "", addressWithPresent(location.href, presenting));
  }
  function enter(byHand) {
    presenting = true;
    answered = byHand || !asksFirst;
    draw();
    screen.enter(byHand);
    fitting.start();
    document.addEventListener("keydown", onKey, true);
    document.addEventListener("focusin", keepFocus);
    remember();
  }
  function leave({ forget = true } = {}) {
    if (!presenting) return;
    presenting = false;
    blank.hidden = true;
    note.hidden = true;
    document.removeEventListener("keydown", onKey, true);
    document.removeEventListener("focusin", keepFocus);
    screen.leave();
    fitting.stop();
    draw();
    if (forget) remember();
  }
  /** The page behind is covered: the focus must not wander into it. */
  function keepFocus(event) {
    if (!event.composedPath().includes(root)) toggle.focus();
  }
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return;
    const target = event.composedPath()[0];
    const take = () => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    if (!blank.hidden) {
      take();
      actions.blank();
      return;
    }
    // A remote control knows only these two keys; a slider that has the focus must not eat them.
    if (event.key === "PageDown" || event.key === "PageUp") {
      take();
      hooks.by(event.key === "PageDown" ? 1 : -1);
      return;
    }
    const action = presenterAction(event.key);
    if (action === null || event.shiftKey || (action !== "leave" && belongsTo(target, event.key))) return;
    take();
    actions[action]();
  }

  bar.hidden = true;
  return {
    toggle,
    bar,
    question,
    waiting,
    note,
    blank,
    /** Open the mode, as an address asks for it. */
    open: () => enter(false),
    /** The letter P opens the mode, as the button does. */
    enter: () => enter(true),
    /** Whether a step forward was spent on showing the answer. */
    reveals() {
      if (!hides()) return false;
      actions.answer();
      return true;
    },
    /** What to say of a frame instead of its sentence, or null. */
    spoken: (subject) => (hides() ? askedOf(subject) : null),
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
