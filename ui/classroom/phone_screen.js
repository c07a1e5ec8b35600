/** Draws the phone's page from a state. What a person is typing or reading stays untouched while it still applies. */

import { el, setText } from "../stage/dom.js";
import { createQuestionView, fillWords } from "../quiz/quiz_view.js";
import { resultParts } from "./phone_results.js";

const BY_TAP = new Set(["single", "line", "frame"]);
const TAP_MS = 350;

/** The room, the question's place in it and the round, in a line. */
function placeInWords(code, state, words) {
  const parts = [fillWords(words.room, { code })];
  if (state?.question) {
    parts.push(fillWords(words.place, { place: state.place, count: state.of }));
    if (state.round > 1) parts.push(words.second_vote);
  }
  return parts.join(" · ");
}

/** The form for a room's code, with what was wrong with the last one. */
function createCodeForm(words, typed, problem, join) {
  const field = el("input", {
    id: "code", type: "text", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: "12",
    "aria-describedby": "code-problem",
  });
  field.value = typed;
  const note = el("p", { id: "code-problem", class: "problem", role: "alert", text: problem });
  const form = el("form", { novalidate: "" }, el("label", { for: "code", text: words.code }), field, note,
    el("button", { type: "submit", class: "main", text: words.join }));
  form.onsubmit = (event) => {
    event.preventDefault();
    join(field.value);
  };
  return { form, field };
}

/** Make the screen. `cast(answer)` is called with a vote, `join(code)` with a typed code, `leave()` to go elsewhere. */
export function createScreen(root, words, viewWords, { cast, join, leave, later }) {
  const where = el("p", { class: "where" });
  const trouble = el("p", { class: "trouble", role: "status" });
  const title = el("h1", { tabindex: "-1" });
  const lead = el("p", { class: "lead" });
  const body = el("div", { class: "content" });
  const status = el("p", { class: "saved", role: "status", "data-testid": "saved" });
  const button = el("button", { type: "button", class: "main", text: words.send });
  const hint = el("p", { class: "quiet" });
  const foot = el("div", { class: "send" }, button, status, hint);
  root.replaceChildren(el("header", {}, where), el("main", {}, trouble, title, lead, body, foot));
  const view = createQuestionView(viewWords, changed);
  let drawn = null;
  let current = null;
  let taps = 0;

  function changed() {
    if (!current || current.phase !== "open") return;
    if (!BY_TAP.has(current.question.kind)) {
      say("unsent");
      return;
    }
    // Arrow keys run through the options: only where they come to rest is sent.
    const tap = (taps += 1);
    later(TAP_MS, () => tap === taps && current?.phase === "open" && sendAnswer());
  }

  function sendAnswer() {
    const { answer, missing } = view.read();
    if (missing) setText(status, viewWords[missing]);
    else cast(answer);
  }
  button.onclick = sendAnswer;

  /** Say how the own vote stands. */
  function say(name, reason = "") {
    status.dataset.state = name;
    setText(status, fillWords(words[name], { reason }));
    if (name === "untouched" || name === "refused") setText(button, words.send);
    else if (name === "saved") setText(button, words.change);
  }

  function screen(name, heading, text, ...content) {
    root.dataset.screen = name;
    setText(title, heading);
    setText(lead, text);
    lead.hidden = !text;
    body.replaceChildren(...content);
    foot.hidden = name !== "open";
  }

  function question(state) {
    view.show({ id: String(state.ask), ...state.question });
    if (state.mine) view.set(state.mine.answer);
    view.lock(state.phase !== "open");
    return view.root;
  }

  const closedLead = (state) => (state.mine ? words.closed_saved : words.closed_none);

  const draw = {
    lobby: () => screen("lobby", words.lobby_title, words.lobby, el("p", { class: "quiet", text: words.privacy })),
    open(state) {
      screen("open", words.open_title, state.round > 1 ? words.second_lead : "", question(state));
      const byTap = BY_TAP.has(state.question.kind);
      button.hidden = byTap;
      setText(hint, byTap ? words.choice_hint : words.send_hint);
    },
    closed: (state) => screen("closed", words.closed_title, closedLead(state), question(state)),
    discuss: (state) => screen("discuss", words.discuss_title, words.discuss, question(state)),
    revealed(state) {
      const shown = question(state);
      view.mark(state.marks, viewWords);
      screen("revealed", words.revealed_title, "", shown, ...resultParts(state.results, state.verdicts, words));
    },
  };

  return {
    say,
    trouble: (text) => setText(trouble, text),
    /** Draw a state, unless what is on the screen shows it already. */
    state(code, state) {
      current = state;
      setText(where, placeInWords(code, state, words));
      const key = `${state.ask}.${state.round}.${state.phase}`;
      if (key === drawn) return;
      const first = drawn === null;
      drawn = key;
      draw[state.phase](state);
      // A reader of the screen hears the new heading; nobody is scrolled away on the first look.
      if (!first) title.focus({ preventScroll: false });
    },
    /** Ask for a code, with a sentence on what was wrong with the last one. */
    askCode(typed, problem) {
      drawn = null;
      current = null;
      setText(where, `Tilewise · ${words.title}`);
      const { form, field } = createCodeForm(words, typed, problem, join);
      screen("join", words.join_title, words.join_lead, form, el("p", { class: "quiet", text: words.privacy }));
      if (problem) field.focus();
    },
    /** The room is no more. */
    gone(code) {
      drawn = null;
      current = null;
      setText(where, fillWords(words.room, { code }));
      const again = el("button", { type: "button", class: "main", text: words.leave });
      again.onclick = leave;
      screen("gone", words.gone_title, words.gone, again);
      title.focus();
    },
  };
}
