/** What fits the on-chip budget, what does not, and which tiles would. Pure. */

import { numberInAddress } from "./address.js";
import { total } from "./numbers.js";

/** The parts of the meter, in the order in which it draws them: what lies beyond the line is what does not fit. */
export const METER_ORDER = ["q", "k", "v", "s", "p", "acc", "o", "stats", "d_o", "d_q", "d_k", "d_v", "d_p", "d_s", "lse", "delta"];

const PER_KEY = new Set(["k", "v", "d_k", "d_v"]);
const PER_PAIR = new Set(["s", "p", "d_p", "d_s"]);

/** The budget that an address names, in bytes, or null. */
export function budgetInAddress(search) {
  return numberInAddress(search, "budget", /^[1-9]\d{0,11}$/);
}

/** The parts that lie beyond the line, as `{ name, bytes, beyond }`: `beyond` of its `bytes` do not fit. */
export function partsBeyond(resident, budget) {
  const found = [];
  let end = 0;
  for (const name of METER_ORDER) {
    const bytes = resident[name] ?? 0;
    end += bytes;
    if (bytes && end > budget) found.push({ name, bytes, beyond: Math.min(bytes, end - budget) });
  }
  return found;
}

/** The first step that holds the most bytes on chip. */
export function fullestStep(steps) {
  let best = 0;
  let most = -1;
  steps.forEach((step, index) => {
    const used = total(step.resident);
    if (used > most) [best, most] = [index, used];
  });
  return best;
}

/** What each part takes for one query, one key or one pair, for every distinct moment of the run. */
function momentsOf(trace) {
  const { block_q: blockQ, block_k: blockK } = trace.problem;
  const moments = new Map();
  for (const { rows, cols, resident } of trace.steps) {
    const height = rows ? rows[1] - rows[0] : blockQ;
    const width = cols ? cols[1] - cols[0] : blockK;
    const sizes = { row: 0, key: 0, pair: 0 };
    for (const [name, bytes] of Object.entries(resident)) {
      if (PER_PAIR.has(name)) sizes.pair += bytes / (height * width);
      else if (PER_KEY.has(name)) sizes.key += bytes / width;
      else sizes.row += bytes / height;
    }
    moments.set(`${sizes.row},${sizes.key},${sizes.pair}`, sizes);
  }
  return [...moments.values()];
}

/** The most bytes on chip with full tiles of this many queries and keys. */
export function footprint(moments, blockQ, blockK) {
  return moments.reduce((most, { row, key, pair }) => Math.max(most, row * blockQ + key * blockK + pair * blockQ * blockK), 0);
}

function largest(limit, fits) {
  for (let size = limit; size >= 1; size -= 1) if (fits(size)) return size;
  return null;
}

/**
 * Which smaller tiles would fit a budget: `blockQ` with the keys as they are, `blockK` with the queries as they are,
 * and `square`, the largest tile of as many queries as keys. Null where none does. `least` is what the smallest tile takes.
 */
export function tilesThatFit(trace, budget) {
  const { block_q: blockQ, block_k: blockK } = trace.problem;
  const moments = momentsOf(trace);
  const within = (rows, keys) => footprint(moments, rows, keys) <= budget;
  return {
    blockQ: largest(blockQ, (size) => within(size, blockK)),
    blockK: largest(blockK, (size) => within(blockQ, size)),
    square: largest(Math.min(blockQ, blockK), (size) => within(size, size)),
    least: footprint(moments, 1, 1),
  };
}
