/** When to ask and to try again. Pure: what is random is handed in. */

const POLL_MS = 2000;
const HIDDEN_MS = 15000;
const LONGEST_MS = 4000;
const SHORTEST_RETRY_MS = 500;

/** Spread by a fifth to both sides, so that a hall of phones does not ask in step. */
const spread = (ms, random) => ms * (0.8 + 0.4 * random);

/** Milliseconds until the state is asked for again, after `failures` in a row. */
export function pollDelay({ hidden, failures, random }) {
  if (hidden) return spread(HIDDEN_MS, random);
  if (failures === 0) return spread(POLL_MS, random);
  return spread(Math.min(POLL_MS * 2 ** (failures - 1), LONGEST_MS), random);
}

/** Milliseconds until a vote is sent again, after `failures` in a row. */
export function retryDelay({ failures, random }) {
  return spread(Math.min(SHORTEST_RETRY_MS * 2 ** (failures - 1), LONGEST_MS), random);
}
