/**
 * The vote on its way: sent until it is acknowledged, the latest change of mind alone. Knows neither page nor network.
 *
 * `send(vote)` promises `{ status, body }` and never fails: status 0 says that nobody answered.
 * `show(status, reason)` is told `untouched`, `sending`, `saved`, `retrying`, `refused` or `too_late`.
 * `later(ms, run)` runs something later.
 * `stale()` is called when the server says that the page shows something that is over.
 */

import { retryDelay } from "./phone_timing.js";

const FINAL = new Set([400, 413]);

export function createBallot({ send, show, later, stale, random = Math.random }) {
  let place = null;
  let sequence = 0;
  let wanted = null;
  let sending = false;
  let failures = 0;

  const here = (vote) => place !== null && vote.ask === place.ask && vote.round === place.round;

  function settle(vote, { status, body }) {
    if (status === 200) {
      failures = 0;
      // Another window of this phone may have been later: what stands is what the server says.
      sequence = Math.max(sequence, body.sequence);
      if (wanted === vote) wanted = null;
      if (!wanted && here(vote)) show("saved");
    } else if (status === 409 || status === 404) {
      wanted = null;
      if (here(vote)) show("too_late");
      stale();
    } else if (FINAL.has(status)) {
      if (wanted === vote) wanted = null;
      if (!wanted && here(vote)) show("refused", body?.message ?? "");
    } else {
      failures += 1;
      if (here(vote)) show("retrying");
      if (status === 403) stale();
      later(retryDelay({ failures, random: random() }), push);
      return;
    }
    push();
  }

  async function push() {
    if (sending || !wanted) return;
    const vote = wanted;
    sending = true;
    if (failures === 0) show("sending");
    const reply = await send(vote);
    sending = false;
    settle(vote, reply);
  }

  return {
    /** Go to a question and round, with the own vote that stands there, if any. */
    at(ask, round, mine) {
      if (!place || place.ask !== ask || place.round !== round) {
        place = { ask, round };
        sequence = 0;
        wanted = null;
        failures = 0;
        show(mine ? "saved" : "untouched");
      }
      if (mine) sequence = Math.max(sequence, mine.sequence);
    },
    /** Cast a vote here; it replaces one that is not acknowledged yet. */
    cast(answer) {
      sequence += 1;
      wanted = { ...place, answer, sequence };
      push();
    },
    /** Whether a vote is on its way. */
    pending: () => wanted !== null,
    /** Try at once what is waiting: the network is back. */
    nudge: () => push(),
  };
}
