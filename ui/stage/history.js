/** What a trace says about the whole run, worked out once: the life of every block, and what O holds when. Pure. */

import { colourScale, total } from "./numbers.js";

/** For each pair of tiles: the steps at which its scores are made, dropped or passed over. */
export function blockLives(trace) {
  const { tiles_q: tilesQ, tiles_k: tilesK, visits } = trace.problem;
  const lives = Array.from({ length: tilesQ }, (_, q) =>
    Array.from({ length: tilesK }, (_unused, k) => ({
      visited: visits[q][k] === "v",
      born: Infinity,
      gone: Infinity,
      skipped: Infinity,
    })),
  );
  trace.steps.forEach((step, index) => {
    const [q, k] = step.tile;
    if (q === null || k === null) return;
    const life = lives[q][k];
    if (step.kind === "score" || step.kind === "recompute_score") life.born = Math.min(life.born, index);
    else if (step.kind === "discard") life.gone = Math.min(life.gone, index);
    else if (step.kind === "skip") life.skipped = Math.min(life.skipped, index);
  });
  return lives;
}

/** The state of one block at a step: `alive`, `gone`, `skipped` or `to-come`. */
export function blockState(life, index) {
  if (index >= life.skipped) return "skipped";
  if (index >= life.gone) return "gone";
  return index >= life.born ? "alive" : "to-come";
}

/** For each query tile: the steps at which its O was stored, and which block of numbers it then held. */
export function storesOfO(trace) {
  const stores = Array.from({ length: trace.problem.tiles_q }, () => []);
  trace.steps.forEach((step, index) => {
    if (step.kind === "store" && step.work.o !== undefined && step.tile[0] !== null) {
      stores[step.tile[0]].push({ index, block: step.work.o });
    }
  });
  return stores;
}

/** What the outer memory holds of O for one query tile at a step, or null while it is empty. */
export function heldO(stores, index) {
  let held = null;
  for (const store of stores) {
    if (store.index > index) break;
    held = store;
  }
  return held;
}

/** The step after which a query tile's O changes no more. */
export function finalStore(stores) {
  return stores.length ? stores.at(-1).index : Infinity;
}

/** One colour scale for each tensor, over the whole run, so that colours compare across tiles. */
export function colourScales(trace) {
  const { q, k, v } = trace.arrays;
  const o = storesOfO(trace).flatMap((stores) => (stores.length ? trace.blocks[stores.at(-1).block] : []));
  const scores = [];
  const gathered = [];
  const seen = new Set();
  for (const step of trace.steps) {
    if (step.kind === "score") scores.push(...step.work.s.flat());
    const block = step.state?.acc;
    if (block !== undefined && block !== null && !seen.has(block)) {
      seen.add(block);
      gathered.push(...trace.blocks[block].flat());
    }
  }
  return {
    q: colourScale(q.flat()),
    k: colourScale(k.flat()),
    v: colourScale(v.flat()),
    o: colourScale(o.flat()),
    s: colourScale(scores),
    p: 1,
    acc: colourScale(gathered),
  };
}

/** The most bytes on chip at any step. */
export function peakResident(trace) {
  return trace.steps.reduce((peak, step) => Math.max(peak, total(step.resident)), 0);
}
