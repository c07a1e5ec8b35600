/**
 * The phone's page of a live room. The server's state is asked for and never pushed: a phone that slept, lost its
 * network or was reloaded asks once and is where everybody is.
 */

import { fillWords } from "../quiz/quiz_view.js";
import { createBallot } from "./phone_ballot.js";
import { createNet } from "./phone_net.js";
import { createScreen } from "./phone_screen.js";
import { pollDelay } from "./phone_timing.js";

/** The code as the server stores it, or null if it cannot be one. */
function normalCode(typed, alphabet, length) {
  const code = typed.replace(/[\s-]/g, "").toUpperCase();
  return code.length === length && [...code].every((sign) => alphabet.includes(sign)) ? code : null;
}

export default function startPhone(root, { base, words, viewWords, alphabet, length }) {
  const net = createNet(base);
  const later = (ms, run) => setTimeout(run, ms);
  let code = null;
  let failures = 0;
  let timer = 0;
  let asking = false;

  const screen = createScreen(root, words, viewWords, { join, leave, later, cast: (answer) => ballot.cast(answer) });
  const ballot = createBallot({ later, show: screen.say, stale, send: (vote) => net.vote(code, vote) });

  function take(state) {
    if (state.ask !== null) ballot.at(state.ask, state.round, state.mine);
    screen.state(code, state);
  }

  function schedule() {
    clearTimeout(timer);
    timer = later(pollDelay({ hidden: document.hidden, failures, random: Math.random() }), look);
  }

  function stale() {
    net.forget();
    look();
  }

  async function look() {
    if (code === null || asking) return;
    asking = true;
    let reply = await net.state(code);
    // Known here and not there: the cookie is new, so join again as whoever we are now.
    if (reply.status === 403) reply = await net.join(code);
    asking = false;
    if (code === null) return;
    if (reply.status === 404) {
      const lost = code;
      code = null;
      clearTimeout(timer);
      screen.gone(lost);
      return;
    }
    failures = reply.status === 200 || reply.status === 304 ? 0 : failures + 1;
    screen.trouble(failures > 1 ? words.offline : "");
    if (reply.status === 200) take(reply.body);
    schedule();
  }

  async function join(typed) {
    const wanted = normalCode(typed, alphabet, length);
    if (wanted === null) {
      screen.askCode(typed, fillWords(words.bad_code, { length }));
      return;
    }
    screen.trouble(words.joining);
    const reply = await net.join(wanted);
    screen.trouble("");
    if (reply.status === 200) {
      code = wanted;
      failures = 0;
      history.replaceState(null, "", `${base}/${code}`);
      take(reply.body);
      schedule();
    } else if (reply.status === 404) screen.askCode(typed, fillWords(words.no_room, { code: wanted }));
    else if (reply.status === 429) screen.askCode(typed, words.too_often);
    else if (reply.status === 409) screen.askCode(typed, words.full);
    else {
      // Nobody answers: go on by ourselves, as everybody who was already in does.
      screen.trouble(words.offline);
      failures += 1;
      later(pollDelay({ hidden: false, failures, random: Math.random() }), () => code === null && join(typed));
    }
  }

  function leave() {
    code = null;
    history.replaceState(null, "", base);
    screen.askCode("", "");
  }

  function wake() {
    if (document.hidden) return;
    ballot.nudge();
    look();
  }
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("pageshow", wake);

  // The lecturer's page sends whoever typed a code there as `?code=`.
  const asked = new URLSearchParams(location.search).get("code")
    ?? decodeURIComponent(location.pathname.slice(base.length).replace(/^\/+|\/+$/g, ""));
  screen.askCode(asked, "");
  if (asked) join(asked);
}
