/** Where the learner is in a run, and where they can go. Pure. */

/** Hold a step inside the run. */
export function clampStep(index, steps) {
  const whole = Math.trunc(Number(index));
  if (!Number.isFinite(whole)) return 0;
  return Math.min(Math.max(whole, 0), Math.max(steps.length - 1, 0));
}

/** Whether any row of this step had something to shrink. */
export function rescales(step) {
  return step.kind === "rescale" && step.work.rescaled.some(Boolean);
}

/** The next step at which a row shrinks, going round to the first; the step itself when there is none. */
export function nextRescale(steps, index) {
  for (let offset = 1; offset <= steps.length; offset += 1) {
    const candidate = (index + offset) % steps.length;
    if (rescales(steps[candidate])) return candidate;
  }
  return index;
}

/** The rows (0-based inside their tile) that shrink at this step. */
export function shrinkingRows(step) {
  if (step.kind !== "rescale") return [];
  return step.work.rescaled.flatMap((yes, row) => (yes ? [row] : []));
}

/** The events worth a mark on the timeline: `rose`, `discard` and `finished`, each at its step. */
export function markers(steps) {
  const marks = [];
  steps.forEach((step, index) => {
    if (rescales(step)) marks.push({ index, event: "rose" });
    else if (step.kind === "discard") marks.push({ index, event: "discard" });
    // A backward stores dQ at every visit; only the store that ends a key tile finishes something.
    else if (step.kind === "store" && step.state?.d_q === undefined) marks.push({ index, event: "finished" });
  });
  return marks;
}

/** Stretches of the run that handle one outer tile: query tiles in q_outer, key tiles in kv_outer. */
export function stretches(steps, order) {
  const place = order === "q_outer" ? 0 : 1;
  const found = [];
  steps.forEach((step, index) => {
    const tile = step.tile[place];
    if (tile === null) return;
    const last = found.at(-1);
    if (last && last.tile === tile) last.stop = index + 1;
    else found.push({ tile, start: index, stop: index + 1 });
  });
  return found;
}

function sameTile(left, right) {
  return left[0] === right[0] && left[1] === right[1];
}

/**
 * The step of another run that stands where `step` stood.
 *
 * The same event in the same pair of tiles if the new run has it, else the start of that pair, else the same event
 * in a tile that agrees where both name one, else the same share of the way. In one order a load or a store names
 * one tile, in the other two.
 */
export function samePlace(step, index, oldLength, steps) {
  const sameEvent = steps.findIndex((other) => other.kind === step.kind && sameTile(other.tile, step.tile));
  if (sameEvent >= 0) return sameEvent;
  if (step.tile[0] !== null || step.tile[1] !== null) {
    if (!step.tile.includes(null)) {
      const inTile = steps.findIndex((other) => sameTile(other.tile, step.tile));
      if (inTile >= 0) return inTile;
    }
    const agrees = (other) => other.kind === step.kind && other.tile.every((tile, place) => tile === null || step.tile[place] === null || tile === step.tile[place]);
    // A tile is loaded before its first visit, and finished after its last.
    const event = step.kind.startsWith("load") ? steps.findIndex(agrees) : steps.findLastIndex(agrees);
    if (event >= 0) return event;
  }
  return clampStep(Math.round((index / Math.max(oldLength - 1, 1)) * (steps.length - 1)), steps);
}
